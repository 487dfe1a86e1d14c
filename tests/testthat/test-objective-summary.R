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

test_that("what is not a minimum is told of, by summary() and all that is made of it", {
  ll <- opencl_function(function(count, x, b) sum(dpois(count, exp(b[1] + b[2] * x), log = TRUE)), gradient = "b", data = d[c("count", "x")])
  objective <- as_objective(ll, list(b = c(one = 0, x = 0)), device = "host")
  fit <- fitted_by(objective)
  expect_silent(summary(objective, fit))
  away <- fit$par + c(0, 2 * summary(objective, fit)$coefficients[2L, 2L])
  expect_warning(table <- summary(objective, away), "`par` is not a minimum of the objective: the slope in `b.x` is [0-9.]+, and a Newton step moves it by [12].* standard errors")
  expect_output(print(table), "warning: `par` is not a minimum")
  expect_false(anyNA(table$coefficients))
  expect_warning(expect_identical(vcov(objective, away), table$vcov), "`par` is not a minimum")
  expect_warning(confint(objective, par = away), "`par` is not a minimum")
  set.seed(34)
  for (turn in 1:20) { # the tenth of a standard error is where it begins, to either side
    by <- rnorm(2)
    by <- by / max(abs(by / summary(objective, fit)$coefficients[, 2L]))
    expect_silent(summary(objective, fit$par + 0.09 * by))
    expect_warning(summary(objective, fit$par - 0.12 * by), "not a minimum")
  }
})

test_that("where the Hessian is not positive definite there are no standard errors", {
  negative <- function(y, m, s) -sum(dnorm(y, m, exp(s), log = TRUE))
  start <- c(m = 0, s = 0)
  objective <- as_objective(opencl_function(negative, gradient = c("m", "s")), start, list(y = d$x), negative = FALSE, device = "host")
  expect_missing <- function(objective, at, text) {
    expect_warning(table <- summary(objective, at), text)
    expect_true(all(is.na(table$coefficients[, -1L])))
    expect_identical(table$coefficients[, "Estimate"], at)
    expect_true(all(is.na(table$vcov)))
    expect_identical(dimnames(table$vcov), list(names(at), names(at)))
    expect_warning(expect_true(all(is.na(confint(objective, par = at)))), text)
    expect_error(profile(objective, at), text, class = "nmathopencl_error")
    expect_error(objective$vcov(at), class = "nmathopencl_error")
  }
  expect_missing(objective, c(m = 100, s = 3), "not positive definite.*the slope in `s` is .*Standard errors are NA")
  fit <- fitted_by(objective)
  other <- as_objective(opencl_function(negative, gradient = c("m", "s")), start, list(y = d$x), device = "host") # its sign is forgotten
  expect_missing(other, fit$par, "has a maximum at `par`, and no minimum: make it by as_objective\\(negative = FALSE\\)")
  twice <- function(y, a, b) sum(dnorm(y, a + b / 3, 1, log = TRUE)) # which only a sum is known of
  objective <- as_objective(opencl_function(twice, gradient = c("a", "b")), c(a = 0, b = 0), list(y = d$x), device = "host")
  for (a in c(0, 0.1, 0.7, 2.3)) expect_missing(objective, c(a = a, b = 3 * (mean(d$x) - a)), "not determined by the data")
  of_levels <- function(y, g, m, u) sum(dnorm(y, m + u[g], 1, log = TRUE)) # the same of effects without a prior, an arrowhead matrix
  g <- rep(1:8, 25)
  objective <- as_objective(opencl_function(of_levels, gradient = c("m", "u")), list(m = 0, u = numeric(8)), list(y = d$x, g = g), device = "host")
  for (m in c(0, 0.3)) {
    expect_warning(table <- summary(objective, list(m = m, u = as.vector(tapply(d$x, g, mean)) - m)), "not determined by the data")
    expect_true(all(is.na(table$coefficients[, -1L])))
  }
  powers <- outer(1990:2019, 0:2, `^`) # correlated to 1 - 1e-9, and determined
  y <- as.vector(powers %*% c(1, 0.01, 1e-5)) + sin(1:30)
  objective <- as_objective(opencl_function(function(X, y, b) sum(dnorm(y, X %*% b, 1, log = TRUE)), gradient = "b"), list(b = numeric(3)), list(X = powers, y = y), device = "host")
  table <- summary(objective, qr.coef(qr(powers, tol = 1e-15), y))
  expect_equal(unname(table$coefficients[, 2L]), sqrt(diag(chol2inv(qr.R(qr(powers, tol = 1e-15))))), tolerance = 1e-3)
})

test_that("coef(), vcov(), logLik() and AIC() of an objective and a fit are those of its summary", {
  negative <- function(y, b, s) -sum(dnorm(y, b["m"] + b["k"] * X[, 2], exp(s), log = TRUE))
  objective <- as_objective(opencl_function(negative, gradient = c("s", "b")), list(b = c(m = 0.1, k = 0), s = 0.2), list(y = d$z), negative = FALSE, device = "host")
  fit <- fitted_by(objective)
  table <- summary(objective, fit)
  for (par in list(fit, fit$par, rev(fit$par), unname(fit$par), objective$split(fit$par))) {
    expect_identical(coef(objective, par), coef(table)[, "Estimate"])
    expect_identical(vcov(objective, par), vcov(table))
    expect_identical(logLik(objective, par), logLik(table))
  }
  model <- lm(d$z ~ X[, 2])
  expect_equal(logLik(objective, fit)[1L], logLik(model)[1L])
  expect_equal(AIC(logLik(objective, fit)), AIC(model))
  expect_equal(AIC(logLik(objective, fit), k = log(n)), BIC(model))
  for (likelihood in list(logLik(objective, fit, nobs = n), logLik(table, nobs = n))) {
    expect_equal(BIC(likelihood), BIC(model))
    expect_identical(nobs(likelihood), n)
    expect_identical(class(likelihood), "logLik")
  }
  refused <- function(code, text) expect_error(code, text, fixed = TRUE, class = "nmathopencl_error")
  refused(BIC(logLik(objective, fit)), "BIC is BIC(logLik(objective, fit, nobs = n))")
  refused(BIC(logLik(table)), "BIC is BIC(logLik(objective, fit, nobs = n))")
  refused(logLik(objective, fit, nobs = -1), "`nobs` must be the number of observations")
  refused(coef(objective), "`par` must be given, coef(objective, fit)")
  refused(vcov(objective), "`par` must be given, vcov(objective, fit)")
  refused(AIC(objective), "`par` must be given, logLik(objective, fit)")
  refused(nobs(objective), "BIC is BIC(logLik(objective, fit, nobs = n))")
  refused(nobs(table), "BIC is BIC(logLik(objective, fit, nobs = n))")
  averaged <- opencl_function(function(y, m) dnorm(y, m, 1, log = TRUE), reduce = "mean", gradient = "m", data = list(y = d$x))
  refused(logLik(as_objective(averaged, c(m = 0), device = "host"), 0), "`ll` is a mean")
})

test_that("where there is no rule for a second derivative, Hessians are of differences of the gradient", {
  survival <- function(time, dead, X, b, log_shape) {
    shape <- exp(log_shape)
    rate <- exp(-drop(X %*% b))
    sum(ifelse(dead == 1, dgamma(time, shape, rate, log = TRUE), pgamma(time, shape, rate, lower.tail = FALSE, log.p = TRUE)))
  }
  made <- opencl_function(survival, gradient = c("b", "log_shape"), data = list(time = d$time, dead = d$dead, X = X))
  objective <- as_objective(made, list(b = c(a = 0, x = 0, z = 0), log_shape = 0), device = "host")
  fit <- stats::nlminb(objective$par, objective$fn, objective$gr)
  plain <- function(par) -survival(d$time, d$dead, X, par[1:3], par[4])
  step <- 1e-3 # of the value, by two steps of Richardson's scheme
  second <- function(h) {
    at <- function(i, j) plain(fit$par + h * (i + j))
    unit <- diag(4)
    outer(1:4, 1:4, Vectorize(function(i, j) (at(unit[i, ], unit[j, ]) - at(unit[i, ], -unit[j, ]) - at(-unit[i, ], unit[j, ]) + at(-unit[i, ], -unit[j, ])) / (4 * h^2)))
  }
  expect_equal(unname(objective$he(fit$par)), (4 * second(step) - second(2 * step)) / 3, tolerance = 1e-6)
  expect_identical(dimnames(objective$he(fit$par)), list(names(objective$par), names(objective$par)))
  turned <- rev(fit$par) # in the order of what it is given
  expect_equal(objective$he(turned), objective$he(fit$par)[4:1, 4:1], tolerance = 1e-9)
  table <- summary(objective, fit)
  expect_equal(unname(table$coefficients[, 2]), unname(sqrt(diag(solve(objective$he(fit$par))))), tolerance = 1e-8)
  expect_true(all(is.finite(stats::confint(objective, par = fit))))
  # also where a condition decides, so that it is known at the call
  decided <- opencl_function(function(x, s) sum(if (s > 0) pgamma(x, s, log.p = TRUE) else x), gradient = "s", data = list(x = c(1, 2)))
  objective <- as_objective(decided, c(s = 2), negative = FALSE, device = "host")
  f <- function(s) sum(pgamma(c(1, 2), s, log.p = TRUE))
  expect_equal(objective$he(2)[1], (-f(2.02) + 16 * f(2.01) - 30 * f(2) + 16 * f(1.99) - f(1.98)) / (12 * 0.01^2), tolerance = 1e-6)
})

test_that("names that differ from those of `start` in case alone are an error, and an infinite value is no cause of a warning", {
  made <- opencl_function(function(y, m, s) dnorm(y, m, s, log = TRUE), reduce = "sum", gradient = c("m", "s"), data = list(y = c(1, 2, 4)))
  objective <- as_objective(made, c(m = 0, s = 1), device = "host")
  expect_error(objective$fn(c(S = 1, M = 0)), "are not those of `start`")
  expect_error(objective$over(cbind(S = 1, M = 0)), "are not those of `start`")
  expect_identical(objective$fn(c(m = 0, s = 1)), objective$fn(c(s = 1, m = 0)))
  vanishing <- opencl_function(function(y, m) sum(log(pnorm(y + m) - pnorm(y))), gradient = "m", data = list(y = c(1, 2, 40)))
  objective <- as_objective(vanishing, c(m = 1), device = "host")
  expect_silent(value <- objective$fn(c(m = 1)))
  expect_identical(value, Inf)
})

test_that("values at many points are to be had without the gradient", {
  y <- c(1, 2, 4)
  made <- opencl_function(function(z, m, s) dnorm(z, m, s, log = TRUE), reduce = "sum", gradient = c("m", "s"), data = list(z = y))
  objective <- as_objective(made, c(m = 0, s = 1), device = "host")
  points <- cbind(m = c(0, 1, 2), s = c(1, 2, 0.5))
  with <- objective$over(points)
  without <- objective$over(points, gradient = FALSE)
  expect_null(attr(without, "gradient"))
  expect_identical(as.vector(without), as.vector(with))
  expect_error(objective$over(points, gradient = NA), "TRUE or FALSE")
})

test_that("vcov() of an objective has all parameters, levels' effects among them", {
  g <- factor(rep(c("a", "b", "c", "d"), length.out = n))
  of_sites <- function(count, g, x, p) sum(dpois(count, exp(p$site[g] + p$slope * x), log = TRUE))
  start <- list(p = list(site = c(a = 0, b = 0, c = 0, d = 0), slope = 0))
  ll <- opencl_function(of_sites, gradient = "p", data = data.frame(d, g = g)) # of a data frame with other columns
  objective <- as_objective(ll, start, device = "host")
  model <- glm(count ~ 0 + g + x, poisson(), data.frame(d, g = g), control = list(epsilon = 1e-13))
  tight <- list(reltol = 1e-15, maxit = 500)
  fits <- list(
    fitted_by(objective), stats::optim(unlist(start), objective$fn, objective$gr, method = "BFGS", control = tight),
    suppressWarnings(stats::nlm(objective$f, objective$par, gradtol = 1e-10))
  )
  for (fit in fits) {
    expect_equal(unname(vcov(objective, fit)), unname(vcov(model)), tolerance = 1e-5)
    expect_identical(dimnames(vcov(objective, fit)), list(names(unlist(start)), names(unlist(start))))
    expect_equal(sqrt(diag(vcov(objective, fit))), summary(objective, fit)$coefficients[, "Std. Error"])
    expect_equal(unname(coef(summary(objective, fit))), unname(coef(summary(model))), tolerance = 1e-4)
    expect_equal(BIC(logLik(objective, fit, nobs = n)), BIC(model))
    expect_identical(names(objective$split(fit)$p$site), levels(g))
  }
  of_two <- function(y, g, m, u) sum(dnorm(y, m + u[g], 1, log = TRUE)) # not determined
  objective <- as_objective(opencl_function(of_two, gradient = c("m", "u")), list(m = 0, u = numeric(4)), list(y = d$x, g = as.integer(g)), device = "host")
  expect_warning(made <- vcov(objective, c(0, unname(tapply(d$x, g, mean)))), "not determined by the data")
  expect_identical(made, matrix(NA_real_, 5, 5, dimnames = list(names(objective$par), names(objective$par))))
})

test_that("an ordered logit with parameters in a list is that of polr()", {
  skip_on_cran() # a matter of seconds
  skip_if_not_installed("MASS")
  houses <- MASS::housing
  model <- MASS::polr(Sat ~ Infl + Type + Cont, weights = Freq, data = houses, Hess = TRUE, control = list(reltol = 1e-14))
  X <- stats::model.matrix(~ Infl + Type + Cont, houses)[, -1L]
  ordered_logit <- function(Sat, Freq, X, p) {
    eta <- drop(X %*% p$b)
    first <- p$cut[1]
    second <- first + exp(p$cut[2])
    chance <- ifelse(Sat == 1, plogis(first - eta), ifelse(Sat == 2, plogis(second - eta) - plogis(first - eta), plogis(eta - second)))
    sum(Freq * log(chance))
  }
  ll <- opencl_function(ordered_logit, gradient = "p", data = list(Sat = as.integer(houses$Sat), Freq = houses$Freq, X = X))
  start <- list(p = list(b = stats::setNames(numeric(6), colnames(X)), cut = c(-0.5, 0)))
  on_each_device(function(device) {
    objective <- as_objective(ll, start, device = device)
    fit <- fitted_by(objective)
    expect_equal(unname(objective$split(fit)$p$b), unname(coef(model)), tolerance = 1e-4)
    expect_equal(unname(sqrt(diag(vcov(objective, fit)))[1:6]), unname(sqrt(diag(vcov(model)))[1:6]), tolerance = 1e-3)
    expect_equal(AIC(logLik(objective, fit)), AIC(model))
    expect_identical(rownames(confint(objective, "b", par = fit)), paste0("p.b.", colnames(X)))
    limits <- suppressMessages(confint(model, "ContHigh"))
    expect_equal(unname(confint(profile(objective, fit, "ContHigh"))[1L, ]), as.vector(limits), tolerance = 1e-3)
  })
})
