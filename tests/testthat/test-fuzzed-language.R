# What a random generator of functions found, against plain R: choices of missing numbers in reductions, matrices that loops fill, and rows of
# matrices behind conditions in loops over data.

unoptimized_programs()

test_that("a choice that gives its missing numbers is missing in every reduction", {
  f <- list(
    function(x, y) sum(ifelse(is.na(x), x, y)),
    function(x, y) mean(ifelse(is.na(x), x, y)),
    function(x, y) prod(ifelse(is.na(x), x, y)),
    function(x, y) sum(exp(ifelse(is.na(x), x, y)) * y),
    function(x, y) sum(x[is.na(x)]),
    function(x, y) sum(ifelse(is.nan(x), x, y)),
    function(x, y) sum(x, na.rm = TRUE) + sum(ifelse(is.na(x), x, 1)),
    function(x, y) sum(x) + sum(ifelse(is.na(x), x, y)),
    function(x, y) sum(ifelse(is.na(x), x, x * y)),
    function(x, y) {
      m <- ifelse(is.na(x), x, y)
      sum(dnorm(m, 1, 2, log = TRUE)) + drop(crossprod(m))
    },
    function(x, y) {
      z <- suppressWarnings(sqrt(x - 2))
      sum(ifelse(is.na(z), z, y))
    },
    function(x, y) sum(tapply(ifelse(is.na(x), x, y), c(1, 1, 2), sum)[2]),
    function(x, y) ifelse(is.na(x), x, y)
  )
  at <- list(c(1, NA, 3), c(1, NaN, 3), c(4, 3, 5), c(NA, NaN, 3), c(1, Inf, NA))
  for (k in seq_along(f)) for (way in ways_of(k)) {
    made <- opencl_function(f[[k]])
    for (x in at) {
      expect_identical(is.na(in_way(way, made(x, c(5, 6, 2), device = device_of_way(way)))), is.na(f[[k]](x, c(5, 6, 2))), info = paste(deparse1(f[[k]]), deparse1(x), way))
      expect_equal(in_way(way, made(x, c(5, 6, 2), device = device_of_way(way))), f[[k]](x, c(5, 6, 2)), info = paste(deparse1(f[[k]]), deparse1(x), way))
    }
  }
  g <- opencl_function(function(x, a) ifelse(is.na(x), x, a * 2), reduce = "sum", gradient = "a")
  for (device in expression_devices()) {
    expect_identical(as.vector(g(c(1, NA), 2, device = device)), NA_real_)
    found <- g(over = list(a = c(2, 3)), x = c(1, NA), device = device)
    expect_true(all(is.na(found)))
    expect_identical(as.vector(g(c(1, 4), 2, device = device)), 8)
  }
})

test_that("loops fill matrices of any size up to 64 elements", {
  for (sides in list(c(12, 4), c(9, 5), c(12, 3), c(30, 2), c(8, 8))) {
    fill <- function(y) {
      M <- matrix(0, sides[1], sides[2])
      for (i in 1:sides[1]) for (j in 1:sides[2]) M[i, j] <- y[i] * j
      M
    }
    y <- seq_len(sides[1]) / 2
    expect_equal(opencl_function(fill)(y, device = "host"), fill(y))
  }
})

test_that("a fixed row of a matrix is read behind conditions in loops over data", {
  X <- matrix(1:20 / 10, 10)
  y <- 1:10 / 1
  loops <- list(
    function(y, X) {
      s <- 0
      for (i in seq_along(y)) if (y[i] > 2) s <- s / 2 + sum(X[1, ])
      s
    },
    function(y, X) {
      s <- 0
      for (i in seq_along(y)) if (y[i] > 2) s <- s / 2 + sum(X[i, ] * X[1, ]) + max(X[nrow(X), ])
      s
    },
    function(y, X) {
      s <- 0
      for (i in seq_along(y)) {
        if (s > 2.39) break
        s <- s / 2 + ifelse(y[i] > 2, sum(X[1, ]), 0)
      }
      s
    }
  )
  for (f in loops) for (way in c("0", "plain")) expect_equal(in_way(way, opencl_function(f)(y, X, device = "host")), f(y, X), info = deparse1(f))
  beyond <- function(y, X) {
    s <- 0
    for (i in seq_along(y)) if (y[i] > 2) s <- s / 2 + sum(X[12, ])
    s
  }
  expect_error(opencl_function(beyond)(y, X, device = "host"), "subscript out of bounds")
})

test_that("a branch of ifelse() without elements is recycled to NA", {
  x <- c(1, 2, 3, 2)
  f <- list(
    function(x) sum(ifelse(x > 1, x[x > 9], 0)), function(x) ifelse(is.na(x), x[x > 9], x) + 1, function(x) ifelse(x > 1, x[x > 9], 0),
    function(x) ifelse(x > 1, x, x[x > 9]) * 1, function(x) sum(ifelse(x > 1, 1L, seq_len(0))), function(x) length(ifelse(x[x > 9] > 1, 1, 2))
  )
  for (one in f) for (way in c("0", "plain", opencl_test_devices())) {
    made <- opencl_function(one)
    for (at in list(x, c(10, 11, 1), c(NA, 1))) expect_equal(in_way(way, made(at, device = device_of_way(way))), one(at), info = paste(deparse1(one), deparse1(at), way))
  }
})

test_that("functions of the body's own called t and c are not R's where R's are looked for", {
  X <- matrix(c(1, 2, 0.5, -1, 3, 2), 3)
  cases <- list(
    function(p, X) { t <- function(v, k = 2) v * k + 1; t(matrix(c(1, p, 2, 2), 2)) %*% c(1, p) },
    function(p, X) { t <- function(v) v * p; sum(t(t(X)) %*% c(1, 2)) },
    function(p, X) { c <- function(a, b) a + b; sum(X[c(1, 1), ]) * p },
    function(p, X) { c <- function(a, b) a + b; X[c(1, 1), 1] * p },
    function(p, X) { t <- 3; sum(t(X) %*% X[, 1]) * t * p }
  )
  for (f in cases) for (way in c("0", "plain")) {
    ours <- tryCatch(in_way(way, opencl_function(f)(0.3, X, device = "host")), nmathopencl_error = function(e) NULL)
    if (!is.null(ours)) expect_equal(ours, f(0.3, X), info = paste(deparse1(f), way))
  }
  expect_equal(opencl_function(cases[[1]])(0.3, X, device = "host"), cases[[1]](0.3, X))
})

test_that("functions that warn of more than NaN are computed before loops over data", {
  y <- (1:12) / 3
  loops <- list(
    function(y, s) { r <- numeric(length(y)); for (i in seq_along(y)) r[i] <- y[i] * gamma(s); sum(r) },
    function(y, s) { a <- 0; for (i in seq_along(y)) a <- a * 0.5 + (if (y[i] > 1) dpois(s, 3) else y[i]); a },
    function(y, s) { a <- 0; for (i in seq_along(y)) if (y[i] > 100) a <- a * 0.5 + dpois(s, 3); a },
    function(y, s) { a <- 0; for (i in seq_along(y)) a <- a * 0.5 + choose(5, s) * y[i]; a },
    function(y, s) { a <- 0; for (i in seq_along(y)) a <- a * 0.5 + dbinom(s, 9, plogis(y[i])); a },
    function(y, s) { a <- 0; for (i in seq_along(y)) a <- a * 0.5 + besselJ(s, 1) * y[i]; a }
  )
  for (f in loops) {
    made <- opencl_function(f)
    for (s in c(2, 2.5, -15.5, -171, NA, -3)) {
      rs <- outcome_of(f(y, s))
      ours <- outcome_of(made(y, s, device = "host"))
      expect_equal(ours$value, rs$value, info = paste(deparse1(f), s))
      expect_identical(sort(unique(ours$reported)), sort(unique(rs$reported)), info = paste(deparse1(f), s))
    }
  }
})

test_that("sums of columns and reductions of rows of what a round computes are R's", {
  y <- (1:12) / 3
  M <- matrix(1:6 / 4, 3)
  loops <- list(
    function(y, s, M) { for (i in seq_along(y)) s <- s * 0.3 + colSums(rbind(y, sum(y) * s / 99))[i]; s },
    function(y, s, M) { for (i in seq_along(y)) s <- s * 0.3 + rowSums(cbind(y, s))[i]; s },
    function(y, s, M) { for (i in seq_along(y)) s <- s * 0.1 + colMeans(rbind(y, s))[i]; s },
    function(y, s, M) { for (i in seq_along(y)) s <- s * 0.1 + rep(c(s, y[i]), each = 6)[i]; s },
    function(y, s, M) { for (i in seq_along(y)) s <- s * 0.1 + max(rowMeans(M * s / 9 + y[i])); s },
    function(y, s, M) { for (i in seq_along(y)) s <- s * 0.1 + sum(colSums(M * s > 1)) + colSums(M * s)[2] / 9; s },
    function(y, s, M) { for (i in seq_along(y)) s <- s * 0.1 + sum(apply(M * s / 9, 1, max)) + sum(apply(M * s / 9, 2, min)); s }
  )
  for (k in seq_along(loops)) for (way in ways_of(k)) {
    expect_equal(unname(in_way(way, opencl_function(loops[[k]])(y, 0.1, M, device = device_of_way(way)))), unname(loops[[k]](y, 0.1, M)), info = paste(deparse1(loops[[k]]), way))
  }
  expect_slopes_as_r(function(par, y) { s <- par; for (i in seq_along(y)) s <- s * 0.1 + colMeans(rbind(y, s * par))[i]; s }, 0.4, y)
})
