# helper-glm-grid -- glm() beside opencl_glm_grid(), and random data for both.

quiet_glm <- function(...) {
  suppressWarnings(eval.parent(substitute(glm(..., control = glm.control(epsilon = 1e-14, maxit = 100)))))
}

# The mode under a wide prior is glm()'s estimate to 1e-3 standard errors. So are the standard errors where the link is
# canonical; elsewhere glm() has the expected information, and the curvature is the observed one.
expect_as_glm <- function(fit, reference, tolerance = 1e-3, label = deparse1(formula(reference))) {
  error <- sqrt(diag(vcov(reference)))
  apart <- max(abs(fit$mode - coef(reference)) / error)
  expect_identical(names(fit$mode), names(coef(reference)))
  expect(apart < tolerance, paste0(label, ": the mode is ", apart, " standard errors from glm()'s"))
  wider <- max(abs(sqrt(diag(fit$mode_cov)) / error - 1))
  family <- family(reference)
  canonical <- family$link == c(Gamma = "inverse", gaussian = "identity", poisson = "log", quasipoisson = "log",
                                binomial = "logit", quasibinomial = "logit")[[family$family]]
  expect(wider < if (canonical) 1e-3 else 0.2, paste0(label, ": standard errors differ by ", wider))
}

# A data frame with response y, p coefficients (intercept first), weights w and offset o for a family and link.
random_glm_data <- function(family, n, p) {
  data <- as.data.frame(matrix(rnorm(n * max(p - 1, 1)), n))
  eta <- drop(as.matrix(data[seq_len(p - 1)]) %*% rnorm(p - 1, sd = 0.4 / sqrt(p))) + rnorm(1, sd = 0.3)
  data$o <- rnorm(n, sd = 0.2)
  mean <- family$linkinv(eta + data$o)
  data$w <- switch(family$family, binomial = sample(1:9, n, TRUE), poisson = sample(1:3, n, TRUE), runif(n, 0.2, 3))
  data$y <- switch(family$family,
    binomial = rbinom(n, data$w, mean) / data$w,
    quasibinomial = rbeta(n, 4 * mean, 4 * (1 - mean)),
    poisson = rpois(n, mean),
    quasipoisson = rgamma(n, 3, 3) * mean,
    Gamma = rgamma(n, 4, 4) * mean,
    gaussian = rnorm(n, mean, 2)
  )
  data
}

# The posterior of a gaussian model in closed form: list(mean, cov, evidence).
gaussian_posterior <- function(x, y, offset, weights, dispersion, mean, precision) {
  w <- weights / dispersion
  cov <- solve(crossprod(x, x * w) + precision)
  posterior <- drop(cov %*% (crossprod(x, w * (y - offset)) + precision %*% mean))
  residual <- y - offset - drop(x %*% mean)
  marginal <- diag(1 / w, length(y)) + x %*% solve(precision) %*% t(x)
  log_det <- as.numeric(determinant(marginal)$modulus)
  evidence <- -(length(y) * log(2 * pi) + log_det + drop(residual %*% solve(marginal, residual))) / 2
  list(mean = posterior, cov = cov, evidence = evidence)
}
