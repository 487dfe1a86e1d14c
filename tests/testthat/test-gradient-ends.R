# Gradients at the ends of what a double can be, and of what a parameter can be. Numbers are from 80 digits (mpmath) where no formula
# is given.

slopes_at <- function(f, names, values, device = "host") {
  g <- opencl_function(f, gradient = names)
  as.vector(attr(suppressWarnings(do.call(g, c(values, device = device))), "gradient"))
}

expect_slopes <- function(f, values, known, tolerance = 1e-13) {
  ours <- slopes_at(f, names(known), values)
  error <- ifelse(known == ours, 0, abs(ours - known) / abs(known)) # subnormal numbers have fewer digits
  testthat::expect_true(!anyNA(error) && all(error <= tolerance), info = paste(deparse1(body(f)), toString(format(ours, digits = 17)), "for", toString(format(known, digits = 17))))
}

test_that("orders of Bessel functions near 0", {
  known <- list(
    c(5e-228, 0.3, 1.4858215389450744e+71), c(5e-228, 1.1, 5.7361069757969924e+252), c(1e-300, 0.25, 1.4815550030747463e+78), c(1e-100, 0.45, 3.0746045428569938e+47),
    c(1e-40, 2.3, 2.6830801572902861e+94), c(2^-1074, 0.1, 8.0195656398185784e+35), c(0.001, 7.5, 5.1135759474355464e+28), c(1e-250, 0.0875, 2.458284800766441e+25)
  )
  for (row in known) expect_slopes(function(x, nu) besselK(x, nu), list(x = row[1], nu = row[2]), c(nu = row[3]))
})

test_that("the density of F where its first degrees of freedom are next to 0, or infinite", {
  for (df1 in 2^-c(1000, 1020, 1022)) expect_slopes(function(x, df1) df(x, df1, 0.2, log = TRUE), list(x = 36088, df1 = df1), c(df1 = 1 / df1))
  expect_slopes(function(x, df1) df(x, df1, 5, log = TRUE), list(x = 0.5, df1 = Inf), c(x = 3))
  expect_slopes(function(x, df1) df(x, df1, 5, log = TRUE), list(x = 2^-40, df1 = Inf), c(x = 2.5 * 2^80 - 3.5 * 2^40))
})

test_that("the deviance of numbers whose quotient is not a double", {
  expect_slopes(function(x, np) bd0(x, np), list(x = 2^1000, np = 2^-1000), c(x = 2000 * log(2)))
  expect_slopes(function(x, np) bd0(x, np), list(x = 2^-1000, np = 2^1000), c(x = -2000 * log(2), np = 1))
})

test_that("Cauchy distributions whose argument in scales is not a double", {
  x <- 7.5e266
  s <- 4.4e-268
  at <- function(x) list(q = x, m = 0.1, s = s)
  expect_slopes(function(q, m, s) dcauchy(q, m, s, log = TRUE), at(x), c(q = -2 / x, m = 2 / x, s = 1 / s))
  expect_slopes(function(q, m, s) dcauchy(q, m, s, log = TRUE), at(-x), c(q = 2 / x, m = -2 / x, s = 1 / s))
  expect_slopes(function(q, m, s) pcauchy(q, m, s), at(-x), c(s = 1 / (pi * x)))
  expect_slopes(function(q, m, s) pcauchy(q, m, s, log.p = TRUE), at(-x), c(q = 1 / x, m = -1 / x, s = 1 / s))
  expect_slopes(function(q, m, s) pcauchy(q, m, s, log.p = TRUE), at(x), c(q = 0, m = 0, s = -1 / (pi * x)))
  expect_slopes(function(q, m, s) pcauchy(q, m, s, FALSE, TRUE), at(x), c(q = -1 / x, m = 1 / x, s = 1 / s))
  expect_slopes(function(q, m, s) pcauchy(q, m, s, FALSE, TRUE), at(-x), c(q = 0, m = 0, s = -1 / (pi * x)))
  expect_slopes(function(q, m, s) pcauchy(q, m, s, FALSE, TRUE), list(q = 63802, m = 0, s = 2^-1074), c(q = -1 / 63802, m = 1 / 63802))
  expect_slopes(function(p, m, s) qcauchy(p, m, s, log.p = TRUE), list(p = -744, m = 0.1, s = 1e-20), c(p = 4.1490117363640916e+302, m = 1))
  z <- c(-3, -0.4, 0, 0.7, 12)
  for (lower in c(TRUE, FALSE)) { # where all is ordinary
    f <- eval(bquote(function(q, m, s) pcauchy(q, m, s, .(lower), TRUE)))
    density <- dcauchy(z, 0, 2) / pcauchy(z, 0, 2, lower) * if (lower) 1 else -1
    expect_equal(slopes_at(f, c("q", "m", "s"), list(q = z, m = 0, s = 2)), c(density, -density, -density * z / 2), tolerance = 1e-13)
  }
})

test_that("shapes and degrees of freedom that are next to nothing", {
  q <- 9.2435199204356682
  df <- list(q = q, df1 = 4.7035785765362267e-198, df2 = 1.9208268989525237e-199)
  n <- df$df1 + df$df2
  expect_slopes(function(q, df1, df2) pf(q, df1, df2), df, c(df1 = -8.0142983632452997e+195, df2 = 1.9624819970964834e+197))
  expect_slopes(function(q, df1, df2) pf(q, df1, df2, log.p = TRUE), df, c(df1 = -1 / n, df2 = df$df1 / df$df2 / n))
  expect_slopes(function(q, df1, df2) pf(q, df1, df2, lower.tail = FALSE, log.p = TRUE), df, c(df1 = df$df2 / df$df1 / n, df2 = -1 / n))
  expect_slopes(function(q, a, b) pbeta(q, a, b), list(q = 0.3, a = 3e-25, b = 7e-26), c(a = -7e-26 / 3.7e-25^2, b = 3e-25 / 3.7e-25^2))
  expect_slopes(function(q, a, b) pbeta(q, a, b, lower.tail = FALSE), list(q = 0.3, a = 3e-300, b = 7e-299), c(a = 1 / 7.3e-299 * (7 / 7.3), b = -1 / 7.3e-299 * (0.3 / 7.3)))
})

test_that("sizes of 0, and probabilities that are next to nothing", {
  expect_slopes(function(x, n, p, q) dbinom_raw(x, n, p, q, log = TRUE), list(x = 0, n = 3899337, p = 5.6051938572992683e-45, q = 1), c(n = -5.6051938572992683e-45))
  expect_slopes(function(x, shape, scale) dgamma(x, shape, scale = scale, log = TRUE), list(x = 1e-200, shape = 0.9, scale = 1e200), c(shape = log(1e-200) - log(1e200) - digamma(0.9)))
  expect_slopes(function(q, size, mu) pnbinom(q, size, mu = mu), list(q = 3, size = 0, mu = 1.3), c(mu = 0))
  expect_slopes(function(q, size, mu) pnbinom(q, size, mu = mu, lower.tail = FALSE), list(q = 0, size = 0, mu = 1.3), c(mu = 0))
  expect_slopes(function(x, size, p) dnbinom(x, size, p), list(x = 0, size = 0, p = 0.3), c(size = log(0.3)))
  expect_slopes(function(x, size, p) dnbinom(x, size, p), list(x = 3, size = 0, p = 0.3), c(size = 0.7^3 / 3))
  expect_slopes(function(x, size, mu) dnbinom(x, size, mu = mu), list(x = 4, size = 0, mu = 1.3), c(size = 0.25))
  expect_slopes(function(x, size, mu) dnbinom(x, size, mu = mu), list(x = 0, size = 0, mu = 1.3), c(size = -Inf, mu = 0))
})

test_that("a non-central t density at 0", {
  for (df in c(0.5, 3, 1e3, 1.8e19)) {
    f <- function(x, df, ncp) dt(x, df, ncp, log = TRUE)
    for (x in c(0, -0)) expect_slopes(f, list(x = x, df = df, ncp = 1.88), c(ncp = -1.88))
    near <- slopes_at(f, "x", list(x = 2^-1000, df = df, ncp = 1.88))
    expect_slopes(f, list(x = 0, df = df, ncp = 1.88), c(x = near))
  }
})

# The derivative of a step function is 0 whatever it is multiplied by, and missing where its value is.
test_that("step functions under what has no finite derivative", {
  cases <- list(
    function(v) sqrt(floor(v)), function(v) log(round(v, 1L) - 0.5), function(v) sqrt(trunc(v)), function(v) sqrt(sign(v) - 1),
    function(v) sqrt(signif(v, 1L) - 0.5), function(v) sqrt(ceiling(v) - 1), function(v) floor(sqrt(v - 0.5)), function(v) v + 2 * sqrt(floor(v)),
    function(v) dnbinom(0, size = floor(v), mu = 2) + v^2
  )
  known <- c(0, 0, 0, 0, 0, 0, 0, 1, 1)
  for (compiles in unique(c(FALSE, compiler_here()))) {
    withr_options(list(nmathopencl.compiler = compiles), environment())
    for (k in seq_along(cases)) {
      if (compiles && !k %in% c(1L, 3L, 9L)) next # the same graph
      f <- cases[[k]]
      expect_identical(slopes_at(f, "v", list(v = 0.5)), known[k], info = paste(deparse1(body(f)), compiles))
      whole <- function(v) sum(0)
      body(whole) <- bquote(sum(.(body(f))))
      made <- opencl_function(whole, gradient = "v", hessian = k < 9L)
      value <- suppressWarnings(made(0.5, device = "host"))
      expect_identical(as.vector(attr(value, "gradient")), known[k], info = deparse1(body(f)))
      if (k < 9L) expect_identical(as.vector(attr(value, "hessian")), 0, info = deparse1(body(f)))
    }
    expect_identical(slopes_at(function(v) round(v), "v", list(v = c(NaN, 1.2))), c(NaN, 0))
    expect_identical(slopes_at(function(v) 3 * trunc(v) * v, "v", list(v = c(NaN, 1.2))), c(NaN, 3))
  }
})

test_that("no trials have the slope 0, and binomial probabilities that are 0 R's second derivatives", {
  skip_without_compiler()
  for (log in c(FALSE, TRUE)) for (p in c(0, 0.3, 1)) {
    expect_slopes(function(p, log) dbinom(0, 0, p, log = log), list(p = p, log = log), c(p = 0))
  }
  curve <- function(x, size, p) {
    f <- opencl_function(function(p, x, size) sum(dbinom(x, size, p)), gradient = "p", hessian = TRUE)
    as.vector(attr(f(p, x, size), "hessian"))
  }
  second <- function(x, size, p) { # of choose(size, x) p^x (1 - p)^(size - x)
    part <- function(a, b, k) if (k == 0) 0 else k * p^pmax(a, 0) * (1 - p)^pmax(b, 0)
    choose(size, x) * (part(x - 2, size - x, x * (x - 1)) - 2 * part(x - 1, size - x - 1, x * (size - x)) + part(x, size - x - 2, (size - x) * (size - x - 1)))
  }
  for (size in 1:5) for (x in 0:size) for (p in c(0, 1, 0.4)) expect_equal(curve(x, size, p), second(x, size, p), tolerance = 1e-12, info = paste(x, size, p))
})
