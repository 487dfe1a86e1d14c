# x %% y and x %/% y of doubles: the exact remainder, rounded, with the sign of y, and the quotient that belongs to it.

remainder <- opencl_function(function(x, y) x %% y)
quotient <- opencl_function(function(x, y) x %/% y)

test_that("the remainder of a tiny number is exact", {
  for (device in compiling_devices()) {
    x <- c(1e-300, -1e-300, 1e-300, -1e-300, 5e-324, -5e-324, 1e-20, -1e-20)
    y <- c(-3, 3, 3, -3, -1, 1, -1e20, 1e20)
    # the exact remainder is x + y where the signs differ, which rounds to y
    expect_identical(remainder(x, y, device = device), ifelse(sign(x) == sign(y), x, y))
    expect_identical(quotient(x, y, device = device), ifelse(sign(x) == sign(y), 0, -1))
  }
})

test_that("the remainder of a huge quotient is exact", {
  # 1e20 = 3 * 33333333333333333333 + 1; 2^100 = 7 * k + 2; 1e300 and 1e17 by 2^60 and 10
  x <- c(1e20, -1e20, 2^100, -2^100, 1e17)
  y <- c(3, 3, 7, 7, 10)
  for (device in compiling_devices()) {
    expect_identical(remainder(x, y, device = device), c(1, 2, 2, 5, 0))
    expect_identical(remainder(-x, -y, device = device), -c(1, 2, 2, 5, 0))
  }
})

test_that("it has the sign of the divisor, and is smaller or, after rounding, as large", {
  set.seed(11)
  x <- c(-1, 1) * exp(runif(400, -700, 700))
  y <- sample(c(-1, 1), 400, TRUE) * exp(runif(400, -700, 700))
  for (device in compiling_devices()) {
    r <- remainder(x, y, device = device)
    expect_true(all(r == 0 | sign(r) == sign(y)))
    expect_true(all(abs(r) <= abs(y)))
    expect_true(all(is.finite(r)))
  }
})

test_that("zeros, infinities and missing values are R's", {
  edges <- c(0, -0, 1, -1, 2.5, -2.5, Inf, -Inf, NA, NaN, 5e-324, 1.7e308)
  pairs <- expand.grid(x = edges, y = c(0, -0, 2, -2, Inf, -Inf, NA, NaN))
  open <- is.na(pairs$x) & (is.na(pairs$y) | pairs$y %in% 0) # R leaves it open whether that is NA or NaN
  near <- abs(pairs$x / pairs$y) < 2^52 | !is.finite(pairs$x / pairs$y) # beyond it R may warn and round
  as_r <- function(f, r, keep) {
    theirs <- suppressWarnings(r(pairs$x, pairs$y))
    for (device in compiling_devices()) {
      expect_true(all(is.na(f(pairs$x[open], pairs$y[open], device = device))))
      ours <- with_conditions(f(pairs$x[keep & !open], pairs$y[keep & !open], device = device))
      same <- same_result(ours, list(value = theirs[keep & !open], warnings = character()))
      expect_true(isTRUE(same), info = paste(device, paste(same, collapse = " ")))
    }
  }
  as_r(remainder, `%%`, rep(TRUE, nrow(pairs)))
  as_r(quotient, `%/%`, near)
})
