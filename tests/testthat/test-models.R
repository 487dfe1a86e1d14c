# Likelihoods of public practice as functions of one number: values as in R and gradients against differences, without a compiler and on the
# host device, some on OpenCL devices too.

unoptimized_programs()
set.seed(42)
n <- 36L
x <- round(rnorm(n), 3)
X <- cbind(1, x)
y <- round(rnorm(n, 1 + x), 3)
counts <- rpois(n, 2)
bin <- rbinom(n, 10, 0.3)
zeros <- ifelse(runif(n) < 0.3, 0, bin)
b <- c(0.3, 0.2)
times <- round(rexp(n, 0.5), 3) + 0.001
event <- rbinom(n, 1, 0.7)
n10 <- rep(10, n)
groups <- rep(1:6, each = 6)
Y3 <- t(rmultinom(20, 12, c(0.2, 0.3, 0.5)))
ord <- sample(4, n, TRUE)
I <- c(2, 3, 5, 8, 12, 18, 22, 20, 15, 9, 5, 3)
S <- 200 - cumsum(I)
Sp <- round(exp(rnorm(20)), 3)
R <- round(2 * Sp * exp(-0.5 * Sp + rnorm(20) / 5), 3)
H <- matrix(rbinom(30 * 5, 1, 0.5), 30)
H[cbind(1:30, sample(5, 30, TRUE))] <- 1
fi <- apply(H, 1, function(h) min(which(h == 1)))
la <- apply(H, 1, function(h) max(which(h == 1)))
A <- matrix(rbinom(n * 4, 1, 0.5), n)
per <- rep(1:9, 4)
it <- rep(1:4, each = 9)
Rk <- t(replicate(12, sample(4)))
W <- matrix(sample(0:8, 25, TRUE), 5)
hl <- ifelse(runif(n) < 0.3, 0, round(rlnorm(n), 3))
dose <- rep(c(0.1, 0.3, 1, 3, 10, 30), 6)
id <- rep(1:6, each = 6)
near <- sample(20, 40, TRUE)

test_that("counts and categories", {
  # zero-inflated binomial
  expect_model(
    function(y, N, X, b, g) {
      p <- plogis(X %*% b)
      z <- plogis(g)
      -sum(log(z * (y == 0) + (1 - z) * dbinom(y, N, p)))
    }, list(y = zeros, N = n10, X = X), list(b = b, g = -1),
    everywhere = TRUE
  )
  # generalized Poisson
  expect_model(
    function(y, X, b, lam) {
      th <- exp(drop(X %*% b))
      l <- tanh(lam)
      -sum(log(th) + (y - 1) * log(th + l * y) - th - l * y - lfactorial(y))
    }, list(y = counts, X = X), list(b = b, lam = 0.1)
  )
  # Dirichlet-multinomial
  expect_model(
    function(Y, la) {
      a <- exp(la)
      A <- sum(a)
      N <- rowSums(Y)
      -(sum(lgamma(A) - lgamma(N + A)) + sum(lgamma(sweep(Y, 2, a, "+"))) - nrow(Y) * sum(lgamma(a)))
    }, list(Y = Y3), list(la = c(0.1, 0.3, 0.5))
  )
  # ordered logit, varying cutpoints
  expect_model(
    function(y, x, z, beta, c1, d, gam) {
      k1 <- c1 + gam * z
      k2 <- k1 + exp(d[1])
      k3 <- k2 + exp(d[2])
      eta <- beta * x
      p <- ifelse(y == 1, plogis(k1 - eta), ifelse(y == 2, plogis(k2 - eta) - plogis(k1 - eta), ifelse(y == 3, plogis(k3 - 
        eta) - plogis(k2 - eta), 1 - plogis(k3 - eta))))
      -sum(log(p))
    }, list(y = ord, x = x, z = runif(n)), list(beta = 0.4, c1 = -1, d = c(0.1, 0.2), gam = 0.3)
  )
  # nested logit
  expect_model(
    function(ch, x1, x2, x3, b, lt) {
      tau <- plogis(lt)
      v1 <- b[1] + b[2] * x1
      v2 <- b[2] * x2
      v3 <- b[3] + b[2] * x3
      iv <- log(exp(v1/tau) + exp(v2/tau))
      den <- log(exp(tau * iv) + exp(v3))
      lp <- cbind(tau * iv - den + v1/tau - iv, tau * iv - den + v2/tau - iv, v3 - den)
      -sum(lp[cbind(seq_along(ch), ch)])
    }, list(ch = sample(3, n, TRUE), x1 = x, x2 = rev(x), x3 = runif(n)), list(b = c(0.1, 0.2, 0.3), lt = 0.4)
  )
  # hurdle lognormal
  expect_model(
    function(y, X, a, b, ls) {
      p <- plogis(X %*% a)
      pos <- y > 0
      -(sum(log(1 - p[!pos])) + sum(log(p[pos])) + sum(dlnorm(y[pos], (X %*% b)[pos], exp(ls), log = TRUE)))
    }, list(y = hl, X = X), list(a = b, b = c(0.1, 0.4), ls = 0.2)
  )
  # double exponential asym
  expect_model(
    function(y, m, l1, l2) {
      a <- exp(l1)
      c <- exp(l2)
      -sum(log(a * c/(a + c)) - ifelse(y < m, c * (m - y), a * (y - m)))
    }, list(y = y), list(m = 0.2001234, l1 = 0.1, l2 = 0.3)
  )
})

test_that("biology", {
  # SIR chain binomial
  expect_model(
    function(S, I, lbeta) {
      p <- 1 - exp(-exp(lbeta) * I[-length(I)]/200)
      -sum(dbinom(I[-1], S[-length(S)], p, log = TRUE))
    }, list(S = S, I = I), list(lbeta = 0.2)
  )
  # Ricker stock and recruitment
  expect_model(
    function(R, S, la, b, ls) {
      mu <- la + log(S) - b * S
      -sum(dlnorm(R, mu, exp(ls), log = TRUE))
    }, list(R = R, S = Sp), list(la = 0.6, b = 0.4, ls = -1),
    everywhere = TRUE
  )
  # Beverton-Holt
  expect_model(
    function(R, S, la, lb, ls) {
      pred <- exp(la) * S/(1 + S/exp(lb))
      -sum(dnorm(log(R), log(pred), exp(ls), TRUE))
    }, list(R = R, S = Sp), list(la = 0.6, lb = 0.4, ls = -1)
  )
  # CJS by columns
  expect_model(
    function(H, f, l, phi, p) {
      K <- ncol(H)
      ph <- plogis(phi)
      pp <- plogis(p)
      chi <- rep(1, K)
      for (t in (K - 1):1) chi[t] <- 1 - ph[t] + ph[t] * (1 - pp[t]) * chi[t + 1]
      ll <- sum(log(chi[l]))
      for (t in 2:K) {
        on <- t > f & t <= l
        ll <- ll + sum(on * (log(ph[t - 1]) + H[, t] * log(pp[t - 1]) + (1 - H[, t]) * log(1 - pp[t - 1])))
      }
      -ll
    }, list(H = H, f = fi, l = la), list(phi = c(0.5, 0.2, 0.1, 0.3), p = c(0.2, 0.1, 0, 0.4))
  )
  # von Bertalanffy
  expect_model(
    function(L, age, sex, Linf, lk, t0, ls) {
      mu <- Linf[sex] * (1 - exp(-exp(lk[sex]) * (age - t0)))
      -sum(dnorm(L, mu, exp(ls), log = TRUE))
    }, list(L = runif(n, 20, 60), age = runif(n, 1, 10), sex = factor(rep(c("f", "m"), 18))), list(Linf = c(60, 50), lk = c(-1, -1.2), t0 = -0.3, ls = 2)
  )
  # dose-response random slopes
  expect_model(
    function(y, dose, id, top, led, h, u, lsu, ls) {
      ed <- exp(led + u[id])
      mu <- top/(1 + (dose/ed)^(-h))
      -(sum(dnorm(y, mu, exp(ls), log = TRUE)) + sum(dnorm(u, sd = exp(lsu), log = TRUE)))
    }, list(y = 3/(1 + 1/dose) + rnorm(n)/5, dose = dose, id = id), list(top = 3.1, led = 0.1, h = 1.2, u = rnorm(6)/5, lsu = -1, ls = -1)
  )
  # occupancy apply
  expect_model(
    function(Y, psi, p) {
      ps <- plogis(psi)
      q <- plogis(p)
      -sum(apply(Y, 1, function(h) log(ps * prod(q^h * (1 - q)^(1 - h)) + (1 - ps) * (sum(h) == 0))))
    }, list(Y = matrix(rbinom(150, 1, 0.3), 50)), list(psi = 0.3, p = -0.5)
  )
  # latent class matrix
  expect_model(
    function(A, w, P) {
      p <- plogis(P)
      L <- A %*% log(p) + (1 - A) %*% log(1 - p)
      q <- exp(w)/sum(exp(w))
      -sum(log(exp(L) %*% q))
    }, list(A = A), list(w = c(0.3, 0.1), P = matrix(c(-1, -0.5, 0, 0.3, 1, 0.5, 0.2, 0.1), 4)),
    everywhere = TRUE
  )
})

test_that("items and comparisons", {
  # item response with guessing
  expect_model(
    function(y, person, item, theta, la, bi, ci) {
      c0 <- plogis(ci[item])
      p <- c0 + (1 - c0) * plogis(exp(la[item]) * (theta[person] - bi[item]))
      -sum(dbinom(y, 1, p, log = TRUE)) + sum(theta^2)/2
    }, list(y = rbinom(n, 1, 0.5), person = per, item = it), list(theta = rnorm(9)/2, la = rnorm(4)/5, bi = rnorm(4), ci = rep(-1.5, 4))
  )
  # Plackett-Luce columns
  expect_model(
    function(R, s) {
      w <- exp(s)
      ll <- 0
      for (k in 1:3) {
        den <- 0
        for (j in k:4) den <- den + w[R[, j]]
        ll <- ll + sum(log(w[R[, k]]) - log(den))
      }
      -ll
    }, list(R = Rk), list(s = c(0.1, 0.2, -0.1, 0))
  )
  # Thurstone outer
  expect_model(
    function(W, m) {
      D <- outer(m, m, "-")
      -sum(W * pnorm(D/sqrt(2), log.p = TRUE))
    }, list(W = W), list(m = c(0, 0.1, 0.3, -0.2, 0.4))
  )
})

test_that("time series", {
  # Kalman local level
  expect_model(
    function(y, ls, lq) {
      s2 <- exp(2 * ls)
      q2 <- exp(2 * lq)
      a <- 0
      P <- 1000
      ll <- 0
      for (t in 1:length(y)) {
        F <- P + s2
        v <- y[t] - a
        ll <- ll - 0.5 * (log(2 * pi) + log(F) + v^2/F)
        K <- P/F
        a <- a + K * v
        P <- P * (1 - K) + q2
      }
      -ll
    }, list(y = cumsum(y)/5), list(ls = -0.5, lq = -1)
  )
  # stochastic volatility
  expect_model(
    function(y, h, mu, lphi, ls) {
      phi <- tanh(lphi)
      s <- exp(ls)
      n <- length(y)
      -(dnorm(h[1], mu, s/sqrt(1 - phi^2), log = TRUE) + sum(dnorm(h[-1], mu + phi * (h[-n] - mu), s, log = TRUE)) + 
        sum(dnorm(y, 0, exp(h/2), log = TRUE)))
    }, list(y = y), list(h = rnorm(n)/5, mu = -0.1, lphi = 0.8, ls = -1)
  )
  # AR(2)
  expect_model(
    function(y, par) {
      n <- length(y)
      mu <- par[1] + par[2] * (y[2:(n - 1)] - par[1]) + par[3] * (y[1:(n - 2)] - par[1])
      -sum(dnorm(y[3:n], mu, exp(par[4]), log = TRUE))
    }, list(y = y), list(par = c(0.1, 0.4, 0.2, 0.1))
  )
  # TVP regression
  expect_model(
    function(y, x, bt, lq, ls) {
      -(sum(dnorm(y, bt * x, exp(ls), log = TRUE)) + sum(dnorm(diff(bt), 0, exp(lq), log = TRUE)) + dnorm(bt[1], 
        0, 10, log = TRUE))
    }, list(y = y, x = x), list(bt = rnorm(n)/3, lq = -0.5, ls = 0.1)
  )
  # MA(1)
  expect_model(
    function(y, mu, th, ls) {
      theta <- tanh(th)
      e <- numeric(length(y))
      e[1] <- y[1] - mu
      for (t in 2:length(y)) e[t] <- y[t] - mu - theta * e[t - 1]
      -sum(dnorm(e, 0, exp(ls), log = TRUE))
    }, list(y = y), list(mu = 0.1, th = 0.3, ls = 0.2)
  )
  # SETAR threshold
  expect_model(
    function(y, a, b, r, ls) {
      n <- length(y)
      lag <- y[1:(n - 1)]
      hi <- lag > r
      m <- ifelse(hi, b[1] + b[2] * lag, a[1] + a[2] * lag)
      s <- exp(ls)[1 + hi]
      -sum(dnorm(y[2:n], m, s, log = TRUE))
    }, list(y = y, r = 0.4), list(a = c(0.1, 0.3), b = c(0.2, 0.5), ls = c(0.1, 0.2))
  )
  # Gaussian AR(1) errors GLS
  expect_model(
    function(y, X, b, z, ls) {
      r <- as.vector(y - X %*% b)
      n <- length(r)
      phi <- tanh(z)
      s <- exp(ls)
      e <- c(r[1] * sqrt(1 - phi^2), r[-1] - phi * r[-n])
      -(sum(dnorm(e, 0, s, log = TRUE)) + 0.5 * log(1 - phi^2))
    }, list(y = y, X = X), list(b = b, z = 0.3, ls = 0.1)
  )
})

test_that("survival", {
  # mixture cure Weibull
  expect_model(
    function(t, d, X, b, k, s) {
      pc <- plogis(X %*% b)
      f <- dweibull(t, exp(k), exp(s))
      S <- pweibull(t, exp(k), exp(s), lower.tail = FALSE)
      -sum(d * log((1 - pc) * f) + (1 - d) * log(pc + (1 - pc) * S))
    }, list(t = times, d = event, X = X), list(b = b, k = 0.1, s = 0.2)
  )
  # discrete hazard cloglog
  expect_model(
    function(dead, period, x, a, b) {
      h <- 1 - exp(-exp(a[period] + b * x))
      -sum(dead * log(h) + (1 - dead) * log1p(-h))
    }, list(dead = rbinom(n, 1, 0.2), period = rep(1:6, 6), x = x), list(a = c(-2, -1.8, -1.5, -1.2, -1, -0.8), b = 0.3)
  )
  # piecewise exponential
  expect_model(
    function(t, d, cuts, lh, b, x) {
      H <- 0
      h <- 0
      for (k in 1:3) {
        ex <- pmax(0, pmin(t, cuts[k + 1]) - cuts[k])
        H <- H + exp(lh[k]) * ex
        h <- h + (t > cuts[k] & t <= cuts[k + 1]) * lh[k]
      }
      -sum(d * (h + b * x) - H * exp(b * x))
    }, list(t = times, d = event, cuts = c(0, 1, 2, Inf), x = x), list(lh = c(-1, -0.5, -0.2), b = 0.2)
  )
  # censored normal by subsets
  expect_model(
    function(y, d, m, s) -sum(dnorm(y[d == 1], m, exp(s), log = TRUE)) - sum(pnorm(y[d == 0], m, exp(s), lower.tail = FALSE, 
      log.p = TRUE)), list(y = y, d = event), list(m = 0.1, s = 0.2),
    everywhere = TRUE
  )
})

test_that("space, factors, smoothing", {
  # ICAR sparse neighbours
  expect_model(
    function(y, E, i, j, phi, mu, lt) {
      tau <- exp(lt)
      -(sum(dpois(y, E * exp(mu + phi), log = TRUE)) - 0.5 * tau * sum((phi[i] - phi[j])^2) + 0.5 * length(phi) * 
        log(tau) + dnorm(sum(phi), 0, 0.001 * length(phi), log = TRUE))
    }, list(y = rpois(20, 3), E = runif(20, 1, 3), i = rep(1:20, 2), j = near), list(phi = rnorm(20)/5, mu = 0.1, lt = 0.5)
  )
  # random slopes correlated
  expect_model(
    function(y, x, id, B, lsd, zr, beta, ls) {
      r <- tanh(zr)
      s <- exp(lsd)
      z1 <- B[, 1]/s[1]
      z2 <- B[, 2]/s[2]
      pr <- -log(2 * pi) - sum(lsd) - 0.5 * log(1 - r^2) - (z1^2 - 2 * r * z1 * z2 + z2^2)/(2 * (1 - r^2))
      -sum(pr) - sum(dnorm(y, beta[1] + B[id, 1] + (beta[2] + B[id, 2]) * x, exp(ls), log = TRUE))
    }, list(y = y, x = x, id = id), list(B = matrix(rnorm(12)/4, 6), lsd = c(-0.5, -0.6), zr = 0.2, beta = c(0.1, 0.9), ls = 0.1)
  )
  # factor analysis 1 factor
  expect_model(
    function(Y, lam, lps) {
      ps <- exp(lps)
      q <- sum(lam^2/ps)
      ld <- sum(lps) + log(1 + q)
      ll <- 0
      z <- Y %*% (lam/ps)
      quad <- rowSums(t(t(Y^2)/ps)) - z^2/(1 + q)
      -sum(-0.5 * (ncol(Y) * log(2 * pi) + ld + quad))
    }, list(Y = matrix(rnorm(120), 40)), list(lam = c(0.5, 0.6, 0.4), lps = c(-0.1, 0.2, 0.1))
  )
  # bivariate normal by its covariance
  expect_model(
    function(Y, m, ls, z) {
      S <- matrix(c(exp(2 * ls[1]), tanh(z) * exp(ls[1] + ls[2]), tanh(z) * exp(ls[1] + ls[2]), exp(2 * ls[2])), 
        2)
      d <- S[1, 1] * S[2, 2] - S[1, 2]^2
      e1 <- Y[, 1] - m[1]
      e2 <- Y[, 2] - m[2]
      q <- (S[2, 2] * e1^2 - 2 * S[1, 2] * e1 * e2 + S[1, 1] * e2^2)/d
      -sum(-log(2 * pi) - 0.5 * log(d) - q/2)
    }, list(Y = matrix(rnorm(80), 40)), list(m = c(0.1, 0.2), ls = c(0.1, 0.2), z = 0.3)
  )
  # spline basis ridge
  expect_model(
    function(y, B, a, lt, ls) {
      sum(dnorm(y, B %*% a, exp(ls), log = TRUE)) - 0.5 * exp(lt) * sum(diff(a, differences = 2)^2) + 0.5 * (length(a) - 
        2) * lt
    }, list(y = y, B = matrix(runif(n * 7), n)), list(a = rnorm(7), lt = 0.1, ls = 0.1)
  )
  # a precision matrix
  expect_model(
    function(u, Q, lt, y) {
      -0.5 * exp(lt) * drop(t(u) %*% Q %*% u) + sum(dnorm(y, u, 1, log = TRUE))
    }, list(Q = crossprod(matrix(rnorm(64), 8)), y = rnorm(8)), list(u = rnorm(8), lt = 0.2),
    everywhere = TRUE
  )
  # a guard for scales that are no numbers
  expect_model(
    function(y, par) {
      s <- par[2]
      if (s <= 0 || !is.finite(s)) 
        return(Inf)
      v <- -sum(dnorm(y, par[1], s, log = TRUE))
      if (is.nan(v)) 
        Inf
      else v
    }, list(y = y), list(par = c(0.1, 1.2))
  )
})
