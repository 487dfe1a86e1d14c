# title: Beta regression
# source: Ferrari and Cribari-Neto (2004) Journal of Applied Statistics 31, 799-815
# reference: betareg 3.2-6, betareg(y ~ x, link.phi = "log")
negative <- function(y, X, b, log_phi) {
  mu <- drop(plogis(X %*% b))
  phi <- exp(log_phi)
  -sum(dbeta(y, mu * phi, (1 - mu) * phi, log = TRUE))
}
set.seed(11)
X <- cbind(1, rnorm(100))
mu <- plogis(X %*% c(0.4, 0.6))
data <- list(y = rbeta(100, 8 * mu, 8 * (1 - mu)), X = X)
start <- list(b = c(0, 0), log_phi = 0)
reference <- list(value = -53.50225927, par = c(0.358695, 0.580453, 2.289456), se = c(0.0639, 0.0726, 0.1355))

# title: Tobit
# source: Tobin (1958) Econometrica 26, 24-36
# reference: survival 3.5-3, survreg(Surv(y, y > 0, type = "left") ~ x, dist = "gaussian")
negative <- function(y, X, b, log_sd) {
  mu <- drop(X %*% b)
  -sum(ifelse(y > 0, dnorm(y, mu, exp(log_sd), log = TRUE), pnorm(0, mu, exp(log_sd), log.p = TRUE)))
}
set.seed(12)
X <- cbind(1, rnorm(120))
data <- list(y = pmax(X %*% c(0.5, 0.8) + rnorm(120), 0)[, 1], X = X)
start <- list(b = c(0, 0), log_sd = 0)
reference <- list(value = 141.9010126, par = c(0.416181, 0.722900, 0.028707), se = c(0.1064, 0.1216, 0.0866))

# title: Student t with unknown degrees of freedom
# source: Lange, Little and Taylor (1989) JASA 84, 881-896
# reference: MASS 7.3-58.2, fitdistr(y, "t")
negative <- function(m, log_s, log_df) -sum(dt((y - m) / exp(log_s), exp(log_df), log = TRUE) - log_s)
set.seed(13)
data <- list(y = 3 + 2 * rt(200, 4))
start <- c(m = 1, log_s = 0, log_df = 1)
reference <- list(value = 473.3121214, par = c(3.092863, 0.731386, 1.574518), se = c(0.1723, 0.0904, 0.3607))

# title: Skew normal
# source: Azzalini (1985) Scandinavian Journal of Statistics 12, 171-178
# reference: sn 2.1.0, selm(y ~ 1)
negative <- function(par) {
  z <- (y - par["xi"]) / exp(par["log_omega"])
  -sum(log(2) + dnorm(z, log = TRUE) + pnorm(par["alpha"] * z, log.p = TRUE) - par["log_omega"])
}
set.seed(14)
data <- list(y = 1 + 2 * (0.95 * abs(rnorm(200)) + sqrt(1 - 0.95^2) * rnorm(200)))
start <- list(par = c(xi = 1, log_omega = 0.5, alpha = 1))
reference <- list(value = 336.2874213, par = c(0.74403, 0.75131, 3.38234))

# title: Laplace
# source: Laplace (1774)
# reference: R 4.2.2, median(y), log(mean(abs(y - median(y))))
negative <- function(m, log_s) sum(abs(y - m)) / exp(log_s) + length(y) * (log_s + log(2))
data <- list(y = as.vector(precip)[-1]) # an odd number of cities, so that the median is one
start <- c(m = 30, log_s = 2)
fit <- function(objective) { # no derivative at the data
  optim(objective$par, objective$fn, control = list(reltol = 1e-14, maxit = 5000))
}
reference <- list(par = c(median(data$y), log(mean(abs(data$y - median(data$y))))))

# title: Von Mises
# source: von Mises (1918) Physikalische Zeitschrift 19, 490-500
# reference: circular 0.4-95, mle.vonmises()
negative <- function(mu, log_kappa) {
  k <- exp(log_kappa)
  -sum(k * cos(angle - mu) - log(2 * pi * besselI(k, 0)))
}
set.seed(16)
data <- list(angle = atan2(rnorm(90, 1, 0.8), rnorm(90, 0.5, 0.8)))
start <- c(mu = 0, log_kappa = 0)
reference <- list(par = c(1.129855, 0.785349), se = c(0.0835, 0.1285))

# title: Inverse Gaussian regression
# source: Tweedie (1957) Annals of Mathematical Statistics 28, 362-377
# reference: R 4.2.2, glm(y ~ x, inverse.gaussian("log")), lambda = n / deviance
negative <- function(y, X, b, log_lambda) {
  mu <- exp(drop(X %*% b))
  lambda <- exp(log_lambda)
  -sum(0.5 * log(lambda / (2 * pi * y^3)) - lambda * (y - mu)^2 / (2 * mu^2 * y))
}
data <- list(y = airquality$Temp - 50, X = cbind(1, (airquality$Wind - 10) / 4))
start <- list(b = c(3, 0), log_lambda = 3)
reference <- list(par = c(3.313651, -0.186103, 5.024625))

# title: Gamma regression
# source: McCullagh and Nelder (1989) Generalized Linear Models, section 8.4
# reference: MASS 7.3-58.2, glm(dist ~ log(speed), Gamma("log")), gamma.shape()
negative <- function(b0, b1, log_shape) {
  shape <- exp(log_shape)
  -sum(dgamma(dist, shape, scale = exp(b0 + b1 * log(speed)) / shape, log = TRUE))
}
data <- cars
start <- c(b0 = 0, b1 = 1, log_shape = 1)
reference <- list(par = c(-0.288426, 1.465481, 1.898200), se = c(0.3590, 0.1333, 0.1952))

# title: Tweedie, a Poisson number of gamma amounts
# compiles: slowly
# source: Dunn and Smyth (2005) Statistics and Computing 15, 267-280
# reference: tweedie 3.1.0, optim() of dtweedie(power = 1.5)
negative <- function(log_mu, log_phi) {
  lambda <- 2 * exp(0.5 * log_mu - log_phi)
  scale <- exp(log_phi + 0.5 * log_mu) / 2
  amount <- ifelse(y > 0, y, 1)
  density <- 0
  for (j in 1:12) density <- density + dpois(j, lambda) * dgamma(amount, j, scale = scale)
  -sum(ifelse(y > 0, log(density), -lambda))
}
set.seed(19)
data <- list(y = vapply(rpois(100, 1.5), function(k) if (k > 0) rgamma(1, k, 0.8) else 0, 0))
start <- c(log_mu = 0, log_phi = 0)
reference <- list(value = 197.4642302, par = c(0.659542, 0.450608), se = c(0.1062, 0.1100))

# title: Gaussian copula
# source: Sklar (1959); Song (2000) Scandinavian Journal of Statistics 27, 305-320
# reference: R 4.2.2, optimize() of the same function
negative <- function(u, v, z) {
  r <- tanh(z)
  a <- qnorm(u)
  b <- qnorm(v)
  sum(0.5 * log1p(-r^2) + (r^2 * (a^2 + b^2) - 2 * r * a * b) / (2 * (1 - r^2)))
}
data <- list(u = rank(cars$speed) / 51, v = rank(cars$dist) / 51)
start <- c(z = 0.5)
reference <- list(value = -31.62812717, par = c(1.3158), se = 0.1082)

# title: Clayton copula
# source: Clayton (1978) Biometrika 65, 141-151
# reference: R 4.2.2, optimize() of the same function
negative <- function(u, v, log_theta) {
  t <- exp(log_theta)
  -sum(log1p(t) - (1 + t) * (log(u) + log(v)) - (2 + 1 / t) * log(u^-t + v^-t - 1))
}
data <- list(u = rank(cars$speed) / 51, v = rank(cars$dist) / 51)
start <- c(log_theta = 0)
reference <- list(value = -28.86364558, par = c(1.0380), se = 0.1694)
