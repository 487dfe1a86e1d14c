# The environment of a machine without a driver: no ICD file for the loader to find.
no_driver <- c("OCL_ICD_VENDORS=/nonexistent", "OPENCL_VENDOR_PATH=/nonexistent")

expect_telling <- function(error, step, status) {
  expect_s3_class(error, "nmathopencl_error")
  expect_match(error$step, step)
  expect_match(error$status, status)
  expect_true(nzchar(error$hint))
  expect_match(conditionMessage(error), error$hint, fixed = TRUE)
}

run_on <- function(device, program, kernel, ...) {
  tryCatch(run_opencl_kernel(program, kernel, list(...), device = device), nmathopencl_error = identity)
}

double_kernel <- paste(
  "#pragma OPENCL EXTENSION cl_khr_fp64 : enable",
  "__kernel void twice(__global const double* x, __global double* out, const int len)",
  "{ int i = get_global_id(0); if (i < len) out[i] = 2.0 * x[i]; }",
  sep = "\n"
)

test_that("a program that does not build says where, and the next one builds", {
  for (device in opencl_test_devices()) {
    error <- run_on(device, sub("2.0", "two", double_kernel, fixed = TRUE), "twice", 1)
    expect_telling(error, "clBuildProgram", "CL_BUILD_PROGRAM_FAILURE")
    expect_match(error$build_log, "two")
    expect_identical(error$device, device_name(device))
    expect_telling(run_on(device, double_kernel, "thrice", 1), "clCreateKernel", "CL_INVALID_KERNEL_NAME")
    expect_telling(run_on(device, double_kernel, "twice", 1, 2), "clSetKernelArg", "CL_INVALID_KERNEL_ARGS")
    expect_identical(run_on(device, double_kernel, "twice", c(1, 2)), c(2, 4))
  }
})

test_that("a kernel that wants too large a group or too much local memory is an error", {
  attribute <- "__attribute__((reqd_work_group_size(1 << 20, 1, 1)))"
  wide <- sub("__kernel", paste("__kernel", attribute), double_kernel, fixed = TRUE)
  for (device in opencl_test_devices()) {
    error <- run_on(device, wide, "twice", 1)
    expect_s3_class(error, "nmathopencl_error")
    expect_true(nzchar(error$step) && nzchar(error$status) && nzchar(error$hint))
    expect_identical(run_on(device, double_kernel, "twice", 3), 6)
  }
})

test_that("a thousand failing calls leave nothing behind", {
  memory <- function() sum(gc()[, 2])
  as_one(for (device in opencl_test_devices()) {
    fail <- function(k) {
      expect_s3_class(run_on(device, double_kernel, paste0("no_", k), 1), "nmathopencl_error")
    }
    fail(0)
    before <- memory()
    for (k in 1:1000) fail(k)
    expect_lt(memory() - before, 20)
    expect_identical(run_on(device, double_kernel, "twice", 3), 6)
  })
})

test_that("without a driver only OpenCL fails, and says so", {
  result <- in_child(
    list(
      host = dnorm_opencl(0), device = last_run()$device, names = opencl_devices()$name,
      available = nmathopencl_opencl_fp64_available(),
      error = tryCatch(dnorm_opencl(0, device = "opencl"), nmathopencl_error = identity),
      fallback = suppressWarnings(dnorm_opencl(0, device = "opencl", fallback = TRUE)), again = dnorm_opencl(1)
    ),
    env = no_driver
  )
  expect_equal(result$host, dnorm(0))
  expect_identical(result$device, "host")
  expect_equal(result$fallback, dnorm(0))
  expect_equal(result$again, dnorm(1))
  # A driver may be found without the loader's files (simulators); then there is no failure to be seen.
  if (identical(result$names, "host")) {
    expect_false(result$available)
    expect_s3_class(result$error, "nmathopencl_error")
    expect_true(nzchar(result$error$hint))
  }
})

test_that("a restriction that no device fits is an error, and the host works on", {
  skip_if(length(opencl_test_devices()) == 0)
  result <- in_child(
    list(
      error = tryCatch(dnorm_opencl(0, device = "opencl"), nmathopencl_error = identity),
      host = dnorm_opencl(0, device = "host")
    ),
    env = "NMATHOPENCL_PLATFORM_INDEX=77"
  )
  expect_s3_class(result$error, "nmathopencl_error")
  expect_match(conditionMessage(result$error), "NMATHOPENCL_PLATFORM_INDEX=77")
  expect_equal(result$host, dnorm(0))
})
