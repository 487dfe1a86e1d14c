# title: Random intercepts, penalized
# source: Henderson (1950); Robinson (1991) Statistical Science 6, 15-32
# reference: R 4.2.2, solve() of the mixed model equations
negative <- function(b, u) {
  -sum(dnorm(y, b[1] + b[2] * x + u[g], sd, log = TRUE)) - sum(dnorm(u, 0, sd_u, log = TRUE))
}
set.seed(61)
g <- factor(rep(letters[1:8], 12))
x <- rnorm(96)
data <- list(y = 1 + 0.5 * x + rnorm(8, 0, 0.8)[g] + rnorm(96), x = x, g = g, sd = 1, sd_u = 0.8)
start <- list(b = c(0, 0), u = numeric(8))
reference <- list(par = c(0.879137, 0.552717, -1.212016, 0.151456, 0.049706, 0.394090, 1.071839, 0.302691, -0.534098, -0.223668))

# title: Random intercepts and slopes, penalized
# source: Laird and Ware (1982) Biometrics 38, 963-974
# reference: R 4.2.2, solve() of the normal equations
negative <- function(y, x, g, sd, b, u, v) {
  fit <- b[1] + u[g] + (b[2] + v[g]) * x
  -sum(dnorm(y, fit, sd[1], log = TRUE)) - sum(dnorm(u, 0, sd[2], log = TRUE)) - sum(dnorm(v, 0, sd[3], log = TRUE))
}
data <- with(subset(ChickWeight, as.integer(as.character(Chick)) <= 6 & Diet == 1), list(
  y = weight / 10, x = (Time - 10) / 10, g = as.integer(factor(as.character(Chick))), sd = c(1, 3, 4)
))
start <- list(b = c(0, 0), u = numeric(6), v = numeric(6))
reference <- list(
  par = c(10.72377, 7.95286, -0.28659, 0.46499, 0.08134, -1.33786, 1.01376, 0.06436, 0.03413, 0.75925, 0.52867, -1.84575, 2.08077, -1.55707),
  se = rep(c(1.2305, 1.6422, 1.2530, 1.6782), c(1, 1, 6, 6))
)

# title: Logistic regression with random intercepts
# source: Breslow and Clayton (1993) JASA 88, 9-25; Lesaffre and Spiessens (2001) Applied Statistics 50, 325-335
# reference: lme4 1.1-31, glmer(cbind(y, n - y) ~ x + (1 | group), binomial, nAGQ = 9), a row for each group
negative <- function(y, n, x, b, log_sd) {
  eta <- b[1] + b[2] * x
  likelihood <- 0
  for (k in 1:9) likelihood <- likelihood + w[k] * dbinom(y, n, plogis(eta + exp(log_sd) * node[k]))
  -sum(log(likelihood))
}
set.seed(63)
half <- c(1.02325566378913, 2.07684797867783, 3.20542900285647, 4.51274586339978)
weights <- c(0.244097502894939, 0.0499164067652179, 0.00278914132123177, 2.23458440077466e-05)
x <- rnorm(60)
data <- list(
  y = rbinom(60, 10, plogis(-0.5 + 0.7 * x + rnorm(60, 0, 0.7))), n = 10, x = x,
  node = c(-rev(half), 0, half), w = c(rev(weights), 0.406349206349206, weights)
)
start <- list(b = c(0, 0), log_sd = 0)
reference <- list(par = c(-0.824117, 0.717641, -0.221065), se = c(0.1464, 0.1518, NA))

# title: Poisson with random intercepts, all integrated out exactly
# source: Hausman, Hall and Griliches (1984) Econometrica 52, 909-938
# reference: R 4.2.2, MASS 7.3-58.2, glm.nb() of the sums by group, whose likelihood has the same maximum in mean and shape
negative <- function(log_mean, log_shape) {
  k <- exp(log_shape)
  total <- ave(y, g, FUN = sum)
  each <- lgamma(k + total) - lgamma(k) + k * log(k) - (k + total) * log(k + size * exp(log_mean)) + total * log_mean
  -sum(each / size) + sum(lgamma(y + 1))
}
set.seed(64)
g <- rep(1:15, each = 6)
data <- list(y = rpois(90, 3 * rgamma(15, 2, 2)[g]), g = g, size = 6)
start <- c(log_mean = 0, log_shape = 0)
reference <- list(par = c(1.30231, 1.50480), se = c(0.1335, 0.4639))
