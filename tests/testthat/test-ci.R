# Where the tests are to count, a machine without OpenCL must not pass for one where everything was tested.

test_that("an OpenCL device computes where one is expected", {
  skip_if_not(identical(Sys.getenv("CI"), "true"), "not in continuous integration:")
  skip_on_cran() # drivers are hidden there
  by_request <- nzchar(Sys.getenv("_NMATHOPENCL_CHECK_WITHOUT_OPENCL_")) ||
    tolower(Sys.getenv("NMATHOPENCL_OPENCL")) %in% c("no", "false", "0", "off")
  skip_if(by_request, "built without OpenCL on request")
  expect_true(nmathopencl_has_opencl())
  expect_gt(length(opencl_test_devices()), 0)
  for (device in opencl_test_devices()) {
    expect_equal(dnorm_opencl(1, device = device), dnorm(1), tolerance = 1e-14)
    expect_ran_on(device)
  }
})

test_that("the host device compiles programs where that is expected", {
  skip_if_not(identical(Sys.getenv("CI"), "true"), "not in continuous integration:")
  skip_on_cran() # no compiler runs there
  expect_true(compiler_here())
})

# Under check no compiler runs where the option is not set: `if (plain) FALSE` would be without one in both cases.
test_that("tests of two ways to compute do not take the compiler away from both", {
  skip_on_cran()
  lines <- unlist(lapply(dir(pattern = "[.]R$"), function(file) paste0(file, ": ", readLines(file))))
  taken <- grep("nmathopencl[.]compiler = (NULL|if [(].*[)] FALSE[,)])", lines, value = TRUE)
  expect_identical(taken[!startsWith(taken, "test-ci.R")], character())
})
