# title: Mixture of normals
# source: Pearson (1894); Dempster, Laird and Rubin (1977) JRSS B 39, 1-38
# reference: mixtools 2.0.0, normalmixEM(y, k = 2)
negative <- function(logit, m, log_s) {
  p <- plogis(logit)
  -sum(log(p * dnorm(y, m[1], exp(log_s[1])) + (1 - p) * dnorm(y, m[2], exp(log_s[2]))))
}
data <- list(y = faithful$waiting)
start <- list(logit = 0, m = c(55, 80), log_s = c(2, 2))
reference <- list(value = 1034.00175, par = c(-0.57152, 54.61486, 80.09107, 1.77006, 1.76947))

# title: Mixture of Poisson distributions
# source: Hasselblad (1969) JASA 64, 1459-1471
# reference: Hasselblad's table, deaths in The Times of London: 0.3599, 1.256, 2.663
negative <- function(logit, log_mean) {
  p <- plogis(logit)
  -sum(days * log(p * dpois(deaths, exp(log_mean[1])) + (1 - p) * dpois(deaths, exp(log_mean[2]))))
}
data <- list(deaths = 0:9, days = c(162, 267, 271, 185, 111, 61, 27, 8, 3, 1))
start <- list(logit = -0.5, log_mean = c(0.2, 1))
reference <- list(par = c(qlogis(0.3599), log(1.256), log(2.663)))

# title: Mixture of regressions
# source: Quandt (1972) JASA 67, 306-310
# reference: mixtools 2.0.0, regmixEM(y, x, k = 2, arbvar = FALSE)
negative <- function(y, x, w, b, log_s) {
  share <- c(plogis(w), plogis(-w))
  density <- 0
  for (k in 1:2) density <- density + share[k] * dnorm(y, b[2 * k - 1] + b[2 * k] * x, exp(log_s))
  -sum(log(density))
}
set.seed(53)
x <- runif(120, 0, 4)
first <- runif(120) < 0.4
data <- list(y = ifelse(first, 1 + x, 5 - 0.5 * x) + rnorm(120, 0, 0.4), x = x)
start <- list(w = 0, b = c(0, 1, 4, 0), log_s = 0)
reference <- list(value = 106.3209022, par = c(-0.851949, 1.055094, 1.022916, 5.118205, -0.541536, -0.961912))
