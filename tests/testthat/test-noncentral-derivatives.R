# Derivatives of non-central distributions in degrees of freedom and shapes: signs, both tails and both scales against one another,
# limits, and random tuples from everywhere. ref-derivatives has their values.

slope <- function(f, gradient, ...) unname(attr(f(..., device = "host"), "gradient"))
made <- function(f, gradient) opencl_function(f, gradient = gradient)

# q at all distances from the mean, and with many central and extreme parameters.
set.seed(37)
count <- 300
noncentral_tuples <- function(largest) {
  spread <- function(from, to) exp(stats::runif(count, log(from), log(to)))
  list(a = spread(1e-8, largest), b = spread(1e-8, largest), ncp = spread(1e-8, 1e4), z = stats::rnorm(count, 0, 3), far = stats::runif(count) < 0.3)
}

test_that("those of the non-central chi-squared distribution are finite, have their signs, and agree", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  t <- noncentral_tuples(1e10)
  mean <- t$a + t$ncp
  q <- ifelse(t$far, exp(60 * t$z), mean * exp(pmax(-200, t$z * sqrt(2 * (mean + t$ncp)) / mean)))
  q <- pmin(q, 1e300)
  lower <- slope(made(function(q, a, l) pchisq(q, a, l), "a"), "a", q, t$a, t$ncp)
  upper <- slope(made(function(q, a, l) pchisq(q, a, l, lower.tail = FALSE), "a"), "a", q, t$a, t$ncp)
  log_lower <- slope(made(function(q, a, l) pchisq(q, a, l, log.p = TRUE), "a"), "a", q, t$a, t$ncp)
  log_upper <- slope(made(function(q, a, l) pchisq(q, a, l, lower.tail = FALSE, log.p = TRUE), "a"), "a", q, t$a, t$ncp)
  density <- slope(made(function(q, a, l) dchisq(q, a, l, log = TRUE), "a"), "a", q, t$a, t$ncp)
  expect_true(all(is.finite(c(lower, log_lower, log_upper, density))))
  expect_true(all(lower <= 0 & log_lower <= 0 & log_upper >= 0))
  expect_identical(lower + upper, 0 * lower)
  p <- pchisq_opencl(q, t$a, t$ncp, device = "host")
  u <- pchisq_opencl(q, t$a, t$ncp, lower.tail = FALSE, device = "host")
  expect_equal((lower / p)[p > 1e-290], log_lower[p > 1e-290], tolerance = 1e-12)
  expect_equal((upper / u)[u > 1e-290], log_upper[u > 1e-290], tolerance = 1e-12)
  # one Poisson weight: the central distribution
  expect_equal(slope(made(function(q, a, l) pchisq(q, a, l), "a"), "a", q, t$a, 1e-300), slope(made(function(q, a) pchisq(q, a), "a"), "a", q, t$a), tolerance = 1e-12)
  # the mass at 0 that there is without degrees of freedom
  expect_equal(drop(slope(made(function(q, a, l) pchisq(q, a, l), "a"), "a", 1e-300, 0, 2)), exp(-1) * 0.5 * (log(0.5e-300) - digamma(1)), tolerance = 1e-14)
  expect_identical(slope(made(function(q, a, l) pchisq(q, a, l), "a"), "a", c(-1, 0, Inf), 2, 3)[, 1] + 0, c(0, 0, 0))
})

test_that("those of the non-central beta and F distributions are finite, have their signs, and agree", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  t <- noncentral_tuples(1e8)
  a <- t$a + t$ncp / 2
  v <- a * t$b / (a + t$b)
  odds <- a / t$b * exp(pmax(-300, pmin(25, t$z / sqrt(pmin(1, v) + v))))
  q <- odds / (1 + odds)
  keep <- q > 0 & q < 1
  q <- q[keep]; a <- t$a[keep]; b <- t$b[keep]; l <- t$ncp[keep]
  both <- c("a", "b")
  lower <- slope(made(function(q, a, b, l) pbeta(q, a, b, l), both), both, q, a, b, l)
  upper <- slope(made(function(q, a, b, l) pbeta(q, a, b, l, lower.tail = FALSE), both), both, q, a, b, l)
  log_lower <- slope(made(function(q, a, b, l) pbeta(q, a, b, l, log.p = TRUE), both), both, q, a, b, l)
  log_upper <- slope(made(function(q, a, b, l) pbeta(q, a, b, l, lower.tail = FALSE, log.p = TRUE), both), both, q, a, b, l)
  density <- slope(made(function(q, a, b, l) dbeta(q, a, b, l, log = TRUE), both), both, q, a, b, l)
  expect_true(all(is.finite(c(lower, log_lower, log_upper, density))))
  expect_true(all(lower[, 1] <= 0 & lower[, 2] >= 0 & log_lower[, 1] <= 0 & log_upper[, 1] >= 0))
  expect_identical(lower + upper, 0 * lower)
  p <- pbeta_opencl(q, a, b, l, device = "host")
  expect_equal((lower / p)[p > 1e-290, ], log_lower[p > 1e-290, ], tolerance = 1e-11)
  expect_equal(slope(made(function(q, a, b, l) pbeta(q, a, b, l), both), both, q, a, b, 1e-300), slope(made(function(q, a, b) pbeta(q, a, b), both), both, q, a, b), tolerance = 1e-11)
  # F of the same odds: what the shapes have, less what moves the point
  x <- odds[keep] * b / a
  f <- slope(made(function(q, m, n, l) pf(q, m, n, l), c("m", "n")), both, x, 2 * a, 2 * b, l)
  moved <- q * (1 - q) * dbeta_opencl(q, a, b, l, device = "host")
  near <- a < 30 & b < 30 & q < 0.9
  expect_equal(f[near, 1], (lower[, 1] + moved / a)[near] / 2, tolerance = 1e-10)
  expect_equal(f[near, 2], (lower[, 2] - moved / b)[near] / 2, tolerance = 1e-10)
  expect_true(all(is.finite(f)))
})

test_that("those of the non-central t distribution in df are finite and agree", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  t <- noncentral_tuples(1e10)
  df <- t$a
  ncp <- ifelse(t$far, t$ncp, pmin(t$ncp, 30)) * sign(t$b - 10)
  q <- ifelse(t$far, sign(t$z) * exp(pmin(20, abs(8 * t$z))), (ncp + t$z) * exp(pmax(-20, pmin(20, t$z / sqrt(2 * df)))))
  lower <- slope(made(function(q, n, l) pt(q, n, l), "n"), "n", q, df, ncp)
  upper <- slope(made(function(q, n, l) pt(q, n, l, lower.tail = FALSE), "n"), "n", q, df, ncp)
  log_lower <- slope(made(function(q, n, l) pt(q, n, l, log.p = TRUE), "n"), "n", q, df, ncp)
  log_upper <- slope(made(function(q, n, l) pt(q, n, l, lower.tail = FALSE, log.p = TRUE), "n"), "n", q, df, ncp)
  density <- slope(made(function(q, n, l) dt(q, n, l, log = TRUE), "n"), "n", q, df, ncp)
  expect_true(all(is.finite(c(lower, log_lower, log_upper, density))))
  expect_identical(lower + upper, 0 * lower)
  p <- pt_opencl(q, df, ncp, device = "host")
  u <- pt_opencl(q, df, ncp, lower.tail = FALSE, device = "host")
  sure <- function(p) p > 1e-280 & abs(lower) > 1e-290
  expect_equal((lower / p)[sure(p)], log_lower[sure(p)], tolerance = 1e-11)
  expect_equal((upper / u)[sure(u)], log_upper[sure(u)], tolerance = 1e-11)
  # reflected
  expect_identical(slope(made(function(q, n, l) pt(q, n, l), "n"), "n", -q, df, -ncp), -lower)
  # ncp that does not count: the central distribution
  central <- slope(made(function(q, n) pt(q, n), "n"), "n", q, df)
  ours <- slope(made(function(q, n, l) pt(q, n, l), "n"), "n", q, df, 1e-300)
  known <- abs(central) > 1e-300
  expect_lt(max(abs(ours / central - 1)[known]), 1e-11)
  expect_equal(slope(made(function(q, n, l) dt(q, n, l, log = TRUE), "n"), "n", c(-3, 0.5, 40), c(2, 7.5, 90), 1e-300), slope(made(function(q, n) dt(q, n, log = TRUE), "n"), "n", c(-3, 0.5, 40), c(2, 7.5, 90)), tolerance = 1e-12)
  expect_identical(slope(made(function(q, n, l) pt(q, n, l), "n"), "n", c(-Inf, 0, Inf), 2, 3)[, 1] + 0, c(0, 0, 0))
  # where the sums over the chi distribution and those without the tangent meet
  seam <- c(2.9999999, 3, 3.0000001)
  expect_equal(slope(made(function(q, n, l) pt(q, n, l), "n"), "n", 0.8, seam, 1.1)[, 1], rep(slope(made(function(q, n, l) pt(q, n, l), "n"), "n", 0.8, 3, 1.1)[1], 3), tolerance = 1e-6)
})

test_that("non-central quantiles move with all parameters as distribution functions do", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  p <- seq(0.05, 0.95, 0.15)
  agrees <- function(quantile, distribution, of, x, ...) {
    of_q <- slope(made(distribution, c("q", of)), NULL, x, ...)
    expect_equal(slope(made(quantile, of), NULL, p, ...), -of_q[, -1] / of_q[, 1], tolerance = 1e-9)
  }
  agrees(function(q, n, l) qt(q, n, l), function(q, n, l) pt(q, n, l), c("n", "l"), qt_opencl(p, 4, 1.5, device = "host"), 4, 1.5)
  agrees(function(q, n, l) qchisq(q, n, l), function(q, n, l) pchisq(q, n, l), c("n", "l"), qchisq_opencl(p, 3, 7, device = "host"), 3, 7)
  agrees(function(q, a, b, l) qbeta(q, a, b, l), function(q, a, b, l) pbeta(q, a, b, l), c("a", "b", "l"), qbeta_opencl(p, 2, 3, 7, device = "host"), 2, 3, 7)
  agrees(function(q, a, b, l) qf(q, a, b, l), function(q, a, b, l) pf(q, a, b, l), c("a", "b", "l"), qf_opencl(p, 4, 9, 7, device = "host"), 4, 9, 7)
})

test_that("besselI has a derivative in every order", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  f <- made(function(x, nu, s) besselI(x, nu, s), "nu")
  of <- function(x, nu, scaled = FALSE) drop(slope(f, "nu", x, nu, scaled))
  # at order 0 it is -K_0, also where I_0 has 600 digits more
  x <- c(1e-3, 0.5, 3, 20, 23.9, 24.1, 200, 690)
  expect_equal(of(x, 0), -besselK_opencl(x, 0, device = "host"), tolerance = 1e-14)
  expect_equal(of(x, 0, TRUE), -besselK_opencl(x, 0, TRUE, device = "host") * exp(-2 * x), tolerance = 1e-14)
  # 1/2: DLMF 10.38.6, by the exponential integral E1(2 x) and Ei(2 x), for x = 1
  expect_equal(of(1, 0.5), -(0.04890051070806112 * exp(1) + 4.954234356001890 * exp(-1)) / sqrt(2 * pi), tolerance = 1e-14)
  # orders and regions that meet
  for (nu in c(0.1, 1.44, 2.8799, 2.8801)) {
    y <- c(0.999, 1, 1.001, 12, 12.001, 23.9, 24, 24.1)
    by_differences <- (besselI_opencl(y, nu + 1e-5, TRUE, device = "host") - besselI_opencl(y, nu - 1e-5, TRUE, device = "host")) / 2e-5
    expect_equal(of(y, nu, TRUE), by_differences, tolerance = 1e-6)
  }
  # negative orders
  y <- c(0.3, 2, 9)
  for (nu in c(-0.3, -1, -2.5, -7.25)) {
    by_differences <- suppressWarnings(base::besselI(y, nu + 1e-5) - base::besselI(y, nu - 1e-5)) / 2e-5
    expect_equal(suppressWarnings(of(y, nu)), by_differences, tolerance = 1e-6)
  }
  expect_identical(of(0, c(0, 1)), c(-Inf, 0))
})

test_that("besselJ and besselY have derivatives in every order", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  of_j <- made(function(x, nu) besselJ(x, nu), "nu")
  of_y <- made(function(x, nu) besselY(x, nu), "nu")
  j <- function(x, nu) suppressWarnings(drop(slope(of_j, "nu", x, nu)))
  y <- function(x, nu) suppressWarnings(drop(slope(of_y, "nu", x, nu)))
  # orders 0 and 1: DLMF 10.15.3 and 10.15.4
  x <- c(1e-3, 0.5, 3, 20, 400, 1e5)
  expect_equal(j(x, 0), pi / 2 * besselY_opencl(x, 0, device = "host"), tolerance = 1e-15)
  expect_equal(j(x, 1), pi / 2 * besselY_opencl(x, 1, device = "host") + besselJ_opencl(x, 0, device = "host") / x, tolerance = 1e-13)
  expect_equal(y(x, 0), -pi / 2 * besselJ_opencl(x, 0, device = "host"), tolerance = 1e-15)
  expect_equal(y(x, 1), -pi / 2 * besselJ_opencl(x, 1, device = "host") + besselY_opencl(x, 0, device = "host") / x, tolerance = 1e-13)
  # where the sums about the peak and from 0 on meet, on both sides of x = nu, and negative orders
  for (nu in c(0.1, 2.5, 7, 40, -0.3, -1, -2.5, -7.25)) {
    at <- abs(nu) * c(0.2, 0.35, 0.4, 0.45, 0.6, 0.999, 1, 1.001, 3)
    h <- 1e-5
    for (of in list(list(j, base::besselJ), list(y, base::besselY))) {
      by_differences <- suppressWarnings(of[[2L]](at, nu + h) - of[[2L]](at, nu - h)) / (2 * h)
      expect_equal(of[[1L]](at, nu) / by_differences, rep(1, 9), tolerance = 1e-6)
    }
  }
  # finite where the truth is: orders to 1e4, x from the smallest to 1e9
  set.seed(38)
  x <- exp(stats::runif(1000, log(1e-300), log(1e9)))
  nu <- exp(stats::runif(1000, log(1e-8), log(1e4)))
  near <- stats::runif(1000) < 0.3
  x[near] <- nu[near] * stats::runif(sum(near), 0.5, 2)
  expect_true(all(is.finite(j(x, nu))))
  finite <- is.finite(suppressWarnings(besselY_opencl(x, nu, device = "host"))) & nu * abs(log(x)) < 650
  expect_gt(sum(finite), 400)
  expect_true(all(is.finite(y(x, nu)[finite])))
  expect_identical(j(c(0, 0, Inf), c(0, 1, 1)), c(-Inf, 0, 0))
  expect_identical(y(c(0, Inf), 1), c(-Inf, 0))
})

test_that("infinite degrees of freedom and ncp next to overflow have the derivatives of the limits", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  all <- c("x", "m", "n", "l")
  density <- made(function(x, m, n, l) df(x, m, n, l, log = TRUE), all)
  expect_equal(slope(density, all, 1.2, Inf, 5, 2), slope(density, all, 1.2, 1e20, 5, 2), tolerance = 1e-14)
  expect_equal(slope(density, all, 1.2, 5, Inf, 2), slope(density, all, 1.2, 5, 1e20, 2), tolerance = 1e-14)
  lower <- made(function(x, m, n, l) pf(x, m, n, l), all)
  expect_equal(slope(lower, all, 1.2, 5, Inf, 2), slope(lower, all, 1.2, 5, 1e20, 2), tolerance = 1e-14)
  quantile <- made(function(p, m, n, l) qf(p, m, n, l), c("m", "n", "l"))
  expect_equal(slope(quantile, all, 0.3, 5, 7, 9e307) / 9e7, slope(quantile, all, 0.3, 5, 7, 1e300) * c(1, 1, 1 / 9e7), tolerance = 1e-14)
})
