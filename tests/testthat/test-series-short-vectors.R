# `by` and loops over data: short vectors and small matrices of parameters, which each series reads element by element.

unoptimized_programs()
set.seed(72)
sizes <- c(9L, 3L, 14L, 5L)
id <- rep(seq_along(sizes), sizes)
y <- round(rnorm(length(id)), 3)
par <- c(0.1, 0.2, 0.3, 0.4)

# Of each series, R's value and its difference quotients.
expect_of_each <- function(f, values = list(y = y, par = par)) {
  of <- function(rows, par) f(values$y[rows], par)
  rows <- split(seq_along(id), id)
  known <- vapply(rows, of, 0, values$par)
  slopes <- t(vapply(rows, function(at) differences(function(par) of(at, par), values["par"], "par"), numeric(length(values$par))))
  made <- opencl_function(f, reduce = "sum", gradient = "par")
  alone <- opencl_function(f, reduce = "sum")
  on_each_device(function(device) {
    for (turn in 1:2) {
      ours <- made(values$y, values$par, by = id, device = device)
      expect_equal(c(ours), known, tolerance = 1e-12, ignore_attr = "gradient")
      expect_equal(unname(attr(ours, "gradient")), unname(slopes), tolerance = 1e-7)
    }
    expect_equal(alone(values$y, values$par, by = id, device = device), known, tolerance = 1e-12)
  })
}

test_that("parts of a vector of parameters, and what is computed of them", {
  expect_of_each(function(y, par) {
    mu <- par[3:4]
    s <- exp(par[1:2])
    h <- l <- 0
    for (t in seq_along(y)) {
      h <- 0.5 * h + mu[1] + s[2] * mu[2] * y[t]
      l <- l + dnorm(y[t], h, s[1], log = TRUE)
    }
    l - sum(s^2) + mean(mu) + sum(dnorm(par, 0, 10, log = TRUE))
  })
  expect_of_each(function(y, par) { # that differ from series to series themselves
    w <- exp(par) / sum(exp(par))
    mu <- c(par[1], par[2] * mean(y), rev(par)[1])
    h <- l <- 0
    for (t in seq_along(y)) {
      h <- w[1] * h + w[2] * y[t] + mu[2]
      l <- l + dnorm(y[t], h, w[3] + w[4], log = TRUE)
    }
    l + sum(mu) + prod(w) + max(mu) + cumsum(w)[2]
  })
})

test_that("small matrices of parameters", {
  expect_of_each(function(y, par) {
    Q <- diag(exp(2 * par[1:2]))
    S <- rbind(c(par[1], par[2]), c(par[2], par[3]))
    h <- l <- 0
    for (t in seq_along(y)) {
      h <- 0.5 * h + Q[1, 1] * y[t] + S[1, 2]
      l <- l + dnorm(y[t], h, Q[2, 2] + S[2, 2], log = TRUE)
    }
    l + log(det(Q)) + sum(S)
  })
  expect_of_each(function(y, par) {
    A <- rbind(par[1:2], par[3:4])
    Q <- diag(exp(par[1:2]))
    P <- diag(2)
    x <- c(0, 0)
    l <- 0
    for (t in seq_along(y)) {
      x <- A %*% x + c(1, 0.5) * y[t]
      P <- A %*% P %*% t(A) + Q
      l <- l - sum(x^2) / 100 - log(P[1, 1])
    }
    l
  }, list(y = y, par = par / 2))
})

test_that("functions in several steps", {
  expect_of_each(function(y, par) {
    mu <- par[3:4]
    Q <- diag(exp(2 * par[1:2]))
    S <- rbind(c(par[1], par[2]), c(par[2], par[3]))
    sum(dnorm(y, mu[1] + mean(y) * mu[2] + S[1, 2], Q[1, 1] + Q[2, 2], log = TRUE)) + sum(mu) + max(par[-1])
  })
})
