# Hessians, covariances and summaries of objectives, beside what glm(), survreg() and glm.nb() report.

unoptimized_programs()
set.seed(350)
n <- 200L
d <- data.frame(x = round(rnorm(n), 2), z = round(runif(n), 2))
d$count <- rpois(n, exp(0.3 + 0.5 * d$x))
d$event <- rbinom(n, 1, plogis(d$x - d$z))
d$time <- round(rweibull(n, 1.5, exp(1 + 0.3 * d$x)), 3) + 0.001
d$dead <- rbinom(n, 1, 0.7)
X <- cbind("(Intercept)" = 1, as.matrix(d[c("x", "z")]))

fitted_by <- function(objective) stats::nlminb(objective$par, objective$fn, objective$gr, objective$he)

expect_same_table <- function(objective, estimates, covariance) {
  fit <- fitted_by(objective)
  expect_equal(unname(fit$par), unname(estimates), tolerance = 1e-5)
  table <- summary(objective, fit$par)
  expect_equal(unname(table$coefficients[, 1:2]), unname(cbind(estimates, sqrt(diag(covariance)))), tolerance = 1e-5)
  expect_equal(unname(objective$vcov(fit$par)), unname(covariance), tolerance = 1e-4)
  table
}

test_that("logistic and Poisson regressions are those of glm(), on every device", {
  logistic <- function(X, event, b) dbinom(event, 1, plogis(X %*% b), log = TRUE)
  of_counts <- function(X, count, b) sum(dpois(count, exp(X %*% b), log = TRUE))
  of_logistic <- glm(event ~ x + z, binomial, d, control = list(epsilon = 1e-13))
  of_poisson <- glm(count ~ x + z, poisson(), d, control = list(epsilon = 1e-13))
  start <- list(b = c("(Intercept)" = 0, x = 0, z = 0))
  on_each_device(function(device) {
    ll <- opencl_function(logistic, reduce = "sum", gradient = "b", data = list(X = X, event = d$event))
    table <- expect_same_table(as_objective(ll, start, device = device), coef(of_logistic), vcov(of_logistic))
    expect_equal(table$logLik, as.vector(logLik(of_logistic)))
    expect_equal(unname(table$coefficients), unname(coef(summary(of_logistic))), tolerance = 1e-5)
    expect_same_table(as_objective(opencl_function(of_counts, gradient = "b"), start, list(X = X, count = d$count), device = device), coef(of_poisson), vcov(of_poisson))
  })
})

test_that("Weibull regression is that of survreg(), negative binomial that of glm.nb()", {
  # survival 3.5-3: survreg(Surv(time, dead) ~ x, d, control = list(rel.tolerance = 1e-12, maxiter = 100))
  estimates <- c(1.26697426193, 0.330907224049, -0.429942603479)
  covariance <- matrix(c(
    0.00324908703625, 0.000271405281303, 2.98523111035e-05,
    0.000271405281303, 0.00403293182518, -1.88309659216e-05,
    2.98523111035e-05, -1.88309659216e-05, 0.00469051769965
  ), 3L)
  negative <- function(time, dead, x, b, log_scale) {
    shape <- exp(-log_scale)
    scale <- exp(b[1] + b[2] * x)
    -sum(ifelse(dead == 1, dweibull(time, shape, scale, log = TRUE), pweibull(time, shape, scale, lower.tail = FALSE, log.p = TRUE)))
  }
  ll <- opencl_function(negative, gradient = c("log_scale", "b"))
  objective <- as_objective(ll, list(b = c(0, 0), log_scale = 0), d[c("time", "dead", "x")], negative = FALSE, device = "host")
  expect_same_table(objective, estimates, covariance)

  skip_if_not_installed("MASS")
  fit <- MASS::glm.nb(count ~ x, d, control = glm.control(epsilon = 1e-13, maxit = 100))
  negative <- function(count, x, b, theta) -sum(dnbinom(count, mu = exp(b[1] + b[2] * x), size = theta, log = TRUE))
  objective <- as_objective(
    opencl_function(negative, gradient = c("b", "theta")), list(b = coef(fit), theta = fit$theta), d[c("count", "x")], negative = FALSE, device = "host"
  )
  hessian <- objective$he(objective$par)
  expect_equal(1 / sqrt(hessian[3L, 3L]), as.vector(fit$SE.theta), tolerance = 1e-4) # both are the observed information of theta alone
})

test_that("names, order, and what cannot be", {
  negative <- function(y, b, s) -sum(dnorm(y, b["m"], exp(s), log = TRUE))
  ll <- opencl_function(negative, gradient = c("s", "b"), hessian = TRUE)
  objective <- as_objective(ll, list(b = c(m = 0.1), s = 0.2), list(y = d$x), negative = FALSE, device = "host")
  found <- objective$he(objective$par)
  expect_identical(dimnames(found), list(c("b.m", "s"), c("b.m", "s")))
  r <- d$x - 0.1
  expect_equal(unname(found), exp(-0.4) * matrix(c(n, 2 * sum(r), 2 * sum(r), 2 * sum(r^2)), 2L))
  expect_null(attr(objective$f(objective$par), "hessian"))
  fit <- fitted_by(objective)
  expect_output(print(summary(objective, fit$par)), "Std. Error.*log-likelihood .* with 2 parameters")
  expect_error(summary(objective), "`par` must be given")
  expect_error(objective$vcov(c(100, 3)), "not positive definite")
  ll <- opencl_function(function(y, m) dnorm(y, m, log = TRUE), reduce = "mean", gradient = "m", data = list(y = d$x))
  expect_error(as_objective(ll, list(m = 0), device = "host")$vcov(0), "is a mean")
  expect_error(as_objective(opencl_function(negative), list(b = c(m = 0), s = 0), list(y = d$x))$he(c(0, 0)), "without `gradient`")
})

test_that("rows go by the names of parameters, which may be a vector, a list or a fit", {
  negative <- function(y, b, s, B) -sum(dnorm(y, b["m"] + b["k"] * X[, 2], exp(s), log = TRUE)) + sum((B - c(1, 2, 3, 4))^2)
  ll <- opencl_function(negative, gradient = c("B", "s", "b"))
  start <- list(b = c(m = 0.1, k = 0), s = 0.2, B = numeric(4))
  objective <- as_objective(ll, start, list(y = d$z), negative = FALSE, device = "host")
  fit <- fitted_by(objective)
  table <- summary(objective, fit$par)
  expect_identical(rownames(table$coefficients), names(unlist(start)))
  expect_identical(table$coefficients[, "Estimate"], fit$par)
  expect_equal(table$coefficients[, "Std. Error"], sqrt(diag(objective$vcov(fit$par))))
  expect_equal(table$coefficients[, "z value"], fit$par / sqrt(diag(objective$vcov(fit$par))))
  set.seed(1)
  for (turn in 1:5) expect_identical(summary(objective, sample(fit$par)), table)
  expect_identical(summary(objective, unname(fit$par)), table)
  expect_identical(summary(objective, fit), table)
  expect_identical(summary(objective, replace(fit, "par", list(rev(fit$par)))), table)
  expect_identical(summary(objective, list(minimum = 1, estimate = unname(fit$par))), table)
  expect_identical(summary(objective, objective$split(fit$par)), table)
  expect_identical(summary(objective, objective$split(fit$par)[c("B", "s", "b")]), table)
  expect_error(summary(objective, list(value = 1, counts = 2)), "`par` has 2 numbers, and `start` has 7", class = "nmathopencl_error")
  of_par <- function(y, par) -sum(dnorm(y, par["m"], exp(par["s"]), log = TRUE))
  objective <- as_objective(opencl_function(of_par, gradient = "par"), list(par = c(m = 0, s = 0)), list(y = d$x), negative = FALSE, device = "host")
  fit <- stats::optim(c(s = 0, m = 0), objective$fn, objective$gr, method = "BFGS")
  table <- summary(objective, fit)
  expect_identical(rownames(table$coefficients), c("par.m", "par.s"))
  expect_equal(unname(table$coefficients[, 1L]), c(mean(d$x), log(sd(d$x) * sqrt((n - 1) / n))), tolerance = 1e-4)
  expect_identical(summary(objective, fit["par"]), table)
})

test_that("coef(), vcov(), confint(), logLik() and AIC() of a summary are those of glm()", {
  of_counts <- function(X, count, b) sum(dpois(count, exp(X %*% b), log = TRUE))
  model <- glm(count ~ x + z, poisson(), d, control = list(epsilon = 1e-13))
  objective <- as_objective(opencl_function(of_counts, gradient = "b"), list(b = c("(Intercept)" = 0, x = 0, z = 0)), list(X = X, count = d$count), device = "host")
  table <- summary(objective, fitted_by(objective))
  unprefixed <- function(x) {
    dimnames(x) <- lapply(dimnames(x), function(names) sub("^b[.]", "", names))
    x
  }
  expect_equal(unprefixed(coef(table)), coef(summary(model)), tolerance = 1e-5)
  expect_equal(unprefixed(vcov(table)), vcov(model), tolerance = 1e-5)
  for (level in c(0.95, 0.9, 0.999)) expect_equal(unprefixed(confint(table, level = level)), confint.default(model, level = level), tolerance = 1e-5)
  expect_equal(unprefixed(confint(table, c("b.z", "b.x"))), confint.default(model, c("z", "x")), tolerance = 1e-5)
  expect_equal(unprefixed(confint(table, 2)), confint.default(model, 2), tolerance = 1e-5)
  expect_equal(AIC(table), AIC(model))
  expect_identical(attr(logLik(table), "df"), 3L)
  expect_error(confint(table, "w"), "`parm` must name parameters", class = "nmathopencl_error")
  expect_error(confint(table, level = 95), "`level`", class = "nmathopencl_error")
})
