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
  skip_on_cran() # a matter of seconds
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

test_that("a fit stands for the estimates, also as the second argument of confint()", {
  skip_on_cran() # a matter of seconds
  ll <- opencl_function(function(count, dose, p) sum(dpois(count, exp(p$b[1] + p$b[2] * dose), log = TRUE)), gradient = "p", data = doses)
  start <- list(p = list(b = c(one = 0, dose = 0)))
  objective <- as_objective(ll, start, device = "host")
  by_nlminb <- nlminb(objective$par, objective$fn, objective$gr)
  tight <- list(reltol = 1e-14)
  fits <- list(
    by_nlminb, optim(unlist(start), objective$fn, objective$gr, method = "BFGS", control = tight), nlm(objective$f, objective$par, gradtol = 1e-10),
    by_nlminb$par, objective$split(by_nlminb$par)
  )
  model <- glm(count ~ dose, poisson, doses, epsilon = 1e-13)
  wald <- unname(confint.default(model))
  ratio <- confint(profile(objective, by_nlminb))
  for (fit in fits) {
    expect_equal(unname(confint(objective, fit)), wald, tolerance = 1e-5)
    expect_identical(confint(objective, fit), confint(objective, par = fit))
    expect_identical(confint(objective, fit, 0.9), confint(objective, par = fit, level = 0.9))
    expect_identical(rownames(confint(objective, fit)), names(unlist(start)))
    expect_equal(confint(profile(objective, fit)), ratio, tolerance = 1e-4)
    expect_equal(unname(vcov(objective, fit)), unname(vcov(model)), tolerance = 1e-5)
    expect_equal(unname(summary(objective, fit)$coefficients[, 1:2]), unname(coef(summary(model))[, 1:2]), tolerance = 1e-5)
    expect_equal(AIC(logLik(objective, fit)), AIC(model))
    expect_identical(names(coef(objective, fit)), names(unlist(start)))
  }
  # Parameters go by the names of elements, of vectors and of the list.
  for (name in c("p.b.dose", "p$b.dose", "b.dose", "dose")) expect_identical(confint(objective, name, par = by_nlminb), confint(objective, by_nlminb)[2L, , drop = FALSE])
  for (name in c("p", "p.b", "b", "p$b")) expect_identical(confint(objective, name, par = by_nlminb), confint(objective, by_nlminb))
  refused <- function(code, text) expect_error(code, text, fixed = TRUE, class = "nmathopencl_error")
  refused(confint(objective, by_nlminb, "b"), "write confint(objective, \"b\", par = fit)")
  refused(confint(objective, "b"), "confint(objective, par = fit)")
  refused(confint(objective, 2), "confint(objective, par = fit)")
  refused(confint(objective, 1:2), "confint(objective, par = fit)") # numbers of parameters
  refused(confint(objective, model), "of class glm")
  refused(AIC(objective, by_nlminb), "AIC(logLik(objective, fit))")
  single <- as_objective(opencl_function(function(y, m) sum(dnorm(y, m, 1, log = TRUE)), gradient = "m"), c(m = 0), list(y = c(1, 2, 4)), device = "host")
  fit <- optimize(single$fn, c(-5, 5))
  expect_equal(unname(confint(single, fit)), 7 / 3 + t(c(-1, 1)) * qnorm(0.975) / sqrt(3), tolerance = 1e-4)
  expect_equal(unname(confint(profile(single, fit))), unname(confint(single, fit)), tolerance = 1e-3)
})

test_that("profiles stay inside of the bounds of a fit, and reach the end of a range", {
  skip_on_cran() # a matter of seconds
  set.seed(2)
  d <- data.frame(x = rnorm(50), z = rnorm(50))
  d$y <- d$x - 0.3 * d$z + rnorm(50)
  ll <- opencl_function(function(y, x, z, a, b, ls) sum(dnorm(y, a * x + b * z, exp(ls), log = TRUE)), gradient = c("a", "b", "ls"), data = d)
  objective <- as_objective(ll, c(a = 0, b = 0.1, ls = 0), device = "host")
  lower <- c(-Inf, 0, -Inf)
  fit <- optim(objective$par, objective$fn, objective$gr, method = "L-BFGS-B", lower = lower)
  expect_identical(fit$par[["b"]], 0)
  profiles <- profile(objective, fit, lower = lower)
  expect_warning(limits <- confint(profiles), "the profile of `b` ends before the limits", fixed = TRUE)
  held <- function(k, value) nlminb(fit$par[-k], function(p) objective$fn(append(unname(p), value, k - 1L)), lower = lower[-k])$objective
  for (k in 1:3) for (side in 1:2) {
    if (k == 2L && side == 1L) {
      expect_identical(limits[2L, 1L], NA_real_)
      next
    }
    rise <- function(value) 2 * (held(k, value) - fit$value) - qchisq(0.95, 1)
    expect_equal(limits[k, side], uniroot(rise, fit$par[[k]] + c(0, if (side == 1L) -2 else 2), tol = 1e-9)$root, tolerance = 5e-3, ignore_attr = TRUE)
  }
  for (one in profiles) expect_true(all(one$par.vals[, "b"] >= 0))
  expect_identical(profile(objective, fit, lower = c(b = 0, ls = -Inf, a = -Inf)), profiles)
  expect_identical(profile(objective, fit, lower = list(a = -Inf, b = 0, ls = -Inf)), profiles)
  refused <- function(code, text) expect_error(code, text, fixed = TRUE, class = "nmathopencl_error")
  refused(profile(objective, fit), "of a fit with bounds give them, profile(objective, fit, lower = ..., upper = ...)")
  refused(profile(objective, fit, lower = 1), "outside of `lower` and `upper`")
  refused(profile(objective, fit, lower = c(0, 1)), "`lower` must be one number, or one for each parameter, as `par` is: `par` has 2 numbers, and `start` has 3")
  refused(profile(objective, fit, upper = NA_real_), "`upper` has missing values")
  # A standard deviation of three values: z grows without end towards 0, and slowly to the other side.
  y <- c(1.2, 0.8, 1.9)
  objective <- as_objective(opencl_function(function(y, m, s) sum(dnorm(y, m, s, log = TRUE)), gradient = c("m", "s")), c(m = 1, s = 1), list(y = y), device = "host")
  s <- sqrt(mean((y - mean(y))^2))
  expect_silent(profiles <- profile(objective, c(m = mean(y), s = s)))
  for (level in c(0.95, 0.99)) {
    rise <- function(x) 2 * (3 * log(x / s) + 1.5 * (s^2 / x^2 - 1)) - qchisq(level, 1)
    roots <- c(uniroot(rise, c(s / 5, s), tol = 1e-10)$root, uniroot(rise, c(s, 10), tol = 1e-10)$root)
    expect_equal(unname(confint(profiles, "s", level)[1L, ]), roots, tolerance = 5e-4)
  }
})

test_that("two parameters of one name are told apart by their numbers", {
  y <- c(1, 3, 4)
  f <- opencl_function(function(y, b, b1) sum(dnorm(y, b[1] * c(1, 2, 3) + b[2], 1, log = TRUE)) - (b1 - 1)^2, gradient = c("b", "b1"))
  objective <- as_objective(f, list(b = c(0, 0), b1 = 0), list(y = y), device = "host")
  fit <- nlminb(objective$par, objective$fn, objective$gr)
  profiles <- profile(objective, fit)
  expect_identical(names(profiles), c("b1", "b2", "b1"))
  expect_equal(unname(confint(profiles)), unname(confint(objective, fit)), tolerance = 1e-3) # of a parabola they are the same
  expect_identical(confint(profiles, 3), confint(profiles)[3L, , drop = FALSE])
  expect_identical(confint(profile(objective, fit, 3)), confint(profiles, 3))
  expect_error(confint(profiles, "b1"), "`b1` in `parm` is the name of two parameters: give the number", fixed = TRUE, class = "nmathopencl_error")
  for (wrong in list(0, NULL, list(1), character())) expect_error(profile(objective, fit, wrong), "`which` must name parameters", fixed = TRUE, class = "nmathopencl_error")
})

test_that("profiles are drawn, up to what intervals end at, and print in a few words", {
  ll <- opencl_function(function(count, dose, b) sum(dpois(count, exp(b[1] + b[2] * dose), log = TRUE)), gradient = "b", data = doses)
  objective <- as_objective(ll, list(b = c(one = 0, dose = 0)), device = "host")
  profiles <- profile(objective, nlminb(objective$par, objective$fn, objective$gr))
  path <- tempfile(fileext = ".pdf")
  grDevices::pdf(path)
  on.exit({
    grDevices::dev.off()
    unlink(path)
  })
  before <- graphics::par("mfrow", "mar")
  expect_identical(plot(profiles), profiles)
  expect_identical(graphics::par("mfrow", "mar"), before)
  expect_silent(plot(profiles, "b.dose", levels = c(0.9, 0.99999), main = "dose", col = "grey"))
  reach <- graphics::par("usr")[1:2]
  expect_true(all(range(profiles$b.dose$par.vals[, "b.dose"]) > reach[1L]) && all(range(profiles$b.dose$par.vals[, "b.dose"]) < reach[2L]))
  refused <- function(code, text) expect_error(code, text, fixed = TRUE, class = "nmathopencl_error")
  refused(plot(profiles, "x"), "`which` must name parameters")
  refused(plot(profiles, levels = 95), "`levels` must lie between 0 and 1")
  for (levels in c(0.5, 0.95)) { # lines of levels end where confint() says
    ends <- profile_curve(rising_part(profiles, 2L), qnorm((1 + levels) / 2) * c(-1, 1))$value
    expect_equal(ends, unname(confint(profiles, 2L, levels)[1L, ]))
  }
  expect_output(print(profiles), "profile of 2 parameters: b.one, b.dose")
})
