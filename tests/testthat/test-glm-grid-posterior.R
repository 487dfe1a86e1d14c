# What is asked of a fit: marginal laws, draws, predictions, pictures, and R's generics.

skewed <- data.frame(success = c(9, 7, 10, 4), failure = c(1, 0, 0, 3), dose = c(0, 1, 2, -1))
skewed_fit <- function(...) {
  opencl_glm_grid(cbind(success, failure) ~ dose, binomial, skewed, prior_sd = 3, device = "host", ...)
}
gaussian_fit <- function(...) opencl_glm_grid(breaks ~ tension, gaussian, warpbreaks, dispersion = 100, device = "host", ...)

# Probabilities of intervals by brute force over a fine grid in R.
skewed_mass <- function() {
  at <- as.matrix(expand.grid(a = seq(-2, 9, by = 0.02), b = seq(-2, 8, by = 0.02)))
  eta <- at[, 1] + outer(at[, 2], skewed$dose)
  log_density <- eta %*% skewed$success - log1p(exp(eta)) %*% (skewed$success + skewed$failure) - rowSums(at^2) / 18
  weight <- exp(log_density - max(log_density))
  list(at = at, weight = as.vector(weight / sum(weight)))
}

test_that("marginal densities and quantiles are those of the posterior, also where the lattice is turned", {
  exact <- skewed_mass()
  fit <- skewed_fit()
  probs <- c(0.005, 0.1, 0.5, 0.9, 0.995)
  quantiles <- summary(fit, probs = probs)$coefficients[, 3:7]
  for (k in 1:2) {
    below <- vapply(quantiles[k, ], function(q) {
      sum(exact$weight * pmin(1, pmax(0, (q - exact$at[, k]) / 0.02 + 0.5)))
    }, 0)
    expect_lt(max(abs(below - probs)), 1e-4)
    density <- rowsum(exact$weight, round(exact$at[, k], 8))[, 1] / 0.02
    own <- linear_law(fit, as.numeric(1:2 == k))$density(as.numeric(names(density)))
    expect_lt(max(abs(own - density)), 1e-3 * max(density))
  }
  set.seed(7)
  drawn <- skewed_fit(method = "draws")
  expect_lt(max(abs(confint(drawn) - confint(fit)) / sqrt(diag(vcov(fit)))), 0.05)
})

test_that("regions of pairs hold their mass", {
  set.seed(8)
  for (method in c("grid", "draws")) {
    fit <- gaussian_fit(method = method)
    for (pair in list(c(1, 2), c(3, 2))) {
      regions <- credible_regions(pair_density(fit, pair[1], pair[2]), c(0.5, 0.95))
      centred <- as.matrix(regions[c("x", "y")]) - rep(coef(fit)[pair], each = nrow(regions))
      distance <- rowSums((centred %*% solve(vcov(fit)[pair, pair])) * centred)
      mass <- tapply(pchisq(distance, 2), regions$level, mean)
      expect_lt(max(abs(mass - c(0.5, 0.95))), if (method == "grid") 0.005 else 0.015)
    }
  }
})

test_that("the density of a pair is the posterior's where there is no other coefficient", {
  fit <- skewed_fit()
  pair <- pair_density(fit, 1, 2)
  at <- pair$mean + pair$root %*% t(as.matrix(expand.grid(pair$y, pair$y)))
  trials <- skewed$success + skewed$failure
  qf <- f2_f3_opencl("binomial", "logit", at, skewed$success / trials, model.matrix(fit),
    mu = c(0, 0), P = diag(2) / 9, alpha = rep(0, 4), wt = trials, device = "host"
  )$qf
  exact <- exp(min(qf) - qf) / sum(exp(min(qf) - qf))
  expect_lt(max(abs(pair$density / sum(pair$density) - exact)), 1e-3 * max(exact))
})

test_that("rgrid draws from the posterior", {
  fit <- skewed_fit(points = 15)
  set.seed(9)
  b <- rgrid(fit, 20000)
  expect_identical(dim(b), c(20000L, 2L))
  expect_identical(colnames(b), names(coef(fit)))
  for (k in 1:2) {
    expect_lt(abs(mean(b[, k]) - coef(fit)[k]) / sqrt(vcov(fit)[k, k] / 20000), 4)
    limits <- linear_law(fit, as.numeric(1:2 == k))$quantile(seq(0.05, 0.95, by = 0.05))
    expect_gt(suppressWarnings(chisq.test(table(cut(b[, k], c(-Inf, limits, Inf))))$p.value), 1e-3)
  }
  expect_lt(abs(cor(b)[1, 2] - cov2cor(vcov(fit))[1, 2]), 0.03)
  set.seed(9)
  expect_identical(rgrid(fit, 20000), b)
  expect_identical(dim(rgrid(fit, 1)), c(1L, 2L))
  expect_identical(dim(rgrid(fit, 0)), c(0L, 2L))
  expect_identical(dim(rgrid(skewed_fit(method = "draws"), 5)), c(5L, 2L))
  expect_error(rgrid(fit, -1), "number of draws", class = "nmathopencl_error")
  expect_error(rgrid(1, 1), "opencl_glm_grid", class = "nmathopencl_error")
})

test_that("predictions are posterior means and quantiles, with the terms of the fit", {
  fit <- opencl_glm_grid(case ~ poly(age, 2) + offset(spontaneous / 2), binomial, infert, device = "host")
  new <- infert[c(3, 80, 200), ]
  x <- model.matrix(fit)[c(3, 80, 200), ]
  eta <- x %*% t(fit$points) + new$spontaneous / 2
  link <- predict(fit, new, interval = "credible", level = 0.9)
  expect_identical(colnames(link), c("fit", "lwr", "upr"))
  expect_equal(link[, "fit"], drop(eta %*% fit$weights), tolerance = 1e-10)
  expect_equal(predict(fit)[c(3, 80, 200)], link[, "fit"], tolerance = 1e-10)
  response <- predict(fit, new, type = "response", interval = "credible", level = 0.9)
  expect_equal(response[, "fit"], drop(plogis(eta) %*% fit$weights), tolerance = 1e-6)
  expect_equal(fitted(fit)[c(3, 80, 200)], response[, "fit"], tolerance = 1e-12)
  expect_equal(response[, -1], plogis(link[, -1]), tolerance = 1e-12)
  spread <- sqrt(rowSums((x %*% vcov(fit)) * x))
  expect_lt(max(abs((link[, "upr"] - link[, "lwr"]) / (2 * qnorm(0.95) * spread) - 1)), 0.02)
  new$age[2] <- NA
  expect_identical(unname(is.na(predict(fit, new))), c(FALSE, TRUE, FALSE))
  expect_identical(dim(predict(fit, new[0, ], interval = "credible")), c(0L, 3L))
  refused <- function(pattern, ...) expect_error(predict(fit, ...), pattern, class = "nmathopencl_error")
  refused("object '[a-z]+' not found", new["age"])
  refused("`level` must be", new, level = 2)
  refused("`type` must be one of \"link\", \"response\"", new, type = "terms")
  tension <- gaussian_fit()
  expect_error(predict(tension, data.frame(tension = "Z")), "new level", class = "nmathopencl_error")
  by_draws <- gaussian_fit(method = "draws")
  expect_equal(predict(by_draws)[1:3], predict(tension)[1:3], tolerance = 0.01)
  expect_equal(predict(by_draws, interval = "credible")[1, ], predict(tension, interval = "credible")[1, ], tolerance = 0.01)
})

test_that("the generics of fits know the class", {
  fit <- skewed_fit()
  expect_output(print(fit), "on a grid of [0-9,]+ points.*Mean +SD.*Log marginal likelihood: -[0-9]")
  expect_output(print(summary(fit)), "2.5% +50% +97.5%.*Prior:.*SD")
  expect_output(print(summary(skewed_fit(method = "draws"))), "effective size.*MCSE")
  estimated <- opencl_glm_grid(breaks ~ wool, Gamma("log"), warpbreaks, device = "host")
  expect_output(print(estimated), "Dispersion:.*\\(estimated\\)")
  expect_output(print(gaussian_fit()), "Dispersion: 100 \\(given\\)")
  expect_identical(formula(fit), cbind(success, failure) ~ dose, ignore_formula_env = TRUE)
  expect_identical(dimnames(confint(fit, "dose", level = 0.8)), list("dose", c("10%", "90%")))
  expect_identical(confint(fit, 2), confint(fit)["dose", , drop = FALSE])
  expect_error(confint(fit, "x"), "`parm` must name coefficients: \\(Intercept\\), dose", class = "nmathopencl_error")
  expect_equal(quantile(fit, c(0.1, 0.9)), confint(fit, level = 0.8), tolerance = 1e-12)
  expect_identical(dimnames(quantile(fit)), list(names(coef(fit)), c("2.5%", "25%", "50%", "75%", "97.5%")))
  expect_error(quantile(fit, 2), "`probs`", class = "nmathopencl_error")
  expect_error(summary(fit, probs = 2), "`probs`", class = "nmathopencl_error")
  expect_identical(nobs(fit), 4L)
  expect_identical(dim(model.matrix(fit)), c(4L, 2L))
  without <- update(fit, . ~ 1)
  expect_identical(names(coef(without)), "(Intercept)")
  expect_gt(logLik(fit), logLik(without))
  path <- tempfile(fileext = ".rds")
  on.exit(unlink(path))
  saveRDS(fit, path)
  expect_identical(confint(readRDS(path)), confint(fit))
})

test_that("pictures are drawn, and leave the device as they found it", {
  skip_on_cran() # a matter of seconds
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  before <- par(c("mar", "mfrow", "las"))
  one <- opencl_glm_grid(case ~ 1, binomial, infert, device = "host")
  fits <- list(one, skewed_fit(), gaussian_fit(), gaussian_fit(method = "draws", draws = 3000))
  for (fit in fits) {
    expect_identical(withVisible(plot(fit)), list(value = fit, visible = FALSE))
    expect_silent(plot(fit, type = "marginal", levels = 0.9, col = "red"))
  }
  expect_silent(plot(fits[[3]], which = c("tensionH", "tensionM")))
  expect_identical(par(c("mar", "mfrow", "las")), before)
  expect_error(plot(fit, which = "x"), "`which` must name coefficients", class = "nmathopencl_error")
  expect_error(plot(fit, levels = 1), "`levels` must lie", class = "nmathopencl_error")
})

test_that("ggplot2 draws them too", {
  skip_on_cran() # a matter of seconds
  skip_if_not_installed("ggplot2")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (type in c("pairs", "marginal")) {
    picture <- ggplot2::autoplot(gaussian_fit(), type = type)
    expect_s3_class(picture, "ggplot")
    expect_gte(length(ggplot2::ggplot_build(picture)$data), 2)
  }
})
