# title: Weibull survival, right, left and interval censoring
# source: Odell, Anderson and D'Agostino (1992) Biometrics 48, 951-959
# reference: survival 3.5-3, survreg(Surv(from, to, type = "interval2") ~ x)
negative <- function(from, to, status, x, par) {
  shape <- exp(-par["log_scale"])
  scale <- exp(par["b0"] + par["b1"] * x)
  -sum(ifelse(
    status == 1, dweibull(from, shape, scale, log = TRUE),
    ifelse(
      status == 0, pweibull(from, shape, scale, lower.tail = FALSE, log.p = TRUE),
      ifelse(status == 2, pweibull(to, shape, scale, log.p = TRUE), log(pweibull(to, shape, scale) - pweibull(from, shape, scale)))
    )
  ))
}
set.seed(41)
x <- rnorm(120)
time <- rweibull(120, 1.5, exp(0.5 + 0.6 * x))
status <- sample(0:3, 120, TRUE, c(0.2, 0.5, 0.1, 0.2)) # right, event, left, interval
data <- list(from = ifelse(status == 0, 0.8 * time, ifelse(status == 3, 0.7 * time, time)), to = 1.3 * time, status = status, x = x)
start <- list(par = c(b0 = 0, b1 = 0, log_scale = 0))
reference <- list(value = 144.1150132, par = c(0.488960, 0.558589, -0.463979), se = c(0.0669, 0.0601, 0.0844))

# title: Lognormal survival
# source: Boag (1949) JRSS B 11, 15-53
# reference: survival 3.5-3, survreg(Surv(time, event) ~ x, dist = "lognormal")
negative <- function(b, log_sd) {
  m <- b[1] + b[2] * x
  s <- exp(log_sd)
  -sum(ifelse(event, dlnorm(time, m, s, log = TRUE), plnorm(time, m, s, lower.tail = FALSE, log.p = TRUE)))
}
set.seed(42)
data <- data.frame(x = rep(0:1, 60))
time <- rlnorm(120, 1 - 0.5 * data$x, 0.8)
limit <- rexp(120, 0.15)
data$time <- pmin(time, limit)
data$event <- time <= limit
start <- list(b = c(0, 0), log_sd = 0)
reference <- list(value = 178.245029, par = c(0.962302, -0.360719, -0.174139), se = c(0.1186, 0.1669, 0.0747))

# title: Cox partial likelihood
# source: Cox (1972) JRSS B 34, 187-220
# reference: survival 3.5-3, coxph(Surv(time, event) ~ X)
negative <- function(X, event, b) {
  eta <- drop(X %*% b) # rows in the order of time
  -sum(event * (eta - log(rev(cumsum(rev(exp(eta)))))))
}
set.seed(43)
X <- cbind(rnorm(100), rep(0:1, 50))
time <- rexp(100, exp(X %*% c(0.5, -0.7)))
limit <- rexp(100, 0.4)
order <- order(pmin(time, limit))
data <- list(X = X[order, ], event = (time <= limit)[order] + 0)
start <- list(b = c(0, 0))
reference <- list(value = 248.3184802, par = c(0.502094, -0.839069), se = c(0.1534, 0.2544))

# title: Gompertz survival
# source: Gompertz (1825); Garg, Rao and Redmond (1970) Applied Statistics 19, 152-159
# reference: R 4.2.2, nlminb() of the same function, gradient by differences
negative <- function(par) {
  a <- exp(par["log_a"] + par["b"] * x)
  g <- par["g"]
  -sum(event * (log(a) + g * time) - a / g * expm1(g * time))
}
set.seed(44)
data <- data.frame(x = rep(0:1, 60))
time <- log1p(-log(runif(120)) * 0.4 / (0.2 * exp(0.5 * data$x))) / 0.4
data$time <- pmin(time, 4)
data$event <- time <= 4
start <- list(par = c(log_a = -1, b = 0, g = 0.2))
reference <- list(value = 181.2662358, par = c(-1.93914, 0.62732, 0.48699), se = c(0.2442, 0.2007, 0.0942))

# title: Competing risks, Weibull causes
# source: Prentice et al. (1978) Biometrics 34, 541-554
# reference: survival 3.5-3, survreg(Surv(time, cause == k) ~ 1) for each cause
negative <- function(time, cause, log_shape, log_scale) {
  value <- 0
  for (k in 1:2) {
    survival <- pweibull(time, exp(log_shape[k]), exp(log_scale[k]), lower.tail = FALSE, log.p = TRUE)
    density <- dweibull(time, exp(log_shape[k]), exp(log_scale[k]), log = TRUE)
    value <- value - sum(ifelse(cause == k, density, survival))
  }
  value
}
set.seed(45)
times <- cbind(rweibull(150, 1.3, 2), rweibull(150, 0.8, 4), 3)
data <- list(time = pmin(times[, 1], times[, 2], 3), cause = max.col(-times) %% 3)
start <- list(log_shape = c(0, 0), log_scale = c(0, 0))
reference <- list(value = 245.6170477, par = c(0.312275, -0.416929, 0.548969, 1.883359), se = c(0.0818, 0.1358, 0.0739, 0.3151))
