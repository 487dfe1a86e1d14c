unoptimized_programs()
set.seed(7)
n <- 700L
x <- round(rnorm(n), 3)
g <- rep_len(c(1:5, 7L), n)
u <- round(rnorm(7), 3)
counts <- rpois(n, exp(0.2 * x + u[g] * 0.3))
X <- cbind(1, x)
expect_planned <- function(f, values, device) {
  slow <- do.call(f, c(values, device = device))
  ours <- asNamespace("nmathopencl")
  by_r <- ours$run_stages
  ran <- 0L
  put <- function(value) {
    unlockBinding("run_stages", ours)
    assign("run_stages", value, ours)
    lockBinding("run_stages", ours)
  }
  put(function(...) {
    ran <<- ran + 1L
    by_r(...)
  })
  on.exit(put(by_r))
  for (turn in 1:3) expect_identical(do.call(f, c(values, device = device)), slow)
  expect_identical(ran, 0L)
  slow
}
staying <- function(values, device) lapply(values, function(v) if (length(v) >= n) opencl_vector(v, device = device) else v)
likelihoods <- list(
  poisson = list(
    function(y, X, b, u, s, g) sum(dpois(y, exp(X %*% b + u[g]), log = TRUE)) + sum(dnorm(u, 0, s, log = TRUE)) + dexp(s, 1, log = TRUE),
    list(y = counts, X = X, b = c(0.1, 0.2), u = u * 0.3, s = 0.7, g = g), c("b", "u", "s")
  ),
  centred = list(function(u, g, w) sum((u - mean(u))[g] * w), list(u = u, g = g, w = x), "u"),
  parts = list(
    function(y, X, par) { r <- y - X %*% par[1:2]; sum(dnorm(r[-1], par[4] * r[-length(r)], exp(par[3]), log = TRUE)) - par[4]^2 },
    list(y = x * 2 + 1, X = X, par = c(0.5, 1, 0.1, 0.2)), "par"
  ),
  named = list(function(y, par) -mean(dnorm(y, par["m"], exp(par["s"]), log = TRUE)), list(y = x, par = c(s = 0.3, m = 0.2)), "par"),
  bounds = list(
    function(k, x, beta, cuts) { q <- c(-Inf, cuts, Inf); sum(log(plogis(q[k + 1] - beta * x) - plogis(q[k] - beta * x))) },
    list(k = rep_len(1:4, n), x = x, beta = 0.3, cuts = c(-1, 0, 1.2)), c("beta", "cuts")
  ),
  simplex = list(
    function(y, w, m) { p <- exp(w) / sum(exp(w)); d <- 0; for (k in 1:3) d <- d + p[k] * dnorm(y, m[k], 1); sum(log(d)) },
    list(y = x, w = c(0, 0.2, -0.1), m = c(-1, 0.5, 2)), c("w", "m")
  )
)
test_that("what has no elements has none in later calls, and extremes of none warn", {
  on_each_device(function(device) {
    for (f in list(function(x) diff(x), function(x) head(x, 0), function(x) x[-1] * 2, function(x) head(x, -1) + mean(x))) {
      g <- opencl_function(f)
      for (turn in 1:3) expect_identical(g(1, device = device), f(1))
    }
    for (f in list(function(x) max(diff(x)), function(x) sum(x) + min(x[-1]))) {
      g <- opencl_function(f)
      for (turn in 1:3) {
        ours <- outcome_of(g(1, device = device))
        expect_identical(ours, outcome_of(f(1)))
      }
    }
  })
})
