# Every method that stats has for glm() and lm(): values of glm()'s meaning, or an error that says what to use.

weak_fit <- function(...) eval.parent(substitute(opencl_glm_grid(..., prior_sd = 1e5, device = "host")))
close_to <- function(own, theirs, tolerance, label) {
  expect_identical(names(own), names(theirs), label = label)
  expect_lt(max(abs(own - theirs), na.rm = TRUE) / max(1e-300, abs(theirs), na.rm = TRUE), tolerance, label = label)
  expect_identical(is.na(own), is.na(theirs), label = label)
}

holes <- data.frame(
  x = c(-1.2, 0.3, 1.1, NA, 0.2, 0.9, -1.5, 1.7, -0.1, -0.7, 0.4, 0.6), g = gl(3, 4, labels = c("a", "b", "c")),
  count = c(3, 0, 2, 5, 1, 1, 4, 0, 2, 3, 6, 1), n = rep(c(6, 9), 6), w = c(0, rep(c(1, 2.5), length.out = 11)),
  row.names = letters[1:12]
)
pairs_of_fits <- function() {
  list(
    binomial = list(
      weak_fit(cbind(count, n - count) ~ x + g, binomial, holes, na.action = na.exclude),
      quiet_glm(cbind(count, n - count) ~ x + g, binomial, holes, na.action = na.exclude)
    ),
    proportion = list(
      weak_fit(count / n ~ x, binomial("probit"), holes, weights = n),
      quiet_glm(count / n ~ x, binomial("probit"), holes, weights = n)
    ),
    factor = list(weak_fit(factor(count > 1) ~ x, binomial, holes), quiet_glm(factor(count > 1) ~ x, binomial, holes)),
    poisson = list(
      weak_fit(count ~ x, poisson, holes, offset = n / 10), quiet_glm(count ~ x, poisson, holes, offset = n / 10)
    ),
    quasi = list(
      weak_fit(count ~ x, quasipoisson, holes, weights = w), quiet_glm(count ~ x, quasipoisson, holes, weights = w)
    ),
    gamma = list(
      weak_fit(count + 1 ~ x, Gamma("log"), holes, weights = w), quiet_glm(count + 1 ~ x, Gamma("log"), holes, weights = w)
    ),
    gaussian = list(weak_fit(count ~ x, gaussian, holes, weights = w), quiet_glm(count ~ x, gaussian, holes, weights = w))
  )
}

test_that("residuals, deviance, weights and degrees of freedom are glm's", {
  skip_on_cran() # a matter of seconds
  for (name in names(fits <- pairs_of_fits())) {
    own <- fits[[name]][[1]]
    theirs <- fits[[name]][[2]]
    for (type in c("deviance", "pearson", "working", "response")) {
      close_to(residuals(own, type), residuals(theirs, type), 1e-4, paste(name, type))
    }
    close_to(resid(own), resid(theirs), 1e-4, name)
    close_to(weights(own), weights(theirs), 1e-14, name)
    close_to(weights(own, "working"), weights(theirs, "working"), 1e-4, name)
    expect_equal(deviance(own), deviance(theirs), tolerance = 1e-6, label = name)
    expect_identical(as.double(df.residual(own)), as.double(df.residual(theirs)), label = name)
    expect_identical(as.double(nobs(own)), as.double(nobs(theirs)), label = name)
    expect_equal(sigma(own)^2, suppressWarnings(summary(theirs))$dispersion, tolerance = 1e-4, label = name)
    expect_identical(attr(logLik(own), "df"), as.integer(attr(logLik(theirs), "df") + (name == "quasi")), label = name)
    if (name %in% c("binomial", "proportion", "factor", "poisson")) {
      expect_equal(AIC(own), AIC(theirs), tolerance = 1e-6, label = name)
      expect_equal(BIC(own), BIC(theirs), tolerance = 1e-6, label = name)
      expect_equal(extractAIC(own), extractAIC(theirs), tolerance = 1e-6, label = name)
    }
    expect_identical(model.frame(own), own$model, label = name)
    expect_equal(model.matrix(own), model.matrix(theirs), label = name)
    expect_identical(labels(own), attr(terms(theirs), "term.labels"), label = name)
    expect_identical(variable.names(own), variable.names(theirs), label = name)
    expect_identical(attr(terms(own), "term.labels"), attr(terms(theirs), "term.labels"), label = name)
    expect_identical(family(own)$family, family(theirs)$family, label = name)
  }
  expect_identical(case.names(fits$poisson[[1]]), case.names(fits$poisson[[2]]))
  expect_error(residuals(own, "partial"), "`type` must be one of", class = "nmathopencl_error")
})

test_that("the spread of predictions is the posterior's", {
  fit <- opencl_glm_grid(cbind(count, n - count) ~ x, binomial, holes, device = "host", na.action = na.exclude)
  theirs <- quiet_glm(cbind(count, n - count) ~ x, binomial, holes)
  new <- data.frame(x = c(-2, 0, NA, 1.5))
  link <- predict(fit, new, se.fit = TRUE)
  expect_identical(names(link), names(predict(theirs, new, se.fit = TRUE)))
  x <- cbind(1, new$x)
  expect_equal(unname(link$se.fit), sqrt(rowSums((x %*% vcov(fit)) * x)), tolerance = 1e-10)
  expect_identical(link$fit, predict(fit, new))
  response <- predict(fit, new, type = "response", se.fit = TRUE, interval = "credible")
  mean <- plogis(x %*% t(fit$points))
  expect_equal(unname(response$fit[, "fit"]), drop(mean %*% fit$weights), tolerance = 1e-10)
  expect_equal(unname(response$se.fit), sqrt(drop((mean - drop(mean %*% fit$weights))^2 %*% fit$weights)), tolerance = 1e-8)
  expect_identical(names(predict(fit, se.fit = TRUE)$se.fit), rownames(holes))
  expect_identical(response$residual.scale, 1)
  expect_error(predict(fit, new, dispersion = 2), "no argument dispersion", class = "nmathopencl_error")
  expect_error(predict(fit, new, se.fit = NA), "`se.fit` must be", class = "nmathopencl_error")
  expect_warning(
    predict(opencl_glm_grid(count ~ x, poisson, holes[1:6, ], device = "host"), data.frame(x = c(0, 30)), type = "response"),
    "mean response of 1 of 2 different rows"
  )
})

test_that("simulated responses have the posterior predictive moments and the model's form", {
  skip_on_cran() # a matter of seconds
  fits <- pairs_of_fits()
  set.seed(3)
  for (name in setdiff(names(fits), "quasi")) {
    fit <- fits[[name]][[1]]
    if (any(fit$prior.weights == 0)) next
    one <- simulate(fit, 2)
    theirs <- suppressWarnings(simulate(fits[[name]][[2]], 2))
    expect_identical(names(one), names(theirs), label = name)
    expect_identical(nrow(one), nrow(theirs), label = name)
    expect_identical(class(one[[1]])[1], class(theirs[[1]])[1], label = name)
    expect_identical(dim(one[[1]]), dim(theirs[[1]]), label = name)
  }
  shared <- data.frame(y = c(2, 5, 3, 8, 6, 4.5), x = 1:6)
  for (family in list(gaussian(), Gamma("log"), poisson())) {
    fit <- opencl_glm_grid(round(y) ~ x, family, shared, device = "host")
    drawn <- as.matrix(simulate(fit, 4000))
    predicted <- predict(fit, type = "response", se.fit = TRUE)
    within <- fit$dispersion * family$variance(predicted$fit)
    spread <- sqrt(within + predicted$se.fit^2)
    expect_lt(max(abs(rowMeans(drawn) - predicted$fit) / spread) * sqrt(4000), 5, label = family$family)
    expect_lt(max(abs(apply(drawn, 1, sd) / spread - 1)), 0.15, label = family$family)
  }
  expect_identical(simulate(fit, seed = 4), simulate(fit, seed = 4))
  expect_error(simulate(fits$quasi[[1]]), "no distribution to simulate", class = "nmathopencl_error")
  expect_error(simulate(fit, -1), "`nsim` must be", class = "nmathopencl_error")
})

test_that("every method of stats for glm and lm gives a value or an error of this package", {
  skip_on_cran() # a matter of seconds
  methods <- lapply(c("glm", "lm"), function(class) attr(utils::methods(class = class), "info"))
  table <- unique(do.call(rbind, methods)[c("generic", "isS4")])
  generics <- unique(c(
    table$generic[!table$isS4], "coef", "coefficients", "df.residual", "fitted", "fitted.values", "resid", "sigma", "AIC",
    "BIC", "terms", "update", "profile", "weights", "deviance"
  ))
  expect_gt(length(generics), 40)
  fit <- opencl_glm_grid(count ~ x + g, poisson, stats::na.omit(holes), device = "host")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  refused <- character()
  for (generic in generics) {
    ask <- get(generic, mode = "function")
    more <- switch(generic, add1 = list(~ . + n), update = list(. ~ . - g))
    value <- tryCatch(utils::capture.output(result <- do.call(ask, c(list(fit), more))), error = identity)
    if (inherits(value, "error")) {
      expect_s3_class(value, "nmathopencl_error")
      expect_match(conditionMessage(value), "is not defined for a model on a grid: .*(fit|logLik)", label = generic)
      refused <- c(refused, generic)
    } else {
      expect_false(is.null(result), label = generic)
    }
  }
  expect_setequal(refused, c(
    "alias", "anova", "cooks.distance", "dfbeta", "dfbetas", "dummy.coef", "effects", "hatvalues", "influence", "kappa",
    "profile", "proj", "qr", "rstandard", "rstudent"
  ))
  fit <- opencl_glm_grid(count ~ x + g, poisson, stats::na.omit(holes), device = "host")
  expect_equal(drop1(fit)$AIC, c(AIC(fit), AIC(update(fit, . ~ . - x)), AIC(update(fit, . ~ . - g))), tolerance = 1e-10)
})
