# helper-glm -- the GLM grid in plain vectorised R, from stats alone, and random problems for it.

# Log-likelihoods of all constants and their derivatives with respect to eta, l1 x m1 each. Everything that can be is
# formed on the log scale, so that it holds far out in the tails.
plain_glm_terms <- function(family, link, eta, y, wt) {
  if (family %in% c("binomial", "quasibinomial")) {
    n <- round(wt)
    k <- round(y * wt)
    terms <- switch(link,
      logit = list(
        log_p = plogis(eta, log.p = TRUE), log_q = plogis(eta, lower.tail = FALSE, log.p = TRUE),
        d_p = plogis(eta, lower.tail = FALSE), d_q = -plogis(eta)
      ),
      probit = {
        log_p <- pnorm(eta, log.p = TRUE)
        log_q <- pnorm(eta, lower.tail = FALSE, log.p = TRUE)
        log_f <- dnorm(eta, log = TRUE)
        list(log_p = log_p, log_q = log_q, d_p = exp(log_f - log_p), d_q = -exp(log_f - log_q))
      },
      cloglog = {
        m <- exp(eta)
        log_p <- ifelse(m > log(2), log1p(-exp(-m)), log(-expm1(-m)))
        list(log_p = log_p, log_q = -m, d_p = ifelse(is.finite(expm1(m)), m / expm1(m), 0), d_q = -m)
      }
    )
    times <- function(count, value) {
      product <- count * value
      product[rep_len(count == 0, length(value))] <- 0
      product
    }
    return(list(
      value = lchoose(n, k) + times(k, terms$log_p) + times(n - k, terms$log_q),
      slope = times(k, terms$d_p) + times(n - k, terms$d_q)
    ))
  }
  m <- exp(eta)
  switch(family,
    # The mass of a count that need not be an integer, as a gamma density: m^y exp(-m) / gamma(y + 1).
    poisson = , quasipoisson = list(value = wt * dgamma(m, y + 1, log = TRUE), slope = wt * (y - m)),
    Gamma = list(value = dgamma(y, wt, scale = m / wt, log = TRUE), slope = wt * (y / m - 1)),
    gaussian = list(value = dnorm(y, eta, 1 / sqrt(wt), log = TRUE), slope = wt * (y - eta))
  )
}

# f2_f3_opencl's value: list(qf, grad).
plain_f2_f3 <- function(family, link, b, y, x, mu, P, alpha, wt) {
  mu <- as.vector(mu)
  used <- wt > 0
  x <- x[used, , drop = FALSE]
  eta <- x %*% b + alpha[used]
  terms <- lapply(plain_glm_terms(family, link, eta, y[used], wt[used]), array, dim(eta))
  from_prior <- P %*% (b - mu)
  list(
    qf = 0.5 * colSums((b - mu) * from_prior) - colSums(terms$value),
    grad = t(from_prior - crossprod(x, terms$slope))
  )
}

# Arguments of f2_f3_opencl for a random problem: coefficients scattered around those that made the data, moderate eta,
# every kind of weight the family knows, some of them 0.
random_glm_problem <- function(family, link, l1, l2, m1) {
  x <- matrix(rnorm(l1 * l2), l1, l2)
  x[, 1] <- 1
  truth <- rnorm(l2) / sqrt(l2)
  alpha <- rnorm(l1, sd = 0.2)
  eta <- as.vector(x %*% truth) + alpha
  weights <- switch(family,
    binomial = sample(0:12, l1, TRUE),
    quasibinomial = runif(l1, 0, 12),
    poisson = rep(1, l1),
    quasipoisson = runif(l1, 0.2, 3),
    Gamma = exp(runif(l1, log(0.3), log(60))),
    gaussian = rexp(l1) + 0.01
  )
  if (l1 > 3) weights[sample(l1, 1)] <- 0
  mean <- switch(link,
    logit = plogis(eta),
    probit = pnorm(eta),
    cloglog = -expm1(-exp(eta)),
    log = exp(eta),
    identity = eta
  )
  y <- switch(family,
    binomial = rbinom(l1, weights, mean) / pmax(weights, 1),
    quasibinomial = pmin(1, pmax(0, mean + rnorm(l1, sd = 0.2))),
    poisson = rpois(l1, mean * 10^sample(0:3, l1, TRUE)),
    quasipoisson = rgamma(l1, 2, 2) * mean,
    Gamma = rgamma(l1, pmax(weights, 0.3)) * mean / pmax(weights, 0.3),
    gaussian = rnorm(l1, mean)
  )
  root <- matrix(rnorm(l2 * l2), l2, l2) / sqrt(l2)
  list(
    family = family, link = link,
    b = truth + matrix(rnorm(l2 * m1, sd = 0.5 / sqrt(l2)), l2, m1),
    y = y, x = x, mu = rnorm(l2, sd = 0.3), P = crossprod(root) + diag(l2), alpha = alpha, wt = weights
  )
}

# Largest difference over the largest size, for qf and grad: single entries pass through 0, where no computation in
# doubles keeps relative digits.
glm_relative_error <- function(got, want) {
  vapply(c("qf", "grad"), function(part) max(abs(got[[part]] - want[[part]])) / max(abs(want[[part]])), 0)
}
