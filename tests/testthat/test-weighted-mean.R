# weighted.mean() of what a function computes, and setdiff(), union(), intersect() and kronecker() of data, against plain R.

unoptimized_programs()

test_that("weighted.mean() is R's, whatever is missing, infinite or of weight 0", {
  set.seed(11)
  values <- c(-2, -0.5, 0, 1, 3, NA, NaN, Inf, -Inf)
  for (case in seq_len(cases(60, 12, 6))) {
    n <- sample(c(1, 2, 5, 17), 1)
    x <- sample(values, n, TRUE, c(rep(4, 5), 1, 1, 1, 1))
    w <- sample(c(0, 0.5, 1, 2, NA), n, TRUE, c(3, 4, 4, 4, 1))
    expect_as_r(function(x, w, m) weighted.mean(x * m, w), x, w, 1.5)
    expect_as_r(function(x, w, m) weighted.mean(x - m, w, na.rm = TRUE), x, w, 0.5)
  }
  expect_as_r(function(x, w, m) sum(dnorm(x, weighted.mean(x, w) + m, 2, log = TRUE)), c(1, 4, 2), 3:1, 0.2)
  expect_as_r(function(x, w) weighted.mean(w = w, x), c(TRUE, FALSE, TRUE), c(1L, 0L, 3L))
  expect_as_r(function(x, w) weighted.mean(x, w), numeric(), numeric())
  expect_identical(opencl_function(function(x, w) weighted.mean(x * 2, w))(c(1, 2), c(NaN, 1), device = "host"), weighted.mean(c(2, 4), c(NaN, 1)))
  expect_error(opencl_function(function(x, w) weighted.mean(x, w, TRUE)), class = "nmathopencl_error") # it is no na.rm
  expect_error(opencl_function(function(x, w) weighted.mean(x, w, na = TRUE)), class = "nmathopencl_error")
  expect_error(opencl_function(function(x, w) weighted.mean(x, w))(c(1, 2), 1:3, device = "host"), "'x' and 'w' must have the same length", fixed = TRUE)
})

test_that("its slopes are those of numbers and of weights, of 0 too", {
  x <- c(1, 3, -2, 0.5)
  expect_slopes_as_r(function(par, x) weighted.mean(x, plogis(par * x)), 0.7, x)
  expect_slopes_as_r(function(par, x) weighted.mean(exp(par * x), abs(x)), 0.4, x)
  f <- opencl_function(function(w, x) weighted.mean(x, w), gradient = "w")
  w <- c(2, 0, 1, 1)
  expect_equal(as.vector(attr(f(w, x, device = "host"), "gradient")), (x - weighted.mean(x, w)) / sum(w))
})

test_that("sets and Kronecker products of data are R's", {
  y <- c(0.5, 2, -1, 3, 1)
  expect_as_r(function(y, k, m) sum(y[setdiff(seq_along(y), k)]) * m, y, c(2, 4), 1.5)
  expect_as_r(function(y, k, m) sum(y[intersect(1:4, k)]) * m, y, c(2, 4, 5), 1.5)
  expect_as_r(function(y, k, m) sum(y[union(k, 1:2)]) * m, y, c(2, 4), 1.5)
  expect_as_r(function(A, m) sum(kronecker(A, diag(2)) * m), matrix(c(1, 0.5, 0.5, 2), 2), 1.5)
})
