# Errors have one class, whoever finds them, and name the call that the user made.

test_that("argument checks, the loader and the core fail with one class and the user's call", {
  program <- "__kernel void k(__global double* out, const int len) {}"
  mistakes <- list(
    quote(dnorm_opencl(0, device = list())),
    quote(dnorm_opencl(0, device = "no such device")),
    quote(dnorm_opencl(0, fallback = NA)),
    quote(dnorm_opencl(0, verbose = 2)),
    quote(dnorm_opencl("a")),
    quote(gammafn_opencl("a")),
    quote(dgamma_opencl(1, 2, rate = 3, scale = 4)),
    quote(dnbinom_opencl(1, 2, 0.5, mu = 3)),
    quote(rnorm_opencl(-1)),
    quote(rnorm_opencl(1, "a")),
    quote(rmultinom_opencl(1, 2, -1)),
    quote(set_opencl_device("no such device")),
    quote(opencl_devices(probe = NA)),
    quote(run_opencl_kernel(1:2, "k", list(1))),
    quote(run_opencl_kernel(program, "k", 1)),
    quote(kernel_bundle(character())),
    quote(bundle_build(1)),
    quote(kernel_ids(1)),
    quote(load_kernel_source("no/such/file.cl")),
    quote(load_kernel_source("../file.cl")),
    quote(load_kernel_source(character())),
    quote(load_kernel_library("no/such/folder")),
    quote(build_rmath_opencl_program("no.cl")),
    quote(write_kernel_dependency_index(tempfile())),
    quote(nmath_library("no_such_function")),
    quote(f2_f3_opencl("binomial", "no link", matrix(0), 1, matrix(1), 0, matrix(1), 0, 1)),
    quote(f2_f3_opencl("binomial", "logit", matrix("a"), 1, matrix(1), 0, matrix(1), 0, 1)),
    quote(f2_f3_opencl("binomial", "logit", matrix(0), 1, matrix(1), 0, matrix(1), 0, -1))
  )
  for (call in mistakes) {
    error <- tryCatch(eval(call), error = identity)
    expect_s3_class(error, "nmathopencl_error")
    expect_identical(conditionCall(error)[[1]], call[[1]], info = deparse(call))
    expect_true(nzchar(conditionMessage(error)))
  }
})
