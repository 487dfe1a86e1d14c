# The C interface from C: every function of nmathopencl_capi.h, and that failures are statuses with a text.
opencl <- nmathopencl::nmathopencl_opencl_fp64_available()
compiles <- nmathopencl:::host_compiles()
evaluating <- c(if (compiles) "host", if (opencl) "opencl")

test_that("functions are listed and called by name", {
  known <- functions()
  expect_true(all(c("dgamma", "pnorm", "lgammafn", "rnorm") %in% known$name))
  expect_identical(unlist(known[known$name == "pnorm", -1], use.names = FALSE), c(3L, 2L, 0L))
  expect_identical(known$draws, grepl("^r|_rand$", known$name) & known$draws)
  expect_true(known$draws[known$name == "rnorm"])
  x <- c(0.5, 1, NA, 7)
  expect_equal(gamma_density(x, 2, 1.5), dgamma(x, 2, scale = 1.5), tolerance = 1e-14)
  for (device in c("host", if (opencl) "opencl")) {
    expect_equal(elementwise("pnorm", list(x, 0, c(1, 2)), c(FALSE, TRUE), device = device),
                 pnorm(x, 0, c(1, 2), FALSE, TRUE), tolerance = 1e-14)
    expect_identical(nmathopencl::last_run()$`function`, "pnorm")
    expect_identical(nmathopencl::last_run()$device == "host", device == "host")
  }
  missing <- elementwise("lgammafn", list(c(NA, NaN)))
  expect_identical(is.na(missing) & !is.nan(missing), c(TRUE, FALSE))
  expect_identical(elementwise("dnorm", list(numeric(), 0, 1), 0L, n = 0), numeric())
})

test_that("every function of the table can be called", {
  known <- functions()
  for (k in which(!known$draws)) {
    value <- elementwise(known$name[k], rep(list(0.5), known$columns[k]), rep(0L, known$flags[k]), device = "host")
    expect_length(value, 1L)
  }
})

test_that("draws follow from their seed", {
  draw <- function(seed) elementwise("rnorm", list(1, c(2, 3)), n = 1000, device = "host", seed = seed)
  expect_identical(draw(7), draw(7))
  expect_false(identical(draw(7), draw(8)))
  expect_equal(c(sd(draw(7)[c(TRUE, FALSE)]), sd(draw(7)[c(FALSE, TRUE)])), c(2, 3), tolerance = 0.1)
})

test_that("devices are told", {
  expect_identical(devices(), nmathopencl::opencl_devices()$name)
})

test_that("expressions of columns and of resident vectors are R's", {
  set.seed(1)
  x <- rgamma(1e5, 2)
  text <- "x * dgamma(x, shape, 1.0 / rate, 0)"
  expected <- x * dgamma(x, 2, 1.5)
  for (device in evaluating) {
    expect_equal(evaluate("x, shape, rate", text, list(x, 2, 1.5), device), expected, tolerance = 1e-13)
    expect_equal(on_device("x, shape, rate", text, list(x, 2, 1.5), device = device), expected, tolerance = 1e-13)
    expect_identical(nmathopencl::last_run()$`function`, "expression")
    expect_equal(on_device("x, shape, rate", text, list(x, x + 1, 1.5), 10, 5, device),
                 (x * dgamma(x, x + 1, 1.5))[11:15], tolerance = 1e-13)
    expect_equal(evaluate("x", "lgammafn(x)", list(3.5), device), lgamma(3.5), tolerance = 1e-14)
    nan <- evaluate("x, y", "x + y", list(c(NA, NaN, 1), c(1, 1, NA)), device)
    expect_identical(is.nan(nan), c(FALSE, TRUE, FALSE))
    expect_true(all(is.na(nan)))
    expect_error(evaluate("x", "no_such_function(x)", list(x), device), "no_such_function")
  }
  memory <- nmathopencl::opencl_memory()
  expect_identical(sum(memory$vectors), 0)
})

test_that("failures are statuses with a text", {
  expect_error(elementwise("no_such", list(1)), "no_such")
  expect_error(elementwise("dnorm", list(c(1, 2), 0, 1), 0L, n = 1), "column 1 has 2 elements for 1 results")
  expect_error(elementwise("dnorm", list(1, 0, numeric()), 0L), "column 3 has 0 elements")
  expect_error(elementwise("dnorm", list(1, 0, 1), 0L, device = "no such device"), "no such device|without OpenCL")
  old <- options(nmathopencl.device = "none of these")
  expect_error(elementwise("dnorm", list(1, 0, 1), 0L), "none of these|without OpenCL")
  options(old)
  expect_error(evaluate("x, x", "x", list(1, 1)), "different names of C")
  expect_error(evaluate("x, 2y", "x", list(1, 1)), "different names of C")
  expect_error(evaluate("x", "  ", list(1)), "text of an expression is empty")
  expect_error(evaluate("x, y", "x + y", list(1)), "has 2 arguments, but 1 are given")
  expect_error(evaluate("x, y", "x + y", list(c(1, 2, 3), c(1, 2))), "argument 2 has 2 elements for 3 results")
  for (device in evaluating) expect_error(on_device("x", "x", list(c(1, 2)), 1, 2, device), "the vector has 2 elements")
})

test_that("a call is stopped by an interrupt, and the next one runs", {
  long <- function() elementwise("ptukey", list(seq(1, 5, length.out = 5e6), 1, 7.5, 9.5), c(1L, 0L), device = "host")
  stopped <- tryCatch({
    setTimeLimit(elapsed = 0.5, transient = TRUE)
    system.time(long())
  }, error = identity)
  setTimeLimit()
  expect_s3_class(stopped, "error")
  expect_match(conditionMessage(stopped), "interrupted|time limit")
  expect_equal(elementwise("dnorm", list(0, 0, 1), 0L, device = "host"), dnorm(0))
})

test_that("a kernel of the package runs, or the error says why not", {
  x <- c(-1, 0, 2.5)
  if (opencl) {
    expect_equal(log_density_kernel(x, c(1, 2, 3)), dnorm(x, 0, 1:3, log = TRUE), tolerance = 1e-14)
  } else {
    expect_error(log_density_kernel(x, c(1, 2, 3)), "OpenCL")
  }
})

test_that("C++ without Rcpp calls the same", {
  expect_equal(from_cplusplus(c(0.5, 10)), lgamma(c(0.5, 10)), tolerance = 1e-14)
})
