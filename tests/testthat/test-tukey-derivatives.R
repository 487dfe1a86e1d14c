# Derivatives of the studentized range: both tails and both scales against one another, Student's t, limits, and random tuples from
# everywhere. ref-derivatives has their values.

slope <- function(f, gradient, ...) unname(attr(opencl_function(f, gradient = gradient)(..., device = "host"), "gradient"))
both <- c("q", "n")

test_that("they are finite, and tails and scales agree", {
  skip_on_cran() # a matter of seconds
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  set.seed(11)
  count <- 500
  spread <- function(from, to) exp(stats::runif(count, log(from), log(to)))
  some <- function(...) sample(c(...), count, TRUE)
  c <- ifelse(stats::runif(count) < 0.5, some(2:20), spread(2, 1e6))
  n <- ifelse(stats::runif(count) < 0.5, spread(2, 100), spread(2, 1e12))
  r <- ifelse(stats::runif(count) < 0.6, 1, floor(spread(1, 1000)))
  q <- ifelse(stats::runif(count) < 0.7, spread(0.3, 20), spread(1e-3, 1e4))
  lower <- slope(function(q, c, n, r) ptukey(q, c, n, r), both, q, c, n, r)
  upper <- slope(function(q, c, n, r) ptukey(q, c, n, r, lower.tail = FALSE), both, q, c, n, r)
  log_lower <- slope(function(q, c, n, r) ptukey(q, c, n, r, log.p = TRUE), both, q, c, n, r)
  log_upper <- slope(function(q, c, n, r) ptukey(q, c, n, r, lower.tail = FALSE, log.p = TRUE), both, q, c, n, r)
  expect_true(all(is.finite(c(lower, log_lower, log_upper))))
  expect_true(all(lower[, 1] >= 0 & log_lower[, 1] >= 0 & log_upper[, 1] <= 0))
  expect_identical(lower + upper, 0 * lower)
  p <- ptukey_opencl(q, c, n, r, device = "host")
  u <- ptukey_opencl(q, c, n, r, lower.tail = FALSE, device = "host")
  close <- function(x, y) expect_lt(max(abs(x - y) / (abs(y) + 1e-300)), 1e-11)
  close((lower / p)[p > 1e-280, ], log_lower[p > 1e-280, ])
  close((upper / u)[u > 1e-280, ], log_upper[u > 1e-280, ])
  # what moves a quantile is the derivative over the density
  inner <- p > 1e-3 & p < 0.999
  expect_gt(sum(inner), 100)
  moved <- slope(function(p, c, n, r) qtukey(p, c, n, r), c("p", "n"), p, c, n, r)
  expect_lt(max(abs(moved[, 1] * lower[, 1] - 1)[inner]), 1e-6)
  expect_lt(max(abs(moved[, 2] * lower[, 1] / -lower[, 2] - 1)[inner & abs(lower[, 2] * n) > 1e-3]), 1e-6)
})

test_that("the range of two is that of Student's t", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  n <- rep(c(2, 2.5, 7, 40, 1e3, 1e5, 1e8, 1e11), each = 7)
  q <- rep(c(1e-3, 0.1, 1, 2.5, 4, 9, 40), 8)
  t <- slope(function(q, n) pt(q / sqrt(2), n, lower.tail = FALSE, log.p = TRUE), both, q, n)
  range <- slope(function(q, n) ptukey(q, 2, n, lower.tail = FALSE, log.p = TRUE), both, q, n)
  expect_lt(max(abs(range / t - 1)), 2e-12)
  expect_equal(slope(function(p, n) qtukey(p, 2, n), "n", 0.9, 5), sqrt(2) * slope(function(p, n) qt(p, n), "n", 0.95, 5), tolerance = 1e-13)
})

test_that("the largest of few ranges is a power, and the ends are those of the distribution", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  one <- slope(function(q) ptukey(q, 4, Inf, log.p = TRUE), "q", c(0.5, 2, 6))
  expect_equal(slope(function(q) ptukey(q, 4, Inf, 3, log.p = TRUE), "q", c(0.5, 2, 6)), 3 * one, tolerance = 1e-13)
  expect_identical(slope(function(q, n) ptukey(q, 3, n), both, c(-1, 0, Inf, 2), c(5, 5, 5, Inf))[, 2] + 0, rep(0, 4))
  expect_identical(slope(function(q, n) ptukey(q, 3, n), both, c(-1, 0, Inf), 5)[, 1] + 0, rep(0, 3))
  expect_equal(drop(slope(function(q) ptukey(q, 2, Inf), "q", 0)), 1 / sqrt(pi), tolerance = 1e-14)
  expect_identical(suppressWarnings(drop(slope(function(q, n) ptukey(q, 3, n), "n", c(NaN, 1), c(5, 1)))), c(NaN, NaN))
  expect_equal(drop(slope(function(p) qtukey(p, 2, Inf), "p", 0)), sqrt(pi), tolerance = 1e-14)
  expect_identical(drop(slope(function(p) qtukey(p, 3, 5), "p", c(0, 1))), c(Inf, Inf))
})

test_that("of two ranges of two, whose power is linear in chi-squared next to 0, what is left is not lost", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  found <- slope(function(q, n) ptukey(q, 2, n, 2), "n", c(0.02556610107421875, 0.0302886962890625), c(2.4599609375, 3.306640625))
  expect_equal(drop(found), c(7.487268786734714e-09, 8.162539969447446e-09), tolerance = 1e-14) # by tools/derivative_reference
})

test_that("the upper tail of few degrees of freedom is the double integral, not R's, which is off by 0.16 percent", {
  expect_equal(ptukey_opencl(13.2923, 3, 2.993, lower.tail = FALSE, device = "host"), 0.005276652266376522, tolerance = 1e-14) # mpmath, 25 digits
})
