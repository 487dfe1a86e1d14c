# What a user reads of a call that went wrong, and what print() shows.

unoptimized_programs()

density <- function(y, m) dnorm(y, m, 1, log = TRUE)

test_that("conditions of a call name the user's call", {
  f <- opencl_function(density)
  for (k in 1:2) { # before there is a plan for its shape, and after
    error <- expect_error(f(1:3), "argument \"m\" is missing, with no default")
    expect_identical(conditionCall(error), quote(f(1:3)))
    f(c(1, 2, 3), 1, device = "host")
  }
  g <- opencl_function(function(y, m) y + m * not_defined_anywhere)
  error <- expect_error(g(numeric(), 1), "not_defined_anywhere")
  expect_identical(conditionCall(error), quote(g(numeric(), 1)))
})

test_that("print() shows the R function, its gradient and where it was computed, not the kernel", {
  f <- opencl_function(density, reduce = "sum", gradient = "m")
  expect_match(paste(capture.output(print(f)), collapse = "\n"), "gradient in m\nnot computed yet")
  f(c(1, 2, 3), 1, device = "host")
  shown <- capture.output(print(f))
  if (compiler_here()) expect_match(paste(shown, collapse = "\n"), "computed last on host\nas.character\\(\\)")
  expect_false(any(grepl("__kernel", shown)))
})

test_that("as_objective() checks names when it is made, and prints in two lines", {
  ll <- opencl_function(density, reduce = "sum", gradient = "m")
  y <- c(1, 2, 3)
  expect_error(as_objective(ll, c(q = 1), list(y = y)), "`q` in `start` is not an argument of `ll`", class = "nmathopencl_error")
  expect_error(as_objective(ll, c(m = 1), list(y = y, z = 2)), "`z` in `data` is not an argument", class = "nmathopencl_error")
  expect_error(as_objective(ll, c(m = 1)), "`y` of `ll` is neither in `start` nor in `data`", class = "nmathopencl_error")
  expect_error(as_objective(ll, c(m = 1), list(y = y), devise = "host"), "arguments of `ll` go to `data`", class = "nmathopencl_error")
  objective <- as_objective(ll, c(m = 1), list(y = y), device = "host")
  expect_identical(capture.output(print(objective))[1L], "objective of 1 parameter: m")
  expect_equal(optimize(objective$fn, c(-5, 5))$minimum, 2, tolerance = 1e-6)
  bad <- as_objective(ll, c(m = 1), list(y = letters))
  error <- expect_error(bad$fn(1), "`y` is of type character")
  expect_identical(conditionCall(error), quote(bad$fn(1)))
})

test_that("errors of gradients say what to write instead", {
  mixed <- opencl_function(function(X, b) X %*% b + b, gradient = "b")
  expect_error(mixed(diag(2), c(1, 2), device = "host"), "f(X, b, c) with X %*% b + c", fixed = TRUE)
})

test_that("groups that are more than the memory are refused", {
  total <- opencl_function(function(y) y, reduce = "sum")
  expect_length(total(c(1, 2), by = c(1L, 2000000L)), 2000000)
  old <- options(nmathopencl.available = 1e9)
  on.exit(options(old))
  expect_error(total(c(1, 2), by = c(1L, 2000000000L)), "larger than the memory that is available", class = "nmathopencl_error")
})

test_that("as_objective() names an element beyond the end of a parameter", {
  ll <- opencl_function(function(y, x, b) sum(dpois(y, exp(b[1] + b[2] * x), log = TRUE)), gradient = "b")
  short <- as_objective(ll, list(b = 0), list(y = c(1, 2, 3), x = c(1, 2, 3)), device = "host")
  expect_warning(short$fn(0), "`b[2]` is beyond the end of `b`, which has 1 element", fixed = TRUE)
  long <- as_objective(ll, list(b = c(0, NA)), list(y = c(1, 2, 3), x = c(1, 2, 3)), device = "host")
  expect_warning(long$fn(c(0, NA)), "`b` has 1 missing value")
})

test_that("an argument that is neither in data nor given is named, with what data have", {
  columns <- data.frame(yy = c(1, 2, 3), x = c(1, 2, 3))
  f <- opencl_function(function(y, x, b) sum(dpois(y, exp(b[1] + b[2] * x), log = TRUE)), gradient = "b", data = columns)
  error <- expect_error(f(b = c(0, 1)), "`y` is not given, and `data` has no `y`, but `yy`, `x`", class = "nmathopencl_error")
  expect_identical(conditionCall(error), quote(f(b = c(0, 1))))
  g <- opencl_function(function(b, y, x) sum(dpois(y, exp(b[1] + b[2] * x), log = TRUE)), data = columns)
  expect_error(g(c(0, 1)), "`data` has no `y`", class = "nmathopencl_error")
  whole <- opencl_function(function(y, x, b) sum(y * b + x), data = list(y = 1:3, x = c(1, 2, 3)))
  expect_error(whole(2), "`b` is not given", class = "nmathopencl_error")
  expect_identical(whole(b = 2, device = "host"), 18)
})

test_that("what is not known is named, with what to write", {
  refused <- function(f, text) expect_error(opencl_function(f), text, fixed = TRUE, class = "nmathopencl_error")
  refused(function(x) optimize(function(u) (u - x)^2, c(0, 1))$minimum, "`optimize()` is not supported: it calls a function again and again")
  refused(function(x) no_such_function_here(x)$value, "`no_such_function_here()` is not supported")
  refused(function(x) {
    parts <- list(a = x)
    sum(parts$a)
  }, "`list()` is not supported: an expression computes with vectors")
  refused(function(x, p) dmultinom(x, prob = p, log = TRUE), "lgamma(sum(x) + 1) + sum(x * log(p) - lgamma(x + 1))")
  if (compiler_here()) expect_error(opencl_function(function(x) sum(x[c(TRUE, FALSE)]))(c(1, 2), device = "host"), "x[seq(1, length(x), by = 2)]", fixed = TRUE)
  recycled <- opencl_function(function(y, x, b) sum(dpois(y, exp(b[1] + b[2] * x), log = TRUE)), gradient = "b")
  expect_error(recycled(rep(1, 20), 1:7 / 7, c(0, 0.1), device = "host"), "`x` has length 7 and is recycled to length 20", class = "nmathopencl_error")
})

test_that("a device that is not there is told of once for a call", {
  old <- options(nmathopencl.device = NULL)
  on.exit(options(old))
  skip_if(any(opencl_devices()$type == "gpu"))
  ll <- opencl_function(function(y, x, b) sum(dpois(y, exp(b[1] + b[2] * x), log = TRUE)), gradient = "b")
  told <- with_conditions(ll(c(1, 2, 3), c(1, 2, 3), c(0, 1), device = "gpu", fallback = TRUE))
  expect_length(told$warnings, 1L)
  expect_equal(c(told$value), sum(dpois(1:3, exp(1:3), log = TRUE)))
})
