# Loops over data, each a launch of its own: values as in R, gradients against differences, on every device and without a compiler; what
# is refused.

unoptimized_programs()
set.seed(33)
n <- 90L
y <- round(as.numeric(stats::filter(rnorm(n), 0.6, "recursive")), 3)
counts <- rpois(n, 2)
times <- cumsum(round(rexp(n), 3) + 0.01)
X <- unname(cbind(y, round(rnorm(n), 3)))

# What two conditions guard is guarded by what both begin with, not by the shorter one, which may depend on it.
test_that("an element that several branches read is read in each", {
  f <- function(y, x, p, s) {
    a <- 0
    q <- c(0.3, p[2])
    h <- rep(p[3], length(y))
    for (t in 3:length(y)) {
      a <- 0.6 * a + 0.3 * tanh(ifelse(q[1] > ifelse(h[t - 1] > sum(q), p[1], y[t - 1]), ifelse(-1 > p[1], y[t], h[t - 2]), dnorm(sum(q), x[t - 1], 0.2 + s, log = TRUE)))
      q <- 0.5 * q
      h[t] <- 0.9 * h[t - 1] + 0.1 * sin(ifelse(log1p(a^2) > tanh(0.5 * s), sin(h[t - 2]), x[t - 1])) * h[t - 1]
    }
    a + sum(h)
  }
  set.seed(11)
  values <- list(y = rnorm(40), x = rnorm(40), p = c(-2, 1.1, 0.4), s = 0.3)
  made <- opencl_function(f)
  on_each_device(function(device) expect_equal(do.call(made, c(values, device = device)), do.call(f, values), tolerance = 1e-12))
})

test_that("series: AR(1), exponential smoothing, GARCH(1,1)", {
  expect_likelihood(function(y, phi, s) {
    ll <- dnorm(y[1], 0, s / sqrt(1 - phi^2), log = TRUE)
    for (t in 2:length(y)) ll <- ll + dnorm(y[t], phi * y[t - 1], s, log = TRUE)
    ll
  }, list(y = y, phi = 0.5, s = 1.1), c("phi", "s"))
  expect_likelihood(function(y, a, s) {
    level <- y[1]
    ss <- 0
    for (t in 2:length(y)) {
      e <- y[t] - level
      ss <- ss + e^2
      level <- level + a * e
    }
    -ss / s - length(y) * log(s) + e
  }, list(y = y, a = 0.3, s = 2), c("a", "s"))
  expect_likelihood(function(y, om, al, be) {
    h <- numeric(length(y))
    h[1] <- var(y)
    for (t in 2:length(y)) h[t] <- om + al * y[t - 1]^2 + be * h[t - 1]
    sum(dnorm(y, 0, sqrt(h), log = TRUE))
  }, list(y = y, om = 0.1, al = 0.1, be = 0.8), c("om", "al", "be"))
  expect_likelihood(function(y, par) {
    v <- numeric(length(y))
    v[1] <- par[1]
    v[2] <- par[2]
    for (t in 3:length(y)) v[t] <- par[3] * v[t - 1] + par[4] * v[t - 2] + 0.1 * y[t]
    sum((y - v)^2)
  }, list(y = y, par = c(0.1, 0.2, 0.5, -0.2)), "par")
})

test_that("states: a hidden Markov model, points that excite each other, doses", {
  expect_likelihood(function(y, l1, l2, p11, p22) {
    G <- matrix(c(plogis(p11), 1 - plogis(p22), 1 - plogis(p11), plogis(p22)), 2)
    a <- c(.5, .5)
    ll <- 0
    for (t in seq_along(y)) {
      a <- (a %*% G) * c(dpois(y[t], exp(l1)), dpois(y[t], exp(l2)))
      s <- sum(a)
      ll <- ll + log(s)
      a <- a / s
    }
    ll
  }, list(y = counts, l1 = 0, l2 = 1, p11 = 1, p22 = 1), c("l1", "l2", "p11", "p22"))
  expect_likelihood(function(t, mu, al, be) {
    A <- 0
    ll <- log(mu)
    for (i in 2:length(t)) {
      A <- exp(-be * (t[i] - t[i - 1])) * (1 + A)
      ll <- ll + log(mu + al * A)
    }
    ll - mu * max(t) - al / be * sum(1 - exp(-be * (max(t) - t)))
  }, list(t = times, mu = 0.5, al = 0.4, be = 1.2), c("mu", "al", "be"))
  expect_likelihood(function(dose, dt, y, ke, ka, v) {
    gut <- 0
    blood <- 0
    ll <- 0
    for (i in seq_along(dt)) {
      e1 <- exp(-ka * dt[i])
      e2 <- exp(-ke * dt[i])
      blood <- blood * e2 + gut * ka / (ka - ke) * (e2 - e1)
      gut <- gut * e1
      gut <- gut + dose[i]
      ll <- ll + dnorm(y[i], blood / v, 1, log = TRUE)
    }
    ll
  }, list(dose = rep(c(10, 0, 0), 30), dt = diff(c(0, times)), y = y, ke = 0.1, ka = 1, v = 10), c("ke", "ka", "v"))
})

test_that("rows of matrices, conditions, inner loops, values that are gone over, vectors that are computed", {
  expect_likelihood(function(X, y, a, b) {
    s <- 0
    for (t in seq_along(y)) s <- a * s + sum(X[t, ] * c(b, a)) + X[t, 2] * y[t]
    s
  }, list(X = X, y = y, a = 0.3, b = 0.7), c("a", "b"))
  expect_likelihood(function(y, a, b) {
    s <- 0
    k <- 0L
    for (t in seq_along(y)) {
      if (y[t] > a) {
        s <- s + b * y[t]
        k <- k + 1L
      } else {
        s <- s * 0.9
      }
      if (t > 1 && y[t - 1] < 0) s <- s + b
    }
    s + k
  }, list(y = y, a = 0.1, b = 0.7), "b")
  expect_likelihood(function(y, a, b) {
    q <- c(.2, .3, .5)
    ll <- 0
    for (t in seq_along(y)) {
      for (k in 1:3) q[k] <- q[k] * dnorm(y[t], k * a, b)
      ll <- ll + log(sum(q))
      q <- q / sum(q)
    }
    ll + q[2]
  }, list(y = y, a = 0.3, b = 1.7), c("a", "b"), 1e-6)
  expect_likelihood(function(y, a, b) {
    s <- 0
    for (x in y) s <- a * s + x * b
    mu <- a * y + b
    for (t in length(mu):1) s <- 0.5 * s + mu[t]^2
    s
  }, list(y = y, a = 0.3, b = 0.7), c("a", "b"))
})

test_that("lengths, missing values and warnings are R's", {
  f <- function(y, a) {
    s <- a
    for (t in seq_along(y)) s <- 0.5 * s + log(abs(y[t]) + s^2)
    s
  }
  on_each_device(function(device) {
    g <- opencl_function(f, gradient = "a")
    for (size in c(1L, 2L, 70L, 90L, 66L)) expect_equal(c(g(y[1:size], 0.4, device = device)), f(y[1:size], 0.4), tolerance = 1e-12, ignore_attr = TRUE)
    expect_identical(c(g(c(y[1:70], NA), 0.4, device = device)), NA_real_, ignore_attr = TRUE)
    value <- function(y, a) {
      s <- a
      for (t in seq_along(y)) s <- s + sqrt(y[t])
      s
    }
    suppressWarnings(expect_warning(opencl_function(value)(y, 1, device = device), "NaNs produced"))
  })
})

test_that("a loop is left and rounds are cut short by what the data say", {
  expect_likelihood(function(y, a, b) {
    s <- 0
    for (t in seq_along(y)) {
      s <- a * s + y[t]
      if (s > 1.5) break
      s <- s + b
    }
    s * b
  }, list(y = y, a = 0.5, b = 0.1), c("a", "b"))
  expect_likelihood(function(y, a, b) {
    s <- 0
    k <- 0
    for (t in seq_along(y)) {
      if (y[t] < -0.3) {
        k <- k + 1
        next
      }
      if (y[t] > b) {
        s <- s + a
        if (k > 20) break
        s <- s * 0.9
      }
      s <- a * s + y[t]
    }
    s + k
  }, list(y = y, a = 0.5, b = 0.4), "a")
})

test_that("elements and rows of a matrix are written", {
  expect_likelihood(function(y, a, s) {
    M <- matrix(0, length(y), 2)
    M[1, ] <- c(a, 0.2)
    for (t in 2:length(y)) {
      M[t, 1] <- a * M[t - 1, 1] + M[t - 1, 2] * y[t]
      M[t, 2] <- tanh(M[t, 1])
    }
    sum(dnorm(M[, 1], M[, 2], s, log = TRUE)) + M[n, 2]
  }, list(y = y, a = 0.5, s = 1.2), c("a", "s"))
  f <- function(y, a) {
    M <- matrix(0.5, length(y), 3)
    for (t in 2:length(y)) M[t, ] <- a * M[t - 1, ] + c(y[t], 1, y[t - 1])
    M
  }
  made <- opencl_function(f)
  on_each_device(function(device) expect_equal(made(y, 0.5, device = device), f(y, 0.5), tolerance = 1e-12))
  named <- cbind(first = y, second = rev(y))
  g <- function(X, a) {
    s <- 0
    for (t in seq_len(nrow(X))) s <- a * s + X[t, "second"] * X[t, 1]
    s
  }
  made <- opencl_function(g)
  on_each_device(function(device) expect_equal(made(named, 0.5, device = device), unname(g(named, 0.5)), tolerance = 1e-12, ignore_attr = TRUE))
})

test_that("what a loop over data does not do is refused with what to write", {
  refused <- function(f, message, ...) expect_error(opencl_function(f, ...)(y, device = "0"), message, class = "nmathopencl_error")
  skip_if_not(compiler_here())
  refused(function(y) { s <- 0; for (t in 1:90) s <- s + sum(y[1:t]); s }, "`t` differs from round to round.*has to be known when the call is")
  refused(function(y) { s <- y; for (t in 1:90) s <- s * 0.5 + y[t]; sum(s) }, "`s` has 90 elements.*numeric\\(n\\)")
  adds <- function(y) { s <- y; for (t in 1:90) s <- s + y[t]; sum(s) } # which is no loop over data
  expect_equal(opencl_function(adds)(y, device = "0"), adds(y), tolerance = 1e-12)
  refused(function(y) { h <- numeric(90); for (t in 1:90) h[91 - t] <- y[t]; sum(h) }, "h\\[t\\] and h\\[t - 1\\]")
  refused(function(y) { h <- numeric(90); for (t in 1:90) h[t] <- y[t] + sum(h); sum(h) }, "used as a whole.*x\\[t - 1\\]")
  refused(function(y) { s <- 0; for (t in 1:90) for (k in 1:90) s <- s + y[t]; s }, "loop over data inside a loop over data")
  refused(function(y) { s <- 0; for (t in 1:90) { if (y[t] > 0) stop("no"); s <- s + 1 }; s }, "ask before the loop")
})

test_that("several elements are assigned before a loop, and vectors and products are made as R writes them", {
  y <- c(3, 1, 4, 1, 5, 9)
  expect_as_r(function(y) {
    h <- numeric(length(y))
    h[1:2] <- 1
    for (i in 3:length(y)) h[i] <- h[i - 1] / 2 + y[i]
    sum(h)
  }, y)
  expect_as_r(function(y) {
    h <- vector("numeric", length(y))
    h[c(2, 1)] <- y[1:2]
    for (i in 3:length(y)) h[i] <- h[i - 1] / 2 + y[i]
    sum(h * y)
  }, rep(y, 40))
  expect_as_r(function(y) {
    y[c(1, 3)] <- c(2, 7)
    y
  }, y)
  skip_without_compiler() # R itself warns
  expect_error(opencl_function(function(y) {
    y[1:3] <- c(1, 2)
    y
  })(y, device = "host"), "has length 2, not 1 or 3")
})

test_that("tcrossprod() is the product with the transpose", {
  A <- matrix(c(1, 2, 3, 4, 5, 6), 2L)
  B <- matrix(1:9 / 2, 3L)
  expect_as_r(function(A, B) sum(log(tcrossprod(A, B))), A, B)
  expect_as_r(function(A) sum(tcrossprod(A)), A)
})
