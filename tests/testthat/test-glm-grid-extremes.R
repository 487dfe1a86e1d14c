# Evidence, moments and predictions of small models of every family against integration in R, with priors from far narrower
# than the spacing of doubles around their means to nearly flat, and what cannot be computed told as such.
skip_on_cran() # half a minute

small_families <- list(
  binomial(), binomial("probit"), binomial("cloglog"), poisson(), Gamma("log"), gaussian(),
  quasibinomial(), quasibinomial("probit"), quasibinomial("cloglog"), quasipoisson()
)

small_data <- function(family) {
  x <- c(-1.5, -0.5, 0.25, 1, 2)
  switch(sub("quasi", "", family$family),
    binomial = data.frame(x = x, y = c(1, 0, 2, 3, 4) / 4, w = 4),
    poisson = data.frame(x = x, y = c(0, 1, 1, 3, 6), w = 1),
    Gamma = data.frame(x = x, y = c(0.3, 1.1, 0.8, 2.5, 4), w = 1),
    gaussian = data.frame(x = x, y = c(-1, 0.3, 0.1, 1.2, 1.9), w = 1)
  )
}

# The log-likelihood at each of b for the model y ~ x - 1, without this package; that of quasi families as in their help.
small_likelihood <- function(family, data, phi, b) {
  vapply(b, function(b) {
    eta <- data$x * b
    w <- data$w / phi
    own <- switch(sub("quasi", "", family$family),
      binomial = {
        log_p <- switch(family$link,
          logit = plogis(eta, log.p = TRUE), probit = pnorm(eta, log.p = TRUE), cloglog = log(-expm1(-exp(eta)))
        )
        log_q <- switch(family$link,
          logit = plogis(-eta, log.p = TRUE), probit = pnorm(-eta, log.p = TRUE), cloglog = -exp(eta)
        )
        lchoose(data$w, data$y * data$w) / phi + w * (ifelse(data$y > 0, data$y * log_p, 0) + (1 - data$y) * log_q)
      },
      poisson = w * (data$y * eta - exp(eta) - lgamma(data$y + 1)),
      Gamma = dgamma(data$y, w, scale = exp(eta) / w, log = TRUE),
      gaussian = dnorm(data$y, eta, sqrt(1 / w), log = TRUE)
    )
    sum(own)
  }, 0)
}

fit_small <- function(family, data, device, ...) {
  dispersion <- if (family$family %in% c("binomial", "poisson")) NULL else 0.3
  opencl_glm_grid(y ~ x - 1, family, data, weights = w, dispersion = dispersion, device = device, ...)
}

# The posterior in standard units about its mode, integrated over 60 standard deviations in pieces.
small_posterior <- function(family, data, phi, mean, sd) {
  log_density <- function(b) small_likelihood(family, data, phi, b) + dnorm(b, mean, sd, log = TRUE)
  top <- optimize(log_density, mean + c(-1, 1) * min(40, 40 * sd), maximum = TRUE, tol = 1e-10)
  h <- 1e-3 * min(1, sd)
  spread <- 1 / sqrt(-sum(log_density(top$maximum + c(-h, 0, h)) * c(1, -2, 1)) / h^2)
  integral <- function(f) {
    inner <- function(z) f(top$maximum + spread * z) * exp(log_density(top$maximum + spread * z) - top$objective)
    ends <- c(-30, -8, -3, 0, 3, 8, 30)
    sum(mapply(function(from, to) integrate(inner, from, to, rel.tol = 1e-10)$value, ends[-7], ends[-1])) * spread
  }
  mass <- integral(function(b) 1)
  of <- function(f) integral(f) / mass
  centre <- of(identity)
  list(evidence = log(mass) + top$objective, mean = centre, sd = sqrt(of(function(b) (b - centre)^2)), of = of)
}

test_that("small models of every family agree with integration: evidence, moments, response and its spread", {
  as_one(for (family in small_families) {
    data <- small_data(family)
    likely <- !startsWith(family$family, "quasi")
    phi <- if (family$family %in% c("binomial", "poisson")) 1 else 0.3
    for (prior in list(c(0, 1), c(0.5, 10), c(-1, 1e-3), c(2, 0.2))) {
      exact <- small_posterior(family, data, phi, prior[1], prior[2])
      new <- data.frame(x = c(-3, 0.7, 2))
      mean <- vapply(new$x, function(x) exact$of(function(b) family$linkinv(b * x)), 0)
      spread <- mapply(function(x, m) sqrt(exact$of(function(b) (family$linkinv(b * x) - m)^2)), new$x, mean)
      for (device in if (prior[2] == 1 || whole_tests()) test_devices() else "0") {
        label <- paste(family$family, family$link, device)
        fit <- fit_small(family, data, device, prior_mean = prior[1], prior_sd = prior[2])
        expect_true(fit$converged, label = label)
        expect_lt(abs(coef(fit) - exact$mean) / exact$sd, 1e-5, label = label)
        expect_lt(abs(sqrt(vcov(fit)[1, 1]) / exact$sd - 1), 1e-5, label = label)
        if (likely) expect_equal(logLik(fit, marginal = TRUE), exact$evidence, tolerance = 1e-7, label = label)
        response <- predict(fit, new, type = "response", se.fit = TRUE)
        expect_lt(max(abs(response$fit / mean - 1)), 1e-4, label = label)
        # Squares of what only the posterior's far tail makes of a probability of 1 are beyond the lattice.
        expect_lt(max(abs(response$se.fit - spread) - 1e-3 * spread), 1e-6, label = label)
      }
    }
  })
})

test_that("a skewed posterior's mean response is that of all points", {
  data <- data.frame(y = c(0, 0, 0, 1), x = c(-2, -1, 1, 2))
  lattice <- as.matrix(expand.grid(seq(-40, 15, length.out = 1101), seq(-15, 30, length.out = 901)))
  log_density <- rowSums(dnorm(lattice, 0, 10, log = TRUE))
  for (i in seq_len(4)) {
    eta <- lattice[, 1] + lattice[, 2] * data$x[i]
    log_density <- log_density + data$y[i] * eta - exp(eta)
  }
  weight <- exp(log_density - max(log_density))
  mean <- vapply(c(-3, -2, 1, 2), function(x) sum(weight * exp(lattice[, 1] + lattice[, 2] * x)) / sum(weight), 0)
  for (device in test_devices()) {
    fit <- opencl_glm_grid(y ~ x, poisson, data, prior_sd = 10, device = device)
    expect_lt(max(abs(predict(fit, data.frame(x = c(-3, -2, 1, 2)), type = "response") / mean - 1)), 1e-3)
    expect_lt(max(abs(fitted(fit)[c(1, 3, 4)] / mean[2:4] - 1)), 1e-3)
  }
})

test_that("a prior far narrower than the spacing of doubles leaves the likelihood at its mean as the evidence", {
  as_one(for (device in test_devices()) {
    for (family in small_families) {
      data <- small_data(family)
      label <- paste(family$family, family$link, device)
      phi <- if (family$family %in% c("binomial", "poisson")) 1 else 0.3
      for (mean in c(0, 1, -0.7)) {
        widths <- c(1e-9, 1e-13, 2e-15, 1e-16, 1e-40, 1e-153, 1e-155, 1e-200, 1e-300, 1e-310, 5e-324)
        for (sd in if (device == "0" && (mean == 1 || whole_tests())) widths else widths[c(2, 5, 11)[if (device == "0") 1:3 else 2:3]]) {
          fit <- fit_small(family, data, device, prior_mean = mean, prior_sd = sd)
          expect_true(fit$converged, label = label)
          expect_equal(unname(coef(fit)), mean, tolerance = 1e-8, label = label)
          if (sd > 1e-308) expect_lt(abs(fit$sd / sd - 1), 1e-6, label = paste(label, mean, sd))
          if (!startsWith(family$family, "quasi")) {
            expected <- small_likelihood(family, data, phi, mean)
            expect_lt(abs(logLik(fit, marginal = TRUE) - expected), 1e-6, label = paste(label, mean, sd))
            expect_lt(abs(as.numeric(logLik(fit)) - expected), 1e-6, label = paste(label, mean, sd))
          }
          if (device == "0" && mean == 1) {
            expect_equal(unname(predict(fit)), data$x * mean, tolerance = 1e-8)
            expect_equal(unname(fitted(fit)), family$linkinv(data$x * mean), tolerance = 1e-8)
            expect_true(all(is.finite(confint(fit))))
            expect_output(print(summary(fit)), "Prior")
            expect_identical(dim(rgrid(fit, 3)), c(3L, 1L))
          }
        }
      }
    }
  })
})

test_that("a prior of any great width gives the evidence of its density at the mode", {
  as_one(for (device in test_devices()) {
    for (family in small_families) {
      data <- small_data(family)
      label <- paste(family$family, family$link, device)
      phi <- if (family$family %in% c("binomial", "poisson")) 1 else 0.3
      wide <- small_posterior(family, data, phi, 0, 1e6)
      widths <- c(1e6, 1e20, 1e100, 1e153, 1e155, 1e200, 1e300, 1.7e308)
      for (sd in if (device == "0" || whole_tests()) widths else widths[c(2, 5, 8)]) {
        fit <- fit_small(family, data, device, prior_sd = sd)
        expect_true(fit$converged, label = label)
        expect_lt(abs(coef(fit) - wide$mean) / wide$sd, 1e-5, label = label)
        if (!startsWith(family$family, "quasi")) {
          expect_lt(abs(logLik(fit, marginal = TRUE) - (wide$evidence - log(sd / 1e6))), 1e-6, label = paste(label, sd))
        }
      }
    }
  })
})

test_that("two coefficients, one under a narrow and one under a wide prior, and joint priors of such scales", {
  data <- data.frame(x = c(-1, 0, 0.5, 2, 3), y = c(0, 2, 1, 4, 9))
  log_density <- function(a, slope) sum(dpois(data$y, exp(a + slope * data$x), log = TRUE))
  mass <- integrate(function(a) vapply(a, function(a) exp(log_density(a, 0.5) + 15), 0), -15, 6, rel.tol = 1e-10)$value
  expected <- log(mass) - 15
  for (device in test_devices()) {
    for (scales in list(c(1e12, 1e-17), c(1e160, 1e-160), c(1e300, 1e-300))) {
      fit <- opencl_glm_grid(y ~ x, poisson, data, prior_mean = c(0, 0.5), prior_sd = scales, device = device)
      expect_true(fit$converged)
      expect_lt(abs(fit$log_evidence + log(scales[1] * sqrt(2 * pi)) - expected), 1e-6)
      expect_equal(coef(fit)[[2]], 0.5)
    }
    cov <- matrix(c(1e30, 0, 0, 1e-34), 2)
    joint <- opencl_glm_grid(y ~ x, poisson, data, prior_mean = c(0, 0.5), prior_cov = cov, device = device)
    expect_lt(abs(joint$log_evidence + log(1e15 * sqrt(2 * pi)) - expected), 1e-6)
  }
  # Correlated: the model of a and slope in other units has the same evidence.
  plain <- matrix(c(1, 0.6, 0.6, 1), 2)
  base <- opencl_glm_grid(y ~ x, poisson, data, prior_cov = plain, device = "host")
  for (unit in c(1e-120, 1e120)) {
    cov <- plain * c(1, 1 / unit) * rep(c(1, 1 / unit), each = 2)
    scaled <- opencl_glm_grid(y ~ I(x * unit), poisson, data, prior_cov = cov, device = "host")
    expect_equal(scaled$log_evidence, base$log_evidence, tolerance = 1e-9)
    expect_equal(coef(scaled)[[2]] * unit, coef(base)[[2]], tolerance = 1e-9)
    expect_equal(unname(fitted(scaled)), unname(fitted(base)), tolerance = 1e-9)
  }
})

test_that("a gaussian posterior that is narrow next to its distance from 0 is the closed form", {
  for (device in test_devices()) {
    for (shift in c(1e3, 1e9, 1e13)) {
      data <- data.frame(x = 1:6, y = shift + c(0.5, -0.25, 0, 1, 0.75, -0.5))
      fit <- opencl_glm_grid(y ~ 1, gaussian, data, dispersion = 1e-4, prior_sd = 1e20, device = device)
      residual <- data$y - mean(data$y)
      # With a flat prior of density 1 / (1e20 sqrt(2 pi)): the likelihood's integral over the mean.
      expected <- -3 * log(2 * pi * 1e-4) - sum(residual^2) / 2e-4 + log(2 * pi * 1e-4 / 6) / 2 - log(1e20 * sqrt(2 * pi))
      expect_true(fit$converged)
      expect_equal(unname(coef(fit)), mean(data$y), tolerance = 1e-15)
      expect_equal(unname(fit$sd), sqrt(1e-4 / 6), tolerance = 1e-6)
      expect_equal(fit$log_evidence, expected, tolerance = 1e-9)
    }
  }
})

test_that("extreme data and priors give a result that says whether it holds, or an error of this package", {
  reported <- function(...) {
    warned <- FALSE
    fit <- withCallingHandlers(
      tryCatch(opencl_glm_grid(..., device = "host"), error = identity),
      warning = function(w) {
        warned <<- TRUE
        invokeRestart("muffleWarning")
      }
    )
    label <- deparse1(substitute(list(...)))
    if (inherits(fit, "error")) return(expect_s3_class(fit, "nmathopencl_error"))
    expect_true(warned || (fit$converged && all(is.finite(coef(fit))) && !is.nan(fit$log_evidence)), label = label)
    expect_false(warned && fit$converged && !all(is.finite(coef(fit))), label = label)
  }
  d <- data.frame(y = c(0, 0, 1, 1), x = c(-2, -1, 1, 2))
  for (sd in cases(c(5e-324, 1e-160, 1e-8, 1e8, 1e160, 1.7e308, Inf), c(5e-324, 1e-8, 1e160, Inf))) {
    reported(y ~ x, binomial, d, prior_sd = sd)
    reported(y ~ x, binomial, d, prior_sd = sd, method = "draws")
    for (mean in c(-1e308, -1e30, 1e6, 1e160)) reported(y ~ x, poisson, d, prior_sd = sd, prior_mean = mean)
    reported(I(1e200 * y) ~ x, gaussian, d, prior_sd = sd)
    reported(I(1e-200 * y) ~ x, gaussian, d, prior_sd = sd)
    reported(y ~ I(1e200 * x), gaussian, d, prior_sd = sd, dispersion = 1)
    reported(y ~ I(1e-200 * x), gaussian, d, prior_sd = sd, dispersion = 1)
    reported(y + 1 ~ x, Gamma("log"), d, prior_sd = sd, dispersion = 1e-30)
    reported(y ~ x, quasipoisson, d, prior_sd = sd, dispersion = 1e-300)
    reported(y ~ x, quasipoisson, d, prior_sd = sd, dispersion = 1e300)
    reported(y ~ x, gaussian, d, prior_sd = sd, dispersion = 1e-32)
    reported(y ~ x, poisson, d, prior_sd = sd, offset = c(0, 0, 0, 800))
    reported(y ~ x, poisson, d, prior_sd = sd, offset = c(0, 0, 0, 1e300))
    reported(y ~ x, poisson, d, prior_sd = sd, weights = c(1, 1, 1, 1e30))
    reported(y ~ x, binomial, d, prior_sd = sd, weights = c(1, 1, 1, 1e20))
  }
  reported(y ~ x, binomial, d, prior_cov = matrix(c(1e-320, 0, 0, 1e308), 2))
  expect_warning(
    fit <- withCallingHandlers(
      opencl_glm_grid(y + 1 ~ x, Gamma("log"), d, dispersion = 1e-30, device = "host"),
      warning = function(w) if (grepl("too coarse", conditionMessage(w))) invokeRestart("muffleWarning")
    ), "rounding hides|mode was not found"
  )
  expect_false(fit$converged)

  # An edge that is sharp next to the prior's width is no rounding.
  for (sd in c(10, 100, 1e3)) {
    zeros <- opencl_glm_grid(y ~ 1, poisson, data.frame(y = c(0, 0)), prior_sd = sd, device = "host")
    log_density <- function(b) -2 * exp(b) + dnorm(b, 0, sd, log = TRUE)
    mass <- integrate(function(b) exp(log_density(b)), -40 * sd, -30, rel.tol = 1e-10)$value +
      integrate(function(b) exp(log_density(b)), -30, 5, rel.tol = 1e-10)$value
    expect_true(zeros$converged)
    expect_lt(abs(zeros$log_evidence - log(mass)), 1e-4)
  }
})

test_that("what is too narrow for a picture is told", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  data <- small_data(poisson())
  for (sd in c(1e-20, 1e-200)) {
    expect_silent(plot(opencl_glm_grid(y ~ x, poisson, data, prior_mean = 0.5, prior_sd = sd, device = "host")))
  }
  narrow <- opencl_glm_grid(y ~ x, poisson, data, prior_mean = 0.5, prior_sd = 1e-310, device = "host")
  for (type in c("pairs", "marginal")) expect_error(plot(narrow, type = type), "no picture", class = "nmathopencl_error")
})
