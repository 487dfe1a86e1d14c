# Likelihoods as the help pages and vignettes of packages for maximum likelihood show them, written in the same way: variables of the
# environment, arguments with defaults, data frames, factors, one vector of parameters. A caller pastes them; they run as they stand.

unoptimized_programs()

x <- 0:10
y <- c(26, 17, 13, 12, 20, 5, 9, 8, 5, 4, 8)
set.seed(4)
normals <- round(rnorm(40, 1, 2), 3)

test_that("a decline of counts, as stats4 and bbmle show it, with defaults and a guard", {
  nll <- function(ymax = 15, xhalf = 6) -sum(stats::dpois(y, lambda = ymax / (1 + x / xhalf), log = TRUE))
  expect_likelihood(nll, list(ymax = 14, xhalf = 5), c("ymax", "xhalf"))
  expect_equal(as.vector(opencl_function(nll, gradient = "xhalf")(device = "0")), nll(), tolerance = 1e-12)
  guarded <- function(ymax = 15, xhalf = 6) {
    if (ymax > 0 && xhalf > 0) -sum(stats::dpois(y, lambda = ymax / (1 + x / xhalf), log = TRUE)) else NA
  }
  expect_likelihood(guarded, list(ymax = 14, xhalf = 5), c("ymax", "xhalf"))
  expect_identical(as.vector(opencl_function(guarded)(-1, device = "0")), NA)
  ll <- opencl_function(nll, gradient = c("ymax", "xhalf"))
  objective <- as_objective(ll, start = c(ymax = 15, xhalf = 6), negative = FALSE, device = "0")
  fit <- suppressWarnings(optim(objective$par, objective$fn, objective$gr, method = "BFGS")) # which tries what has no value
  expect_equal(unname(fit$par), unname(stats4::coef(suppressWarnings(stats4::mle(nll)))), tolerance = 1e-3)
})

test_that("functions that functions make, as stats4 shows them", {
  linear <- function(formula, data = environment(formula)) {
    y <- model.response(model.frame(formula, data))
    X <- model.matrix(formula, data)
    start <- numeric(NCOL(X))
    function(b = start, sigma = 1) -sum(dnorm(y, X %*% b, sigma, log = TRUE))
  }
  expect_likelihood(linear(dist ~ speed, cars), list(b = c(-15, 4), sigma = 15), c("b", "sigma"))
  binomial <- function(x, n) {
    force(x)
    force(n)
    function(p = 0.5) -dbinom(x, n, p, log = TRUE)
  }
  expect_equal(opencl_function(binomial(4, 10))(0.3, device = "0"), binomial(4, 10)(0.3), tolerance = 1e-12)
})

test_that("one vector of parameters, as maxLik shows it", {
  N <- length(normals)
  loglik <- function(param) {
    mu <- param[1]
    sigma <- param[2]
    ll <- -0.5 * N * log(2 * pi) - N * log(sigma) - sum(0.5 * (normals - mu)^2 / sigma^2)
    ll
  }
  expect_likelihood(loglik, list(param = c(0, 1)), "param")
  expect_likelihood(loglik, list(param = c(mu = 0, sigma = 1)), "param")
  expect_likelihood(function(theta) exp(-theta %*% theta), list(theta = c(0.1, 0.2)), "theta")
  t <- abs(normals)
  alone <- opencl_function(function(theta) log(theta) - theta * t, gradient = "theta") # of each observation
  value <- alone(2, device = "0")
  expect_equal(as.vector(value), log(2) - 2 * t, tolerance = 1e-14)
  expect_equal(as.vector(attr(value, "gradient")), 1 / 2 - t, tolerance = 1e-14)
})

test_that("a data frame of the environment, and squares by crossprod(), as maxLik shows them", {
  loglik <- function(theta) {
    N <- nrow(CO2)
    mu <- theta[1] + theta[2] * CO2$conc
    -N * log(sqrt(2 * pi)) - N * log(theta[3]) - 0.5 * sum((CO2$uptake - mu)^2 / theta[3]^2)
  }
  expect_likelihood(loglik, list(theta = c(beta0 = 30, beta1 = 0.01, sigma = 10)), "theta")
  X <- cbind(1, x, x^2)
  expect_likelihood(function(beta) {
    e <- y - X %*% beta
    -crossprod(e)
  }, list(beta = c(20, -1, 0.1)), "beta")
  expect_likelihood(function(theta, index) {
    e <- y[index] - X[index, ] %*% theta
    -crossprod(e) / length(index)
  }, list(theta = c(20, -1, 0.1), index = c(2L, 3L, 7L, 9L)), "theta")
})

test_that("objectives of optim(), nlm() and nlminb()", {
  expect_likelihood(function(x) {
    x1 <- x[1]
    x2 <- x[2]
    100 * (x2 - x1 * x1)^2 + (1 - x1)^2
  }, list(x = c(-1.2, 1)), "x")
  expect_likelihood(function(x) {
    p <- length(x)
    sum(c(1, rep(4, p - 1)) * (x - c(1, x[-p])^2)^2)
  }, list(x = seq(2, 3, length.out = 25)), "x")
  expect_likelihood(function(x) sum((x - 1:length(x))^2), list(x = c(10, 9)), "x")
  counts <- rpois(30, 8)
  expect_likelihood(function(par) -sum(dnbinom(counts, mu = par[1], size = par[2], log = TRUE)), list(par = c(9, 12)), "par")
})

test_that("parameters in a list, random effects and loops, as RTMB and TMB show them", {
  of_list <- function(p) -sum(dnorm(rivers, p$mu, p$sd, log = TRUE))
  made <- opencl_function(of_list, gradient = "p")
  value <- made(list(mu = 500, sd = 300), device = "0")
  expect_equal(as.vector(value), of_list(list(mu = 500, sd = 300)), tolerance = 1e-12)
  alone <- opencl_function(function(mu, sd) -sum(dnorm(rivers, mu, sd, log = TRUE)), gradient = c("mu", "sd"))(500, 300, device = "0")
  expect_equal(unname(attr(value, "gradient")), unname(attr(alone, "gradient")), tolerance = 1e-12)
  expect_identical(names(attr(value, "gradient")), c("p$mu", "p$sd"))
  growth <- function(mua, sda, mub, sdb, sdeps, a, b) {
    nll <- 0
    nll <- nll - sum(dnorm(a, mean = mua, sd = sda, log = TRUE))
    nll <- nll - sum(dnorm(b, mean = mub, sd = sdb, log = TRUE))
    predicted <- a[Chick] * Time + b[Chick]
    nll - sum(dnorm(weight, predicted, sd = sdeps, log = TRUE))
  }
  values <- list(mua = 8, sda = 3, mub = 30, sdb = 5, sdeps = 12, a = 5 + (1:50) / 10, b = 25 + (1:50) / 5)
  f <- opencl_function(growth, gradient = names(values), data = ChickWeight)
  with_data <- growth
  environment(with_data) <- list2env(ChickWeight)
  value <- do.call(f, c(values, device = "0"))
  expect_equal(as.vector(value), do.call(with_data, values), tolerance = 1e-12)
  expect_equal(unname(attr(value, "gradient")), differences(with_data, values, names(values)), tolerance = 1e-7)
  ahead <- round(rnorm(70), 3)
  expect_likelihood(function(p) {
    z <- 0
    for (i in seq_along(ahead)) {
      z <- z + p * ahead[i] + ahead[i]^2
    }
    z
  }, list(p = 1.5), "p")
})

test_that("beta-binomial counts with a factor's codes, as bbmle's vignette shows them", {
  log_density <- function(x, prob, size, theta, log = FALSE) {
    v <- lchoose(size, x) + lbeta(size - x + theta * (1 - prob), x + theta * prob) - lbeta(theta * (1 - prob), theta * prob)
    if (log) v else exp(v)
  }
  nll <- function(prob1, prob2, prob3, theta, x) {
    prob <- c(prob1, prob2, prob3)[as.numeric(x$dilution)]
    size <- x$n
    -sum(log_density(x$m, prob, size, theta, log = TRUE))
  }
  germinated <- data.frame(dilution = factor(rep(c("1/1", "1/25", "1/625"), 5)), n = 20:34, m = rep(c(3, 8, 12, 15, 9), 3))
  expect_likelihood(nll, list(prob1 = 0.5, prob2 = 0.4, prob3 = 0.6, theta = 2, x = germinated), c("prob1", "prob2", "prob3", "theta"))
  killed <- data.frame(size = rep(c(9, 12, 21, 25, 37), each = 3), killed = c(0, 2, 1, 3, 4, 5, rep(0, 4), 1, rep(0, 4)))
  expect_likelihood(
    function(c, d, g) with(killed, -sum(dbinom(killed, prob = c * ((size / d) * exp(1 - size / d))^g, size = 10, log = TRUE))),
    list(c = 0.3, d = 15, g = 2), c("c", "d", "g")
  )
})
