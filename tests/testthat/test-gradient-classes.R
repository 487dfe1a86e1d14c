# Gradients where rules alone do not decide: the ends of a parameter's range, steps, missing values, log tails of any depth.

unoptimized_programs()

# The gradient in one argument as a vector, in several at one element by their names.
slopes <- function(f, gradient, ..., device = "host") {
  found <- attr(opencl_function(f, gradient = gradient)(..., device = device), "gradient")
  if (length(gradient) == 1L) unname(found[, 1L]) else found[1L, ]
}

without_compiler <- function(code) {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  code
}

test_that("comparisons, logic and whole numbers have the derivative 0", {
  y <- c(1, 2, 4)
  check <- function(y, m) (y - m) * (0.3 - ((y - m) < 0))
  expect_equal(slopes(check, "m", y, 1.5), -(0.3 - (y < 1.5)))
  total <- opencl_function(check, reduce = "sum", gradient = "m")
  expect_equal(unname(attr(total(y, 1.5, device = "host"), "gradient")), -0.3 * 3 + 1)
  steps <- list(
    function(x, a) a * x + as.integer(a * x), function(x, a) a * x + (a > x), function(x, a) a * x + (a > x & x > 0),
    function(x, a) a * x + !(a == x), function(x, a) a * x + xor(a > x, x > 1), function(x, a) a * x + as.logical(a * x),
    function(x, a) a * x + is.na(a * x), function(x, a) a * x + is.finite(a), function(x, a) a * x + floor(a * x),
    function(x, a) a * x + sign(a), function(x, a) a * x + (a != x | a <= x), function(x, a) a * x + is.nan(a)
  )
  for (f in steps) {
    expect_identical(slopes(f, "a", c(0.5, 2, 7), 3), c(0.5, 2, 7), info = deparse1(body(f)))
    expect_identical(without_compiler(slopes(f, "a", c(0.5, 2, 7), c(3, 3, 3))), c(0.5, 2, 7), info = deparse1(body(f)))
  }
})

test_that("pmin and pmax give the derivative of the argument that is taken", {
  for (extreme in c("pmin", "pmax")) {
    f <- eval(call("function", as.pairlist(alist(x = , a = )), call(extreme, quote(x), quote(3 * a), na.rm = TRUE)))
    x <- c(NA, 0, 2, NaN, 5, 3)
    a <- c(1, 1, 1, 1, 1, NA)
    takes_a <- if (extreme == "pmin") c(TRUE, FALSE, FALSE, TRUE, TRUE, FALSE) else c(TRUE, TRUE, TRUE, TRUE, FALSE, FALSE)
    expect_identical(slopes(f, "a", x, a), ifelse(takes_a, 3, 0))
    expect_identical(slopes(f, "x", x, a), ifelse(takes_a, 0, 1))
    expect_true(is.na(slopes(f, "a", NA_real_, NA_real_)))
  }
  plain <- function(x, a) pmax(x, a)
  expect_true(is.na(slopes(plain, "a", NA_real_, 1)))
  expect_identical(slopes(plain, "a", c(0, 2), 1), c(1, 0))
  total <- opencl_function(function(x, a) pmax(x, a, na.rm = TRUE), reduce = "sum", gradient = "a")
  expect_identical(unname(attr(total(c(NA, 0, 2), 1, device = "host"), "gradient")), 2)
})

test_that("densities have their derivative at the ends of a parameter's range", {
  expect_identical(slopes(function(x, l) dpois(x, l), "l", 0:2, 0), c(-1, 1, 0))
  expect_identical(slopes(function(x, p) dbinom(x, 5, p), "p", 0:5, 0), c(-5, 5, 0, 0, 0, 0))
  expect_identical(slopes(function(x, p) dbinom(x, 5, p), "p", 0:5, 1), c(0, 0, 0, 0, -5, 5))
  expect_identical(slopes(function(x, p) dbinom(x, 1, p), "p", 0:1, 0), c(-1, 1))
  expect_identical(slopes(function(x, p) dgeom(x, p), "p", 0:2, 1), c(1, -1, 0))
  expect_identical(slopes(function(x, p) dnbinom(x, 3, p), "p", 0:2, 1), c(3, -3, 0))
  expect_identical(slopes(function(x, m) dnbinom(x, 3, mu = m), "m", 0:2, 0), c(-1, 1, 0))
  expect_identical(slopes(function(q, l) ppois(q, l), "l", 0:1, 0), c(-1, 0))
  expect_identical(slopes(function(q, p) pbinom(q, 5, p, log.p = TRUE), "p", 0:1, 0), c(-5, 0))
  expect_identical(slopes(function(q, p) pnbinom(q, 3, p, log.p = TRUE), "p", 0:1, 1), c(3, 0))
  expect_true(is.nan(slopes(function(x, l) dpois(x, l), "l", NaN, 0)))
})

# Where the tail's logarithm is beyond all sums, the law of the tail is what the hazard has to be.
test_that("log tails keep their digits however far out", {
  far <- c(1e4, 1e8, 1e12, 1e100, 1e150)
  expect_equal(slopes(function(q) pnorm(q, log.p = TRUE), "q", -far), far + 1 / far, tolerance = 1e-14)
  expect_equal(slopes(function(q) pnorm(q, lower.tail = FALSE, log.p = TRUE), "q", far), -(far + 1 / far), tolerance = 1e-14)
  expect_equal(slopes(function(q, s) pnorm(q, 0, s, log.p = TRUE), "s", -1e9, 1), 1e18, tolerance = 1e-14)
  expect_equal(slopes(function(q, s) plnorm(q, 0, s, log.p = TRUE), "q", exp(-600), 0.01), 600 / 1e-4 / exp(-600), tolerance = 1e-9)
  shape <- c(1e3, 1e9, 1e15, 1e100)
  expect_equal(slopes(function(q, a) pgamma(q, a, log.p = TRUE), "q", 0.5, shape), 2 * shape - 1 + 1 / (2 * shape), tolerance = 1e-3)
  expect_equal(slopes(function(q, a) pgamma(q, a, log.p = TRUE), "q", 0.5, 1e15), 2e15, tolerance = 1e-14)
  expect_equal(slopes(function(q, a) pgamma(q, a, lower.tail = FALSE, log.p = TRUE), "q", c(1e5, 1e15, 1e300), 3), c(-1 + 2e-5, -1, -1), tolerance = 1e-9)
  expect_equal(slopes(function(q, n) pchisq(q, n, lower.tail = FALSE, log.p = TRUE), "q", c(1e9, 1e300), 3), c(-0.5, -0.5), tolerance = 1e-8)
  expect_equal(slopes(function(q, a) pbeta(q, a, 2, log.p = TRUE), "q", 0.25, c(1e9, 1e15)), c(4e9, 4e15), tolerance = 1e-8)
  expect_equal(slopes(function(q, n) pt(q, n, log.p = TRUE), "q", -c(1e50, 1e150), 1e5), 1e5 / c(1e50, 1e150), tolerance = 1e-13)
  expect_equal(slopes(function(q) pt(q, Inf, log.p = TRUE), "q", -1e9), 1e9, tolerance = 1e-14)
  expect_equal(slopes(function(q, n) pf(q, 4, n, lower.tail = FALSE, log.p = TRUE), "q", c(1e50, 1e250), 1e5), -5e4 / c(1e50, 1e250), tolerance = 1e-13)
  expect_equal(slopes(function(q) pcauchy(q, log.p = TRUE), "q", -c(1e10, 1e200, 1e300)), 1 / c(1e10, 1e200, 1e300), tolerance = 1e-14)
  expect_equal(slopes(function(q, l) ppois(q, l, log.p = TRUE), "l", 10, c(1e5, 1e10, 1e300)), c(-1 + 1e-4, -1 + 1e-9, -1), tolerance = 1e-8)
  expect_equal(slopes(function(q, l) ppois(q, l, lower.tail = FALSE, log.p = TRUE), "l", c(1e9, 1e14), 2), c(1e9 + 1, 1e14 + 1) / 2, tolerance = 1e-8)
  expect_equal(slopes(function(q, p) pbinom(q, 1e8, p, lower.tail = FALSE, log.p = TRUE), "p", 1e8 - 1, 0.25), 4e8, tolerance = 1e-14)
  expect_equal(slopes(function(q, p) pnbinom(q, 1e9, p, log.p = TRUE), "p", 0, 0.25), 4e9, tolerance = 1e-14)
  expect_equal(slopes(function(q, m) pnbinom(q, 2, mu = m, log.p = TRUE), "m", 0, 1e300), -2e-300, tolerance = 1e-14)
  expect_equal(slopes(function(q) plogis(q, log.p = TRUE), "q", c(-1e10, 1e3)), c(1, 0), tolerance = 1e-14)
})

test_that("quantiles of log probabilities below the range of exp() have derivatives", {
  p <- c(-800, -1e5, -1e10)
  expect_equal(slopes(function(p) qexp(p, 2, lower.tail = FALSE, log.p = TRUE), "p", p), rep(-0.5, 3), tolerance = 1e-15)
  expect_equal(slopes(function(p) qnorm(p, log.p = TRUE), "p", -1000), 0.0224023676862308109591, tolerance = 1e-14)
  expect_equal(slopes(function(p) qnorm(p, lower.tail = FALSE, log.p = TRUE), "p", -1000), -0.0224023676862308109591, tolerance = 1e-14)
  expect_equal(slopes(function(p) qlogis(p, 1, 3, log.p = TRUE), "p", p), c(3, 3, 3), tolerance = 1e-15)
  expect_equal(slopes(function(p) qweibull(p, 2, 3, lower.tail = FALSE, log.p = TRUE), "p", p), -1.5 / sqrt(-p), tolerance = 1e-14)
  expect_equal(slopes(function(p) qgamma(p, 1, lower.tail = FALSE, log.p = TRUE), "p", p), rep(-1, 3), tolerance = 1e-13)
  expect_equal(slopes(function(p) qchisq(p, 2, lower.tail = FALSE, log.p = TRUE), "p", p), rep(-2, 3), tolerance = 1e-13)
  expect_equal(slopes(function(p) qbeta(p, 1000, 1, log.p = TRUE), "p", -800), exp(-0.8) / 1000, tolerance = 1e-13)
  expect_equal(slopes(function(p) qt(p, 1e3, log.p = TRUE), "p", -800), local({
    q <- qt_opencl(-800, 1e3, log.p = TRUE, device = "host")
    1 / slopes(function(q) pt(q, 1e3, log.p = TRUE), "q", q)
  }), tolerance = 1e-13)
  expect_identical(slopes(function(p) qnorm(p, log.p = TRUE), "p", -Inf), 0)
  # p of 0 or 1 itself: one over the density there
  expect_identical(slopes(function(p) qnorm(p), "p", c(0, 1)), c(Inf, Inf))
  expect_equal(slopes(function(p) qexp(p, 4), "p", c(0, 1)), c(0.25, Inf))
  expect_equal(slopes(function(p, a) qgamma(p, a), "p", 0, c(0.5, 1, 2)), c(0, 1, Inf))
  expect_equal(slopes(function(p) qbeta(p, 2, 1, lower.tail = FALSE), "p", 0), -0.5)
})

test_that("quantiles of location-scale families do not go through the quantile itself", {
  p <- 0.41833899170160294
  expect_equal(slopes(function(q, m, s) qnorm(q, m, s), "s", p, 21.374091048684168, 0.0003001186529949109), -0.2061445714467756, tolerance = 1e-14)
  for (quantile in c("qnorm", "qlogis", "qcauchy")) {
    f <- eval(call("function", as.pairlist(alist(p = , m = , s = )), call(quantile, quote(p), quote(m), quote(s))))
    expect_identical(slopes(f, "s", p, 1e15, 1e-5), slopes(f, "s", p, 0, 1))
    expect_equal(slopes(f, "p", p, 1e15, 1e-5), 1e-5 * slopes(f, "p", p, 0, 1), tolerance = 1e-15)
  }
})

test_that("no square overflows", {
  expect_identical(slopes(function(x, m, s) dcauchy(x, m, s, log = TRUE), c("x", "m", "s"), 1, 0, 1e-160), c(x = -2, m = 2, s = 1e160))
  expect_equal(slopes(function(y, x) atan2(y, x), c("y", "x"), 1e200, 1e200), c(y = 5e-201, x = -5e-201))
  expect_equal(slopes(function(y, x) atan2(y, x), c("y", "x"), 1e-200, 1e-200), c(y = 5e199, x = -5e199))
  expect_equal(slopes(function(x, n) dt(x, n, log = TRUE), "x", 1e200, 3), -4e-200, tolerance = 1e-14)
  expect_equal(slopes(function(x, n) dt(x, n, log = TRUE), "n", 1e200, 3), -459.27456527391514, tolerance = 1e-14)
  expect_equal(slopes(function(x, a, b) df(x, a, b, log = TRUE), "b", 1e20, 3, 40), -21.194, tolerance = 1e-4)
  expect_equal(slopes(function(n, k) lchoose(n, k), "n", 1e-10, 40), 9999999995.746, tolerance = 1e-12)
  # between 0 and k - 1 by reflection, whose cotangent is 0 at halves
  expect_equal(slopes(function(n, k) lchoose(n, k), "n", 46.5, 50), digamma(47.5) - digamma(3.5), tolerance = 1e-12)
  expect_equal(slopes(function(n, k) lchoose(n, k), "n", 5202.5, 300952), digamma(5203.5) - digamma(300952 - 5202.5), tolerance = 1e-12)
  expect_equal(slopes(function(x) asinh(x), "x", 1e200), 1e-200)
  expect_equal(slopes(function(x) acosh(x), "x", 1e200), 1e-200)
})

test_that("the slope in size of a negative binomial density is finite wherever it is", {
  f <- function(x, size, mu) dnbinom_mu(x, size, mu, log = TRUE)
  at <- expand.grid(size = 10^c(-300, -200, -100, -10, 0), mu = 10^c(10, 250, 300))
  rest <- log(at$size) - log(at$size + at$mu) + at$mu / (at$size + at$mu)
  for (device in expression_devices()) {
    expect_equal(slopes(f, "size", 0, at$size, at$mu, device = device), rest, tolerance = 1e-14)
    expect_equal(slopes(f, "size", 1, at$size, at$mu, device = device), at$mu / (at$size + at$mu) / at$size + rest, tolerance = 1e-14)
  }
})

test_that("a derivative rounds what its function rounds", {
  f <- opencl_function(function(x, d) psigamma(x, d), gradient = "x")
  for (d in c(0, 0.3, 0.5, 0.51, 1, 1.5, 2.5, 3.4999)) {
    slope <- c(attr(f(c(0.7, 2, 3.5), d, device = "host"), "gradient"))
    expect_equal(slope, psigamma(c(0.7, 2, 3.5), round(d) + 1), tolerance = 1e-13, info = d)
  }
})
