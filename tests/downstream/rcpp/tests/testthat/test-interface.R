# Every function of openclPort.h, called from this package's C++ code.
available <- nmathopencl::nmathopencl_opencl_fp64_available()

head <- "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"

sum_kernel <- paste0(head, "
__kernel void sum_kernel(__global const double* a, __global const double* b, __global double* out, const int len)
{
    const int i = get_global_id(0);
    if (i < len) out[i] = a[i] + b[i];
}")

tail_kernel <- paste0(head, "
__kernel void tail_kernel(__global const double* a, __global const int* lower_tail, __global const int* log_p,
                          __global double* out, const int len)
{
    const int i = get_global_id(0);
    if (i < len) out[i] = a[i] + 10 * lower_tail[i] + 100 * log_p[i];
}")

scalar_kernel <- paste0(head, "
__kernel void scalar_kernel(const double a, const double b, __global double* out, const int n_out)
{
    for (int i = 0; i < n_out; ++i) out[i] = a + i * b;
}")

broken_kernel <- paste0(head, "#line 1 \"broken.cl\"\n__kernel void broken(__global double* out) { out[0] = nothing; }")

test_that("the loaders give what R gets", {
  expect_identical(has_opencl_cpp(), nmathopencl::nmathopencl_has_opencl())
  expect_identical(load_source_cpp("OPENCL.cl", "nmathopencl"), nmathopencl::load_kernel_source("OPENCL.cl"))
  expect_output(text <- load_library_cpp("R_ext_runtime", TRUE), "Pass 1: emitting ", fixed = TRUE)
  expect_identical(text, nmathopencl::load_kernel_library("R_ext_runtime"))
  kernel <- system.file("cl", "src", "dnorm_kernel.cl", package = "nmathopencl")
  nmath <- system.file("cl", "nmath", package = "nmathopencl")
  expect_identical(load_needed_cpp("src/dnorm_kernel.cl", "nmathopencl", ""),
                   unclass(nmathopencl::load_library_for_kernel(kernel, nmath, "depends_nmath"))[1])
  expect_identical(build_program_cpp("src/nb_density_kernel.cl", "nmath", "all_depends_nmath"), nb_program())
  expect_identical(flatten_cpp(matrix(1:6 + 0.5, 2)), 1:6 + 0.5)
})

test_that("failures of the loaders arrive as R errors with their text", {
  expect_error(load_source_cpp("no.cl", "nmathopencl"), "File not found: inst/cl/no.cl", fixed = TRUE)
  expect_error(load_source_cpp("no.cl", "no.such.package"), "Package 'no.such.package' is not installed")
  expect_error(load_library_cpp("no", FALSE), "File not found: inst/cl/no", fixed = TRUE)
  expect_error(load_needed_cpp("src/nb_density_kernel.cl", "nmathdownstream", "calls_nmath"), "depends_tag must be")
  expect_error(build_program_cpp("src/nb_density_kernel.cl", "no", "depends_nmath"), "File not found: inst/cl/no")
})

test_that("the runners compute, or say why they cannot", {
  runs <- list(
    list(function() run_numeric_cols_cpp(sum_kernel, "sum_kernel", 3L, list(c(1, 2, 3), c(10, 20, 30))), c(11, 22, 33)),
    list(function() run_pq_tail_cpp(tail_kernel, "tail_kernel", 3L, list(c(1, 2, 3)), c(0L, 1L, 1L), c(1L, 0L, 1L)),
         c(101, 12, 113)),
    list(function() run_dbl_scalar_cpp(scalar_kernel, "scalar_kernel", c(1, 0.5), 4L), c(1, 1.5, 2, 2.5))
  )
  for (run in runs) {
    if (available) expect_identical(run[[1]](), run[[2]]) else expect_error(run[[1]](), "OpenCL")
  }
})

test_that("failures are errors of the package's class", {
  expect_error(load_source_cpp("no.cl", "nmathopencl"), class = "nmathopencl_error")
  expect_error(run_numeric_cols_cpp(sum_kernel, "sum_kernel", 2L, list(c(1, 2), 1)), class = "nmathopencl_error")
})

test_that("the runners take the device that was set, and last_run() tells of them", {
  run <- function() run_numeric_cols_cpp(sum_kernel, "sum_kernel", 3L, list(c(1, 2, 3), c(10, 20, 30)))
  old <- options(nmathopencl.device = "no such device", nmathopencl.compiler = FALSE) # the host device runs no text
  on.exit(options(old))
  expect_error(run(), if (available) "no such device" else "OpenCL", class = "nmathopencl_error")
  options(nmathopencl.device = NULL)
  env <- Sys.getenv("NMATHOPENCL_DEVICE", NA)
  on.exit(if (is.na(env)) Sys.unsetenv("NMATHOPENCL_DEVICE") else Sys.setenv(NMATHOPENCL_DEVICE = env), add = TRUE)
  Sys.setenv(NMATHOPENCL_DEVICE = "host")
  expect_error(run(), if (available) "host" else "OpenCL", class = "nmathopencl_error")
  if (available) {
    Sys.setenv(NMATHOPENCL_DEVICE = "opencl")
    expect_identical(run(), c(11, 22, 33))
    expect_identical(nmathopencl::last_run()$`function`, "sum_kernel")
    expect_identical(nmathopencl::last_run()$elements, 3)
    nmathopencl::dnorm_opencl(0, device = "host")
    expect_identical(nmathopencl::last_run()$`function`, "dnorm")
    run()
    nmathopencl::dnorm_opencl(c(0, 1), device = "host")
    expect_identical(nmathopencl::last_run()$elements, 2)
  }
})

test_that("what goes wrong is told: the build log, the kernel, the lengths", {
  mistakes <- list(
    "broken.cl" = function() run_numeric_cols_cpp(broken_kernel, "broken", 1L, list()),
    "other_kernel" = function() run_numeric_cols_cpp(sum_kernel, "other_kernel", 1L, list(1, 2)),
    "elements|len" = function() run_numeric_cols_cpp(sum_kernel, "sum_kernel", 2L, list(c(1, 2), 1))
  )
  for (pattern in names(mistakes)) expect_error(mistakes[[pattern]](), if (available) pattern else "OpenCL")
  if (available) expect_identical(run_numeric_cols_cpp(sum_kernel, "sum_kernel", 1L, list(1, 2)), 3)
})
