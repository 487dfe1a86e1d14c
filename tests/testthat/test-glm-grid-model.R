# opencl_glm_grid() reads formulas, families, responses, weights and priors as glm() does, and refuses what it cannot take.

births <- data.frame(
  y = c(0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1), x = c(-1.2, 0.3, 1.1, -0.4, 0.2, 0.9, -1.5, 1.7, -0.1, -0.7, 0.4, 0.6),
  g = gl(3, 4, labels = c("a", "b", "c")), count = c(3, 0, 2, 5, 1, 1, 4, 0, 2, 3, 6, 1), n = rep(c(4, 9), 6)
)
fit_host <- function(...) eval.parent(substitute(opencl_glm_grid(..., device = "host")))

test_that("logical, factor, matrix and proportion responses are those of glm", {
  reference <- quiet_glm(y ~ x, binomial, births)
  for (response in list(quote(y), quote(y > 0), quote(factor(y, labels = c("no", "yes"))))) {
    fit <- fit_host(eval(bquote(.(response) ~ x)), binomial, births, prior_sd = 1e4)
    expect_as_glm(fit, reference, label = deparse1(response))
  }
  events <- quiet_glm(cbind(pmin(count, n), n - pmin(count, n)) ~ x, binomial, births)
  expect_as_glm(fit_host(cbind(pmin(count, n), n - pmin(count, n)) ~ x, binomial, births, prior_sd = 1e4), events)
  proportion <- fit_host(pmin(count, n) / n ~ x, binomial, births, weights = n, prior_sd = 1e4)
  expect_as_glm(proportion, events)
  expect_equal(as.numeric(logLik(proportion)), as.numeric(logLik(events)), tolerance = 1e-7)
  expect_identical(attr(logLik(proportion), "df"), 2L)
})

test_that("families are taken as objects, functions and names", {
  as_object <- coef(fit_host(y ~ x, binomial(), births))
  expect_identical(coef(fit_host(y ~ x, binomial, births)), as_object)
  expect_identical(coef(fit_host(y ~ x, "binomial", births)), as_object)
  expect_identical(family(fit_host(count ~ x, data = births))$family, "gaussian")
  own <- function() poisson()
  expect_identical(family(fit_host(count ~ x, "own", births))$family, "poisson")
  known <- "binomial \\(logit, probit, cloglog\\).*poisson \\(log\\).*Gamma \\(log\\), gaussian \\(identity\\)"
  refused <- list(
    "Gamma" = "`family` is Gamma\\(inverse\\)", "no_such_family" = "`family` is no_such_family",
    "inverse.gaussian" = "inverse.gaussian\\(1/mu\\^2\\)"
  )
  for (name in names(refused)) {
    expect_error(fit_host(count + 1 ~ x, name, births), paste0(refused[[name]], ".*", known), class = "nmathopencl_error")
  }
  expect_error(fit_host(y ~ x, binomial("log"), births), "binomial\\(log\\)", class = "nmathopencl_error")
  expect_error(fit_host(y ~ x, list(), births), "no family object", class = "nmathopencl_error")
})

test_that("weights, offsets, subsets, missing values and contrasts are those of glm", {
  holes <- births
  holes$x[3] <- NA
  holes$count[7] <- NA
  holes$w <- seq(0, 2.2, by = 0.2)
  holes$o <- seq(-0.5, 0.5, length.out = 12)
  reference <- quiet_glm(count ~ x + g + offset(o), quasipoisson, holes,
    weights = w, subset = n > 3 & x < 1.6, contrasts = list(g = "contr.sum"), offset = o / 2
  )
  fit <- fit_host(count ~ x + g + offset(o), quasipoisson, holes,
    weights = w, subset = n > 3 & x < 1.6, contrasts = list(g = "contr.sum"), offset = o / 2, prior_sd = 1e5,
    method = "draws"
  )
  suppressWarnings(expect_as_glm(fit, reference))
  expect_equal(fit$dispersion, suppressWarnings(summary(reference))$dispersion, tolerance = 1e-6)
  expect_identical(nobs(fit), nobs(reference))
  expect_equal(unname(predict(fit, holes[c(1, 5), ])), unname(
    drop(model.matrix(reference)[c("1", "5"), ] %*% coef(fit)) + 1.5 * holes$o[c(1, 5)]
  ), tolerance = 1e-10)
  excluded <- fit_host(count ~ x, poisson, holes, na.action = na.exclude)
  expect_identical(which(is.na(fitted(excluded))), c(`3` = 3L, `7` = 7L))
  expect_length(fitted(fit_host(count ~ x, poisson, holes)), 10)
  expect_error(
    fit_host(count ~ x, poisson, holes, na.action = na.pass), "missing values remain in count, x",
    class = "nmathopencl_error"
  )
  expect_error(fit_host(count ~ x, poisson, holes, na.action = na.fail), "missing values", class = "nmathopencl_error")
})

test_that("fractions of trials have the likelihood of quasibinomial, and no evidence", {
  set.seed(6)
  births$p <- runif(12)
  reference <- quiet_glm(p ~ x, quasibinomial, births, weights = seq(0.3, 2, length.out = 12))
  for (device in test_devices()) {
    fit <- opencl_glm_grid(p ~ x, quasibinomial, births,
      weights = seq(0.3, 2, length.out = 12), prior_sd = 1e4, device = device
    )
    expect_as_glm(fit, reference)
    expect_equal(fit$dispersion, summary(reference)$dispersion, tolerance = 1e-6)
    expect_identical(c(fit$log_evidence, fit$log_likelihood), c(NA_real_, NA_real_))
  }
  expect_equal(
    vcov(fit_host(p ~ x, quasibinomial, births, dispersion = 0.01, prior_sd = 1e4)) * 100,
    vcov(fit_host(p ~ x, quasibinomial, births, dispersion = 1, prior_sd = 1e4)), tolerance = 0.6
  )
  expect_warning(fit_host(p ~ x, binomial, births), "non-integer #successes")
})

test_that("a prior is one number, one for each, by name, or a covariance", {
  all_three <- fit_host(y ~ x, binomial, births, prior_mean = 1, prior_sd = 2)
  expect_identical(coef(fit_host(y ~ x, binomial, births, prior_mean = c(1, 1), prior_sd = c(2, 2))), coef(all_three))
  named <- fit_host(y ~ x, binomial, births, prior_mean = c(x = 1, "(Intercept)" = 1), prior_cov = diag(4, 2))
  expect_equal(coef(named), coef(all_three), tolerance = 1e-8)
  expect_equal(named$log_evidence, all_three$log_evidence, tolerance = 1e-8)
  part <- fit_host(y ~ x, binomial, births, prior_sd = c(x = 2))
  expect_identical(unname(part$prior$sd[2]), 2)
  expect_gt(part$prior$sd[1], 9.99)
  cov <- matrix(c(1, 0.5, 0.5, 2), 2, dimnames = rep(list(c("x", "(Intercept)")), 2))
  expect_identical(
    coef(fit_host(y ~ x, binomial, births, prior_cov = cov)),
    coef(fit_host(y ~ x, binomial, births, prior_cov = unname(cov[2:1, 2:1])))
  )
  flat <- fit_host(count ~ g, poisson, births, prior_sd = Inf)
  expect_as_glm(flat, quiet_glm(count ~ g, poisson, births), tolerance = 1e-6)
  expect_identical(flat$log_evidence, NA_real_)
})

test_that("the default prior does not depend on the units of the data", {
  one <- fit_host(count ~ x, gaussian, births, dispersion = 4)
  other <- fit_host(I(1000 * count) ~ I(x / 100 + 7), gaussian, births, dispersion = 4e6)
  expect_equal(coef(other)[[2]], 1e5 * coef(one)[[2]], tolerance = 1e-3)
  expect_equal(fitted(other), 1000 * fitted(one), tolerance = 1e-3)
  zeros <- fit_host(count ~ x + I(0 * x), poisson, births)
  expect_equal(unname(sqrt(diag(vcov(zeros)))[3]), 10, tolerance = 1e-3)
})

test_that("what cannot be fitted is an error that says why", {
  refused <- function(pattern, ...) {
    expect_error(eval.parent(substitute(fit_host(...))), pattern, class = "nmathopencl_error")
  }
  refused("object 'nothing' not found", y ~ nothing, binomial, births)
  refused("has no coefficients", y ~ 0, binomial, births)
  refused("has no response", ~x, binomial, births)
  refused("no rows", y ~ x, binomial, births[0, ])
  refused("infinite values", y / 0 ~ x, gaussian, births)
  refused("y values must be 0 <= y <= 1", count ~ x, binomial, births)
  refused("negative values not allowed", x ~ g, poisson, births)
  refused("non-positive values not allowed", count ~ x, Gamma("log"), births)
  refused("factor is a response for binomial", g ~ x, poisson, births)
  refused("numbers, logical or a factor", as.character(y) ~ x, binomial, births)
  refused("has 2 columns: one can be", cbind(x, y) ~ 1, gaussian, births)
  refused("has 3 columns: one, or two", cbind(x, y, n) ~ 1, binomial, births)
  refused("`weights` has negative", y ~ x, binomial, births, weights = x)
  refused("all weights are 0", y ~ x, binomial, births, weights = 0 * n)
  refused("variable lengths differ", y ~ x, binomial, births, offset = 1:3)
  refused("`prior_sd` must be positive", y ~ x, binomial, births, prior_sd = 0)
  refused("`prior_mean` must be finite", y ~ x, binomial, births, prior_mean = NA_real_)
  refused("`prior_sd` names z; the coefficients are \\(Intercept\\), x", y ~ x, binomial, births, prior_sd = c(z = 1))
  refused("`prior_sd` has length 3, but there are 2", y ~ x, binomial, births, prior_sd = 1:3)
  refused("not both", y ~ x, binomial, births, prior_sd = 1, prior_cov = diag(2))
  refused("matrix of 2 x 2", y ~ x, binomial, births, prior_cov = diag(3))
  refused("positive definite", y ~ x, binomial, births, prior_cov = matrix(1, 2, 2))
  refused("neither data nor prior determine I\\(2 \\* x\\)", y ~ x + I(2 * x), binomial, births, prior_sd = Inf)
  refused("`dispersion` must be one positive", count ~ x, gaussian, births, dispersion = -1)
  refused("binomial family has dispersion 1", y ~ x, binomial, births, dispersion = 2)
  refused("no degrees of freedom", count ~ x, gaussian, births[1:2, ])
  refused("dispersion is estimated as (0|[0-9.]+e-)", I(2 * x) ~ x, gaussian, births, prior_sd = Inf)
  refused("`method` must be one of \"auto\", \"grid\", \"draws\"", y ~ x, binomial, births, method = "mcmc")
  refused("grid holds up to 4", y ~ x * g, binomial, births, method = "grid")
  refused("`points` must be", y ~ x, binomial, births, points = 2)
  refused("2,?000,?000|2e\\+06", y ~ x + g, binomial, births, points = 101)
  refused("`width` must be", y ~ x, binomial, births, width = 0)
  refused("`draws` must be", y ~ x, binomial, births, draws = "many")
  refused("`df` must be", y ~ x, binomial, births, df = 0)
  refused("`fallback` must be TRUE or FALSE", y ~ x, binomial, births, fallback = NA)
})

test_that("columns too large for the default prior are told as such", {
  data <- data.frame(y = 0:1, x = c(1e308, -1e308))
  expect_error(opencl_glm_grid(y ~ x, binomial, data, device = "host"), "spread is beyond the doubles")
})
