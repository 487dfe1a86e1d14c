# What depends on the running R, and R's errors and warnings about arrays.

unoptimized_programs()

expect_as_r_here <- function(f, ..., reduce = NULL) {
  rs <- with_conditions(if (is.null(reduce)) f(...) else get(reduce, baseenv())(f(...)))
  k <- opencl_function(f, reduce = reduce)
  for (turn in 1:2) { # the second call may have a plan
    ours <- with_conditions(k(..., device = "host"))
    if (inherits(rs$value, "failed")) rs$warnings <- ours$warnings <- character()
    same <- same_result(ours, rs)
    expect_true(isTRUE(same), info = paste(deparse1(body(f)), reduce, turn, same))
    if (inherits(rs$value, "failed")) expect_identical(ours$value, rs$value)
  }
}

test_that("round() and signif() of whole numbers are as this R has them", {
  whole <- c(15L, NA, -123456789L, 25L, .Machine$integer.max, 1234567L)
  for (digits in list(-1, 0, 1, 1L, 6, 9, 10, NA, NaN, Inf, -Inf, 0.6, TRUE)) {
    expect_as_r_here(eval(bquote(function(i) round(i, .(digits)))), whole)
    expect_as_r_here(eval(bquote(function(i) signif(i, .(digits)))), whole)
  }
  for (x in list(whole, c(TRUE, FALSE, NA), c(-2.5, 1234567.8, NaN))) {
    expect_as_r_here(function(i) round(i), x)
    expect_as_r_here(function(i) signif(i), x)
    expect_as_r_here(function(i, d) round(i, d), x, c(1, -1, 0))
    expect_as_r_here(function(i, d) signif(i, digits = d), x, c(1L, 3L, 9L))
  }
})

test_that("an array does not go with a longer vector", {
  x <- c(1, 2, 3)
  a <- array(1:2, 2)
  for (f in list(
    function(a, x) a + x, function(a, x) x + a, function(a, x) a == x, function(a, x) a & (x > 0), function(a, x) a %% x,
    function(a, x) a^x, function(a, x) exp(a) * log(x), function(a, x) xor(a > 0, x > 0)
  )) {
    expect_as_r_here(f, a, x)
    expect_as_r_here(f, matrix(1:2, 1), x)
    expect_as_r_here(f, array(1:3, 3), x)
    expect_as_r_here(f, array(1:6, c(3, 2)), x)
    expect_as_r_here(f, array(1:6, c(3, 2)), array(1:6, c(2, 3)))
  }
  for (f in list(
    function(a, x) ifelse(a > 1, x, 0), function(a, x) pmin(a, x), function(a, x) dnorm(a, x), function(a, x) atan2(a, x)
  )) {
    expect_as_r_here(f, a, x)
  }
  for (shape in list(a, matrix(1:2, 1), array(1:3, 3), array(1:6, c(3, 2)))) {
    expect_as_r_here(function(a, x) a + x, shape, x, reduce = "sum")
  }
  expect_as_r_here(function(a, b) a + b, array(1:6, c(3, 2)), array(1:6, c(2, 3)), reduce = "sum")
})
