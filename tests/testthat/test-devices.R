test_that("the host device is always listed", {
  devices <- opencl_devices()
  expect_identical(devices$name[1], "host")
  expect_identical(devices$index[1], 0L)
  expect_true(devices$fp64[1])
  expect_identical(devices$index, seq_along(devices$index) - 1L)
  expect_identical(sum(devices$selected), 1L)
})

test_that("auto takes a GPU, else the host", {
  old <- options(nmathopencl.device = NULL)
  on.exit(options(old))
  env <- Sys.getenv("NMATHOPENCL_DEVICE", NA)
  Sys.unsetenv("NMATHOPENCL_DEVICE")
  on.exit(if (!is.na(env)) Sys.setenv(NMATHOPENCL_DEVICE = env), add = TRUE)
  devices <- opencl_devices()
  gpus <- devices$index[devices$type == "gpu" & devices$fp64 %in% TRUE]
  if (length(gpus)) expect_true(devices$index[devices$selected] %in% gpus) else expect_true(devices$selected[1])
})

test_that("argument, session, option and environment variable choose in this order", {
  old <- options(nmathopencl.device = NULL)
  env <- Sys.getenv("NMATHOPENCL_DEVICE", NA)
  on.exit({
    options(old)
    set_opencl_device("auto")
    if (is.na(env)) Sys.unsetenv("NMATHOPENCL_DEVICE") else Sys.setenv(NMATHOPENCL_DEVICE = env)
  })
  resolve <- nmathopencl:::resolve_device
  Sys.unsetenv("NMATHOPENCL_DEVICE")
  expect_identical(resolve("auto"), "auto")
  Sys.setenv(NMATHOPENCL_DEVICE = "cpu")
  expect_identical(resolve("auto"), "cpu")
  options(nmathopencl.device = "gpu")
  expect_identical(resolve("auto"), "gpu")
  set_opencl_device("host")
  expect_identical(resolve("auto"), "host")
  expect_identical(resolve("opencl"), "opencl")
  expect_identical(resolve(0), "host")
  expect_identical(resolve(2L), "2")
})

test_that("set_opencl_device returns the previous choice and keeps it on error", {
  on.exit(set_opencl_device("auto"))
  expect_identical(set_opencl_device("host"), "auto")
  expect_error(set_opencl_device("no such device"), class = "nmathopencl_error")
  expect_identical(set_opencl_device("auto"), "host")
})

test_that("what the build and the machine offer is consistent", {
  expect_type(nmathopencl_has_opencl(), "logical")
  available <- nmathopencl_opencl_fp64_available()
  info <- nmathopencl_opencl_device_info(details = TRUE)
  expect_identical(info$valid, available)
  expect_match(info$details, "device_name")
  expect_identical(available, length(opencl_test_devices()) > 0)
  if (!nmathopencl_has_opencl()) expect_false(available)
  if (!available) expect_gt(nchar(info$reason), 0)
  expect_null(nmathopencl_opencl_reset_device_selection())
  expect_identical(nmathopencl_opencl_fp64_available(), available)
})

test_that("without an OpenCL device asking for one is a clear error", {
  if (length(opencl_test_devices())) {
    expect_silent(dnorm_opencl(0, device = "opencl"))
    expect_false(last_run()$device == "host")
  } else {
    expect_error(dnorm_opencl(0, device = "opencl"), class = "nmathopencl_error")
  }
})

test_that("kernels of one's own run on devices that compile", {
  program <- build_rmath_opencl_program("src/dnorm_kernel.cl")
  columns <- list(c(0, 1, 2), 0, 1, 0L)
  for (device in compiling_devices()) {
    expect_equal(run_opencl_kernel(program, "dnorm_kernel", columns, device = device), dnorm(0:2), tolerance = 1e-14)
    expect_ran_on(device)
    expect_error(run_opencl_kernel(program, "no_kernel", columns, device = device), "dnorm_kernel")
    error <- expect_error(
      run_opencl_kernel("#line 7 \"mine.cl\"\n__kernel void f(__global double* out, const int len) { out[0] = nothing; }",
        "f", list(1), device = device), class = "nmathopencl_error")
    expect_match(error$build_log, "mine.cl:7")
    expect_match(error$status, "^CL_BUILD_PROGRAM_FAILURE")
  }
  expect_error(run_opencl_kernel(program, "dnorm_kernel", list("a")), "element 1 is not numeric")
  expect_error(run_opencl_kernel(program, "dnorm_kernel", list(1:3, 1:2)), "element 2 has length 2")
  expect_error(run_opencl_kernel(1:2, "dnorm_kernel", list(1)), "`program` must be one string")
})

test_that("neither loading the package nor the host device opens an OpenCL library", {
  skip_if_not(file.exists("/proc/self/maps"), "the system tells which libraries a process has opened:")
  seen <- in_child(local({
    libraries <- function() grep("libOpenCL|libpocl|libcuda|libnvidia", readLines("/proc/self/maps"), value = TRUE)
    loaded <- libraries()
    dnorm_opencl(0, device = "host")
    computed <- libraries()
    has <- nmathopencl_has_opencl()
    list(loaded = loaded, computed = computed, has = has, asked = libraries())
  }))
  expect_identical(seen$loaded, character())
  expect_identical(seen$computed, character())
  expect_identical(seen$has, nmathopencl_has_opencl())
  expect_identical(any(grepl("libOpenCL", seen$asked)), seen$has)
})
