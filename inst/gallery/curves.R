# title: Four-parameter logistic dose response
# source: Finney (1976) Biometrics 32, 721-740
# reference: R 4.2.2, nls(density ~ SSfpl(log(conc), A, B, xmid, scal), DNase, Run == 1)
negative <- function(density, conc, a, b, mid, scale, log_sd) {
  -sum(dnorm(density, a + (b - a) / (1 + exp((mid - log(conc)) / scale)), exp(log_sd), log = TRUE))
}
data <- subset(as.data.frame(DNase), Run == 1)
start <- c(a = 0, b = 2, mid = 1, scale = 1, log_sd = -2)
reference <- list(
  value = -42.34689606,
  par = c(-0.007897, 2.377239, 1.507403, 1.062579, -4.065620),
  se = c(0.0149, 0.0948, 0.0884, 0.0494, NA)
)

# title: Michaelis-Menten
# source: Michaelis and Menten (1913); Bates and Watts (1988), appendix 1
# reference: R 4.2.2, nls(rate ~ SSmicmen(conc, Vm, K), Puromycin, state == "treated")
negative <- function(Vm, K, log_sd) -sum(dnorm(rate, Vm * conc / (K + conc), exp(log_sd), log = TRUE))
data <- subset(Puromycin, state == "treated")
start <- c(Vm = 200, K = 0.1, log_sd = 2)
fit <- function(objective) nlminb(objective$par, objective$fn, objective$gr)
reference <- list(value = 44.63548432, par = c(212.68371, 0.064121, 2.300685), se = c(6.3419, 0.0076, NA))

# title: One compartment, oral dose
# source: Pinheiro and Bates (2000) Mixed-Effects Models in S and S-PLUS, appendix C.6
# reference: R 4.2.2, nls(conc ~ SSfol(Dose, Time, lKe, lKa, lCl), Theoph, Subject == 1)
negative <- function(conc, Time, Dose, lke, lka, lcl, log_sd) {
  ke <- exp(lke)
  ka <- exp(lka)
  level <- Dose * exp(lke + lka - lcl) * (exp(-ke * Time) - exp(-ka * Time)) / (ka - ke)
  -sum(dnorm(conc, level, exp(log_sd), log = TRUE))
}
data <- subset(as.data.frame(Theoph), Subject == 1)
start <- c(lke = -2.5, lka = 0.5, lcl = -3, log_sd = 0)
fit <- function(objective) nlm(objective$f, objective$par, hessian = TRUE)
reference <- list(value = 10.42435788, par = c(-2.919614, 0.575161, -3.915857, -0.471270), se = c(0.1457, 0.1474, 0.1085, NA))

# title: Logistic growth with autocorrelated errors
# source: Pinheiro and Bates (2000) Mixed-Effects Models in S and S-PLUS, section 8.3
# reference: nlme 3.1-162, gnls(height ~ SSlogis(age, Asym, xmid, scal), correlation = corAR1())
negative <- function(par, z, log_sd) {
  e <- height - par[1] / (1 + exp((par[2] - age) / par[3]))
  n <- length(e)
  r <- tanh(z)
  -dnorm(e[1], 0, exp(log_sd), log = TRUE) - sum(dnorm(e[-1], r * e[-n], exp(log_sd) * sqrt(1 - r^2), log = TRUE))
}
set.seed(74)
age <- 1:25
data <- list(age = age, height = 100 / (1 + exp((10 - age) / 3)) + 2 * as.vector(arima.sim(list(ar = 0.5), 25)))
start <- list(par = c(90, 9, 2), z = 0, log_sd = 1)
reference <- list(value = 49.33840946, par = c(99.03433, 9.94293, 2.82667, 0.26380, 0.58762), se = c(0.9595, 0.1258, 0.1055, NA, NA))
