# Factors as codes: where a function takes them as an index, by another name, in parts of parts; and messages that say what to write.

unoptimized_programs()

test_that("a factor is its codes wherever it is an index only", {
  g <- factor(c("a", "b", "b"))
  y <- c(1, 2, 3)
  take <- function(u, k) u[k]
  through <- function(u, codes) take(u, k = codes) * 2
  renamed <- function(u, k) {
    own <- k
    u[own]
  }
  u <- c(1.5, 10)
  functions <- list(
    function(b, g) sum(take(b, g) * y),
    function(b, g) sum(take(k = g, u = b) * y),
    function(b, g) sum(through(b, g) * y),
    function(b, g) sum(renamed(b, g) * y),
    function(b, g) {
      k <- g
      sum(b[k] * y)
    },
    function(b, g) sum(b[g[y]] * y),
    function(b, g) sum(b[as.integer(g[y])] * y),
    function(b, g) {
      s <- 0
      for (i in 1:3) s <- s + b[g[i]] * y[i]
      s
    }
  )
  for (f in functions) {
    expect_as_r(f, u, g)
    of_data <- f
    formals(of_data) <- formals(f)["b"]
    expect_as_r(of_data, u) # of the variable g
    slopes <- attr(opencl_function(f, gradient = "b")(u, g), "gradient")
    expect_equal(unname(slopes), c(f(c(1, 0), g), f(c(0, 1), g)))
    expect_equal(attr(opencl_function(f, gradient = "b", data = list(g = g))(u), "gradient"), slopes)
  }
  # As anything else, it is no number.
  twice <- function(u, k) u[k] * k
  refused <- list(
    function(b, g) sum(twice(b, g)),
    function(b, g) sum(take(b, g) * g),
    function(b, g) {
      k <- g
      sum(b[k] + k)
    },
    function(b, g) {
      k <- g
    }
  )
  for (f in refused) expect_error(opencl_function(f)(u, g), "as.integer(g)", fixed = TRUE)
})

test_that("messages say what to write", {
  d <- list(y = matrix(1:3), s = c("u", "v", "u"))
  f <- opencl_function(function(d, b, i) sum(d$y[i] * b))
  skip_without_compiler() # R evaluates what the compiler refuses
  expect_error(f(d, 2, c(1, 2)), "`d\\$y\\[i\\]`: of a matrix, .* as.vector\\(d\\$y\\)$")
  expect_equal(opencl_function(function(d, b, i) sum(as.vector(d$y)[i] * b))(d, 2, c(1, 2)), 6)
  g <- opencl_function(function(d, b) sum((d$s == "u") * b))
  expect_error(g(d, 2), "v <- as.numeric(d$s == \"u\"), and use v", fixed = TRUE)
  h <- opencl_function(function(s, b) sum((s %in% c("u", "w")) * b))
  for (s in list(d$s, c("w", NA, "x", "u"), character(), rev(d$s))) expect_equal(as.vector(h(s, 2)), sum((s %in% c("u", "w")) * 2))
})

test_that("a missing element that a code takes is not a cause of a warning", {
  f <- function(g, u, par) sum(c(par[1], u)[g + 1]) - mean(c(mean(u[g]), u, par["c"])[g + 1])
  values <- list(g = c(1L, 3L, 2L, 2L), u = c(0.5, NA, 2), par = c(a = 1, b = 2, c = -3))
  on_each_device(function(device) {
    compiled <- opencl_function(f, gradient = "par")
    for (turn in 1:3) expect_silent(expect_identical(as.vector(do.call(compiled, c(values, device = device))), do.call(f, values)))
  })
})
