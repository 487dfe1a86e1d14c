# Functions of R as text, run from C++: on the host device, whose kernels R's C compiler builds, and on an OpenCL device.
old <- options(nmathopencl.compiler = TRUE) # it is not looked for while a package is checked
compiles <- !inherits(try(gamma_cpp(1, 1, 1, "host"), silent = TRUE), "try-error")
devices <- c(if (compiles) "host", if (nmathopencl::nmathopencl_opencl_fp64_available()) "opencl")

test_that("without a compiler the host device says so", {
  told <- options(nmathopencl.compiler = FALSE)
  on.exit(options(told))
  expect_error(run_function_cpp("function(x) x + 17", list(1), "", character(), FALSE, "host"), "compiler", class = "nmathopencl_error")
  expect_error(gamma_cpp(c(1, 2), 1, 1, "host"), "compiler") # and computes once there is one: see below
})

test_that("a logistic regression has R's log-likelihood and gradient", {
  set.seed(1)
  for (device in devices) for (n in c(50L, 5000L)) for (columns in c(1L, 4L)) {
    X <- matrix(rnorm(n * columns), n)
    b <- seq_len(columns) / 7
    y <- as.integer(runif(n) < plogis(0.3 + X %*% b))
    ran <- logistic_cpp(y, X, 0.3, b, device)
    p <- plogis(drop(0.3 + X %*% b))
    expect_equal(ran$values, sum(dbinom(y, 1, p, log = TRUE)), tolerance = 1e-12)
    expect_equal(ran$gradient, c(sum(y - p), crossprod(X, y - p)), tolerance = 1e-11)
  }
})

test_that("a logistic regression is fitted", {
  set.seed(2)
  for (device in devices) {
    X <- matrix(rnorm(2000), 1000)
    y <- as.integer(runif(1000) < plogis(X %*% c(1, -0.5)))
    fit <- optim(c(0, 0, 0), function(p) -logistic_cpp(y, X, p[1], p[-1], device)$values,
                 function(p) -logistic_cpp(y, X, p[1], p[-1], device)$gradient, method = "BFGS", control = list(reltol = 1e-14))
    expect_equal(fit$par, unname(coef(glm(y ~ X, family = binomial))), tolerance = 1e-5)
  }
})

test_that("resident data serve many calls", {
  set.seed(4)
  for (device in devices) {
    X <- matrix(rnorm(6000), 2000)
    y <- as.integer(runif(2000) < 0.4)
    B <- matrix(c(0.1, 0.2, -0.3, 1, 0, 0.5), 3)
    ran <- logistic_resident_cpp(y, X, 0.3, B, device)
    expected <- apply(B, 2L, function(b) unlist(logistic_cpp(y, X, 0.3, b, device)))
    expect_equal(ran, unname(expected), tolerance = 1e-14)
    expect_identical(nmathopencl::last_run()$elements, 2000)
  }
})

test_that("a gamma likelihood has R's value and gradient", {
  set.seed(3)
  for (device in devices) for (n in c(3L, 20000L)) {
    x <- rgamma(n, 2.5, 1.5)
    ran <- gamma_cpp(x, 2.2, 1.7, device)
    expect_equal(ran$values, sum(dgamma(x, 2.2, 1.7, log = TRUE)), tolerance = 1e-12)
    expect_equal(ran$gradient, c(sum(log(1.7) - digamma(2.2) + log(x)), sum(2.2 / 1.7 - x)), tolerance = 1e-10)
    x[2] <- NA
    expect_identical(gamma_cpp(x, 2.2, 1.7, device)$values, NA_real_)
  }
})

test_that("values are elementwise without a reduction, and missing ones are left out on request", {
  if (length(devices) == 0L) skip("neither a compiler nor OpenCL")
  run <- function(text, ..., reduce = "", gradient = character(), na_rm = FALSE) {
    run_function_cpp(text, list(...), reduce, gradient, na_rm, devices[1L])
  }
  expect_equal(run("function(x, k, l) ifelse(l, x + k, x * k)", c(1.5, 2, NA), 1:3, c(TRUE, FALSE, TRUE))$values, c(2.5, 4, NA))
  expect_equal(run("function(X) X * 2", matrix(1:4 / 2, 2))$values, c(1, 2, 3, 4))
  expect_equal(run("function(x, s) x * s", c(1, NA, 3), 2, reduce = "mean", gradient = "s", na_rm = TRUE),
               list(values = 4, gradient = 2))
})

test_that("what is wrong is an error of the package's class", {
  run <- function(text, ..., reduce = "", gradient = character()) run_function_cpp(text, list(...), reduce, gradient, FALSE, "host")
  mistakes <- list(
    "`undefined`|undefined" = function() run("function(x) undefined(x)", 1), "2 arguments, but 1" = function() run("function(x, y) x", 1),
    "no reduction 'median'" = function() run("function(x) x", 1, reduce = "median"), "random numbers" = function() run("function(x) rnorm(3, x)", 1),
    "is not an argument" = function() run("function(x) x", 1, reduce = "sum", gradient = "y"),
    "non-conformable" = function() run("function(X, b) X %*% b", matrix(1, 3, 2), c(1, 2, 3)),
    "condition" = function() run("function(x, k) if (exp(k) > 1) x else -x", c(1, 2), 1)
  )
  for (pattern in names(mistakes)) expect_error(mistakes[[pattern]](), pattern, class = "nmathopencl_error")
})

options(old)
