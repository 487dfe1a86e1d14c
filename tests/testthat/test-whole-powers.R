# x^n with a constant n is products on devices (libR_pow_whole() in libR.cl), and plain arithmetic for some n: an ulp of R's, or two
# where two operations round, with R's rules at 0, infinities and missing values.

unoptimized_programs()

test_that("powers by a constant are R's to an ulp or two, and exactly R's where the result is special", {
  set.seed(20)
  x <- c(rnorm(2000), 10^runif(2000, -110, 110) * sample(c(-1, 1), 2000, TRUE), 0, -0, 1, -1, Inf, -Inf, NaN, NA, 5e-324, 1e-108, 1.79e308, 5.6e102)
  powers <- function(x) list(x^3, x^4, x^5L, x^9, x^16, x^17, x^0, x^1, x^0.5, x^-0.5, x^-1, x^-2L)
  f <- opencl_function(function(x, n) switch(n, x^3, x^4, x^5L, x^9, x^16, x^17, x^0, x^1, x^0.5, x^-0.5, x^-1, x^-2L))
  on_each_device(function(device) {
    for (n in seq_along(powers(x))) {
      found <- f(x, n, device = device)
      wanted <- powers(x)[[n]]
      expect_identical(is.na(found), is.na(wanted))
      special <- which(wanted %in% c(0, 1, -1, Inf, -Inf))
      expect_identical(found[special], wanted[special])
      expect_identical(1 / found[which(x == 0)], 1 / wanted[which(x == 0)])
      expect_lte(max((abs(found - wanted) / pmax(abs(wanted), 2^-1022))[is.finite(wanted)]), if (n <= 6) .Machine$double.eps else 2 * .Machine$double.eps)
    }
  })
})

test_that("squares, roots and reciprocals have slopes that compute no power", {
  f <- function(y, a) (y - a)^2 + a^0.5 - a^-1 + y^1 * a^3
  ours <- opencl_function(f, gradient = "a", reduce = "sum")
  y <- c(-2, 0.5, 3)
  on_each_device(function(device) {
    found <- ours(y, 1.7, device = device)
    expect_equal(as.vector(found), sum(f(y, 1.7)), tolerance = 1e-14)
    expect_equal(attr(found, "gradient")[[1L]], sum(-2 * (y - 1.7) + 0.5 / sqrt(1.7) + 1.7^-2 + 3 * y * 1.7^2), tolerance = 1e-14)
  })
})
