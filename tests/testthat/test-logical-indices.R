# x[k] of a vector that is logical when the function is called, against plain R.

unoptimized_programs()

x <- c(1, 2, 0.5, 3, 4, 1.5)
k <- c(TRUE, FALSE, TRUE, TRUE, FALSE, TRUE)
d <- data.frame(x = x, ev = k, st = as.numeric(k), g = c(1, 2, 1, 2, 3, 3))
X <- cbind(1, x)

cases <- list(
  argument = function(par, x, k) {
    z <- par[1] * x + par[2]
    sum(z[k]^2) + max(z[k])
  },
  at_once = function(par, x, k) sum(dnorm(x, par[1], exp(par[2]), log = TRUE)[k]),
  element = function(par, d) {
    l <- par[1] * d$x
    sum(l[d$ev]) - sum(exp(par[2] * d[["x"]])[d[["ev"]]])
  },
  made = function(par, d) {
    e <- as.logical(d$st)
    l <- par[1] * d$x
    mean(l[e]) * length(l[e])
  },
  of_data = function(par, d) {
    y <- d$x[d$ev]
    sum(dnorm(y, par[1], exp(par[2]), log = TRUE)) + sum(pnorm(d$x[!d$ev], par[1], log.p = TRUE))
  },
  with = function(par, d) {
    with(d, {
      l <- par[1] * x
      sum(l[ev])
    })
  },
  rows = function(par, X, k) sum(X[k, 2] * par[1]) + sum((X %*% par)[k])
)

values <- list(x = x, k = k, d = d, X = X)

test_that("they choose elements, as in R", {
  for (f in cases) {
    data <- values[names(formals(f))[-1]]
    known <- do.call(f, c(list(c(0.5, 0.2)), data))
    slopes <- differences(function(par) do.call(f, c(list(par), data)), list(par = c(0.5, 0.2)), "par")
    old <- options(nmathopencl.compiler = FALSE)
    ours <- opencl_function(f, gradient = "par", data = data)(c(0.5, 0.2))
    options(old)
    expect_equal(c(ours), known, tolerance = 1e-12)
    expect_equal(unname(attr(ours, "gradient")), slopes, tolerance = 1e-7)
  }
  expect_model(cases$argument, list(x = x, k = k), list(par = c(0.5, 0.2)), everywhere = TRUE)
  expect_model(cases$element, list(d = d), list(par = c(0.5, 0.2)))
})

test_that("and a call with codes has codes", {
  f <- cases$argument
  ours <- opencl_function(f)
  par <- c(0.5, 0.2)
  for (index in list(k, c(2, 2, 1), !k, c(k[-6], NA), 3)) {
    expect_equal(ours(par, x, index), f(par, x, index), tolerance = 1e-12)
  }
  expect_equal(ours(par, opencl_vector(x), opencl_vector(k)), f(par, x, k), tolerance = 1e-12)
  expect_equal(ours(over = list(par = rbind(par, par + 1)), x = x, k = k), c(par = f(par, x, k), f(par + 1, x, k)), tolerance = 1e-12)
  expect_error(ours(par, x), "argument \"k\" is missing")
  objective <- as_objective(ours, list(par = par), data = list(x = x, k = k))
  expect_equal(objective$fn(par), -f(par, x, k), tolerance = 1e-12)
  keep <- c(1, 3) # an argument of every such function is called so
  expect_equal(opencl_function(function(x) sum((2 * x)[keep]))(x), 2 * sum(x[keep]))
  factors <- opencl_function(function(u, g) sum(u[g]^2))
  expect_equal(factors(c(1, 2), factor(c("b", "a", "b"))), 9)
})

test_that("rows that a test chooses stay a matrix by drop = FALSE, and replace() is an assignment", {
  X <- cbind(a = c(1, 2, 3, NA), b = c(4, 5, 6, 7))
  rownames(X) <- letters[1:4]
  for (f in list(
    function(p, X) { A <- X[X[, 2] > p[1], , drop = FALSE]; sum(colSums(A) * p[2]) }, function(p, X) X[X[, 2] > p[1], , drop = FALSE] * p[2], function(p, X) X[X[, 2] > p[1], 2, drop = FALSE] * p[2],
    function(p, X) X[X[, 2] > p[1], "b", drop = FALSE] * p[2], function(p, X) X[X[, 2] > p[1], , drop = FALSE] %*% p, function(p, X) nrow(X[X[, 2] > p[1], , drop = FALSE]) * p[2],
    function(p, X) X[X[, 2] > p[1], , drop = TRUE] * p[2], function(p, X) X[X[, 1] > p[1] - 4, , drop = FALSE] * p[2], function(p, X) { A <- X[X[, 2] > p[1], , drop = FALSE]; sum(A[, 2]) + nrow(A) },
    function(p, X) { Z <- X * p[2]; colSums(Z[X[, 2] > p[1], , drop = FALSE]) }
  )) for (least in c(3, 5, 6)) expect_as_r(f, c(least, 2), X, devices = "host")
  y <- c(a = 1, b = 2, c = 3)
  for (f in list(
    function(p, y) replace(y, y > 1.5, p), function(p, y) replace(y, 2, p), function(p, y) replace(y, c(1, 3), c(p, 2)), function(p, y) replace(y, is.na(y), p), function(p, y) replace(y * p, y * p > 3, 0),
    function(p, y) sum(replace(replace(y, 1, p), 2, p^2), na.rm = TRUE), function(p, y) { h <- function(v) replace(v, v > 2, p); sum(h(y), na.rm = TRUE) + sum(h(2 * y), na.rm = TRUE) }
  )) for (at in list(y, c(1, NA, 2))) expect_as_r(f, 2.5, at, devices = "host")
})
