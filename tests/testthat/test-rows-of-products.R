# What is computed of each row of a matrix product, more rows than are written out: log-sum-exp and softmax.

unoptimized_programs()

X <- matrix(c(0.3, -1.2, 0.7, 1.1, 0.4, 0.2, -0.6, 0.9, 1.5, -0.1, 0.8, 0.25, -0.4, 0.6, -0.9, 1.3, 0.05, -0.7, 0.35, 0.5), 10)
y <- c(1, 3, 2, 2, 1, 3, 3, 1, 2, 1)
b <- c(0.3, -0.2, 0.4, 0.1, 0.5, -0.3)
lse <- function(e) max(e) + log(sum(exp(e - max(e))))
softmax <- function(e) exp(e - max(e)) / sum(exp(e - max(e)))

test_that("multinomial logit by apply() is R's", {
  expect_likelihood(function(b, X, y) {
    eta <- X %*% cbind(0, matrix(b[1:4], 2))
    sum(eta[cbind(seq_along(y), y)] - apply(eta, 1, lse))
  }, list(b = b, X = X, y = y), "b", 1e-6)
})

test_that("and in other words", {
  hosts_alone()
  cases <- list(
    by_number = function(b, X) {
      eta <- X %*% matrix(b, 2)
      sum(sapply(seq_len(nrow(eta)), function(i) lse(eta[i, ])))
    },
    softmax = function(b, X, y) {
      P <- t(apply(X %*% matrix(b, 2), 1, softmax))
      sum(log(P[cbind(seq_along(y), y)]))
    },
    one_column = function(b, X) {
      eta <- X %*% b[1:2]
      sum(sapply(seq_along(eta), function(i) log(sum(exp(eta[i] * b[3:5])))))
    },
    spread = function(b, X) sum(apply(X %*% matrix(b, 2), 1, function(e) sum((e - mean(e))^2) * min(e)))
  )
  for (f in cases) expect_likelihood(f, list(b = b, X = X, y = y)[names(formals(f))], "b", 1e-6)
})

test_that("values of rows are a vector", {
  f <- function(b, X) apply(X %*% matrix(b, 2), 1, max)
  made <- opencl_function(f)
  on_each_device(function(device) expect_equal(made(b, X, device = device), f(b, X), tolerance = 1e-14))
})
