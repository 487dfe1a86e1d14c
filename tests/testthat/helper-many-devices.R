# The host device and the first OpenCL device, which share calls.
two_devices <- function() {
  skip_if(length(opencl_test_devices()) == 0L, "no OpenCL device to share calls with")
  c("host", opencl_test_devices()[1L])
}

# Both had a part of the last call, and the parts are all of it.
expect_shared <- function(n) {
  run <- last_run()
  expect_identical(run$shares$index, c(0L, as.integer(two_devices()[2L])))
  expect_identical(run$shares$device, c(device_name("0"), device_name(two_devices()[2L])))
  expect_true(all(run$shares$elements > 0))
  expect_identical(sum(run$shares$elements), as.double(n))
  expect_identical(run$elements, as.double(n))
  expect_identical(run$device, paste(run$shares$device, collapse = " + "))
}
