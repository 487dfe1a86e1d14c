# Numbers that stand in the text of an expression: far out, missing, infinite, in every place where a compiler may compute with them.

literals <- list(NA_real_, NaN, Inf, -Inf, 1e300, -1e300, 5e-324, 3e9, -0)

expect_as_r <- function(f, ..., devices = expression_devices(), info = deparse1(body(f))) {
  k <- opencl_function(f)
  for (device in devices) {
    rs <- with_conditions(f(...))
    same <- same_result(with_conditions(k(..., device = device)), rs, 1e-14)
    expect_true(isTRUE(same), info = paste(device, substr(info, 1L, 300L), same))
  }
}

test_that("functions of a literal are R's", {
  names <- c(
    "exp", "expm1", "cospi", "sinpi", "tanpi", "sin", "cos", "tan", "tanh", "sinh", "cosh", "atan", "log", "log2", "log1p", "sqrt",
    "floor", "ceiling", "trunc", "abs", "sign", "asinh", "lgamma", "digamma"
  )
  for (v in literals) {
    calls <- lapply(names, function(name) call(name, v))
    # One program for all: element i takes function i.
    f <- as.function(c(alist(w = ), Reduce(function(rest, i) bquote(ifelse(w == .(i), .(calls[[i]]), .(rest))), seq_along(calls), 0)))
    expect_as_r(f, as.double(seq_along(calls)), info = paste("literal", format(v)))
  }
})

test_that("literals in other places are R's", {
  x <- c(1, 2, 3)
  expect_as_r(function(x) atan2(x, Inf), x)
  expect_as_r(function(x) atan2(-Inf, x), x)
  expect_as_r(function(x) exp(ifelse(x > 1, NA, x)), x)
  expect_as_r(function(x) cospi(ifelse(x > 1, 1e300, x)), x)
  expect_as_r(function(x) expm1(1e200 * 1e200) + exp(2 * 700) + x, x)
  expect_as_r(function(x) pmax(x, NaN) + (-1e300) * x, x)
  expect_as_r(function(x) dnorm(x, 1e300) + pgamma(1e300, x) + x^Inf, x)
  expect_as_r(function(x) x %% Inf + x %/% -Inf, x)
  expect_as_r(function(x) 1 / (x %% 2) + 1 / (x %% -2), c(-4, 0, -0, 4))
  expect_as_r(function(x) log(-x, pmax(x, NA_integer_, na.rm = TRUE)), x) # NaN, for nothing is missing
  expect_as_r(function(x) log(x) + NA^(x * 0), c(-1, 2))
  expect_as_r(function(l) exp(l), c(TRUE, NA, FALSE))
  expect_as_r(function(l) sinpi(ifelse(l, 2, 3)), c(TRUE, NA, FALSE))
  expect_as_r(function(x, q) exp(ifelse(q, 1, 2)) + x, x, NA)
  expect_as_r(function(x) (x == Inf) + (x < 1e300) + is.na(NaN), x)
  expect_as_r(function(x) 0.1 * x + 1 / 3 + 1e15 * x + 123456789012345678 + 2.2250738585072014e-308 * x, x)
})

test_that("reductions of literals are R's", {
  x <- c(1, 2, 3)
  for (device in expression_devices()) {
    total <- function(f) opencl_function(f, reduce = "sum")(x, device = device)
    expect_identical(total(function(x) x + exp(NA)), NA_real_)
    expect_identical(total(function(x) exp(1e300) * x), Inf)
    expect_identical(total(function(x) cospi(1e300) * x), 6)
    expect_identical(opencl_function(function(x) x * Inf, reduce = "max")(x, device = device), Inf)
  }
})

test_that("a literal NA is no reason for a warning", {
  x <- c(1, 2, 3)
  on_host <- function(...) expect_as_r(..., devices = "host")
  on_host(function(x) log(NA) + x, x)
  on_host(function(x) sqrt(NaN) + sin(x), x)
  on_host(function(x) dnorm(x, NA) + dnorm(NA, x), x)
  on_host(function(x) gamma(NA_real_) + dbinom(x, NA, 0.5), x)
  on_host(function(x) log(x, NA), x)
  on_host(function(x) log(x, NaN), x)
  on_host(function(x) log(NA, x), x)
  on_host(function(x) log(-1, NA) + x, x)
  on_host(function(x) as.integer(NA_real_) + x, x)
  on_host(function(x) sqrt(-1) + x, x) # which is one
  on_host(function(x) log(x, -2), x)
  on_host(function(x) log(-2, x), x)
  on_host(function(x, b) log(x, b), c(0, 1, 2, 5, NA), c(0, 1, 2, 10, NaN))
})

test_that("NA is NA where a vector's first element decides for all", {
  f <- function(x, y, l, q) {
    v <- sqrt(x >= l)
    y * l / (1e5 - ifelse(q, x, v))
  }
  expect_as_r(f, c(1, 2, 3), c(2, 3, 4), c(NA, 1, 2), FALSE)
  expect_as_r(f, c(1, 2, 3), c(2, 3, 4), c(1, NA, 2), FALSE)
  expect_as_r(function(x, q) x + ifelse(q, x, x * 2), c(NaN, 1, NA, 2), TRUE)
  expect_as_r(function(x, q) ifelse(q, log(x), x) * x, c(NA, 1, 2), TRUE)
})
