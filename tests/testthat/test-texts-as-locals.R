# A text of the environment may have the name of a variable that the function makes: it stands for nothing that is computed with.

unoptimized_programs()
y <- c(0.5, -1.2, 2)
s <- mu <- total <- "a text"
txt <- c("one", NA)

expect_local <- function(f, a = 1.5) {
  known <- f(y, a)
  slope <- (f(y, a + 1e-6) - f(y, a - 1e-6)) / 2e-6
  on_each_device(function(device) {
    ours <- opencl_function(f, gradient = "a")(y, a, device = device)
    expect_equal(as.vector(ours), known, tolerance = 1e-12)
    expect_equal(unname(attr(ours, "gradient")), slope, tolerance = 1e-7)
    expect_equal(opencl_function(f)(y, a, device = device), known, tolerance = 1e-12)
  })
}

test_that("locals that one branch assigns, that a loop or a helper around them assigns", {
  expect_local(function(y, a) { if (a > 0) mu <- a * 2; if (a <= 0) mu <- a; sum(y * mu) })
  expect_local(function(y, a) { if (a > 0) txt <- a; sum(y * txt) })
  expect_local(function(y, a) { h <- function() s * a; s <- 3; sum(y) * h() })
  expect_local(function(y, a) { repeat { s <- a; break }; sum(y * s) })
  expect_local(function(y, a) { total <- 0; for (k in 1:30) { if (k > 3) s <- a * k; if (k > 3) total <- total + s }; total })
  expect_local(function(y, a) { for (t in seq_along(y)) { if (y[t] > 0) s <- a; if (y[t] > 0) y[t] <- y[t] * s }; sum(y) })
  expect_local(function(y, a) { p <- c(a, 1); if (a > 0) s <- 2; sum(y * p[[s]]) + sum(y * p[[1]]) })
  expect_local(function(y, a) { h <- function(z, s = 2) z * s; sum(h(y * a)) })
})

test_that("the text itself is compared, and is an error where it would be computed with", {
  expect_local(function(y, a) { if (a > 100) s <- "never"; if (s == "a text") sum(y) * a else a })
  f <- opencl_function(function(y, a) { if (a > 0) s <- a; sum(y * s) })
  on_each_device(function(device) {
    expect_equal(f(y, 2, device = device), sum(y * 2))
    expect_error(f(y, -2, device = device), "`s` is a text where a number is needed|non-numeric argument", class = if (device == "0") NULL)
  })
  plain <- opencl_function(function(y, a) sum(y * a * s))
  expect_error(plain(y, 2), "`s` is of type character", class = "nmathopencl_error")
})
