# Loops over split(), functions of the groups of several vectors, extremes and products of groups, ranges by seq(from, to, by = 1).

unoptimized_programs()

y <- c(1, 2, 0.5, 3, -1, 0.25)
x <- c(0.5, -1, 2, 0.25, 1, 1.5)
g <- c("b", "a", "b", "c", "a", "c")

cases <- list(
  adds = function(y, x, g, a) {
    s <- 0
    for (e in split(y, g)) {
      m <- mean(e) * a
      s <- s + sum((e - m)^2)
    }
    s
  },
  hands_on = function(y, x, g, a) {
    s <- 1
    for (e in split(y, g)) s <- s * a + sum(e^2) + length(e)
    s
  },
  several = function(y, x, g, a) sum(mapply(function(u, v) sum(u * a - v)^2, split(y, g), split(x, g))),
  mapped = function(y, x, g, a) sum(unlist(Map(function(u, v) sum(u * a - v)^2, split(y, g), split(x, g)))) + Reduce(`+`, Map(function(u, v) sum(u * v) * a, split(y, g), split(x, g))),
  extremes = function(y, x, g, a) sum(tapply(y * a, g, max)^2) + sum(sapply(split(x - a, g), min)),
  products = function(y, x, g, a) sum(tapply(y, g, prod) * a) + sum(tapply(y, g, function(v) prod(v) + sum(v) * a)),
  by_ones = function(y, x, g, a) {
    h <- numeric(length(y))
    h[1] <- a
    for (t in seq(2, length(y), by = 1)) h[t] <- h[t - 1] * 0.5 + y[t - 1] * a + t
    for (t in seq(length(y), 2, by = -1)) h[t] <- h[t] + t * a
    sum(h)
  }
)

test_that("values and gradients are R's", {
  skip_on_cran() # a matter of seconds
  all_made <- lapply(cases, opencl_function, gradient = "a")
  plain <- list(
    function(y, x, g) mapply(function(u, v) sum(u - v), split(y, g), split(x, g)), function(y, x, g) sapply(split(y, g), max), function(y, x, g) as.vector(tapply(y, g, min)) + 0,
    function(y, x, g) unlist(lapply(split(y, g), function(v) as.vector(v) * 2)), function(y, x, g) unlist(lapply(split(y, g), function(v) v - mean(v)))
  )
  plain_made <- lapply(plain, opencl_function)
  check <- function(device = "auto") {
    for (name in names(cases)) {
      f <- cases[[name]]
      made <- all_made[[name]]
      for (one in list(list(y, x, g, 0.4), list(y[c(6, 1, 2)], x[1:3], factor(c("z", "u", "z")), -0.3))) {
        ours <- do.call(made, c(one, device = device))
        expect_equal(as.vector(ours), do.call(f, one), tolerance = 1e-13, info = name)
        expect_equal(unname(as.vector(attr(ours, "gradient"))), differences(f, stats::setNames(one, c("y", "x", "g", "a")), "a"), tolerance = 1e-6, info = name)
      }
    }
    for (k in seq_along(plain)) for (values in list(y, as.integer(4 * y), y > 0.5, stats::setNames(y, letters[1:6]), c(NA, y[-1]))) {
      f <- plain[[k]]
      expect_equal(plain_made[[k]](values, x, g, device = device), f(values, x, g), tolerance = 1e-14, info = deparse1(f))
    }
  }
  for (device in compiling_devices()) check(device)
  withr_options(list(nmathopencl.compiler = FALSE, nmathopencl.device = "host"), environment())
  check()
})

test_that("rows of data frames are gone over, and names of numbers stay", {
  d <- data.frame(y = y, x = x, g = g)
  f <- function(d, par) {
    s <- 0
    for (e in split(d, d$g)) s <- s + sum((e$y - par["b"] * e$x)^2) / nrow(e) * par["b"]
    s
  }
  for (device in compiling_devices()) {
    expect_equal(c(opencl_function(f, gradient = "par")(d, c(b = 0.5), device = device)), c(f(d, c(b = 0.5))), tolerance = 1e-14)
    expect_equal(c(opencl_function(f)(d[1:4, ], c(b = 2), device = device)), c(f(d[1:4, ], c(b = 2))), tolerance = 1e-14)
  }
})

test_that("what is not as R has it is refused", {
  refused <- function(f, ...) expect_error(opencl_function(f)(...), class = "nmathopencl_error")
  refused(function(y, g) sapply(split(y, g), max), y, factor(g, letters[1:5])) # -Inf in R, with a warning
  refused(function(y, g) {
    s <- 0
    for (e in split(y, g)) s <- s + sum(e)
    s + sum(e)
  }, y, g)
  expect_error(opencl_function(function(y, a) {
    s <- 0
    for (t in seq(2, length(y), by = 1)) s <- s + y[t] * a
    s
  })(1, 2), "wrong sign in 'by' argument")
  named <- stats::setNames(y, letters[1:6])
  refused(function(y, g) unlist(lapply(split(y, g), function(v) dnorm(1, v))), named, g)
})
