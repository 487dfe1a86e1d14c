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
