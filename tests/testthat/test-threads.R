# Evaluates with the option and the environment variable of R CMD check set so; NA: not set.
with_threads <- function(threads, code, limit = "false") {
  old <- options(nmathopencl.threads = threads)
  env <- Sys.getenv("_R_CHECK_LIMIT_CORES_", NA)
  set <- function(value) if (is.na(value)) Sys.unsetenv("_R_CHECK_LIMIT_CORES_") else Sys.setenv(`_R_CHECK_LIMIT_CORES_` = value)
  on.exit({
    options(old)
    set(env)
  })
  set(limit)
  force(code)
}

threads_used <- function() {
  dnorm_opencl(numeric(1e6), device = "host")
  last_run()$threads
}

cores <- function() with_threads(NULL, opencl_devices(probe = FALSE)$compute_units[1])

test_that("the option bounds the threads of a call", {
  expect_identical(with_threads(1, threads_used()), 1L)
  expect_identical(with_threads(1L, threads_used()), 1L)
  expect_identical(with_threads(2, threads_used()), min(2L, cores()))
  expect_identical(with_threads(1e6, threads_used()), cores())
  expect_identical(with_threads(NULL, threads_used()), cores())
  expect_identical(with_threads(1, opencl_devices(probe = FALSE)$compute_units[1]), 1L)
  glm <- function() {
    f2_f3_opencl("poisson", "log", matrix(0.1, 1, 1e5), 1:50, matrix(1, 50), 0, matrix(1), rep(0, 50), rep(1, 50),
      device = "host"
    )
    last_run()$threads
  }
  expect_identical(with_threads(1, glm()), 1L)
  expect_identical(with_threads(NULL, glm()), cores())
})

test_that("R CMD check gets two threads at most", {
  for (limit in c("TRUE", "true", "warn", "yes")) {
    expect_lte(with_threads(NULL, threads_used(), limit), 2L)
    expect_lte(with_threads(64, threads_used(), limit), 2L)
    expect_identical(with_threads(1, threads_used(), limit), 1L)
  }
  expect_identical(with_threads(NULL, threads_used(), "FALSE"), cores())

  checked <- Sys.getenv("_R_CHECK_PACKAGE_NAME_", NA)
  on.exit(if (is.na(checked)) Sys.unsetenv("_R_CHECK_PACKAGE_NAME_") else Sys.setenv(`_R_CHECK_PACKAGE_NAME_` = checked))
  for (limit in c(NA, "")) {
    Sys.setenv(`_R_CHECK_PACKAGE_NAME_` = "some")
    expect_lte(with_threads(64, threads_used(), limit), 2L)
    Sys.unsetenv("_R_CHECK_PACKAGE_NAME_")
    expect_identical(with_threads(NULL, threads_used(), limit), cores())
  }
})

test_that("what is not a number of threads is an error that says so, and the next call works", {
  for (bad in list(0, -1, NA, NA_real_, NaN, Inf, 1.5, 1e10, "two", "2", TRUE, c(1, 2), numeric(), list(1), factor(1))) {
    error <- expect_error(with_threads(bad, threads_used()), class = "nmathopencl_error")
    expect_match(conditionMessage(error), "nmathopencl.threads = ) must be one whole number from 1 on", fixed = TRUE)
    expect_error(with_threads(bad, f2_f3_opencl("poisson", "log", matrix(0), 1, matrix(1), 0, matrix(1), 0, 1,
      device = "host"
    )), class = "nmathopencl_error")
    expect_error(with_threads(bad, opencl_devices(probe = FALSE)), "one whole number from 1 on")
    expect_identical(with_threads(1, threads_used()), 1L)
  }
})

test_that("results do not depend on the number of threads", {
  x <- seq(0.01, 20, length.out = 1e5)
  one <- with_threads(1, pgamma_opencl(x, c(0.5, 2, 9), device = "host"))
  expect_identical(with_threads(NULL, pgamma_opencl(x, c(0.5, 2, 9), device = "host")), one)
})
