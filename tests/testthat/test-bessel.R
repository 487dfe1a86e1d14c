# What must hold between Bessel functions at any order and argument: Wronskians, recurrences in the order, monotonicity,
# closed forms, limits, and that every element ends soon.

eps <- 2^-52

# Half of the orders and arguments where data are, half over the range given.
bessel_points <- function(n, from, to) {
  nu <- ifelse(runif(n) < 0.5, runif(n, 0, 150), 10^runif(n, from, to))
  near <- nu * (1 + runif(n, -6, 6) * pmax(nu, 1)^(-2 / 3))
  x <- ifelse(runif(n) < 0.3 & near > 0, near, ifelse(runif(n) < 0.6, runif(n, 0, 200), 10^runif(n, from, to)))
  list(x = x, nu = nu)
}

expect_rows <- function(good, label, p) {
  row <- which(!good | is.na(good))
  expect(length(row) == 0, sprintf("%s: %d of %d; first: x=%s nu=%s", label, length(row), length(good),
    if (length(row)) format(p$x[row[1]], digits = 17) else "", if (length(row)) format(p$nu[row[1]], digits = 17) else ""
  ))
}

# An upper bound of the condition number where the function does not oscillate, or of its amplitude where it does.
bessel_cond <- function(x, nu) sqrt(x^2 + nu^2) + nu * asinh(nu / x)

test_that("the Wronskian of J and Y is 2/(pi x)", {
  set.seed(1)
  for (device in test_devices()) {
    p <- bessel_points(2e4, -3, 6)
    p$nu1 <- p$nu + 1
    p <- lapply(p, `[`, p$nu1 - p$nu == 1) # exactly
    value <- suppressWarnings(list(
      j = besselJ_opencl(p$x, p$nu, device = device), j1 = besselJ_opencl(p$x, p$nu1, device = device),
      y = besselY_opencl(p$x, p$nu, device = device), y1 = besselY_opencl(p$x, p$nu1, device = device)
    ))
    expect_ran_on(device)
    a <- value$j1 * value$y
    b <- value$j * value$y1
    normal <- pmin(abs(value$j), abs(value$j1)) > 1e-290 & is.finite(value$y1)
    expect_gt(mean(normal), 0.4)
    good <- abs((a - b) * p$x * pi / 2 - 1) <= 16 * eps * (1 + bessel_cond(p$x, p$nu1))
    expect_rows(good[normal], "Wronskian of J and Y", lapply(p, `[`, normal))
  }
})

test_that("the Wronskian of I and K is 1/x", {
  set.seed(2)
  for (device in test_devices()) {
    p <- bessel_points(2e4, -3, 6)
    p$nu1 <- p$nu + 1
    p <- lapply(p, `[`, p$nu1 - p$nu == 1)
    value <- suppressWarnings(list(
      i = besselI_opencl(p$x, p$nu, TRUE, device = device), i1 = besselI_opencl(p$x, p$nu1, TRUE, device = device),
      k = besselK_opencl(p$x, p$nu, TRUE, device = device), k1 = besselK_opencl(p$x, p$nu1, TRUE, device = device)
    ))
    expect_ran_on(device)
    normal <- value$i1 > 1e-290 & is.finite(value$k1)
    expect_gt(mean(normal), 0.5)
    exponent <- sqrt(p$x^2 + p$nu1^2) - p$x + p$nu1 * asinh(p$nu1 / p$x)
    good <- abs((value$i * value$k1 + value$i1 * value$k) * p$x - 1) <= 16 * eps * (1 + exponent)
    expect_rows(good[normal], "Wronskian of I and K", lapply(p, `[`, normal))
  }
})

test_that("neighbouring orders obey the recurrences, across zero, too", {
  set.seed(3)
  n <- 5e4
  p <- list(x = runif(n, 0.05, 300), nu = runif(n, -80, 150))
  tolerance <- 32 * eps * (1 + bessel_cond(p$x, abs(p$nu) + 1))
  for (name in c("besselJ_opencl", "besselY_opencl", "besselI_opencl", "besselK_opencl")) {
    f <- function(shift) suppressWarnings(get(name)(p$x, p$nu + shift, device = "host"))
    below <- f(-1)
    above <- f(1)
    middle <- 2 * p$nu / p$x * f(0)
    if (name == "besselI_opencl") above <- -above
    if (name == "besselK_opencl") below <- -below
    size <- abs(below) + abs(above) + abs(middle)
    if (grepl("[JY]", name)) { # the amplitude where both oscillate
      size <- size + ifelse(p$x > abs(p$nu), 2 * (1 + abs(p$nu / p$x)) / sqrt(p$x), 0)
    }
    normal <- is.finite(size) & size > 1e-290
    off <- if (name == "besselK_opencl") above + below - middle else above + below - middle
    expect_rows((abs(off) <= tolerance * size)[normal], paste("recurrence of", name), lapply(p, `[`, normal))
  }
})

test_that("functions are monotone and in their ranges, from 1e-300 to 1e300, and quick", {
  skip_on_cran() # a matter of seconds
  set.seed(4)
  p <- bessel_points(cases(1e5, 4e4), -300, 300)
  beyond <- p$x * (1 + 1e-6)
  seconds <- system.time(suppressWarnings({
    j <- besselJ_opencl(p$x, p$nu, device = "host")
    y <- besselY_opencl(p$x, p$nu, device = "host")
    i <- besselI_opencl(p$x, p$nu, TRUE, device = "host")
    k <- besselK_opencl(p$x, p$nu, device = "host")
    negative <- list(
      besselJ_opencl(p$x, -p$nu, device = "host"), besselY_opencl(p$x, -p$nu, device = "host"),
      besselI_opencl(p$x, -p$nu, device = "host"), besselK_opencl(p$x, -p$nu, device = "host")
    )
  }))
  # 25 microseconds an element of each, of processor time, which other processes do not lengthen.
  expect_lt(seconds[["user.self"]] + seconds[["sys.self"]], length(p$x) * 2e-4)
  expect_rows(abs(j) <= 1, "J outside [-1, 1]", p)
  expect_rows(!is.nan(y), "Y is NaN", p)
  expect_rows(p$x >= pmax(p$nu, 0.89) | y < 0, "Y not negative before its first zero", p)
  expect_rows(i >= 0 & i <= 1, "exp(-x) I outside [0, 1]", p)
  expect_rows(k >= 0, "K negative", p)
  for (value in negative) expect_rows(!is.nan(value), "NaN for a negative order", p)
  expect_identical(negative[[4]], k)
  slack <- 1 + pmin(16 * eps * (1 + bessel_cond(beyond, p$nu)), 1e300)
  suppressWarnings({
    expect_rows(besselK_opencl(beyond, p$nu, device = "host") <= k * slack, "K increases with x", p)
    expect_rows(besselK_opencl(p$x, p$nu * (1 + 1e-6), device = "host") * slack >= k, "K decreases with nu", p)
    i <- besselI_opencl(p$x, p$nu, device = "host")
    expect_rows(besselI_opencl(beyond, p$nu, device = "host") * slack >= i, "I decreases with x", p)
    expect_rows(besselI_opencl(p$x, p$nu * (1 + 1e-6), device = "host") <= i * slack, "I increases with nu", p)
  })
})

test_that("half-integer and integer orders have their closed forms", {
  x <- c(10^seq(-5, 300, length.out = 2001), seq(0.01, 60, length.out = 2001))
  amplitude <- sqrt(2 / pi) / sqrt(x)
  bar <- 8 * eps
  for (device in test_devices()) {
    close <- function(got, wanted, size) expect_true(all(abs(got - wanted) <= bar * size))
    close(besselJ_opencl(x, 0.5, device = device), amplitude * sin(x), amplitude)
    close(besselY_opencl(x, 0.5, device = device), -amplitude * cos(x), amplitude)
    close(besselJ_opencl(x, -0.5, device = device), amplitude * cos(x), amplitude)
    k <- sqrt(pi / 2) / sqrt(x)
    close(besselK_opencl(x, 0.5, TRUE, device = device), k, k)
    i <- -expm1(-2 * x) * amplitude / 2
    close(besselI_opencl(x, 0.5, TRUE, device = device), i, i)
    n <- 0:40
    expect_identical(besselJ_opencl(7.3, -n, device = device), (-1)^n * besselJ_opencl(7.3, n, device = device))
    expect_identical(besselY_opencl(7.3, -n, device = device), (-1)^n * besselY_opencl(7.3, n, device = device))
    expect_identical(besselI_opencl(7.3, -n, device = device), besselI_opencl(7.3, n, device = device))
  }
})

test_that("infinite orders and arguments give limits, or NaN where there is none", {
  for (device in test_devices()) {
    at <- function(f, x, nu) suppressWarnings(f(x, nu, device = device))
    expect_identical(at(besselI_opencl, c(1, 1, Inf, Inf, 0), c(Inf, -Inf, Inf, 2, Inf)), c(0, NaN, NaN, Inf, 0))
    expect_identical(at(besselJ_opencl, c(1, 1, Inf, Inf, 0), c(Inf, -Inf, Inf, 2, Inf)), c(0, NaN, NaN, 0, 0))
    expect_identical(at(besselK_opencl, c(1, 1, Inf, Inf, 0), c(Inf, -Inf, Inf, 2, Inf)), c(Inf, Inf, NaN, 0, Inf))
    expect_identical(at(besselY_opencl, c(1, 1, Inf, Inf, 0), c(Inf, -Inf, Inf, 2, Inf)), c(-Inf, NaN, NaN, 0, -Inf))
  }
})

test_that("the scale is recycled, and any number but 0 asks for it", {
  for (device in test_devices()) {
    plain <- besselI_opencl(2, 0.3, device = device)
    scaled <- besselI_opencl(2, 0.3, TRUE, device = device)
    expect_equal(scaled, plain * exp(-2), tolerance = 1e-14)
    expect_identical(besselI_opencl(2, 0.3, c(0, 1, 2, -1, NA), device = device), c(plain, scaled, scaled, scaled, NA))
    k <- besselK_opencl(2, 0.3, c(FALSE, TRUE), device = device)
    expect_identical(bessel_k_ex_opencl(2, 0.3, 1:2, device = device), k)
    expect_identical(bessel_j_ex_opencl(2, -0.3, device = device), besselJ_opencl(2, -0.3, device = device))
  }
})

test_that("what R says of results is said, of the order that overflows or underflows", {
  expect_warning(besselJ_opencl(1, -200.5, device = "host"), "^bessel_y\\(1,nu=200.5\\): precision lost in result$")
  expect_warning(besselY_opencl(1, -200.5, device = "host"), "^bessel_j\\(1,nu=200.5\\): precision lost in result$")
  expect_warning(besselI_opencl(1, -200, device = "host"), "^bessel_i\\(1,nu=200\\): precision lost in result$")
  expect_silent(besselK_opencl(1, 200, device = "host"))
  expect_silent(besselJ_opencl(1e300, 2, device = "host"))
})
