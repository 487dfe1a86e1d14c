# Derivatives of Bessel functions in their order by what they satisfy at random arguments: the derivatives of the recurrence and of the
# Wronskian, to rounding, in all regions and next to their borders. ref-derivatives has certified values.

slope <- function(f, ...) unname(drop(attr(opencl_function(f, gradient = "nu")(..., device = "host"), "gradient")))

test_that("derivatives of J and Y in the order satisfy the recurrence and the Wronskian", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  set.seed(371)
  count <- 4000
  nu <- exp(stats::runif(count, log(1e-3), log(3000)))
  x <- ifelse(stats::runif(count) < 0.5, nu + stats::rnorm(count, 0, 3) * nu^(1 / 3), exp(stats::runif(count, log(1e-2), log(3000))))
  border <- seq_len(300) # next to the orders and arguments where one method takes over from another
  nu[border] <- sample(c(0.5, 1.5, 20, 100, 3), 300, TRUE) + stats::rnorm(300, 0, 0.01)
  x[border[1:150]] <- sample(c(1, 2, 4, 10, 25), 150, TRUE) + stats::rnorm(150, 0, 0.01)
  keep <- x > 0 & nu * log(pmax(nu / x, 1)) < 600
  x <- x[keep]
  nu <- nu[keep]
  expect_gt(length(x), 2000)
  orders <- list(nu, nu + 1, nu + 2)
  J <- lapply(orders, function(n) besselJ_opencl(x, n, device = "host"))
  Y <- lapply(orders, function(n) besselY_opencl(x, n, device = "host"))
  dJ <- lapply(orders, function(n) slope(function(x, nu) besselJ(x, nu), x, n))
  dY <- lapply(orders, function(n) slope(function(x, nu) besselY(x, nu), x, n))
  expect_true(all(is.finite(unlist(c(dJ, dY)))))
  # the sum of terms that add to 0, in units of the largest that rounding of nu and x leaves
  worst <- function(...) {
    terms <- cbind(...)
    max(abs(rowSums(terms)) / (rowSums(abs(terms)) * (1 + x / 50)))
  }
  m <- 2 * (nu + 1) / x
  expect_lt(worst(dJ[[1]], dJ[[3]], -m * dJ[[2]], -2 / x * J[[2]]), 1e-13)
  expect_lt(worst(dY[[1]], dY[[3]], -m * dY[[2]], -2 / x * Y[[2]]), 1e-13)
  expect_lt(worst(dJ[[2]] * Y[[1]], J[[2]] * dY[[1]], -dJ[[1]] * Y[[2]], -J[[1]] * dY[[2]]), 1e-13)
})

test_that("derivatives of I and K in the order satisfy the recurrence and the Wronskian", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  set.seed(372)
  count <- 4000
  nu <- exp(stats::runif(count, log(1e-3), log(1e4)))
  x <- exp(stats::runif(count, log(1e-2), log(1e4)))
  border <- seq_len(300) # hypot(x, nu) next to 25
  angle <- stats::runif(300, 0, pi / 2)
  x[border] <- 25 * cos(angle) + stats::rnorm(300, 0, 0.01)
  nu[border] <- 25 * sin(angle) + stats::rnorm(300, 0, 0.01)
  keep <- x > 0 & nu > 0 & nu * asinh(nu / x) < 600
  x <- x[keep]
  nu <- nu[keep]
  expect_gt(length(x), 2000)
  orders <- list(nu, nu + 1, nu + 2)
  I <- lapply(orders, function(n) besselI_opencl(x, n, TRUE, device = "host"))
  K <- lapply(orders, function(n) besselK_opencl(x, n, TRUE, device = "host"))
  dI <- lapply(orders, function(n) slope(function(x, nu) besselI(x, nu, TRUE), x, n))
  dK <- lapply(orders, function(n) slope(function(x, nu) besselK(x, nu, TRUE), x, n))
  expect_true(all(is.finite(unlist(c(dI, dK)))))
  expect_true(all(unlist(dI) <= 0 & unlist(dK) >= 0))
  worst <- function(...) {
    terms <- cbind(...)
    max(abs(rowSums(terms)) / (rowSums(abs(terms)) + 1e-300))
  }
  m <- 2 * (nu + 1) / x
  expect_lt(worst(dI[[1]], -dI[[3]], -m * dI[[2]], -2 / x * I[[2]]), 1e-13)
  expect_lt(worst(-dK[[1]], dK[[3]], -m * dK[[2]], -2 / x * K[[2]]), 1e-13)
  expect_lt(worst(dI[[1]] * K[[2]], I[[1]] * dK[[2]], dI[[2]] * K[[1]], I[[2]] * dK[[1]]), 1e-13)
})

test_that("large orders next to x have the derivatives that differences have", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  nu <- rep(c(1e4, 1e6, 5e8, 1e11), each = 9)
  x <- nu + c(-4, -2, -1, -0.2, 0, 0.3, 1, 2, 4) * nu^(1 / 3)
  for (of in list(list(besselJ_opencl, function(x, nu) besselJ(x, nu)), list(besselY_opencl, function(x, nu) besselY(x, nu)))) {
    central <- function(h) (of[[1]](x, nu + h, device = "host") - of[[1]](x, nu - h, device = "host")) / ((nu + h) - (nu - h))
    rows <- lapply(0:4, function(k) central(0.2 * nu^(1 / 3) / 2^k))
    for (k in 1:4) rows <- lapply(seq_len(length(rows) - 1L), function(i) (4^k * rows[[i + 1]] - rows[[i]]) / (4^k - 1)) # Richardson
    expect_lt(max(abs(slope(of[[2]], x, nu) / rows[[1]] - 1) / (1e-12 + 1e-14 * nu^(2 / 3))), 1)
  }
})
