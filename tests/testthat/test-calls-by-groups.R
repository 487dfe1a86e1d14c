# Calls with `by` whose shape is known are C++'s alone, and give what R gives, bit by bit: `verbose` calls are R's.

unoptimized_programs()
set.seed(11)
n <- 900L
x <- round(rnorm(n), 3)
X <- cbind(1, x, round(rnorm(n), 3))
y <- rpois(n, 2)
g <- sample(c(1:5, 8L), n, replace = TRUE) # 6 and 7 are empty

# How often R computes a call while `code` runs.
calls_by_r <- function(code) calls_of("run_expression", code)

# Values that R and C++ give alike. `again`: for the call that C++ computes, other vectors of the same content.
expect_alone <- function(f, values, device, again = values) {
  slow <- suppressMessages(do.call(f, c(values, device = device, verbose = TRUE)))
  do.call(f, c(values, device = device))
  value <- NULL
  expect_identical(calls_by_r(for (turn in 1:3) value <- do.call(f, c(again, device = device))), 0L)
  expect_identical(value, slow)
  slow
}

functions <- list(
  sum = list(opencl_function(function(y, X, b) dpois(y, exp(X %*% b), log = TRUE), reduce = "sum", gradient = "b"), list(y = y, X = X, b = c(0.1, 0.2, -0.1))),
  two = list(opencl_function(function(x, m, s) dnorm(x, m, s, log = TRUE), reduce = "sum", gradient = c("s", "m")), list(x = x, m = 0.1, s = 1.2)),
  mean = list(opencl_function(function(x, m) (x - m)^2, reduce = "mean", gradient = "m"), list(x = x, m = 0.3)),
  both = list(opencl_function(function(y, X, b, s) dnorm(y, X %*% b, s, log = TRUE), reduce = "mean", gradient = c("s", "b")), list(y = x, X = X, b = c(0.1, 0.2, -0.1), s = 2)),
  plain = list(opencl_function(function(x) x^2, reduce = "sum"), list(x = x)),
  left_out = list(opencl_function(function(x) x^2, reduce = "sum", na.rm = TRUE), list(x = replace(x, 3L, NA)))
)
groups <- list(
  codes = g, doubles = as.double(g), factor = factor(g, levels = 1:9, labels = letters[1:9]), ordered = factor(g, ordered = TRUE),
  unclassed = unclass(factor(g)), named = stats::setNames(g, g), missing = replace(g, c(2L, 700L), NA), missing_factor = factor(replace(g, 5L, NA)), one = rep(1L, n), each = seq_len(n)
)

test_that("sums and means by groups are C++'s alone from the second call on, on every device", {
  for (device in compiling_devices()) for (one in functions) for (by in groups) {
    expect_alone(one[[1L]], c(one[[2L]], list(by = by)), device)
    copied <- by
    copied[1L] <- copied[1L] # another vector
    expect_alone(one[[1L]], c(one[[2L]], list(by = by)), device, c(one[[2L]], list(by = copied)))
  }
})

test_that("vectors that are resident have plans of their own, also where their codes are", {
  for (device in compiling_devices()) for (one in functions) {
    there <- lapply(one[[2L]], function(v) if (length(v) >= n) opencl_vector(v, device = device) else v)
    codes <- opencl_vector(g, device = device)
    value <- expect_alone(one[[1L]], c(there, list(by = g)), device)
    expect_identical(expect_alone(one[[1L]], c(there, list(by = codes)), device), value)
    expect_alone(one[[1L]], c(one[[2L]], list(by = codes)), device)
  }
})

test_that("codes are looked at in each call", {
  f <- functions$two[[1L]]
  want <- function(by) vapply(split(x, by), function(x) sum(stats::dnorm(x, 0.1, 1.2, log = TRUE)), 0)
  for (device in compiling_devices()) {
    own <- g
    for (turn in 1:3) expect_equal(c(f(x, 0.1, 1.2, by = own, device = device))[sort(unique(own))], want(own), ignore_attr = "gradient")
    own[7L] <- 3L # in place, as far as R does
    expect_equal(c(f(x, 0.1, 1.2, by = own, device = device))[sort(unique(own))], want(own), ignore_attr = "gradient")
    expect_named(f(x, 0.1, 1.2, by = factor(g, levels = 1:8, labels = LETTERS[1:8]), device = device), LETTERS[1:8])
    expect_named(f(x, 0.1, 1.2, by = g, device = device), as.character(1:8))
    for (turn in 1:2) { # the same codes, of which some levels have none
      expect_named(f(x, 0.1, 1.2, by = factor(g, levels = 1:11), device = device), as.character(1:11))
      expect_named(f(x, 0.1, 1.2, by = g, device = device), as.character(1:8))
    }
    expect_error(f(x, 0.1, 1.2, by = replace(g, 1L, 0L), device = device), "from 1 on", class = "nmathopencl_error")
    expect_error(f(x, 0.1, 1.2, by = g + 0.5, device = device), class = "nmathopencl_error")
    expect_error(f(x, 0.1, 1.2, by = g[-1L], device = device), "has length 899", class = "nmathopencl_error")
    expect_error(f(x, 0.1, 1.2, by = as.character(g), device = device), class = "nmathopencl_error")
    expect_error(f(x, 0.1, 1.2, by = structure(g, class = "Date"), device = device), class = "nmathopencl_error")
    expect_identical(suppressMessages(f(x, 0.1, 1.2, by = rep(NA_integer_, n), device = device)), suppressMessages(f(x, 0.1, 1.2, by = rep(NA_integer_, n), device = device, verbose = TRUE)))
    expect_warning(value <- f(x, 0.1, -1, by = g, device = device), "NaNs produced")
    expect_identical(unname(is.nan(c(value))), 1:8 %in% g)
    for (size in c(100L, n)) expect_equal(c(f(x[1:size], 0.1, 1.2, by = factor(g[1:size]), device = device)), want2 <- vapply(split(x[1:size], g[1:size]), function(x) sum(stats::dnorm(x, 0.1, 1.2, log = TRUE)), 0), ignore_attr = "gradient")
  }
})

test_that("the same codes under other levels, and codes and factors in turn, have the groups of the call", {
  levels <- list(NULL, 8L, 9L, 12L, 8L, NULL)
  for (device in compiling_devices()) for (one in functions) {
    for (turn in c(1:6, 3:1, sample(6L, 12L, replace = TRUE))) {
      by <- if (is.null(levels[[turn]])) g else factor(g, levels = seq_len(levels[[turn]]))
      found <- do.call(one[[1L]], c(one[[2L]], list(by = by, device = device)))
      expect_identical(found, suppressMessages(do.call(one[[1L]], c(one[[2L]], list(by = by, device = device, verbose = TRUE)))))
      expect_identical(length(found), as.integer(levels[[turn]] %||% 8L))
    }
  }
})

test_that("a factor of codes goes with `by`, with a gradient in what it chooses from and at many points", {
  y <- c(1, -2, -1, 0.5)
  codes <- c(1L, 2L, 1L, 1L)
  f <- opencl_function(function(y, g, u, s) y * exp(u[g] / 4) + s, reduce = "sum", gradient = c("u", "s"))
  on_each_device(function(device) for (by in list(c(1L, 2L, 1L, 1L), c(1L, NA, 2L, 1L), factor(c("b", "a", "a", "b")))) {
    numbers <- f(y, codes, c(2, 0), 0.5, by = by, device = device)
    expect_identical(f(y, factor(codes), c(2, 0), 0.5, by = by, device = device), numbers)
    points <- f(y, factor(codes), c(2, 0), by = by, over = list(s = c(0.5, 1)), device = device)
    expect_identical(as.vector(points[, 1L]), as.vector(numbers))
  })
})
