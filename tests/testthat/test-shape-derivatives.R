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

test_that("derivatives of incomplete beta ratios agree with one another", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  set.seed(2)
  a <- 10^runif(300, -3, 6)
  b <- 10^runif(300, -3, 6)
  q <- plogis(log(a / b) + rnorm(300) / sqrt(pmin(1, a * b / (a + b)) + a * b / (a + b)))
  gradient <- function(f, of, ...) at(opencl_function(f, gradient = of), of, ...)
  both <- c("a", "b")
  lower <- gradient(function(q, a, b) pbeta(q, a, b), both, q, a, b)
  upper <- gradient(function(q, a, b) pbeta(q, a, b, lower.tail = FALSE), both, q, a, b)
  log_lower <- gradient(function(q, a, b) pbeta(q, a, b, log.p = TRUE), both, q, a, b)
  log_upper <- gradient(function(q, a, b) pbeta(q, a, b, lower.tail = FALSE, log.p = TRUE), both, q, a, b)
  expect_true(all(is.finite(c(lower, log_lower[q > 0, ], log_upper[q < 1, ]))))
  expect_true(all(is.nan(c(log_lower[q == 0, ], log_upper[q == 1, ])))) # of events that cannot happen
  expect_true(all(lower[, 1] <= 0 & lower[, 2] >= 0))
  expect_identical(lower + upper, 0 * lower)
  p <- pbeta_opencl(q, a, b, device = "host")
  u <- pbeta_opencl(q, a, b, lower.tail = FALSE, device = "host")
  expect_equal((lower / p)[p > 1e-290, ], log_lower[p > 1e-290, ], tolerance = 1e-12)
  expect_equal((upper / u)[u > 1e-290, ], log_upper[u > 1e-290, ], tolerance = 1e-12)
  # the shapes change places with the tails
  expect_equal(gradient(function(q, a, b) pbeta(q, b, a, lower.tail = FALSE), both, 1 - q, a, b)[q < 0.5 & q > 0.1, ], lower[q < 0.5 & q > 0.1, ], tolerance = 1e-9)
  # a negative binomial distribution is one
  x <- floor(b)
  expect_equal(gradient(function(x, a, q) pnbinom(x, a, q), "a", x, a, q), gradient(function(q, a, b) pbeta(q, a, b), "a", q, a, x + 1), tolerance = 1e-14)
  # t squared is F with one degree of freedom above
  n <- 10^runif(50, -1, 8)
  y <- rnorm(50)^2
  expect_equal(
    2 * gradient(function(t, n) pt(t, n, lower.tail = FALSE), "n", sqrt(y), n), gradient(function(y, n) pf(y, 1, n, lower.tail = FALSE), "n", y, n),
    tolerance = 1e-12
  )
  # F with infinite degrees of freedom below is chi-squared over those above
  expect_identical(gradient(function(y, m, n) pf(y, m, n), "n", 1.5, 3, Inf), 0)
  expect_identical(gradient(function(t, n) pt(t, n), "n", c(0, Inf, -Inf, 1), c(2, 2, 2, Inf)) + 0, rep(0, 4))
  expect_identical(gradient(function(q, a, b) pbeta(q, a, b), "a", c(-1, 0, 1, 2), 2, 3) + 0, rep(0, 4))
})

test_that("quantiles move with shapes as distribution functions do", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  p <- seq(0.05, 0.95, 0.1)
  slopes <- function(quantile, distribution, ...) {
    moved <- at(distribution, of, as.double(quantile(p, ..., device = "host")), ...)
    expect_equal(at(quantile, "a", p, ...), -moved[, 2] / moved[, 1], tolerance = 1e-9)
  }
  of <- c("q", "a")
  slopes(opencl_function(function(p, a, b) qbeta(p, a, b), gradient = "a"), opencl_function(function(q, a, b) pbeta(q, a, b), gradient = of), 2.5, 0.7)
  slopes(opencl_function(function(p, a, b) qbeta(p, b, a), gradient = "a"), opencl_function(function(q, a, b) pbeta(q, b, a), gradient = of), 2.5, 0.7)
  slopes(opencl_function(function(p, a, b) qf(p, a, b), gradient = "a"), opencl_function(function(q, a, b) pf(q, a, b), gradient = of), 5, 7)
  slopes(opencl_function(function(p, a) qt(p, a), gradient = "a"), opencl_function(function(q, a) pt(q, a), gradient = of), 5)
})

test_that("a truncated beta distribution is fitted by its gradient", {
  skip_without_compiler()
  x <- stats::qbeta(seq(stats::pbeta(0.1, 2, 5), 1, length.out = 202)[2:201], 2, 5)
  f <- opencl_function(function(x, a, b) dbeta(x, a, b, log = TRUE) - pbeta(0.1, a, b, lower.tail = FALSE, log.p = TRUE), reduce = "sum", gradient = c("a", "b"))
  value <- function(v) f(x, exp(v[1]), exp(v[2]), device = "host")
  fit <- stats::optim(c(0, 0), function(v) -drop(value(v)), function(v) -attr(value(v), "gradient") * exp(v), method = "BFGS", control = list(reltol = 1e-15))
  expect_lt(max(abs(attr(value(fit$par), "gradient"))), 1e-3)
  expect_equal(exp(fit$par), c(2, 5), tolerance = 0.2)
})

test_that("the t density's derivatives are right for degrees of freedom down to the smallest and up to infinity", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  f <- opencl_function(function(x, n) dt(x, n, log = TRUE), gradient = c("x", "n"))
  n <- rep(c(5e-324, 1e-310, 2^-1022, 1e-300, 1e-8, 1, 3, 1e8, 1e300, Inf), each = 6)
  x <- rep(c(1e-170, 1e-3, 0.9, 3, 1e5, 1e200), 10)
  m <- pmin(n, 1) # (n + 1) x/(n + x^2), above and below divided by n where that is above 1
  slope <- -(m + 1 / pmax(n, 1)) / (m / x + x / pmax(n, 1))
  slope[x < 1] <- (-(m + 1 / pmax(n, 1)) * x / (m + x / pmax(n, 1) * x))[x < 1]
  found <- at(f, "gradient", x, n)
  expect_true(all(abs(found[, 1] - slope) <= 1e-14 * abs(slope)))
  expect_true(all(is.finite(found[n > 2^-1024, 2])))
  expect_equal(at(f, "gradient", c(3, 1e5, 1e8), c(2^-1023, 2^-1022, 1e-300))[, 2], 1 / c(2^-1023, 2^-1022, 1e-300), tolerance = 1e-14)
})

test_that("degrees of freedom beyond 1e290: what exponents that are proportional to them have, or 0", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  found <- function(f, g, ...) unname(attr(suppressWarnings(opencl_function(f, gradient = g)(..., device = "host")), "gradient"))
  both <- c("m", "n")
  lower <- list(function(q, m, n) pf(q, m, n, log.p = TRUE), function(q, m, n) pf(q, m, n, 1e-3, log.p = TRUE), function(q, m, n) pf(q, m, n, 12, log.p = TRUE))
  upper <- list(function(q, m, n) pf(q, m, n, lower.tail = FALSE, log.p = TRUE), function(q, m, n) pf(q, m, n, 1e-3, lower.tail = FALSE, log.p = TRUE),
                function(q, m, n) pf(q, m, n, 12, lower.tail = FALSE, log.p = TRUE))
  # both: log tail = -(m + n)/2 log((m q + n)/(m + n)) + m/2 log q
  q <- c(0.1, 0.9999, 0.5, 1.2, 3, 100)
  m <- c(1e291, 3e300, 1e300, 1e300, 1.5e308, 2e292)
  n <- c(2e291, 1e300, 1e297, 1e298, 1e307, 2e292)
  far <- function(z) ifelse(abs(z) < 1e-3, z^2 * (1 / 2 - z * (1 / 3 - z * (1 / 4 - z / 5))), z - log1p(z)) # z - log(1 + z)
  up <- (q - 1) / (1 + n / m)                                                                              # (m q + n)/(m + n) - 1
  truth <- -0.5 * cbind(far((q - 1) * (n / m) / (n / m + q)), far(-up / (1 + up)))
  for (k in 1:3) {
    expect_lt(max(abs(found(lower[[k]], both, q, m, n)[1:3, ] / truth[1:3, ] - 1)), 1e-9)
    expect_lt(max(abs(found(upper[[k]], both, q, m, n)[4:6, ] / truth[4:6, ] - 1)), 1e-9)
  }
  # one: log tail = -n/2 log(1 + m q/n) far out, else that of n = Inf
  m <- c(3, 0.5, 40, 1e10)
  n <- c(1e300, 1e308, 3e295, 1e300)
  q <- c(2e299, 1e308, 3e295, 1e290)
  r <- m / n * q
  rest <- ifelse(r < 1e-5, -r * r / 4, -0.5 * (log1p(r) - r / (1 + r)))
  for (k in 1:3) {
    expect_lt(max(abs(found(upper[[k]], both, q, m, n) / cbind(-q / 2 / (1 + r), rest) - 1)), 1e-12)
    expect_lt(max(abs(found(lower[[k]], both, 1 / q, n, m) / cbind(rest, -q / 2 / (1 + r)) - 1)), 1e-12)
    expect_equal(found(lower[[k]], both, c(0.3, 2, 7), 5, 1e300)[, 1], found(lower[[k]], both, c(0.3, 2, 7), 5, 1e280)[, 1], tolerance = 1e-14)
    expect_identical(found(lower[[k]], both, c(0.3, 2, 7), 5, 1e300)[, 2] + 0, rep(0, 3))
  }
  expect_identical(found(function(q, m, n) pf(q, m, n), both, c(0.5, 1, 2), 1e300, 1e295) + 0, matrix(0, 3, 2))
  moved <- found(function(p, m, n) qf(p, m, n), both, 0.3, 5, 1e300)
  expect_equal(moved[1], found(function(p, m, n) qf(p, m, n), "m", 0.3, 5, Inf)[1], tolerance = 1e-13)
  expect_identical(moved[2] + 0, 0)
  n <- c(1e300, 1e292, 3e307, 1e295)
  t <- c(3e149, 1e150, 1e153, 2e147)
  r <- t / n * t
  rest <- ifelse(r < 1e-5, -r * r / 4, -0.5 * (log1p(r) - r / (1 + r)))
  expect_lt(max(abs(found(function(t, n) pt(-t, n, log.p = TRUE), "n", t, n) / rest - 1)), 1e-12)
  expect_identical(found(function(t, n) pt(t, n), "n", c(-2, 0, 3), 1e300) + 0, matrix(0, 3, 1))
})

test_that("shapes and degrees of freedom down to the smallest double have the derivatives of the limit", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  set.seed(373)
  a <- c(10^stats::runif(60, -323, -260), 5e-324, 2.3e-308, 1e-280, 1e-281)
  n <- length(a)
  x <- stats::runif(n, 0.05, 0.95)
  of <- function(f, gradient, ...) suppressWarnings(at(opencl_function(f, gradient = gradient), gradient, ...))
  same <- function(found, truth) {
    far <- abs(truth) > 1e-300 & is.finite(truth)
    expect_lt(max(abs(found / truth - 1)[far]), 1e-12)
    expect_true(all(abs(found[!far]) < 1e-299 | found[!far] == truth[!far]))
  }
  # x^a and 1 - (1 - x)^a
  same(of(function(q, a) pbeta(q, a, 1), "a", x, a), log(x))
  same(of(function(q, a) pbeta(q, a, 1, log.p = TRUE), "a", x, a), log(x))
  same(of(function(q, a) pbeta(q, a, 1, lower.tail = FALSE, log.p = TRUE), "a", x, a), 1 / a)
  same(of(function(q, b) pbeta(q, 1, b), "b", x, a), -log1p(-x))
  same(of(function(q, b) pbeta(q, 1, b, log.p = TRUE), "b", x, a), 1 / a)
  same(of(function(q, b) pbeta(q, 1, b, lower.tail = FALSE, log.p = TRUE), "b", x, a), log1p(-x))
  # in the other shape what is next to nothing, or, of a log, is not: of the upper tail -a log(x) at b = 1
  normal <- a > 1e-300
  below <- of(function(q, a, b) pbeta(q, a, b), "b", x[normal], a[normal], 1)
  near <- of(function(q, a, b) pbeta(q, a, b), "b", x[normal], 1e-200, 1)
  same(below, near * (a[normal] / 1e-200))
  same(of(function(q, a, b) pbeta(q, a, b, lower.tail = FALSE, log.p = TRUE), "b", x, a, 2.5),
       of(function(q, a, b) pbeta(q, a, b, lower.tail = FALSE, log.p = TRUE), "b", x, 1e-200, 2.5))
  same(of(function(q, a, b) pbeta(q, a, b, log.p = TRUE), "a", x, 2.5, a),
       of(function(q, a, b) pbeta(q, a, b, log.p = TRUE), "a", x, 2.5, 1e-200))
  # F: (m x/(m x + 2))^(m/2), and for 2 and n 1 - (n/(n + 2 x))^(n/2)
  l <- log(a) + log(x / 2)
  same(of(function(q, m) pf(q, m, 2), "m", x, a), (l + 1) / 2)
  same(of(function(q, m) pf(q, m, 2, lower.tail = FALSE, log.p = TRUE), "m", x, a), (1 + 1 / l) / a)
  k <- log(a) - log(2 * x)
  same(of(function(q, m, n) pf(q, m, n), "n", x, 2, a), -(k + 1) / 2)
  same(of(function(q, m, n) pf(q, m, n, log.p = TRUE), "n", x, 2, a), (1 + 1 / k) / a)
  # the negative binomial distribution, p^size at 0
  same(of(function(q, s, p) pnbinom(q, s, p), "s", 0, a, x), log(x))
  # non-central: one more term counts, exp(-l/2) (1 + l/2 x + log(m x/2)) for n = 2
  same(of(function(q, m, l) pf(q, m, 2, l), "m", x, a, 3), exp(-1.5) * (1 + 1.5 * x + l) / 2)
  same(of(function(q, a, b, l) pbeta(q, a, b, l), "a", x, a, 2.5, 3), of(function(q, a, b, l) pbeta(q, a, b, l), "a", x, 1e-200, 2.5, 3))
  same(of(function(q, a, b, l) pbeta(q, a, b, l), "b", x, 2.5, a, 3), of(function(q, a, b, l) pbeta(q, a, b, l), "b", x, 2.5, 1e-200, 3))
  same(of(function(q, a, b, l) pbeta(q, a, b, l, log.p = TRUE), "b", x, 2.5, a, 3), 1 / a)
})
