# Elements of lists and data frames: data$y, data[["y"]], with(data, ...).

unoptimized_programs()

test_that("elements of a list are arguments of their own", {
  data <- data.frame(y = c(0.5, 1, 3), x = c(1, 2, 4))
  expect_as_r(function(data, a) data$y * a + data[["x"]], data, 2)
  expect_as_r(function(data, par) dnorm(data$y, par$m + data$x, exp(par$s), log = TRUE), data, list(m = 0.2, s = -0.1))
  constants <- list(w = c(1, 2, 3), k = list(1))
  expect_as_r(function(x) x * constants$w, c(1, 2, 3))
  weigh <- function(v) v * constants$w
  expect_as_r(function(data) weigh(data$y), data)
  f <- opencl_function(function(data, a) data$y * a)
  expect_equal(f(list(y = 1:3), 2L, device = "host"), c(2L, 4L, 6L)) # other types at the next call
  expect_equal(f(data, 0.5, device = "host"), data$y / 2)
  expect_error(f(list(y = factor("a")), 1), "`data$y` is of class factor", fixed = TRUE)
  expect_error(opencl_function(function(data) data + 1)(data), "its columns, each as an argument")
  g <- function(data, par) dnorm(data$y, par$m, exp(par$s), log = TRUE)
  for (compiler in c(TRUE, FALSE)) {
    withr_options(list(nmathopencl.compiler = if (compiler) getOption("nmathopencl.compiler") else FALSE), environment())
    ours <- opencl_function(g, reduce = "sum", gradient = c("par$m", "par$s"))(data, list(m = 1, s = 0), device = "host")
    expect_equal(as.vector(ours), sum(g(data, list(m = 1, s = 0))))
    expect_equal(unname(attr(ours, "gradient")), c(sum(data$y - 1), sum((data$y - 1)^2 - 1)))
  }
})

test_that("with() looks in the list first", {
  data <- data.frame(y = c(0.5, 1, 3), x = c(1, 2, 4))
  k <- 7
  f <- function(data, y, a) {
    b <- a + 1
    with(data, dnorm(y, x * a, b, log = TRUE) + k)
  }
  expect_as_r(f, data, 100, 0.5)
  expect_as_r(f, c(data, list(b = 2)), 100, 0.5)
  expect_as_r(f, data["x"], 0.3, 0.5)
  expect_as_r(f, c(data, list(k = 1, a = 2)), 100, 0.5)
  h <- opencl_function(f)
  for (given in list(data, data["x"], data)) expect_equal(h(given, 1, 0.5, device = "host"), f(given, 1, 0.5))
  expect_error(opencl_function(function(data) with(data, return(y))), "leaves with() only", fixed = TRUE)
  p <- c(a = 2, s = 0.5)
  expect_as_r(function(p, x) with(as.list(p), dnorm(x, a, s * k)), p, c(1, 2))
  expect_as_r(function(p, x, s) with(as.list(p), x * a + s), p["a"], c(1, 2), 10)
  expect_as_r(function(p, x, s) with(as.list(p), x * a + s), rev(p), c(1, 2), 10)
  skip_without_compiler()
  m <- opencl_function(function(p, x) with(as.list(p), dnorm(x, a, s, log = TRUE)), reduce = "sum", gradient = "p")
  expect_equal(unname(attr(m(p, c(1, 2), device = "host"), "gradient")), c(-4, 4), tolerance = 1e-12)
})

test_that("elements of p <- as.list(par) by a variable's value, and names of inner functions, are no elements by name", {
  par <- c(k = 1, b = 2, c = 3)
  x <- c(1, 2, 4)
  functions <- list(
    function(x, par) { p <- as.list(par); s <- p$b; for (k in 1:3) s <- s + p[[k]] * k; s + sum(x) }, function(x, par) { p <- as.list(par); k <- 2; p[[k]] * x + p$b },
    function(x, par) { p <- as.list(par); h <- function(par) p$b * par; h(2) + x * p$c }, function(x, par) { p <- as.list(par); h <- function(p) p * 2; h(3) + p$b * x },
    function(x, par) { p <- as.list(par); p$b * x + p[["c"]] }
  )
  computed <- 0
  for (f in functions) { # what cannot be computed is refused
    value <- tryCatch(opencl_function(f)(x, par, device = "host"), nmathopencl_error = function(e) NULL)
    computed <- computed + !is.null(value)
    if (!is.null(value)) expect_equal(value, f(x, par), info = deparse1(body(f)))
  }
  expect_gte(computed, 1)
})
