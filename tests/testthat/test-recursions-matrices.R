# Loops over data that hand small matrices on: values, gradients and second derivatives as R's, for few rounds and many; rounds that are
# written out share their programs.

unoptimized_programs()
set.seed(51)
z <- cumsum(rnorm(90))

# A local linear trend, by the Kalman filter.
kalman <- function(z, par) {
  a <- matrix(0, 2, 1)
  P <- diag(2) * 10
  F <- matrix(c(1, 0, 1, 1), 2)
  Q <- diag(c(exp(par[1]), exp(par[2])))
  l <- 0
  for (t in 1:length(z)) {
    a <- F %*% a
    P <- F %*% P %*% t(F) + Q
    s <- P[1, 1] + exp(par[3])
    v <- z[t] - a[1]
    K <- P[, 1] / s
    a <- a + K * v
    P <- P - outer(K, P[1, ])
    l <- l - 0.5 * (log(2 * pi * s) + v^2 / s)
  }
  l
}

test_that("a Kalman filter with matrices, of few rounds and of many", {
  skip_on_cran() # a matter of seconds
  par <- c(-1, -2, 0.1)
  for (n in c(3, 90)) {
    expect_likelihood(kalman, list(z = z[seq_len(n)], par = par), "par")
    second <- opencl_function(kalman, gradient = "par", hessian = TRUE)
    first <- opencl_function(kalman, gradient = "par")
    slopes <- difference_columns(function(p) attr(first(z[seq_len(n)], p, device = "host"), "gradient"), par)
    on_each_device(function(device) {
      found <- attr(second(z[seq_len(n)], par, device = device), "hessian")
      expect_lt(max(abs(unname(found) - unname(slopes))) / max(abs(slopes)), 1e-6)
    })
  }
})

test_that("what a loop leaves is a matrix where R's is", {
  f <- function(z, q) {
    P <- diag(2)
    for (t in 1:length(z)) {
      M <- P %*% t(P) + z[t]
      P <- M / (1 + sum(M^2)) + q
    }
    M + P %*% M
  }
  g <- function(z, q) {
    P <- matrix(c(1, 2, 3, 4, 5, 6), 2)
    for (t in seq_along(z)) P <- P * q + 0.01 * z[t]
    P[, 2] + nrow(P)
  }
  on_each_device(function(device) for (n in c(2, 90)) {
    expect_equal(opencl_function(f)(z[1:n], 0.3, device = device), f(z[1:n], 0.3), tolerance = 1e-12)
    expect_equal(opencl_function(g)(z[1:n], 0.3, device = device), g(z[1:n], 0.3), tolerance = 1e-12)
  })
})

test_that("the names of a given matrix stay", {
  f <- function(z, P, q) {
    for (t in 1:length(z)) P <- P * q + 0.01 * z[t]
    P
  }
  P <- matrix(c(1, 2, 3, 4), 2, dimnames = list(c("a", "b"), c("u", "v")))
  made <- opencl_function(f)
  on_each_device(function(device) expect_equal(made(z, P, 0.3, device = device), f(z, P, 0.3), tolerance = 1e-12))
})

test_that("a vector that becomes a row or a column goes on, one that becomes another matrix is refused with what to write", {
  f <- function(z) {
    a <- c(0, 1)
    for (t in 1:length(z)) a <- matrix(c(1, 0, 1, 1), 2) %*% a * 0.5 + z[t]
    sum(a)
  }
  g <- function(z) {
    a <- c(0, 1, 2, 3)
    for (t in 1:length(z)) a <- matrix(a, 2) * 0.5 + z[t]
    sum(a)
  }
  made <- opencl_function(f)
  on_each_device(function(device) for (n in c(5, 90)) expect_equal(made(z[1:n], device = device), f(z[1:n]), tolerance = 1e-12))
  skip_without_compiler()
  expect_error(opencl_function(g)(z, device = "host"), "`a` is a vector before a round, and a matrix of 2 x 2 after it. Make it", fixed = TRUE)
  expect_equal(opencl_function(g)(z[1:5], device = "host"), g(z[1:5]), tolerance = 1e-12)
})

# The texts of stages name their nodes in the order in which they come, so that equal ones are one program.
test_that("rounds that are written out share their programs", {
  skip_without_compiler()
  old <- options(nmathopencl.cache = FALSE)
  on.exit(options(old))
  built <- function(n) {
    f <- eval(bquote(function(q) {
      e <- 0
      A <- matrix(c(0.9, 0.1, 0.2, 0.8), 2)
      P <- diag(2)
      for (i in 1:.(n)) {
        P <- A %*% P %*% t(A) * q
        e <- c(e, sum(P))
      }
      sum(e)
    }))
    before <- compilations()
    expect_equal(opencl_function(f)(0.9, device = "host"), f(0.9), tolerance = 1e-12)
    compilations() - before
  }
  built(6)
  expect_lte(built(12), 4)
})
