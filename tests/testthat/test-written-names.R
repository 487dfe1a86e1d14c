# names(par) <- c("a", "b"), setNames(), and questions about names: values and gradients as R's.

unoptimized_programs()

# Of a function of data and `par`: values, and slopes by differences.
expect_value_and_slopes <- function(f, par, ...) {
  known <- f(par, ...)
  slopes <- vapply(seq_along(par), function(k) {
    h <- replace(0 * par, k, 1e-5)
    (f(par + h, ...) - f(par - h, ...)) / 2e-5
  }, 0)
  on_each_device(function(device) {
    made <- opencl_function(f, gradient = "par")
    plain <- opencl_function(f)
    for (turn in 1:2) {
      ours <- made(par, ..., device = device)
      reported <- paste(deparse1(f), deparse1(par), device)
      expect_equal(as.vector(ours), as.vector(known), tolerance = 1e-12, info = reported)
      expect_equal(unname(attr(ours, "gradient")), slopes, tolerance = 1e-7, info = reported)
      expect_equal(as.vector(plain(par, ..., device = device)), as.vector(known), tolerance = 1e-12, info = reported)
    }
  })
}

y <- c(0.5, 1, 3)

test_that("a body may name its parameters", {
  expect_value_and_slopes(function(par, y) {
    names(par) <- c("mu", "log_sd")
    -sum(dnorm(y, par["mu"], exp(par[["log_sd"]]), log = TRUE))
  }, c(1, 0.2), y)
  expect_value_and_slopes(function(par, y) {
    names(par) <- c("mu", "log_sd")
    with(as.list(par), {
      s <- exp(log_sd)
      -sum(dnorm(y, mu, s, log = TRUE))
    })
  }, c(a = 1, b = 0.2), y)
  expect_value_and_slopes(function(par, y, mu = 100) {
    p <- setNames(par, c("mu", "log_sd"))
    with(as.list(p), -sum(dnorm(y, mu, exp(log_sd), log = TRUE))) + mu + sum(par)
  }, c(1, 0.2), y)
  scaled <- function(q, y) {
    names(q) <- "k"
    sum(y * q["k"])
  }
  expect_value_and_slopes(function(par, y) scaled(par, y), 3, y)
  expect_value_and_slopes(function(par, y) {
    par <- setNames(par, c("mu", "s"))
    X <- cbind(1, y)
    sum((X %*% par)^2) + par["s"]
  }, c(mu = 3, other = 2), y)
  f <- opencl_function(function(par, y) {
    names(par) <- c("mu", "log_sd")
    sum(y * par["mu"])
  })
  for (par in list(1, c(1, 2, 3))) expect_error(f(par, y, device = "host"), "length(par) == 2 is not TRUE", fixed = TRUE)
  expect_as_r(function(y, b) {
    names(b) <- c("a", "b", "c")
    b * y
  }, y, c(1, 2, 3))
})

test_that("names of arguments are known at a call", {
  expect_value_and_slopes(function(par, y) {
    s <- if ("log_sd" %in% names(par)) exp(par["log_sd"]) else 1
    -sum(dnorm(y, par["mu"], s, log = TRUE))
  }, c(log_sd = 0.3, mu = 1), y)
  expect_value_and_slopes(function(par, y) {
    s <- if ("log_sd" %in% names(par)) exp(par["log_sd"]) else 1
    -sum(dnorm(y, par["mu"], s, log = TRUE))
  }, c(mu = 1), y)
  expect_value_and_slopes(function(par, y) sum(par[names(par) == "b"] * y) + sum(par[startsWith(names(par), "u")]^2), c(b = 2, u1 = 1, u2 = -3), y)
  expect_value_and_slopes(function(par, y) {
    of_u <- grepl("^u", names(par))
    sum(par[of_u]^2) + sum(y) * par[which(names(par) == "b")]
  }, c(u1 = 1, b = 2, u2 = -3), y)
  expect_value_and_slopes(function(par, y) if (is.null(names(par))) sum(par * y[1]) else sum(par[length(names(par))] * y), c(2, 3), y)
  expect_value_and_slopes(function(par, y) if (is.null(names(par))) sum(par * y[1]) else sum(par[length(names(par))] * y), c(a = 2, b = 3), y)
  f <- opencl_function(function(par, y) if ("s" %in% names(par)) sum(y * par["s"]) else sum(y)) # other names at the next call
  for (turn in 1:2) for (par in list(c(s = 2), c(a = 2), c(s = 3), 2)) expect_equal(f(par, y, device = "host"), if ("s" %in% names(par)) sum(y) * par[["s"]] else sum(y))
  X <- cbind(one = 1, x = y)
  expect_value_and_slopes(function(par, X) if ("x" %in% colnames(X)) sum(X[, "x"] * par) else sum(X) * par, 2, X)
  expect_value_and_slopes(function(par, X) if ("x" %in% colnames(X)) sum(X[, "x"] * par) else sum(X) * par, 2, unname(X))
  compared <- opencl_function(function(par, y) sum(y) * sum(par == names(par)), gradient = "par")
  expect_error(compared(c(a = 1, b = 2), y), "compares a text with what is not one text", class = "nmathopencl_error")
})
