# profile() and confint() of objectives, against likelihood ratios by glm() and formulas.

unoptimized_programs()

doses <- data.frame(count = c(2, 1, 4, 7, 11), dose = 0:4)

test_that("intervals of a Poisson model are those of glm()'s likelihood ratio", {
  ll <- opencl_function(function(count, dose, b) sum(dpois(count, exp(b[1] + b[2] * dose), log = TRUE)), gradient = "b", data = doses)
  objective <- as_objective(ll, list(b = c(one = 0, dose = 0)), device = "host")
  fit <- nlminb(objective$par, objective$fn, objective$gr)
  profiles <- profile(objective, fit)
  expect_s3_class(profiles, c("nmathopencl_profile", "profile"), exact = TRUE)
  expect_identical(names(profiles), c("b.one", "b.dose"))
  for (one in profiles) {
    expect_false(is.unsorted(one$z))
    expect_true(all(range(one$z) * c(-1, 1) > qnorm(0.995)))
    rises <- apply(one$par.vals, 1L, function(p) 2 * (objective$fn(p) - objective$fn(fit$par)))
    expect_equal(one$z^2, unname(rises), tolerance = 1e-6)
  }
  held <- list(
    b.one = function(v) glm(count ~ 0 + dose, poisson, transform(doses, o = v), offset = o),
    b.dose = function(v) glm(count ~ 1, poisson, transform(doses, o = v * dose), offset = o)
  )
  best <- logLik(glm(count ~ dose, poisson, doses))
  for (level in c(0.5, 0.95)) {
    limits <- confint(profiles, level = level)
    for (name in names(held)) {
      rise <- function(v) 2 * c(best - logLik(held[[name]](v))) - qchisq(level, 1)
      at <- fit$par[[name]]
      expect_equal(limits[name, 1L], uniroot(rise, c(at - 5, at), tol = 1e-9)$root, tolerance = 2e-3)
      expect_equal(limits[name, 2L], uniroot(rise, c(at, at + 5), tol = 1e-9)$root, tolerance = 2e-3)
    }
  }
  expect_identical(dimnames(confint(profiles)), list(c("b.one", "b.dose"), c("2.5 %", "97.5 %")))
  expect_identical(confint(profiles, "b.dose"), confint(profiles)["b.dose", , drop = FALSE])
  expect_identical(confint(profiles, 2), confint(profiles, "b.dose"))
  expect_warning(limits <- confint(profiles, level = 0.99999), "ends before the limits of level 0.99999: profile(..., level = 0.9999975) goes farther", fixed = TRUE)
  expect_true(all(is.na(limits)))
  expect_identical(confint(objective, par = fit), confint(summary(objective, fit)))
  expect_identical(confint(objective, "b.dose", 0.9, par = fit), confint(summary(objective, fit), "b.dose", 0.9))
})

test_that("one parameter, and one without a gradient, have profiles, to the end of its range", {
  y <- c(0.2, 1.4, 0.7, 2.2)
  rate <- as_objective(opencl_function(function(y, rate) sum(dexp(y, rate, log = TRUE)), gradient = "rate"), c(rate = 1), list(y = y), device = "host")
  best <- 1 / mean(y)
  drop <- function(r) 2 * (rate$fn(r) - rate$fn(best)) - qchisq(0.95, 1)
  limits <- confint(profile(rate, best))
  expect_equal(limits[, 1L], uniroot(drop, c(1e-3, best), tol = 1e-10)$root, tolerance = 5e-3)
  expect_equal(limits[, 2L], uniroot(drop, c(best, 10), tol = 1e-10)$root, tolerance = 5e-3)
  expect_identical(nrow(limits), 1L)
})

test_that("what cannot be profiled is told", {
  ll <- opencl_function(function(y, m, log_s) dnorm(y, m, exp(log_s), log = TRUE), reduce = "sum", gradient = c("m", "log_s"))
  y <- c(1, 2, 4)
  objective <- as_objective(ll, c(m = 0, log_s = 0), list(y = y), device = "host")
  at <- c(m = mean(y), log_s = log(sqrt(mean((y - mean(y))^2))))
  refused <- function(code, text) expect_error(code, text, fixed = TRUE, class = "nmathopencl_error")
  refused(profile(objective), "`par` must be given")
  refused(confint(objective), "confint(objective, par = fit)")
  refused(profile(objective, at, "n"), "`which` must name parameters, or be their numbers: there are `m`, `log_s`")
  refused(profile(objective, at, "logs"), "did you mean `log_s`?")
  refused(profile(objective, at, level = 2), "`level` must be one number between 0 and 1")
  refused(profile(objective, at, steps = 0), "`steps` must be a number from 1 on")
  refused(profile(objective, at + c(0.3, 0.2)), "has found a lower value")
  refused(confint(profile(objective, at, "m"), "log_s"), "`parm` must name parameters, or be their numbers: there are `m`")
  expect_equal(sum(confint(profile(objective, at, "m"))), 2 * mean(y), tolerance = 1e-4) # it is symmetric
})

test_that("a vector of `start` is named as a whole, and its elements by themselves", {
  ll <- opencl_function(function(y, x, b, ls) sum(dnorm(y, b[1] + b[2] * x, exp(ls[1] + ls[2] * x), log = TRUE)), gradient = c("b", "ls"))
  set.seed(9)
  x <- rnorm(40)
  objective <- as_objective(ll, list(b = c(one = 0, slope = 0), ls = c(0, 0)), list(y = rnorm(40, x), x = x), device = "host")
  fit <- nlminb(objective$par, objective$fn, objective$gr, objective$he)
  profiles <- profile(objective, fit, "ls")
  expect_identical(names(profiles), c("ls1", "ls2"))
  expect_identical(names(profile(objective, fit, c("slope", "ls2"))), c("b.slope", "ls2"))
  expect_identical(confint(profiles, "ls"), confint(profiles))
  expect_identical(rownames(confint(objective, c("b", "ls1"), par = fit)), c("b.one", "b.slope", "ls1"))
  expect_identical(rownames(confint(objective, c(4, 1), par = fit)), c("ls2", "b.one"))
  expect_error(profile(objective, fit, "l"), "`which` must name parameters, or be their numbers: there are `b.one`, `b.slope`, `ls1`, `ls2`", fixed = TRUE, class = "nmathopencl_error")
  expect_error(profile(objective, fit, 5), "must name parameters", class = "nmathopencl_error")
  expect_error(confint(profiles, "one"), "there are `ls1`, `ls2`", fixed = TRUE, class = "nmathopencl_error")
})
