# title: Capture and recapture, closed population
# source: Huggins (1989) Biometrika 76, 133-140
# reference: VGAM 1.1-7, vglm(cbind(y, 5 - y) ~ x, posbinomial)
negative <- function(y, occasions, x, b) {
  p <- plogis(b[1] + b[2] * x)
  -sum(dbinom(y, occasions, p, log = TRUE) - log1p(-(1 - p)^occasions))
}
set.seed(81)
x <- rnorm(140)
y <- rbinom(140, 5, plogis(-0.5 + 0.6 * x))
data <- list(y = y[y > 0], occasions = 5, x = x[y > 0])
start <- list(b = c(0, 0))
reference <- list(value = 161.8424685, par = c(-0.548733, 0.424049), se = c(0.1023, 0.1090))

# title: Cormack-Jolly-Seber
# source: Lebreton et al. (1992) Ecological Monographs 62, 67-118, European dippers
# reference: Lebreton's model (phi, p): 0.560, 0.903
negative <- function(phi, p) {
  s <- plogis(phi)
  q <- plogis(p)
  never <- numeric(7) # not seen again after occasion t
  never[7] <- 1
  for (t in 6:1) never[t] <- 1 - s + s * (1 - q) * never[t + 1]
  value <- 0
  for (i in 1:6) {
    again <- 0
    for (j in 1:6) if (j >= i) {
      value <- value + m[6 * (i - 1) + j] * ((j - i + 1) * log(s) + (j - i) * log(1 - q) + log(q))
      again <- again + m[6 * (i - 1) + j]
    }
    value <- value + (released[i] - again) * log(never[i])
  }
  -value
}
data <- list(
  released = c(22, 60, 78, 80, 88, 98),
  m = c(11, 2, 0, 0, 0, 0, 0, 24, 1, 0, 0, 0, 0, 0, 34, 2, 0, 0, 0, 0, 0, 45, 1, 2, 0, 0, 0, 0, 51, 0, 0, 0, 0, 0, 0, 52)
)
start <- c(phi = 0, p = 0)
reference <- list(par = c(qlogis(0.560), qlogis(0.903)))

# title: N-mixture
# compiles: slowly
# source: Royle (2004) Biometrics 60, 108-115
# reference: R 4.2.2, nlminb() of the same function, gradient by differences
negative <- function(y1, y2, x, b, logit) {
  lambda <- exp(b[1] + b[2] * x)
  p <- plogis(logit)
  total <- 0
  for (N in 0:9) total <- total + dpois(N, lambda) * dbinom(y1, N, p) * dbinom(y2, N, p)
  -sum(log(total))
}
set.seed(83)
x <- rnorm(60)
N <- rpois(60, exp(0.2 + 0.4 * x))
data <- list(y1 = rbinom(60, N, 0.6), y2 = rbinom(60, N, 0.6), x = x)
start <- list(b = c(0, 0), logit = 0)
reference <- list(value = 132.4313074, par = c(0.18269, 0.45324, 0.44421), se = c(0.1735, 0.1183, 0.3268))

# title: Site occupancy
# source: MacKenzie et al. (2002) Ecology 83, 2248-2255
# reference: R 4.2.2, nlminb() of the same function, gradient by differences
negative <- function(par) {
  psi <- plogis(par[1] + par[2] * x)
  p <- plogis(par[3])
  -sum(log(psi * dbinom(seen, visits, p) + ifelse(seen == 0, 1 - psi, 0)))
}
set.seed(84)
x <- rnorm(100)
data <- list(seen = rbinom(100, 4, 0.4) * rbinom(100, 1, plogis(0.3 + 0.8 * x)), visits = 4, x = x)
start <- list(par = c(0, 0, 0))
reference <- list(value = 120.3019331, par = c(0.34727, 1.33677, -0.48505), se = c(0.3210, 0.4302, 0.1713))
