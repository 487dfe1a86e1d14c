# Hierarchical models at many points: effects that are taken by codes, priors, parts of vectors by name. The judge is a loop of calls.

unoptimized_programs()
set.seed(351)
n <- 1500L
x <- round(rgamma(n, 2, 3), 4)
y <- rpois(n, 2)
X <- cbind(1, matrix(round(rnorm(2 * n), 3), n))
z <- rbinom(n, 1, 0.4)
g <- rep_len(1:7, n)
m <- 11L
a <- round(runif(m, 0.5, 4), 3)
b <- round(runif(m, 0.5, 4), 3)
B <- matrix(round(rnorm(3 * m, 0, 0.3), 3), m)

# Whether a call at many points was computed with fewer launches than points.
expect_at_once <- function(f, args, over, device) {
  do.call(f, c(args, list(over = over, device = device)))
  expect_lt(last_run()$chunks, m)
  expect_as_loop(f, args, over, ways = c(device, if (device == all_compiling_devices()[1L]) "plain"))
}

test_that("gradients of effects that are taken by codes, and of priors, are computed at all points at once", {
  bernoulli <- function(z, g, u, a, s) sum(dbinom(z, 1, plogis(a + u[g]), log = TRUE)) + sum(dnorm(u, 0, exp(s), log = TRUE))
  crossed <- function(y, g, h, X, b, u, v, s) {
    sum(dpois(y, exp(X %*% b + u[g] + exp(s) * v[h]), log = TRUE)) + sum(dnorm(u, 0, exp(s), log = TRUE)) - sum((v / exp(s))^2) + sum(dnorm(b, 0, 2, log = TRUE))
  }
  U <- matrix(round(rnorm(7 * m), 3), m)
  V <- matrix(round(rnorm(40 * m), 3), m)
  s <- round(rnorm(m, 0, 0.3), 3)
  h <- rep_len(c(3L, 40L, 1:40), n)
  for (device in compiling_devices()) {
    f <- opencl_function(bernoulli, gradient = c("u", "a", "s"))
    expect_at_once(f, list(z = z, g = g), list(u = U, a = a, s = s), device)
    expect_at_once(f, list(z = z, g = g + 0.5), list(s = s, u = `colnames<-`(U, letters[1:7]), a = a), device)
    expect_at_once(opencl_function(bernoulli, gradient = "u", data = list(z = z, g = g)), list(a = 0.3), list(u = U, s = s), device)
    expect_at_once(f, list(z = z[1:900], g = g[1:900]), list(u = U[, 7:1], a = a, s = s), device)
    expect_at_once(f, list(z = z, g = h), list(u = V, a = a, s = s), device)
  }
  f <- opencl_function(crossed, gradient = c("b", "u", "v", "s"))
  expect_as_loop(f, list(y = y, g = g, h = h, X = X), list(b = B, u = U, v = V, s = s), label = "two effects")
  by_factor <- opencl_function(bernoulli, gradient = c("u", "a"), data = list(z = z, g = factor(g)))
  expect_as_loop(by_factor, list(), list(u = U, a = a, s = s), label = "a factor")
  for (device in compiling_devices()) {
    expect_at_once(opencl_function(bernoulli, gradient = c("u", "a", "s")), list(z = z, g = factor(g, 0:8)[seq_along(g)]), list(u = cbind(U, 1, 2), a = a, s = s), device)
  }
  expect_as_loop(f, list(y = y[1:2], g = g[1:2], h = h[1:2], X = X[1:2, ]), list(b = B, u = U, v = V, s = s), label = "few rows")
})

test_that("parts of a vector by name are found at all points at once", {
  normal <- function(x, par) {
    mean <- par["mean"]
    sum(dnorm(x, mean, exp(par[["log_sd"]]), log = TRUE)) + dnorm(mean, 0, 10, log = TRUE)
  }
  P <- cbind(other = 1, mean = a, log_sd = b / 3)
  f <- opencl_function(normal, gradient = "par", data = list(x = x))
  for (device in compiling_devices()) {
    for (order in list(1:3, c(3, 1, 2), 2:3)) expect_at_once(f, list(), list(par = P[, order]), device)
    expect_identical(f(over = as.data.frame(P), device = device), f(over = P, device = device))
    expect_lt(last_run()$chunks, m)
  }
  expect_error(f(over = P[, 1:2]), "log_sd", class = "nmathopencl_error")
})

test_that("codes that are missing or beyond the end, of points and of calls one after the other", {
  f <- opencl_function(function(x, g, u, s) sum(dnorm(x, u[g], exp(s), log = TRUE)) - sum(abs(u)), gradient = c("u", "s"))
  U <- matrix(round(rnorm(7 * m), 3), m)
  s <- round(rnorm(m, 0, 0.3), 3)
  expect_as_loop(f, list(x = x, g = replace(g, 5, NA)), list(u = U, s = s), label = "a missing code")
  expect_as_loop(f, list(x = x, g = replace(g, 5, 9L)), list(u = U, s = s), label = "a code beyond the end")
  expect_as_loop(f, list(x = x, g = g), list(u = cbind(U, 1), s = s), label = "a level of no element")
  expect_as_loop(f, list(x = x, g = g), list(u = replace(U, 3, NA), s = replace(s, 5, NaN)), label = "missing values of two points")
  expect_as_loop(f, list(x = replace(x, 2, Inf), g = g), list(u = U, s = s), label = "an infinite element")
  expect_as_loop(f, list(x = x[1], g = g[1]), list(u = U[, 1, drop = FALSE], s = s), label = "one row")
  expect_as_loop(f, list(x = x, g = g), list(u = U[1, , drop = FALSE], s = s[1]), label = "one point")
  for (device in expression_devices()) expect_error(f(x, replace(g, 2, 0L), over = list(u = U, s = s), device = device), "from 1 on", class = "nmathopencl_error")
  one <- f(x, g, over = list(u = replace(U, 3, NA), s = s), device = "host")
  expect_identical(which(is.na(one)), 3L)
  expect_identical(dim(attr(f(x, g, over = list(u = U[0, ], s = numeric())), "gradient")), c(0L, 8L))
  codes <- opencl_function(function(x, g, k, u) sum((x - u[g + k])^2), gradient = "u")
  for (k in c(0, 1, 0)) expect_as_loop(codes, list(x = x, g = g, k = k), list(u = cbind(U, 2)), label = "computed codes")
  expect_as_loop(codes, list(x = x, g = g), list(u = cbind(U, 2), k = rep_len(0:1, m)), label = "codes of each point")
})


test_that("what a call gives does not depend on what calls before it needed", {
  f <- opencl_function(function(x, g, u, s) sum(dnorm(x, u[g], exp(s), log = TRUE)) + sum(dgamma(exp(u), 2, exp(s), log = TRUE)), gradient = c("u", "s"))
  U <- matrix(round(rnorm(7 * m), 3), m)
  s <- round(rnorm(m, 0, 0.3), 3)
  for (device in compiling_devices()) {
    fresh <- loop_over_points(f, list(x = x, g = g, device = device), list(u = U, s = s))
    for (turn in 1:3) suppressWarnings(f(replace(x, 3, Inf), g, U[turn, ], s[turn], device = device))
    expect_true(same_bits(loop_over_points(f, list(x = x, g = g, device = device), list(u = U, s = s)), fresh))
    expect_true(same_bits(f(x, g, over = list(u = U, s = s), device = device), fresh))
  }
})
