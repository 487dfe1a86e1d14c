# opencl_glm_grid() finds what glm() finds as the prior widens, and what the posterior is where that is known.

test_that("birthwt, warpbreaks and infert agree with glm", {
  for (device in test_devices()) {
    fit_one <- function(...) opencl_glm_grid(..., prior_sd = 1e4, device = device)
    expect_as_glm(
      fit_one(cbind(breaks, 80 - breaks) ~ wool, binomial, warpbreaks),
      quiet_glm(cbind(breaks, 80 - breaks) ~ wool, binomial, warpbreaks)
    )
    expect_ran_on(device)
    expect_as_glm(
      fit_one(breaks ~ wool + tension, quasipoisson, warpbreaks),
      quiet_glm(breaks ~ wool + tension, quasipoisson, warpbreaks)
    )
    expect_as_glm(
      fit_one(breaks ~ tension, "poisson", warpbreaks), quiet_glm(breaks ~ tension, poisson, warpbreaks)
    )
    set.seed(1)
    all <- fit_one(case ~ age + parity + education + spontaneous + induced, binomial, infert)
    expect_as_glm(all, quiet_glm(case ~ age + parity + education + spontaneous + induced, binomial, infert))
    expect_gt(all$ess, 5000)
    expect_as_glm(
      fit_one(case ~ spontaneous + induced, binomial("probit"), infert),
      quiet_glm(case ~ spontaneous + induced, binomial("probit"), infert)
    )
  }
})

test_that("the low birth weights of MASS agree with glm", {
  skip_on_cran() # a matter of seconds
  skip_if_not_installed("MASS")
  births <- transform(MASS::birthwt, race = factor(race, labels = c("white", "black", "other")), smoke = smoke > 0)
  formulas <- list(
    low ~ lwt, low ~ lwt + smoke, low ~ lwt + smoke + ht, low ~ race * smoke,
    low ~ age + lwt + race + smoke + ptl + ht + ui + ftv + I(lwt^2) + smoke:ht
  )
  expect_identical(length(coef(quiet_glm(formulas[[5]], binomial, births))), 12L)
  for (device in test_devices()) {
    for (formula in formulas) {
      set.seed(2)
      fit <- opencl_glm_grid(formula, binomial, births, prior_sd = 1e5, device = device)
      expect_as_glm(fit, quiet_glm(formula, binomial, births))
    }
    expect_as_glm(
      opencl_glm_grid(bwt ~ race, gaussian(), births, prior_sd = 1e8, device = device),
      quiet_glm(bwt ~ race, gaussian(), births)
    )
    expect_as_glm(
      opencl_glm_grid(bwt ~ smoke, Gamma("log"), births, prior_sd = 1e3, device = device),
      quiet_glm(bwt ~ smoke, Gamma("log"), births)
    )
  }
})

test_that("20 random data sets agree with glm, with weights and offsets", {
  set.seed(30)
  families <- list(
    binomial(), binomial("probit"), binomial("cloglog"), quasibinomial(), quasibinomial("probit"),
    quasibinomial("cloglog"), poisson(), quasipoisson(), Gamma("log"), gaussian()
  )
  sizes <- rep(c(1, 2, 3, 4, 5, 12), length.out = 20)
  for (k in 1:20) {
    family <- families[[(k - 1) %% 10 + 1]]
    data <- random_glm_data(family, n = 60 + 20 * k, p = sizes[k])
    columns <- if (sizes[k] > 1) paste0("V", seq_len(sizes[k] - 1)) else "1"
    formula <- reformulate(c(columns, "offset(o)"), "y")
    reference <- quiet_glm(formula, family, data, weights = w)
    for (device in test_devices()) {
      apart <- vapply(c(3, 1e3), function(sd) {
        fit <- opencl_glm_grid(
          formula, family, data, weights = w, prior_sd = sd, method = "draws", draws = 1000, device = device
        )
        if (sd == 1e3) expect_as_glm(fit, reference, label = paste(k, family$family, family$link, device))
        max(abs(fit$mode - coef(reference)) / sqrt(diag(vcov(reference))))
      }, 0)
      expect_lt(apart[2], apart[1])
    }
  }
})

test_that("a gaussian posterior with known dispersion is the closed form", {
  set.seed(31)
  for (p in c(1, 2, 3, 4, 5, 12)) {
    data <- random_glm_data(gaussian(), 40, p)
    columns <- if (p > 1) paste0("V", seq_len(p - 1)) else "1"
    root <- matrix(rnorm(p * p), p)
    prior_cov <- crossprod(root) + diag(p)
    prior_mean <- rnorm(p)
    x <- model.matrix(reformulate(columns), data)
    exact <- gaussian_posterior(x, data$y, data$o, data$w, 1.7, prior_mean, solve(prior_cov))
    for (device in test_devices()) {
      fit <- opencl_glm_grid(reformulate(columns, "y"), gaussian, data,
        weights = w, offset = o, prior_mean = prior_mean, prior_cov = prior_cov, dispersion = 1.7, device = device
      )
      sd <- sqrt(diag(exact$cov))
      expect_lt(max(abs(fit$mode - exact$mean) / sd), 1e-6)
      expect_equal(unname(fit$mode_cov), unname(exact$cov), tolerance = 1e-6)
      if (p <= 4) {
        expect_lt(max(abs(coef(fit) - exact$mean) / sd), 1e-6)
        expect_equal(unname(vcov(fit)), unname(exact$cov), tolerance = 1e-6)
        expect_equal(fit$log_evidence, exact$evidence, tolerance = 1e-8)
        quantiles <- summary(fit, probs = c(0.001, 0.025, 0.5, 0.9))$coefficients[, 3:6, drop = FALSE]
        expect_lt(max(abs((quantiles - exact$mean) / sd - rep(qnorm(c(0.001, 0.025, 0.5, 0.9)), each = p))), 1e-3)
      } else {
        expect_lt(max(abs(coef(fit) - exact$mean) / summary(fit)$coefficients[, "MCSE"]), 5)
        expect_equal(unname(vcov(fit)), unname(exact$cov), tolerance = 0.1)
        expect_lt(abs(fit$log_evidence - exact$evidence), 5 * sqrt(1 / fit$ess - 1 / fit$laid) + 1e-9)
      }
    }
  }
})

test_that("one coefficient agrees with numerical integration", {
  trials <- data.frame(success = c(9, 7, 10), failure = c(1, 0, 0))
  log_density <- function(b) {
    vapply(b, function(b) sum(dbinom(trials$success, trials$success + trials$failure, plogis(b), log = TRUE)), 0) +
      dnorm(b, 1, 4, log = TRUE)
  }
  top <- optimize(log_density, c(-5, 10), maximum = TRUE)
  integral <- function(f) integrate(function(b) f(b) * exp(log_density(b) - top$objective), -10, 40, rel.tol = 1e-10)$value
  mass <- integral(function(b) 1)
  mean <- integral(identity) / mass
  sd <- sqrt(integral(function(b) (b - mean)^2) / mass)
  for (device in test_devices()) {
    fit <- opencl_glm_grid(cbind(success, failure) ~ 1, binomial, trials, prior_mean = 1, prior_sd = 4, device = device)
    expect_equal(unname(fit$mode), top$maximum, tolerance = 1e-4)
    expect_equal(unname(coef(fit)), mean, tolerance = 2e-6)
    expect_equal(sqrt(vcov(fit)[1, 1]), sd, tolerance = 2e-6)
    expect_equal(logLik(fit, marginal = TRUE), log(mass) + top$objective, tolerance = 1e-7)
    limits <- confint(fit, level = 0.9)
    below <- vapply(limits, function(limit) integral(function(b) b < limit) / mass, 0)
    expect_equal(as.vector(below), c(0.05, 0.95), tolerance = 1e-4)
    probs <- c(0.01, 0.2, 0.5, 0.999)
    below <- vapply(quantile(fit, probs), function(limit) integral(function(b) b < limit) / mass, 0)
    expect_equal(as.vector(below), probs, tolerance = 1e-3)
    expect_equal(unname(fitted(fit))[1], integral(plogis) / mass, tolerance = 1e-6)
  }
})

test_that("separated data have a posterior under a proper prior, on a grid that widens and refines itself", {
  skip_on_cran() # a matter of seconds
  x <- seq(-3, 3, length.out = 30)
  y <- x > 0.1
  at <- as.matrix(expand.grid(a = seq(-12, 12, length.out = 241), b = seq(-2, 50, length.out = 521)))
  eta <- at[, 1] + outer(at[, 2], x)
  sign <- rep(ifelse(y, 1, -1), each = nrow(at))
  log_density <- rowSums(plogis(eta * sign, log.p = TRUE)) + rowSums(dnorm(at, 0, 10, log = TRUE))
  weight <- exp(log_density - max(log_density))
  evidence <- log(sum(weight) * 0.01) + max(log_density)
  weight <- weight / sum(weight)
  mean <- colSums(at * weight)
  sd <- sqrt(colSums(sweep(at, 2, mean)^2 * weight))
  for (device in test_devices()) {
    fit <- opencl_glm_grid(y ~ x, binomial, prior_sd = 10, device = device)
    expect_true(fit$widened)
    expect_lt(max(abs(coef(fit) - mean) / sd), 1e-4)
    expect_lt(max(abs(sqrt(diag(vcov(fit))) / sd - 1)), 1e-4)
    expect_equal(fit$log_evidence, evidence, tolerance = 1e-5)
    set.seed(4)
    drawn <- opencl_glm_grid(y ~ x, binomial, prior_sd = 10, method = "draws", device = device)
    expect_lt(max(abs(coef(drawn) - mean) / summary(drawn)$coefficients[, "MCSE"]), 5)
  }
  expect_warning(opencl_glm_grid(y ~ x, binomial, prior_sd = Inf, device = "host"), "does not hold the whole posterior")
  expect_warning(opencl_glm_grid(y ~ x, binomial, prior_sd = 10, width = 2, device = "host"), "beyond `width`")
})

test_that("draws repeat with the seed, and few of them are told", {
  fit_one <- function(...) {
    set.seed(5)
    opencl_glm_grid(case ~ spontaneous + induced, binomial, infert, method = "draws", device = "host", ...)
  }
  expect_identical(fit_one()$points, fit_one()$points)
  expect_gt(fit_one(df = Inf)$ess, 10000)
  expect_warning(fit_one(draws = 200), "draws are worth")
})

test_that("a device that fails gives way to the host device only if asked", {
  fit_one <- function(...) opencl_glm_grid(case ~ spontaneous, binomial, infert, device = "no such device", ...)
  expect_error(fit_one(), "no OpenCL device named 'no such device'|built without OpenCL", class = "nmathopencl_error")
  expect_warning(fit <- fit_one(fallback = TRUE), "repeated on the host device")
  expect_identical(fit$device, "host")
  expect_identical(coef(fit), coef(opencl_glm_grid(case ~ spontaneous, binomial, infert, device = "host")))
})
