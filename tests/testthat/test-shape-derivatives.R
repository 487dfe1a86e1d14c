# Derivatives of distribution functions in their shapes: signs, both tails and both scales against one another, the ends of the range, and
# what a fit sees. ref-derivatives has their values.

at <- function(f, gradient, ..., device = "host") unname(drop(attr(f(..., device = device), "gradient")))

test_that("the gamma distribution's derivatives in shape agree with one another", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  a <- rep(c(1e-8, 1e-3, 0.3, 1, 1 + 2^-40, 1.5, 2, 3, 17.25, 100, 1e4, 1e8, 1e10), each = 9)
  q <- a * c(1e-3, 0.2, 0.25, 0.9, 1, 1.1, 2.5, 2.6, 30)
  far <- a > 1e3
  q[far] <- (a + sqrt(a) * c(-9, -3, -1, -0.1, 0, 0.1, 1, 3, 9))[far]
  lower <- at(opencl_function(function(q, a) pgamma(q, a), gradient = "a"), "a", q, a)
  upper <- at(opencl_function(function(q, a) pgamma(q, a, lower.tail = FALSE), gradient = "a"), "a", q, a)
  log_lower <- at(opencl_function(function(q, a) pgamma(q, a, log.p = TRUE), gradient = "a"), "a", q, a)
  log_upper <- at(opencl_function(function(q, a) pgamma(q, a, lower.tail = FALSE, log.p = TRUE), gradient = "a"), "a", q, a)
  expect_true(all(is.finite(c(lower, log_lower, log_upper))))
  expect_true(all(lower <= 0 & log_lower <= 0 & log_upper >= 0))
  expect_identical(lower + upper, 0 * lower)
  p <- pgamma_opencl(q, a, device = "host")
  expect_equal(lower[p > 1e-290] / p[p > 1e-290], log_lower[p > 1e-290], tolerance = 1e-13)
  u <- pgamma_opencl(q, a, lower.tail = FALSE, device = "host")
  expect_equal(upper[u > 1e-290] / u[u > 1e-290], log_upper[u > 1e-290], tolerance = 1e-13)
  # chi-squared with twice the shape
  expect_equal(at(opencl_function(function(q, n) pchisq(q, n), gradient = "n"), "n", 2 * q, 2 * a), lower / 2, tolerance = 1e-14)
  # what moves a quantile is the derivative over the density
  f <- dgamma_opencl(q, a, device = "host")
  by_quantile <- at(opencl_function(function(p, a) qgamma(p, a), gradient = "a"), "a", p, a)
  inner <- p > 1e-3 & p < 0.999 & q > 1e-200
  expect_equal(by_quantile[inner], -(lower / f)[inner], tolerance = 1e-6)
})

test_that("the ends of the range of gamma shapes are those of the distribution", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  f <- opencl_function(function(q, a) pgamma(q, a), gradient = "a")
  expect_identical(at(f, "a", c(-1, 0, Inf, 1, 1e300), c(2, 2, 2, Inf, 2)) + 0, c(0, 0, 0, 0, 0))
  expect_identical(suppressWarnings(at(f, "a", c(NaN, 1), c(1, -1))), c(NaN, NaN))
  expect_equal(at(f, "a", 1, 1e-300), -0.21938393439552029, tolerance = 1e-15) # -E1(1)
  g <- opencl_function(function(q, a) pgamma(q, a, log.p = TRUE), gradient = "a")
  expect_equal(at(g, "a", 1e-320, 3), log(1e-320) - digamma(4), tolerance = 1e-14)
})

test_that("a censored gamma regression is fitted by its gradient", {
  skip_without_compiler()
  set.seed(5)
  x <- rep(c(0, 1), each = 100)
  y <- qgamma(ppoints(200)[c(seq(1, 199, 2), seq(2, 200, 2))], 2.5, rate = exp(0.3 - 0.5 * x))
  seen <- pmin(y, 4)
  f <- opencl_function(function(y, x, open, a, b, k) {
    rate <- exp(a + b * x)
    ifelse(open, pgamma(y, k, rate = rate, lower.tail = FALSE, log.p = TRUE), dgamma(y, k, rate = rate, log = TRUE))
  }, reduce = "sum", gradient = c("a", "b", "k"))
  value <- function(v) f(seen, x, y > 4, v[1], v[2], exp(v[3]), device = "host")
  fit <- stats::optim(c(0, 0, 0), function(v) -drop(value(v)), function(v) -attr(value(v), "gradient") * c(1, 1, exp(v[3])), method = "BFGS", control = list(reltol = 1e-14))
  plain <- function(v) {
    rate <- exp(v[1] + v[2] * x)
    -sum(ifelse(y > 4, stats::pgamma(seen, exp(v[3]), rate = rate, lower.tail = FALSE, log.p = TRUE), stats::dgamma(seen, exp(v[3]), rate = rate, log = TRUE)))
  }
  expect_equal(fit$value, plain(fit$par), tolerance = 1e-12)
  by_differences <- stats::optim(fit$par, plain, method = "Nelder-Mead", control = list(reltol = 1e-13, maxit = 3000))
  expect_lt(fit$value, by_differences$value + 1e-8)
})
