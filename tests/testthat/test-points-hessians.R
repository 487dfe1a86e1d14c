# `over` with `hessian = TRUE`: second derivatives at all points are a few launches, and bit for bit what a loop of calls gives.

unoptimized_programs()
set.seed(3511)
n <- 400L
x <- round(rgamma(n, 2, 3), 4)
y <- rpois(n, 2)
X <- cbind(1, matrix(round(rnorm(3 * n), 3), n))
z <- rbinom(n, 1, 0.4)
g <- rep_len(1:5, n)
m <- 7L
a <- stats::setNames(round(runif(m, 0.5, 4), 3), letters[seq_len(m)])
b <- round(runif(m, 0.5, 4), 3)
B <- matrix(round(rnorm(4 * m, 0, 0.3), 3), m)

curved <- function(f, gradient, ...) opencl_function(f, gradient = gradient, hessian = TRUE, ...)
expect_together <- function(f, args, points, names = NULL) {
  expect_as_loop(f, args, points, names)
  for (device in compiling_devices()) {
    do.call(f, c(args, list(device = device), lapply(points, function(p) if (is.matrix(p)) p[1L, ] else p[[1L]])))
    one <- last_run()$chunks
    do.call(f, c(args, list(over = points, device = device)))
    expect_lt(last_run()$chunks, one * m)
  }
}

test_that("numbers as parameters", {
  f <- function(x, a, b) dgamma(x, a, rate = b, log = TRUE)
  expect_together(curved(f, c("a", "b"), reduce = "sum"), list(x = x), list(a = a, b = b), names(a))
  expect_together(curved(f, "b", reduce = "mean"), list(x = x), list(a = a, b = b), names(a))
  expect_together(curved(function(x, a, b) sum(dnorm(x, a, exp(b), log = TRUE)) - a^2 * b, c("b", "a")), list(x = x), list(a = a, b = b), names(a))
})

test_that("coefficients, vectors and effects", {
  logistic <- function(z, X, b) {
    e <- X %*% b
    sum(z * e - log1p(exp(e))) - 0.5 * sum(b^2)
  }
  expect_together(curved(logistic, "b"), list(z = z, X = X), list(b = B))
  expect_together(curved(logistic, "b"), list(z = z, X = X), list(b = `colnames<-`(B, c("one", "u", "v", "w"))))
  expect_together(curved(function(y, X, b, s) dpois(y, s * exp(X %*% b), log = TRUE), c("s", "b"), reduce = "sum"), list(y = y, X = X), list(b = B, s = b))
  normal <- function(x, par) -sum(dnorm(x, par[1] + par[3], exp(par[2]), log = TRUE))
  expect_together(curved(normal, "par"), list(x = x), list(par = B[, 1:3]))
  effects <- function(x, g, u, s) sum(dnorm(x, u[g], exp(s), log = TRUE)) + sum(dnorm(u, 0, 1, log = TRUE))
  expect_as_loop(curved(effects, c("u", "s")), list(x = x, g = g), list(u = cbind(B, 1), s = b / 4))
})

test_that("missing values touch their point alone; no point, and one", {
  f <- curved(function(x, a, b) dgamma(x, a, rate = b, log = TRUE), c("a", "b"), reduce = "sum")
  expect_as_loop(f, list(x = x), list(a = replace(a, c(2, 5), c(NA, NaN)), b = replace(b, 3, -1)), names(a))
  expect_as_loop(f, list(x = replace(x, 2, NA)), list(a = a, b = b), names(a))
  expect_as_loop(f, list(x = x), list(a = a[1], b = b[1]), names(a)[1])
  none <- f(x, over = list(a = numeric(), b = numeric()))
  labels <- c("a", "b")
  expect_identical(none, structure(numeric(), gradient = matrix(0, 0, 2, dimnames = list(NULL, labels)), hessian = array(0, c(0, 2, 2), list(NULL, labels, labels))))
})

test_that("calls that are as one before them", {
  f <- curved(function(x, a, b) dgamma(x, a, rate = b, log = TRUE), c("a", "b"), reduce = "sum", data = list(x = x))
  for (device in compiling_devices()) {
    for (turn in 1:3) {
      at <- list(a = a + turn / 8, b = rev(b))
      expect_true(same_bits(f(over = at, device = device), loop_over_points(f, list(device = device), at, names(a))))
      P <- cbind(b = at$b, a = unname(at$a))
      expect_true(same_bits(f(over = P, device = device), loop_over_points(f, list(device = device), lapply(at, unname))))
    }
  }
})
