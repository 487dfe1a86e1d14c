# title: Negative binomial regression
# source: Lawless (1987) Canadian Journal of Statistics 15, 209-225
# reference: MASS 7.3-58.2, glm.nb(y ~ x)
negative <- function(y, x, par) {
  mu <- exp(par["b0"] + par["b1"] * x)
  -sum(dnbinom(y, size = exp(par["log_size"]), mu = mu, log = TRUE))
}
set.seed(1)
x <- rnorm(100)
data <- list(y = rnbinom(100, size = 2, mu = exp(1 + 0.5 * x)), x = x)
start <- list(par = c(b0 = 0, b1 = 0, log_size = 0))
reference <- list(value = 215.5180708, par = c(0.955846, 0.457805, 0.530773), se = c(0.1018, 0.1124, 0.2375))

# title: Zero-inflated Poisson regression
# source: Lambert (1992) Technometrics 34, 1-14
# reference: pscl 1.5.5, zeroinfl(y ~ x | z)
negative <- function(b, g) {
  zero <- plogis(g[1] + g[2] * z)
  mu <- exp(b[1] + b[2] * x)
  -sum(log(ifelse(y == 0, zero, 0) + (1 - zero) * dpois(y, mu)))
}
set.seed(2)
data <- data.frame(x = rnorm(150), z = rnorm(150))
data$y <- rpois(150, exp(0.8 + 0.5 * data$x)) * rbinom(150, 1, plogis(1 - data$z))
start <- list(b = c(0, 0), g = c(0, 0))
reference <- list(value = 233.0113239, par = c(0.798951, 0.540761, -1.321317, 1.396644), se = c(0.0771, 0.0612, 0.3440, 0.3620))

# title: Hurdle Poisson regression
# source: Mullahy (1986) Journal of Econometrics 33, 341-365
# reference: pscl 1.5.5, hurdle(y ~ x | z)
negative <- function(b, g) {
  mu <- exp(b[1] + b[2] * x)
  some <- plogis(g[1] + g[2] * z)
  positive <- dpois(y, mu, log = TRUE) - ppois(0, mu, lower.tail = FALSE, log.p = TRUE)
  -sum(ifelse(y == 0, log(1 - some), log(some) + positive))
}
set.seed(2)
data <- data.frame(x = rnorm(150), z = rnorm(150))
data$y <- rpois(150, exp(0.8 + 0.5 * data$x)) * rbinom(150, 1, plogis(1 - data$z))
start <- list(b = c(0, 0), g = c(0, 0))
reference <- list(value = 242.3892255, par = c(0.851316, 0.485802, 0.466731, -0.764193), se = c(0.0855, 0.0692, 0.1797, 0.1953))

# title: Zero-inflated negative binomial
# source: Greene (1994) NYU working paper EC-94-10
# reference: pscl 1.5.5, zeroinfl(y ~ x | 1, dist = "negbin")
negative <- function(y, x, b, logit, log_size) {
  k <- exp(log_size)
  mu <- exp(b[1] + b[2] * x)
  zero <- plogis(logit)
  -sum(ifelse(y == 0, log(zero + (1 - zero) * dnbinom(0, size = k, mu = mu)), log1p(-zero) + dnbinom(y, size = k, mu = mu, log = TRUE)))
}
set.seed(3)
x <- rnorm(200)
data <- list(y = rnbinom(200, size = 3, mu = exp(1.5 + 0.5 * x)) * rbinom(200, 1, 0.7), x = x)
start <- list(b = c(0, 0), logit = 0, log_size = 0)
reference <- list(value = 456.2180236, par = c(1.428229, 0.701985, -1.246292, 0.926630), se = c(0.0732, 0.0761, 0.2199, 0.2278))

# title: Beta-binomial regression
# source: Williams (1975) Biometrics 31, 949-952
# reference: VGAM 1.1-7, vglm(cbind(y, size - y) ~ x, betabinomial(zero = 2)), rho = 1 / (1 + phi)
negative <- function(y, size, x, par) {
  mu <- plogis(par[1] + par[2] * x)
  phi <- exp(par[3])
  -sum(lchoose(size, y) + lbeta(y + mu * phi, size - y + (1 - mu) * phi) - lbeta(mu * phi, (1 - mu) * phi))
}
set.seed(4)
x <- rnorm(80)
p <- plogis(0.3 + 0.6 * x)
data <- list(y = rbinom(80, 12, rbeta(80, 5 * p, 5 * (1 - p))), size = 12, x = x)
start <- list(par = c(b0 = 0, b1 = 0, log_phi = 0))
reference <- list(value = 185.71372, par = c(0.536313, 0.654991, 1.329764), se = c(0.1253, 0.1487, 0.2205))

# title: Zero-truncated Poisson
# source: Cohen (1960) Biometrics 16, 203-211
# reference: VGAM 1.1-7, vglm(y ~ 1, pospoisson)
negative <- function(log_mean) {
  mu <- exp(log_mean)
  -sum(times * (dpois(size, mu, log = TRUE) - log(-expm1(-mu))))
}
data <- list(size = 1:5, times = c(1486, 694, 195, 37, 10)) # sizes of groups of people
start <- c(log_mean = 0)
reference <- list(value = 2297.02427, par = c(-0.116959), se = 0.02683)

# title: Conway-Maxwell-Poisson
# source: Shmueli et al. (2005) Applied Statistics 54, 127-142
# reference: R 4.2.2, nlminb() of the same function, gradient by differences
negative <- function(y, log_lambda, nu) {
  total <- 0
  for (j in 0:40) total <- total + exp(j * log_lambda - nu * lfactorial(j))
  -sum(y * log_lambda - nu * lfactorial(y) - log(total))
}
set.seed(5)
data <- list(y = rbinom(120, 8, 0.4))
start <- c(log_lambda = 1, nu = 1)
reference <- list(value = 207.8049789, par = c(2.3165, 1.8400), se = c(0.3431, 0.2518))

# title: Poisson-lognormal by Gauss-Hermite nodes
# source: Bulmer (1974) Biometrics 30, 101-110
# reference: lme4 1.1-31, glmer(y ~ x + (1 | row), family = poisson, nAGQ = 9)
negative <- function(par) {
  eta <- par[1] + par[2] * x
  s <- exp(par[3])
  likelihood <- 0
  for (k in 1:9) likelihood <- likelihood + w[k] * dpois(y, exp(eta + s * node[k]))
  -sum(log(likelihood))
}
set.seed(6)
x <- rnorm(100)
half <- c(1.02325566378913, 2.07684797867783, 3.20542900285647, 4.51274586339978)
weights <- c(0.244097502894939, 0.0499164067652179, 0.00278914132123177, 2.23458440077466e-05)
data <- list(
  y = rpois(100, exp(1 + 0.4 * x + rnorm(100, 0, 0.6))), x = x, node = c(-rev(half), 0, half), w = c(rev(weights), 0.406349206349206, weights)
)
start <- list(par = c(b0 = 0, b1 = 0, log_sd = 0))
reference <- list(par = c(0.966860, 0.439265, -0.879179), se = c(0.0812, 0.0680, NA))
