# Derivatives of quantiles that underflow, or that are so near 1 that they have few digits of what is left of it: against the leading
# power of the distribution function, closed forms, and the same quantile from the other end.

slope <- function(f, gradient, ...) {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  unname(drop(attr(suppressWarnings(opencl_function(f, gradient = gradient)(..., device = "host")), "gradient")))
}
close <- function(x, y, tolerance) expect_lt(max(abs(x / y - 1)), tolerance)
some <- function(count, from, to) exp(stats::runif(count, log(from), log(to)))

test_that("in p they are not lost where the quantile underflows", {
  set.seed(3)
  n <- 300
  # P = C y^a: the quantile is below 1e-300, the derivative is not
  p <- some(n, 1e-307, 1e-200)
  a <- -log(p) / stats::runif(n, 1.02 * 700, 740 - log(p) * 0.9) # log(y) about -log(p)/a
  b <- some(n, 0.1, 50)
  ncp <- some(n, 0.01, 30)
  scale <- some(n, 1e-3, 1e3)
  power <- function(log_c, log_scale = 0) exp((log(p) - log_c) / a - log(p) - log(a) + log_scale)
  check <- function(got, truth) {
    fine <- truth > 1e-300
    expect_gt(mean(fine), 0.5)
    close(got[fine], truth[fine], 3e-12)
    expect_true(all(got[!fine] < 1e-299))
  }
  check(slope(function(p, a, s) qgamma(p, a, scale = s), "p", p, a, scale), power(-lgamma(a + 1), log(scale)))
  check(slope(function(p, n) qchisq(p, n), "p", p, 2 * a), power(-lgamma(a + 1), log(2)))
  check(slope(function(p, n, l) qchisq(p, n, ncp = l), "p", p, 2 * a, ncp), power(-lgamma(a + 1) - ncp / 2, log(2)))
  check(slope(function(p, a, b) qbeta(p, a, b), "p", p, a, b), power(-log(a) - lbeta(a, b)))
  check(slope(function(p, a, b, l) qbeta(p, a, b, ncp = l), "p", p, a, b, ncp), power(-log(a) - lbeta(a, b) - ncp / 2))
  check(slope(function(p, m, n) qf(p, m, n), "p", p, 2 * a, 2 * b), power(-log(a) - lbeta(a, b), log(b / a)))
  check(slope(function(p, m, n, l) qf(p, m, n, ncp = l), "p", p, 2 * a, 2 * b, ncp), power(-log(a) - lbeta(a, b) - ncp / 2, log(b / a)))
  check(slope(function(p, m) qf(p, m, Inf), "p", p, 2 * a), power(-lgamma(a + 1), -log(a)))
  check(slope(function(p, a, s) qweibull(p, a, s), "p", p, a, scale), power(0, log(scale)))
  z <- qnorm(p)
  s <- stats::runif(n, 730, 745 - log(p) * 0.9) / -z
  check(slope(function(p, s) qlnorm(p, 0, s), "p", p, s), exp(s * z - dnorm(z, log = TRUE) + log(s)))
})

test_that("in log p, too, and of tails that are small because of the scale", {
  l <- c(-1e4, -700, -2, -1e-3)
  a <- c(0.9, 0.5, 0.001, 1e-5)
  truth <- exp((l + lgamma(a + 1)) / a - log(a))
  expect_equal(slope(function(p, a) qgamma(p, a, log.p = TRUE), "p", l, a), truth, tolerance = 1e-12)
  expect_identical(slope(function(p, r) qexp(p, r), "p", c(1e-30, 1e-8), 1e300), 1 / (1 - c(1e-30, 1e-8)) / 1e300)
  tiny <- slope(function(p, a, s) qgamma(p, a, scale = s), "p", c(1e-10, 0.3, 0.9), 2.5, 1e-300)
  expect_equal(tiny / 1e-300, slope(function(p, a) qgamma(p, a), "p", c(1e-10, 0.3, 0.9), 2.5), tolerance = 1e-13)
  upper <- slope(function(p, a, s) qgamma(p, a, scale = s, lower.tail = FALSE), "p", c(1e-10, 0.3, 0.9), 2.5, 1e-300)
  expect_equal(upper / 1e-300, slope(function(p, a) qgamma(p, a, lower.tail = FALSE), "p", c(1e-10, 0.3, 0.9), 2.5), tolerance = 1e-13)
})

test_that("next to 1 what is left of 1 has all digits", {
  p <- c(1e-300, 1e-100, 1e-20, 1e-15, 1e-9, 1e-3)
  for (b in c(0.6, 0.9, 3)) # upper tail (1 - x)^b
    close(slope(function(p, b) qbeta(p, 1, b, lower.tail = FALSE), "p", p, b), -exp(log(p) / b - log(p)) / b, 1e-12)
  expect_equal(slope(function(p, b) qbeta(p, 1, b), "p", 1 - 2^-53, 0.5), 2^-52, tolerance = 1e-14)
  set.seed(5)
  p <- some(200, 1e-20, 0.5)
  a <- some(200, 0.01, 100)
  b <- some(200, 0.1, 2)
  all3 <- c("p", "a", "b")
  ours <- slope(function(p, a, b) qbeta(p, a, b, lower.tail = FALSE), all3, p, a, b)
  other <- slope(function(p, a, b) qbeta(p, b, a), all3, p, a, b)
  clear <- abs(other) > 1e-300
  expect_gt(mean(clear), 0.9)
  expect_lt(max(abs(ours / -other - 1)[clear]), 1e-10)
  logs <- slope(function(p, a, b) qbeta(p, a, b, lower.tail = FALSE, log.p = TRUE), "p", log(p), a, b)
  close(logs[clear[, 1]], (ours[, 1] * p)[clear[, 1]], 1e-10)
  # P = x^a exp(h x - h) for b = 1
  p <- c(1e-300, 1e-40, 1e-20, 1e-14)
  ours <- slope(function(p, a, b, l) qbeta(p, a, b, ncp = l, lower.tail = FALSE), c("p", "a", "l"), p, 2.5, 1, 3)
  close(ours, cbind(-1 / 4 + 0 * p, p / 16, p / 32), 1e-12)
})

test_that("kernels give the same", {
  skip_on_cran()
  for (device in c("host", opencl_test_devices())) {
    f <- opencl_function(function(p, a, b) qbeta(p, a, b, lower.tail = FALSE), gradient = c("p", "b"))
    got <- attr(f(c(1e-6, 1e-20, 0.4), c(1, 1, 2), 0.5, device = device), "gradient")
    expect_equal(unname(got[1:2, 1]), c(-2e-6, -2e-20), tolerance = 1e-12)
    f <- opencl_function(function(p, a) qgamma(p, a), gradient = "p")
    got <- attr(f(c(1e-300, 0.3), c(0.9, 2), device = device), "gradient")
    expect_equal(log(got[1]), (log(1e-300) + lgamma(1.9)) / 0.9 - log(1e-300) - log(0.9), tolerance = 1e-13)
  }
})
