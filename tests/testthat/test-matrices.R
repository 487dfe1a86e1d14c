# Matrices of parameters, sums of rows and columns, functions of each element of a long vector: values as in R, gradients against
# differences, on every device and without a compiler.

unoptimized_programs()
set.seed(72)
n <- 90L
x <- round(rnorm(n), 3)
y <- round(rexp(n), 3)
X <- cbind(one = 1, x = x)
codes <- sample(3L, n, TRUE)
shares <- matrix(round(rgamma(3 * n, 2), 3), n)
shares <- shares / rowSums(shares)
B <- matrix(c(0.1, 0.2, -0.3, 0.4), 2)

test_that("a matrix of parameters: multinomial and Dirichlet regression, several responses", {
  expect_likelihood(function(y, X, B) {
    eta <- cbind(0, X %*% B)
    sum(eta[cbind(seq_along(y), y)] - log(rowSums(exp(eta))))
  }, list(y = codes, X = X, B = B), "B")
  expect_likelihood(function(Y, X, B) {
    A <- exp(X %*% B)
    sum(lgamma(rowSums(A)) - rowSums(lgamma(A)) + rowSums((A - 1) * log(Y)))
  }, list(Y = shares, X = X, B = matrix(c(.1, .2, .3, .1, -.2, .1), 2)), "B")
  expect_likelihood(function(Y, X, B, s) {
    sum(dnorm(Y, X %*% B, exp(s), log = TRUE)) - mean(X %*% B)
  }, list(Y = shares[, 1:2], X = X, B = B, s = c(-0.3)), c("B", "s"))
  expect_likelihood(function(y, X, B, w) {
    sum(dnorm(y, tanh(X %*% B) %*% w, 1, log = TRUE))
  }, list(y = y, X = X, B = B, w = c(0.5, -1)), c("B", "w"))
})

test_that("columns and elements of a matrix of parameters, rows by codes", {
  U <- matrix(round(rnorm(6), 2), 3)
  expect_likelihood(function(y, x, g, U) sum(dnorm(y, U[g, 1] + U[g, 2] * x, 1, log = TRUE)) - sum(U^2) + U[2, 1], list(y = y, x = x, g = codes, U = U), "U")
  expect_likelihood(function(y, X, g, U) sum(dnorm(y, rowSums(X * U[g, ]), 1, log = TRUE)), list(y = y, X = X, g = codes, U = U), "U")
  expect_likelihood(function(y, X, U) sum(dnorm(y, X %*% U[, 1] * exp(U[1, 2]), 1, log = TRUE)), list(y = y, X = X, U = B), "U")
})

test_that("sums and means of rows and columns, of few and many columns", {
  wide <- matrix(round(rnorm(n * 20), 3), n, dimnames = list(paste0("r", 1:n), paste0("c", 1:20)))
  wide[3, 4] <- NA
  check <- function(f, values) {
    known <- do.call(f, values)
    made <- opencl_function(f)
    on_each_device(function(device) expect_equal(do.call(made, c(values, device = device)), known, tolerance = 1e-12))
  }
  check(function(W) rowSums(W), list(W = wide))
  check(function(W) rowSums(W, na.rm = TRUE), list(W = wide))
  check(function(W) rowMeans(W, na.rm = TRUE) + 1, list(W = wide[, 1:5]))
  check(function(W, y) y - colMeans(W, na.rm = TRUE)[2], list(W = wide, y = y))
  check(function(X, y) rowSums(X * y), list(X = X, y = y))
  check(function(X, B) exp(X %*% B), list(X = X, B = B))
  check(function(X, y) X[, "x"] * y, list(X = X, y = y))
  check(function(X) X[2, ] * 2, list(X = X))
  check(function(x, y) cbind(1, x)[, 2] * y, list(x = x, y = y))
  check(function(a, b) a %*% b, list(a = c(1, 2, 3), b = c(2, 0, 1)))
  expect_likelihood(function(W, y, s) sum(dnorm(y, rowSums(W) * s, 1, log = TRUE)), list(W = wide[, 5:20], y = y, s = 0.3), "s")
  expect_likelihood(function(y, X, h) sum(dnorm(y, h, 1, log = TRUE)) + colSums(X * h)[2], list(y = y, X = X, h = x), "h", 1e-6)
})

test_that("codes beyond a matrix are an error, missing ones give missing values", {
  f <- function(X, y) X[cbind(seq_along(y), y)]
  g <- opencl_function(f)
  j <- rep(c(1L, 2L, NA), 30)
  on_each_device(function(device) {
    expect_equal(g(X, j, device = device), f(X, j), ignore_attr = TRUE)
    expect_error(g(X, replace(j, 4, 3L), device = device), "subscript out of bounds")
  })
})

test_that("functions of each element", {
  expect_likelihood(function(y, mu, phi, p) {
    a <- (2 - p) / (p - 1)
    lam <- mu^(2 - p) / (phi * (2 - p))
    gam <- phi * (p - 1) * mu^(p - 1)
    j <- 1:20
    sum(ifelse(y < 0.1, -lam, vapply(y, function(v) log(sum(dpois(j, lam) * dgamma(v, j * a, scale = gam))), 0)))
  }, list(y = replace(y, 1:9, 0), mu = 1.4, phi = 1.1, p = 1.5), c("mu", "phi", "p"))
  nodes <- c(-1.2, -0.5, 0, 0.5, 1.2)
  expect_likelihood(function(y, x, b, s) {
    w <- c(0.1, 0.2, 0.4, 0.2, 0.1)
    each <- sapply(seq_along(y), function(i) {
      l <- log(w) + dnorm(y[i], b * x[i] + s * nodes, 1, log = TRUE)
      m <- max(l)
      m + log(sum(exp(l - m)))
    })
    sum(each)
  }, list(y = y, x = x, b = 0.4, s = 0.7), c("b", "s"))
  expect_likelihood(function(y, X, b) sum(sapply(seq_along(y), function(i) dnorm(y[i], sum(X[i, ] * b), 1, log = TRUE))), list(y = y, X = X, b = c(0.2, 0.5)), "b")
  f <- function(y, s) vapply(y, function(v) mean(v + s * c(1, 2, 3)), 0)
  g <- opencl_function(f)
  named <- stats::setNames(y, paste0("n", seq_along(y)))
  on_each_device(function(device) expect_equal(g(named, 2, device = device), f(named, 2), tolerance = 1e-12))
})

test_that("numbers that follow each other are vectors", {
  f <- function(y, ll, nu) {
    j <- 0:30
    y * ll - nu * lgamma(y + 1) - log(sum(exp(j * ll - nu * lgamma(j + 1)))) + seq_along(y) / 10 + 90:1
  }
  expect_likelihood(function(y, ll, nu) sum(f(y, ll, nu)), list(y = codes, ll = 0.4, nu = 1.2), c("ll", "nu"))
  made <- opencl_function(f)
  on_each_device(function(device) expect_equal(made(codes, 0.4, 1.2, device = device), f(codes, 0.4, 1.2), tolerance = 1e-12))
})

test_that("the gradient in a vector as long as the data", {
  f <- function(y, h, mu) dnorm(y, 0, exp((mu + h) / 2), log = TRUE)
  g <- opencl_function(f, reduce = "sum", gradient = c("h", "mu"))
  known <- differences(function(y, h, mu) sum(f(y, h, mu)), list(y = y, h = x, mu = 0.1), c("h", "mu"))
  on_each_device(function(device) {
    ours <- g(y, x, 0.1, device = device)
    expect_equal(unname(attr(ours, "gradient")), known, tolerance = 1e-7)
    expect_identical(names(attr(ours, "gradient")), c(paste0("h", 1:n), "mu"))
  })
})

test_that("vectors of any length are recycled in what columns are taken of", {
  set.seed(41)
  unoptimized_programs()
  functions <- list(
    function(M, z) rowSums(M * z), function(M, z) colSums(M + exp(z)), function(M, z) (M * z)[, 2], function(M, z) (sqrt(M) * z) %*% seq_len(ncol(M)),
    function(M, z) sum(cbind(M * (z + 1), 1)), function(M, z) crossprod(M - z), function(M, z) t(M * z), function(M, z) rowMeans((M * 2) * (z + 1)), function(M, z) M * z
  )
  made <- lapply(functions, opencl_function)
  as_one(for (case in seq_len(cases(12, 6))) {
    rows <- sample(c(1L, 2L, 3L, 5L, 20L), 1L)
    columns <- sample(c(2L, 3L, 7L, 18L), 1L)
    M <- matrix(round(stats::runif(rows * columns), 2), rows)
    z <- round(stats::rnorm(sample(seq_len(rows * columns), 1L)), 2)
    for (k in seq_along(functions)) {
      rs <- outcome_of(functions[[k]](M, z))
      for (way in ways_of(case + k)) {
        ours <- in_way(way, outcome_of(made[[k]](M, z, device = device_of_way(way))))
        expect_equal(ours, rs, tolerance = 1e-12, label = paste(deparse1(functions[[k]]), rows, columns, length(z), way))
      }
    }
  })
  f <- opencl_function(function(M, z, p) sum(rowSums(M * z * p)^2), gradient = c("z", "p"))
  M <- matrix(1:6 / 2, 2)
  g <- function(z, p) sum(rowSums(M * z * p)^2)
  expect_equal(unname(attr(f(M, c(1, 2, 3), 0.7, device = "0"), "gradient")), differences(g, list(z = c(1, 2, 3), p = 0.7), c("z", "p")), tolerance = 1e-7)
})

test_that("ave() keeps names and dimensions; sums of groups of integers are integers", {
  x <- c(a = 1, b = 2, c = 5)
  h <- c(1, 2, 1)
  for (f in list(function(x, h) ave(x, h), function(x, h) ave(x, h, FUN = sum) * 2, function(x, h) as.vector(tapply(x, h, sum)), function(x, h) as.vector(tapply(x, h, mean)))) {
    made <- opencl_function(f)
    on_each_device(function(device) for (args in c(list(list(x, h), list(1:3, h)), if (identical(body(f)[[1L]], quote(ave))) list(list(matrix(1:6 / 2, 2), c(h, h))))) {
      ours <- do.call(made, c(args, device = device))
      expect_equal(ours, do.call(f, args))
      expect_type(ours, typeof(do.call(f, args)))
    })
  }
})
