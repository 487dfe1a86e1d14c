# models.R -- five models of the gallery at any size: data by seed, the function as for optim(), RTMB's, and functions of other packages.
#
# A model is a list of: data, a function of the number of observations; start; negative, the function to be minimized, of data and
# parameters; rtmb, the same for RTMB, as its pages write such a model; fits, functions of the data that fit it by a package's own function
# and give the parameters in the order of start and minus the log-likelihood. random: the effects that Laplace's approximation
# integrates out, for which plain is that approximation in plain R.

models <- list()

# Columns of a regression with an intercept.
design <- function(n, slopes) cbind(1, matrix(rnorm(n * slopes), n))

models$negative_binomial <- list(
  data = function(n) {
    set.seed(1)
    X <- design(n, 3)
    list(y = as.double(rnbinom(n, size = 2, mu = exp(drop(X %*% c(1, 0.5, -0.3, 0.2))))), X = X)
  },
  start = list(b = c(0.5, 0, 0, 0), log_size = 0),
  negative = function(y, X, b, log_size) -sum(dnbinom(y, size = exp(log_size), mu = exp(X %*% b), log = TRUE)),
  rtmb = function(parameters) {
    log_mu <- drop(X %*% parameters$b)
    -sum(dnbinom_robust(y, log_mu, 2 * log_mu - parameters$log_size, log = TRUE))
  },
  fits = list(
    MASS = function(data) {
      fit <- MASS::glm.nb(y ~ 0 + X, data)
      summary(fit)
      list(par = c(coef(fit), log(fit$theta)), value = -c(logLik(fit)))
    },
    glmmTMB = function(data) {
      fit <- glmmTMB::glmmTMB(y ~ 0 + X, data, family = glmmTMB::nbinom2())
      summary(fit)
      list(par = c(glmmTMB::fixef(fit)$cond, log(glmmTMB::sigma(fit))), value = -c(logLik(fit)))
    }
  )
)

models$censored_weibull <- list(
  data = function(n) {
    set.seed(2)
    X <- design(n, 3)
    time <- rweibull(n, 1.5, exp(drop(X %*% c(0.5, 0.6, -0.4, 0.2))))
    limit <- rexp(n, 0.3)
    list(time = pmin(time, limit), event = time <= limit, X = X)
  },
  start = list(b = c(0, 0, 0, 0), log_shape = 0),
  negative = function(time, event, X, b, log_shape) {
    shape <- exp(log_shape)
    scale <- exp(X %*% b)
    -sum(ifelse(event, dweibull(time, shape, scale, log = TRUE), pweibull(time, shape, scale, lower.tail = FALSE, log.p = TRUE)))
  },
  rtmb = function(parameters) { # pweibull() there has no logarithm
    shape <- exp(parameters$log_shape)
    z <- shape * (log(time) - drop(X %*% parameters$b))
    -sum(event * (parameters$log_shape - log(time) + z) - exp(z))
  },
  fits = list(survival = function(data) {
    fit <- survival::survreg(survival::Surv(time, event) ~ 0 + X, data)
    summary(fit)
    list(par = c(coef(fit), -log(fit$scale)), value = -fit$loglik[2])
  })
)

models$zero_inflated_poisson <- list(
  data = function(n) {
    set.seed(3)
    X <- design(n, 2)
    Z <- design(n, 1)
    zero <- rbinom(n, 1, plogis(drop(Z %*% c(-0.5, 0.8))))
    list(y = as.double(ifelse(zero == 1, 0, rpois(n, exp(drop(X %*% c(0.8, 0.5, -0.2)))))), X = X, Z = Z)
  },
  start = list(b = c(0.5, 0, 0), g = c(0, 0)),
  negative = function(y, X, Z, b, g) {
    zero <- plogis(Z %*% g)
    mu <- exp(X %*% b)
    -sum(log(ifelse(y == 0, zero, 0) + (1 - zero) * dpois(y, mu)))
  },
  rtmb = function(parameters) {
    eta <- drop(Z %*% parameters$g)
    log_mu <- drop(X %*% parameters$b)
    log_some <- -logspace_add(0 * eta, eta)
    none <- y == 0
    positive <- y[!none] * log_mu[!none] - exp(log_mu[!none]) - lgamma(y[!none] + 1)
    -sum(logspace_add(eta[none], -exp(log_mu[none])) + log_some[none]) - sum(log_some[!none] + positive)
  },
  fits = list(glmmTMB = function(data) {
    fit <- glmmTMB::glmmTMB(y ~ 0 + X, data, ziformula = ~ 0 + Z, family = poisson())
    summary(fit)
    list(par = unlist(glmmTMB::fixef(fit)[c("cond", "zi")]), value = -c(logLik(fit)))
  })
)

models$normal_mixture <- list(
  data = function(n) {
    set.seed(4)
    first <- runif(n) < 0.35
    list(y = ifelse(first, rnorm(n, 55, 6), rnorm(n, 80, 5)))
  },
  start = list(logit = 0, m = c(50, 85), log_s = c(2, 2)),
  negative = function(y, logit, m, log_s) {
    p <- plogis(logit)
    -sum(log(p * dnorm(y, m[1], exp(log_s[1])) + (1 - p) * dnorm(y, m[2], exp(log_s[2]))))
  },
  rtmb = function(parameters) {
    p <- plogis(parameters$logit)
    s <- exp(parameters$log_s)
    -sum(log(p * dnorm(y, parameters$m[1], s[1]) + (1 - p) * dnorm(y, parameters$m[2], s[2])))
  },
  fits = list()
)

models$random_intercepts <- list(
  random = "u",
  data = function(n) {
    set.seed(5)
    X <- design(n, 1)
    group <- rep(seq_len(n / 20), each = 20)
    list(y = as.double(rbinom(n, 1, plogis(drop(X %*% c(-0.5, 0.7)) + rnorm(n / 20, 0, 0.8)[group]))), X = X, group = group)
  },
  start = list(b = c(0, 0), log_sd = 0, u = function(data) numeric(max(data$group))),
  negative = function(y, X, group, b, log_sd, u) {
    -sum(dnorm(u, 0, exp(log_sd), log = TRUE)) - sum(dbinom(y, 1, plogis(X %*% b + u[group]), log = TRUE))
  },
  plain = function(y, X, group, b, log_sd) {
    eta <- drop(X %*% b)
    precision <- exp(-2 * log_sd)
    u <- numeric(max(group))
    for (k in 1:50) {
      p <- plogis(eta + u[group])
      slope <- rowsum(y - p, group)[, 1] - precision * u
      curvature <- rowsum(p * (1 - p), group)[, 1] + precision
      step <- slope / curvature
      u <- u + step
      if (max(abs(step)) < 1e-10) break
    }
    p <- plogis(eta + u[group])
    curvature <- rowsum(p * (1 - p), group)[, 1] + precision
    joint <- sum(dnorm(u, 0, exp(log_sd), log = TRUE)) + sum(dbinom(y, 1, p, log = TRUE))
    -joint - length(u) * log(2 * pi) / 2 + sum(log(curvature)) / 2
  },
  rtmb = function(parameters) {
    eta <- drop(X %*% parameters$b) + parameters$u[group]
    -sum(dnorm(parameters$u, 0, exp(parameters$log_sd), log = TRUE)) - sum(dbinom_robust(y, 1, eta, log = TRUE))
  },
  fits = list(
    glmmTMB = function(data) {
      fit <- glmmTMB::glmmTMB(y ~ 0 + X + (1 | group), data, family = binomial())
      summary(fit)
      list(par = c(glmmTMB::fixef(fit)$cond, log(attr(glmmTMB::VarCorr(fit)$cond$group, "stddev"))), value = -c(logLik(fit)))
    },
    lme4 = function(data) {
      fit <- lme4::glmer(y ~ 0 + X + (1 | group), data, family = binomial())
      summary(fit)
      list(par = c(lme4::fixef(fit), log(attr(lme4::VarCorr(fit)$group, "stddev"))), value = -c(logLik(fit)))
    }
  )
)

# The values that the search starts from; effects are as many as the data have groups.
start_of <- function(model, data) lapply(model$start, function(value) if (is.function(value)) value(data) else value)
