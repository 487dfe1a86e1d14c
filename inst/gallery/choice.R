# title: Ordered logit
# source: McCullagh (1980) JRSS B 42, 109-142
# reference: MASS 7.3-58.2, polr(factor(y) ~ x)
negative <- function(y, x, beta, par) {
  cuts <- c(-Inf, par[1], par[1] + exp(par[2]), Inf)
  -sum(log(plogis(cuts[y + 1] - beta * x) - plogis(cuts[y] - beta * x)))
}
set.seed(31)
x <- rnorm(150)
data <- list(y = 1 + (0.8 * x + rlogis(150) > -0.5) + (0.8 * x + rlogis(150) > 1), x = x)
start <- list(beta = 0, par = c(-1, 0))
reference <- list(value = 148.0119357, par = c(0.667913, -1.097677, 0.880321), se = c(0.1820, 0.1938, NA))

# title: Ordered probit
# source: McKelvey and Zavoina (1975) Journal of Mathematical Sociology 4, 103-120
# reference: MASS 7.3-58.2, polr(factor(y) ~ x, method = "probit")
negative <- function(beta, cuts) {
  upper <- ifelse(y == 3, 1, pnorm(cuts[y] - beta * x))
  lower <- ifelse(y == 1, 0, pnorm(cuts[pmax(y - 1, 1)] - beta * x))
  -sum(log(upper - lower))
}
set.seed(32)
data <- data.frame(x = rnorm(150))
data$y <- as.integer(cut(0.7 * data$x + rnorm(150), c(-Inf, -0.5, 0.8, Inf)))
start <- list(beta = 0, cuts = c(-1, 1))
reference <- list(value = 134.7654376, par = c(0.835255, -0.714313, 0.749496), se = c(0.1234, 0.1205, 0.1246))

# title: Multinomial logit
# source: Theil (1969) International Economic Review 10, 251-259
# reference: nnet 7.3-18, multinom(kind ~ dose)
negative <- function(b2, b3) {
  e2 <- b2[1] + b2[2] * dose
  e3 <- b3[1] + b3[2] * dose
  -sum(ifelse(kind == 1, 0, ifelse(kind == 2, e2, e3)) - log(1 + exp(e2) + exp(e3)))
}
set.seed(33)
dose <- runif(150, 0, 2)
u <- runif(150)
p <- cbind(1, exp(-0.5 + dose), exp(-1 + 1.2 * dose))
data <- list(dose = dose, kind = 1 + (u > p[, 1] / rowSums(p)) + (u > (p[, 1] + p[, 2]) / rowSums(p)))
start <- list(b2 = c(0, 0), b3 = c(0, 0))
reference <- list(value = 155.4249991, par = c(-0.110249, 0.687774, -0.928222, 1.372990), se = c(0.4002, 0.3970, 0.4516, 0.4147))

# title: Conditional logit
# source: McFadden (1974) Frontiers in Econometrics, 105-142; Breslow et al. (1978)
# reference: survival 3.5-3, clogit(case ~ spontaneous + induced + strata(stratum))
negative <- function(X, case, set, b) {
  risk <- exp(drop(X %*% b))
  -sum(case * log(risk / ave(risk, set, FUN = sum)))
}
data <- list(X = as.matrix(infert[c("spontaneous", "induced")]), case = infert$case, set = infert$stratum)
start <- list(b = c(0, 0))
reference <- list(value = 64.20223692, par = c(1.98588, 1.40901), se = c(0.3524, 0.3607))

# title: Bradley-Terry
# source: Bradley and Terry (1952) Biometrika 39, 324-345; Agresti (2002) Categorical Data Analysis, section 10.6
# reference: R 4.2.2, glm(cbind(wins, losses) ~ 0 + D, binomial), D[, i] - D[, j] of home and away
negative <- function(strength) {
  ability <- c(strength, 0) # baseball, American League 1987; the last team is the measure
  -sum(wins * plogis(ability[home] - ability[away], log.p = TRUE) + losses * plogis(ability[away] - ability[home], log.p = TRUE))
}
pairs <- t(combn(7, 2))
data <- list(
  home = pairs[, 1], away = pairs[, 2], wins = c(7, 9, 7, 7, 9, 11, 7, 5, 11, 9, 9, 7, 7, 6, 12, 6, 7, 13, 7, 9, 12),
  losses = c(6, 4, 6, 6, 4, 2, 6, 8, 2, 4, 4, 6, 6, 7, 1, 7, 6, 0, 6, 4, 1)
)
start <- list(strength = numeric(6))
reference <- list(par = c(2.03540, 1.88834, 1.64859, 1.83999, 1.41026, 1.50579), se = c(0.3800, 0.3764, 0.3719, 0.3754, 0.3689, 0.3699))

# title: Rasch, abilities integrated out
# source: Rasch (1960); Bock and Lieberman (1970) Psychometrika 35, 179-197
# reference: lme4 1.1-31, glmer(y ~ 0 + item + (1 | person), binomial, nAGQ = 9)
negative <- function(easy, log_sd) {
  likelihood <- 0
  for (k in 1:9) {
    ability <- exp(log_sd) * node[k]
    p <- 0
    for (i in 1:4) p <- p + plogis((2 * Y[, i] - 1) * (easy[i] + ability), log.p = TRUE)
    likelihood <- likelihood + w[k] * exp(p)
  }
  -sum(log(likelihood))
}
set.seed(36)
half <- c(1.02325566378913, 2.07684797867783, 3.20542900285647, 4.51274586339978)
weights <- c(0.244097502894939, 0.0499164067652179, 0.00278914132123177, 2.23458440077466e-05)
ability <- rnorm(80)
Y <- vapply(c(1, 0.3, -0.2, -1), function(easy) rbinom(80, 1, plogis(easy + ability)) + 0, ability)
data <- list(Y = Y, node = c(-rev(half), 0, half), w = c(rev(weights), 0.406349206349206, weights))
start <- list(easy = numeric(4), log_sd = 0)
reference <- list(par = c(1.433009, 0.660448, -0.535697, -0.597480, -0.111571), se = c(0.3159, 0.2739, 0.2698, 0.2717, NA))

# title: Two-parameter item response, with priors
# source: Birnbaum (1968); Mislevy (1986) Psychometrika 51, 177-195
# reference: R 4.2.2, nlminb() of the same function, gradient by differences
negative <- function(y, person, item, theta, easy, log_slope) {
  eta <- exp(log_slope[item]) * (theta[person] + easy[item])
  -sum(dbinom(y, 1, plogis(eta), log = TRUE)) - sum(dnorm(theta, log = TRUE)) - sum(dnorm(easy, 0, 2, log = TRUE)) -
    sum(dnorm(log_slope, 0, 0.5, log = TRUE))
}
set.seed(37)
person <- factor(rep(1:15, each = 5))
item <- factor(rep(1:5, 15))
theta <- rnorm(15)
data <- list(y = rbinom(75, 1, plogis(theta[person] + seq(1, -1, length.out = 5)[item])), person = person, item = item)
start <- list(theta = numeric(15), easy = numeric(5), log_slope = numeric(5))
reference <- list(value = 62.42056321)
