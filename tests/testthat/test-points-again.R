# Calls at many points, one after the other: what a call takes from the one before it is what is the same.

unoptimized_programs()
set.seed(351)
n <- 70L
X <- matrix(round(rnorm(3L * n), 3), n)
y <- as.double(runif(n) < 0.4)
logistic <- function(y, X, b, s = 1) {
  e <- X %*% b * s
  y * e - log1p(exp(e))
}
made <- function(data = list(y = y, X = X)) opencl_function(logistic, reduce = "sum", gradient = "b", data = data)
points_of <- function(m) matrix(round(rnorm(3L * m), 3), m)

B <- points_of(4L)
named_rows <- points_of(4L)
rownames(named_rows) <- letters[1:4]
named_columns <- points_of(4L)
colnames(named_columns) <- c("one", "x", "z")
missing_one <- points_of(4L)
missing_one[2L, 3L] <- NA
calls <- list(
  function(k) k(over = list(b = B, s = c(1, 2, 0.5, 3))),
  function(k) k(over = list(b = points_of(9L), s = rep(1.5, 9L))),
  function(k) k(over = list(b = B[1L, , drop = FALSE], s = 2)),
  function(k) k(over = list(s = c(2, 1, 3, 0.5), b = B)),
  function(k) k(over = list(b = named_rows, s = 1:4)),
  function(k) k(over = list(b = named_columns, s = c(1, 2, 0.5, 3))),
  function(k) k(over = list(b = missing_one, s = c(1, 2, 0.5, 3))),
  function(k) k(over = list(b = B, s = c(1, 2))),
  function(k) k(over = list(b = B[, 1:2], s = c(1, 2, 0.5, 3))),
  function(k) k(over = list(b = B)),
  function(k) k(over = list(b = B), s = 2),
  function(k) k(over = list(b = B, s = c(1, 2, 0.5, 3)), y = 1 - y),
  function(k) k(over = list(b = B, s = c(1, 2, 0.5, 3)), X = X[1:30, ], y = y[1:30]),
  function(k) k(over = list(b = B[0L, ], s = numeric())),
  function(k) k(over = list(b = B, b = B)),
  function(k) k(over = list(b = B, s = c(1, 2, 0.5, 3)), fallback = TRUE),
  function(k) k(over = list(b = B, s = list(1, 2, 0.5, 3)))
)
told <- function(call, k) {
  set.seed(3)
  with_conditions(call(k))
}

test_that("after any call, any other is what it is by itself", {
  for (device in compiling_devices()) {
    withr_options(list(nmathopencl.device = device), environment())
    alone <- lapply(calls, function(call) told(call, made()))
    expect_true(is.double(alone[[1L]]$value) && is.double(alone[[2L]]$value))
    for (i in seq_along(calls)) for (j in seq_along(calls)) {
      k <- made()
      told(calls[[i]], k)
      expect_identical(told(calls[[j]], k), alone[[j]], info = paste(device, i, "then", j))
      expect_identical(told(calls[[j]], k), alone[[j]], info = paste(device, i, "then twice", j))
    }
  }
})

test_that("the next call is on the device that is asked for then", {
  devices <- compiling_devices()
  skip_if(length(devices) < 2L, "one device")
  k <- made()
  over <- list(b = B, s = c(1, 2, 0.5, 3))
  for (turn in 1:3) for (device in devices) {
    old <- options(nmathopencl.device = device)
    k(over = over)
    expect_ran_on(device)
    options(old)
    k(over = over, device = device)
    expect_ran_on(device)
  }
})

test_that("without a compiler a function that had one is evaluated by R", {
  skip_without_compiler()
  k <- made()
  over <- list(b = B, s = c(1, 2, 0.5, 3))
  compiled <- k(over = over, device = "host")
  k(over = over, device = "host")
  withr_options(list(nmathopencl.compiler = FALSE), environment())
  expect_equal(k(over = over, device = "host"), compiled, tolerance = 1e-13)
})

test_that("what a function reads and calls is looked up at each call", {
  scale <- 2
  twice <- function(e) e * scale
  k <- opencl_function(function(y, X, b) {
    e <- twice(X %*% b)
    y * e - log1p(exp(e))
  }, reduce = "sum", data = list(y = y, X = X))
  value <- function() vapply(1:4, function(i) sum(logistic(y, X, B[i, ], scale)), 0)
  for (scale in c(2, 3, 0.5, NA)) expect_equal(k(over = list(b = B)), value(), tolerance = 1e-13)
  scale <- 1
  twice <- function(e) -e
  expect_equal(k(over = list(b = B)), vapply(1:4, function(i) sum(logistic(y, X, -B[i, ])), 0), tolerance = 1e-13)
})
