# Fits that need derivatives in shapes, degrees of freedom and orders. The optimum is the one that plain R finds by differences.
unoptimized_programs()

# The optimum by the gradient of `f`, on the scale of log parameters, and that of `plain` by differences from there.
expect_fit <- function(f, plain, start, tolerance = 1e-7) {
  objective <- function(v) -drop(f(exp(v)))
  slope <- function(v) -drop(attr(f(exp(v)), "gradient")) * exp(v)
  fit <- stats::optim(start, objective, slope, method = "BFGS", control = list(reltol = 1e-15, maxit = 500))
  expect_lt(max(abs(slope(fit$par))), 1e-3)
  expect_equal(fit$value, -plain(exp(fit$par)), tolerance = 1e-11)
  other <- stats::optim(fit$par, function(v) -plain(exp(v)), method = "Nelder-Mead", control = list(reltol = 1e-14, maxit = 2000))
  expect_lt(fit$value, other$value + tolerance)
  by_differences <- vapply(seq_along(start), function(k) {
    h <- 1e-5 * (seq_along(start) == k)
    (plain(exp(start - h)) - plain(exp(start + h))) / 2e-5
  }, 0)
  expect_equal(unname(slope(start)), by_differences, tolerance = 1e-6)
  exp(fit$par)
}

test_that("a truncated beta", {
  skip_without_compiler()
  y <- stats::qbeta(stats::pbeta(0.2, 2.5, 4) + stats::ppoints(300) * (stats::pbeta(0.7, 2.5, 4) - stats::pbeta(0.2, 2.5, 4)), 2.5, 4)
  f <- opencl_function(function(y, a, b) {
    dbeta(y, a, b, log = TRUE) - log(pbeta(0.7, a, b) - pbeta(0.2, a, b))
  }, reduce = "sum", gradient = c("a", "b"))
  plain <- function(v) sum(stats::dbeta(y, v[1], v[2], log = TRUE) - log(stats::pbeta(0.7, v[1], v[2]) - stats::pbeta(0.2, v[1], v[2])))
  found <- expect_fit(function(v) f(y, v[1], v[2], device = "host"), plain, c(0, 0))
  expect_equal(found, c(2.5, 4), tolerance = 0.05)
})

test_that("a t distribution with unknown degrees of freedom, a part of whose data is censored", {
  skip_without_compiler()
  y <- 1 + 2 * stats::qt(stats::ppoints(400), 4)
  seen <- pmin(y, 4)
  f <- opencl_function(function(y, open, s, n) {
    z <- (y - 1) / s
    ifelse(open, pt(z, n, lower.tail = FALSE, log.p = TRUE), dt(z, n, log = TRUE) - log(s))
  }, reduce = "sum", gradient = c("s", "n"))
  plain <- function(v) {
    z <- (seen - 1) / v[1]
    sum(ifelse(y > 4, stats::pt(z, v[2], lower.tail = FALSE, log.p = TRUE), stats::dt(z, v[2], log = TRUE) - log(v[1])))
  }
  found <- expect_fit(function(v) f(seen, y > 4, v[1], v[2], device = "host"), plain, c(0, log(10)))
  expect_equal(found, c(2, 4), tolerance = 0.1)
})

test_that("the smoothness of a Matern field, by the likelihood of pairs", {
  skip_without_compiler()
  set.seed(12)
  n <- 60
  site <- cbind(stats::runif(n), stats::runif(n))
  d <- as.matrix(stats::dist(site))
  matern <- function(h, range, nu) {
    u <- h / range
    ifelse(u > 0, exp((1 - nu) * log(2) - lgamma(nu) + nu * log(u)) * base::besselK(u, nu), 1)
  }
  y <- drop(crossprod(chol(matern(d, 0.2, 0.8) + diag(1e-10, n)), stats::rnorm(n)))
  pair <- which(upper.tri(d) & d < 0.4, arr.ind = TRUE)
  y1 <- y[pair[, 1]]; y2 <- y[pair[, 2]]; h <- d[pair]
  f <- opencl_function(function(y1, y2, h, range, nu) {
    u <- h / range
    r <- exp((1 - nu) * log(2) - lgamma(nu) + nu * log(u)) * besselK(u, nu)
    -log(1 - r^2) / 2 - (y1^2 - 2 * r * y1 * y2 + y2^2) / (2 * (1 - r^2))
  }, reduce = "sum", gradient = c("range", "nu"))
  plain <- function(v) {
    r <- matern(h, v[1], v[2])
    sum(-log(1 - r^2) / 2 - (y1^2 - 2 * r * y1 * y2 + y2^2) / (2 * (1 - r^2)))
  }
  found <- expect_fit(function(v) f(y1, y2, h, v[1], v[2], device = "host"), plain, log(c(0.2, 0.8)))
  expect_true(all(found > 0.02 & found < 5))
})

test_that("the smoothness of a Matern field of 80 sites, by its whole likelihood", {
  skip_without_compiler()
  set.seed(200)
  n <- 80
  d <- as.matrix(stats::dist(cbind(stats::runif(n), stats::runif(n))))
  h <- d[lower.tri(d)]
  plain_pairs <- function(v) {
    u <- h / v[1]
    exp((1 - v[2]) * log(2) - lgamma(v[2]) + v[2] * log(u)) * base::besselK(u, v[2])
  }
  # the log likelihood of y with these covariances of pairs and a nugget, and its gradient by what the pairs have
  likelihood <- function(pairs) {
    S <- diag(1.01, n)
    S[lower.tri(S)] <- pairs
    R <- chol(t(S))
    z <- backsolve(R, y, transpose = TRUE)
    value <- -sum(log(diag(R))) - sum(z^2) / 2
    slopes <- attr(pairs, "gradient")
    if (is.null(slopes)) return(value)
    a <- backsolve(R, z)
    W <- tcrossprod(a) - chol2inv(R) # d value is half of tr(W dS), and pairs are there twice
    structure(value, gradient = drop(W[lower.tri(W)] %*% slopes))
  }
  S <- diag(1.01, n)
  S[lower.tri(S)] <- plain_pairs(c(0.2, 0.8))
  y <- drop(crossprod(chol(t(S)), stats::rnorm(n)))
  f <- opencl_function(function(h, range, nu) {
    u <- h / range
    exp((1 - nu) * log(2) - lgamma(nu) + nu * log(u)) * besselK(u, nu)
  }, gradient = c("range", "nu"))
  value <- function(v) likelihood(f(h, v[1], v[2], device = "host"))
  start <- c(0.3, 0.5)
  by_differences <- vapply(1:2, function(k) {
    step <- 1e-5 * (1:2 == k)
    (likelihood(plain_pairs(start + step)) - likelihood(plain_pairs(start - step))) / 2e-5
  }, 0)
  expect_equal(unname(attr(value(start), "gradient")), by_differences, tolerance = 1e-6)
  fit <- stats::optim(log(start), function(v) -c(value(exp(v))), function(v) -attr(value(exp(v)), "gradient") * exp(v), method = "L-BFGS-B", lower = log(0.05), upper = log(5), control = list(factr = 1))
  # the optimum that Nelder and Mead's method finds with base::besselK()
  expect_equal(exp(fit$par), c(0.229168614, 0.843833014), tolerance = 1e-4)
  expect_equal(-fit$value, 27.751757886086, tolerance = 1e-9)
  expect_equal(-fit$value, likelihood(plain_pairs(exp(fit$par))), tolerance = 1e-11)
})
