# title: Generalized extreme values
# source: Jenkinson (1955) Quarterly Journal of the Royal Meteorological Society 81, 158-171
# reference: evd 2.3-6.1, fgev(y)
negative <- function(m, log_s, xi) {
  z <- 1 + xi * (y - m) / exp(log_s)
  -sum(ifelse(z > 0, -log_s - (1 + 1 / xi) * log(z) - z^(-1 / xi), -Inf))
}
set.seed(21)
data <- list(y = 3 + 0.8 * ((-log(runif(100)))^-0.15 - 1) / 0.15)
start <- c(m = 3, log_s = 0, xi = 0.1)
reference <- list(value = 157.5135708, par = c(3.187344, -0.073396, 0.118367), se = c(0.1093, 0.0914, 0.0979))

# title: Generalized Pareto
# source: Pickands (1975) Annals of Statistics 3, 119-131
# reference: evd 2.3-6.1, fpot(y, 0)
negative <- function(par) {
  z <- 1 + par["xi"] * y / exp(par["log_s"])
  sum(ifelse(z > 0, par["log_s"] + (1 / par["xi"] + 1) * log(z), Inf))
}
set.seed(22)
data <- list(y = 1.3 * (runif(120)^-0.2 - 1) / 0.2)
start <- list(par = c(log_s = 0, xi = 0.1))
reference <- list(value = 179.5641814, par = c(0.521752, -0.025386), se = c(0.1315, 0.0946))
