# Laplace's approximation beside lme4's, beside integrals that are known, and its gradient beside differences.

unoptimized_programs()
set.seed(352)

dummies <- function(x, ...) cbind(1, outer(x, sort(unique(x))[-1L], `==`) + 0, ...)

cattle_joint <- function(device = "host", ...) {
  loglik <- function(incidence, size, X, herd, b, log_sd, u) {
    sum(dbinom(incidence, size, plogis(X %*% b + u[herd]), log = TRUE)) + sum(dnorm(u, 0, exp(log_sd), log = TRUE))
  }
  data <- list(incidence = cattle$incidence, size = cattle$size, X = dummies(cattle$period), herd = cattle$herd)
  as_objective(opencl_function(loglik), list(b = numeric(4), log_sd = 0, u = numeric(15)), data, device = device)
}

grouse_joint <- function(codes, device = "host") {
  negative <- function(ticks, X, codes, u, log_sd, b) {
    -sum(dpois(ticks, exp(X %*% b + u[codes]), log = TRUE)) - sum(dnorm(u, 0, exp(log_sd), log = TRUE))
  }
  data <- list(ticks = grouse$ticks, X = dummies(grouse$year, (grouse$height - mean(grouse$height)) / 100), codes = codes)
  as_objective(opencl_function(negative), list(log_sd = 0, u = numeric(max(codes)), b = numeric(4)), data, negative = FALSE, device = device)
}

# The fit's coefficients and log standard deviation, `known`, in units of standard errors, and its log-likelihood.
expect_fit <- function(marginal, coefficients, errors, log_sd, loglik) {
  fit <- stats::nlminb(marginal$par, marginal$fn, marginal$gr, control = list(rel.tol = 1e-13, x.tol = 1e-10))
  own <- grepl("^b", names(marginal$par))
  testthat::expect_lt(max(abs(fit$par[own] - coefficients) / errors), 1e-3)
  testthat::expect_lt(abs(fit$par[!own] - log_sd), 1e-4)
  testthat::expect_lt(abs(-fit$objective / loglik - 1), 1e-6)
  fit
}

test_that("a binomial regression with an effect of each herd is that of glmer(), on every device", {
  skip_on_cran() # a matter of seconds
  known <- c(-1.398532144354748, -0.992332682457687, -1.128672039401771, -1.580313902802679)
  errors <- c(0.232471756696801, 0.306642073908134, 0.326637405288046, 0.427435815898285)
  on_each_device(function(device) {
    marginal <- laplace(cattle_joint(device), "u")
    fit <- expect_fit(marginal, known, errors, log(0.642261439137577), -92.0262818714972)
    table <- summary(marginal, fit$par)$coefficients
    expect_identical(rownames(table), c("b1", "b2", "b3", "b4", "log_sd"))
    expect_equal(unname(table[1:4, 2L]), errors, tolerance = 0.02) # lme4's are of its own approximation of the Hessian
    expect_identical(dim(marginal$modes(fit$par)), c(15L, 2L))
  })
  skip_if_not_installed("lme4")
  of_lme4 <- function(name) getExportedValue("lme4", name) # not among the packages that this one suggests
  cattle$period <- factor(cattle$period)
  model <- of_lme4("glmer")(
    cbind(incidence, size - incidence) ~ period + (1 | herd), cattle, stats::binomial(),
    control = of_lme4("glmerControl")(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-9, maxfun = 1e5), tolPwrss = 1e-13)
  )
  log_sd <- log(of_lme4("getME")(model, "theta"))
  marginal <- laplace(cattle_joint(), "u")
  expect_fit(marginal, unname(of_lme4("fixef")(model)), errors, log_sd, as.vector(stats::logLik(model)))
  modes <- marginal$modes(unname(c(of_lme4("fixef")(model), log_sd)))
  effects <- of_lme4("ranef")(model, condVar = TRUE)$herd
  expect_equal(modes$mode, effects[[1L]], tolerance = 1e-4)
  expect_equal(modes$sd, sqrt(as.vector(attr(effects, "postVar"))), tolerance = 1e-2)
})

hosts_alone()

test_that("Poisson regressions with an effect of each brood, or of each chick, are those of glmer()", {
  skip_on_cran()
  on_each_device(function(device) {
    brood <- laplace(grouse_joint(grouse$brood, device), "u")
    expect_identical(names(brood$par), c("log_sd", "b1", "b2", "b3", "b4"))
    expect_fit(
      brood, c(0.50918563932108, 1.13589259408662, -1.00113269357710, -2.38662589035954),
      c(0.186616430616948, 0.242386595836197, 0.269685642804968, 0.301063071270137), log(0.949694209050072), -989.037746260182
    )
    chick <- laplace(grouse_joint(seq_len(nrow(grouse)), device), "u")
    expect_fit(
      chick, c(0.439946020901113, 1.100844214914111, -0.988057163181559, -2.369865671780706),
      c(0.140903613304181, 0.168809570295428, 0.197677178538186, 0.211173113151626), log(1.1293797046848), -957.399552780867
    )
  })
})

# The log of the integral of normal data with a normal effect of each level, which Laplace's approximation gives exactly.
normal_marginal <- function(y, g, m, s, t) {
  if (length(y) == 0L) return(0)
  variance <- s^2 * diag(length(y)) + t^2 * outer(g, g, `==`)
  root <- chol(variance)
  z <- backsolve(root, y - m, transpose = TRUE)
  -sum(log(diag(root))) - sum(z^2) / 2 - length(y) / 2 * log(2 * pi)
}

test_that("of normal data it is the integral, with one level, levels without rows, one row, none, and many", {
  skip_on_cran() # a matter of seconds
  loglik <- function(y, g, m, s, t, u) sum(dnorm(y, m + u[g], s, log = TRUE)) + sum(dnorm(u, 0, t, log = TRUE))
  f <- opencl_function(loglik)
  cases <- list(
    list(y = c(0.3, 1.2, -0.4), g = c(1L, 1L, 1L), J = 1L), list(y = c(0.3, 1.2, -0.4), g = c(1L, 4L, 1L), J = 5L), list(y = 0.7, g = 1L, J = 1L),
    list(y = 0.7, g = 2L, J = 3L), list(y = numeric(), g = integer(), J = 3L), list(y = rnorm(300), g = 1:300, J = 300L),
    list(y = rnorm(300), g = rep(1:3, 100), J = 3L), list(y = rnorm(70), g = rep(1:65, length.out = 70), J = 65L)
  )
  on_each_device(function(device) {
    for (case in cases) {
      marginal <- laplace(as_objective(f, list(m = 0, s = 1, t = 1, u = numeric(case$J)), case[c("y", "g")], device = device), "u")
      at <- c(m = 0.2, s = 1.3, t = 0.7)
      integral <- function(par) -normal_marginal(case$y, case$g, par[1L], par[2L], par[3L])
      expect_equal(marginal$fn(at), integral(at), tolerance = 1e-12)
      expect_equal(marginal$gr(at), as.vector(difference_columns(integral, at)), tolerance = 1e-8)
    }
    marginal <- laplace(as_objective(f, list(m = 0, s = 1, t = 1, u = 0), list(y = c(1, NA), g = c(1L, 1L)), device = device), "u")
    expect_warning(value <- marginal$fn(c(0, 1, 1)), "missing at `start`: `y` has 1 missing value")
    expect_identical(value, NaN)
    expect_identical(marginal$gr(c(0, 1, 1)), rep(NaN, 3))
  })
})

test_that("the gradient is that of differences, and the value that of its definition", {
  skip_on_cran() # a matter of seconds
  y <- round(rnorm(40), 3)
  x <- round(rnorm(40), 3)
  counts <- rpois(40, 3)
  g <- rep(1:6, length.out = 40)
  X <- cbind(1, x)
  common <- list(x = x, g = g)
  cases <- list(
    list(function(y, x, g, b, s, t, u) sum(dgamma(exp(y), exp(s), rate = exp(s - b * x - u[g]), log = TRUE)) + sum(dnorm(u, 0, exp(t), log = TRUE)),
      list(y = y), list(b = 0.2, s = 0.3, t = -0.2)),
    list(function(counts, X, g, b, s, t, u) sum(dnbinom(counts, mu = exp(X %*% b + u[g]), size = exp(s), log = TRUE)) + sum(dnorm(u, 0, exp(t), log = TRUE)),
      list(counts = counts, X = X), list(b = c(1, 0.2), s = 0.3, t = -0.2)),
    # effects with a standard deviation of their own, scaled where they enter
    list(function(counts, x, g, par, u) {
      sd <- exp(par["log_sd"])
      sum(dpois(counts, exp(par["a"] + par["b"] * x + sd * u[g]), log = TRUE)) - sum(u^2) / 2
    }, list(counts = counts), list(par = c(b = 0.1, a = 1, log_sd = -0.5))),
    # one for each row, and a prior with heavy tails
    list(function(y, x, b, s, t, u) sum(dnorm(y, b * x + u, exp(s), log = TRUE)) + sum(dt(u / exp(t), 12, log = TRUE) - t),
      list(y = y), list(b = 0.2, s = 0.5, t = -0.2)),
    # survival with frailties, censored at random
    list(function(y, x, g, b, k, t, u) {
      scale <- exp(1 + b * x + u[g])
      dead <- y > -0.5
      sum(ifelse(dead, dweibull(exp(y), exp(k), scale, log = TRUE), pweibull(exp(y), exp(k), scale, lower.tail = FALSE, log.p = TRUE))) +
        sum(dnorm(u, 0, exp(t), log = TRUE))
    }, list(y = y), list(b = 0.2, k = 0.1, t = -0.2)),
    # a probit, whose rules are of hazards
    list(function(y, x, g, b, t, u) sum(pnorm(ifelse(y > 0, 1, -1) * (b * x + u[g]), log.p = TRUE)) + sum(dnorm(u, 0, exp(t), log = TRUE)),
      list(y = y), list(b = 0.2, t = -0.2))
  )
  check <- function(k, device, whole) {
    case <- cases[[k]]
    data <- c(case[[2L]], common)
    data <- data[intersect(names(formals(case[[1L]])), names(data))]
    J <- if (is.null(data$g)) 40L else 6L
    joint <- as_objective(opencl_function(case[[1L]]), c(case[[3L]], list(u = numeric(J))), data, device = device)
    marginal <- laplace(joint, "u")
    at <- marginal$par
    expect_equal(marginal$gr(at), as.vector(difference_columns(marginal$fn, at)), tolerance = 1e-7, info = paste(k, device))
    if (!whole) return(invisible())
    modes <- marginal$modes(at)
    slope <- as_objective(opencl_function(case[[1L]], gradient = "u"), list(u = modes$mode), c(data, case[[3L]]), device = device)
    expect_lt(max(abs(slope$gr(modes$mode))), 1e-8)
    curvature <- diag(difference_columns(slope$gr, modes$mode))
    expect_equal(modes$sd, 1 / sqrt(curvature), tolerance = 1e-7)
    expect_equal(marginal$fn(at), slope$fn(modes$mode) - J / 2 * log(2 * pi) + sum(log(curvature)) / 2, tolerance = 1e-8)
  }
  if (compiler_here()) for (k in seq_along(cases)) check(k, "host", TRUE)
  for (device in opencl_test_devices()) for (k in c(2L, 5L)) check(k, device, FALSE)
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  for (k in c(1L, 3L)) check(k, "host", FALSE)
})

test_that("the same data and parameters give the same bits, and many levels are no matter", {
  joint <- function() {
    n <- 30000L
    g <- (seq_len(n) * 7919L) %% 15000L + 1L
    counts <- (seq_len(n) * 31L) %% 5L
    loglik <- function(counts, g, b, t, u) sum(dpois(counts, exp(b + u[g]), log = TRUE)) + sum(dnorm(u, 0, exp(t), log = TRUE))
    as_objective(opencl_function(loglik), list(b = 0, t = 0, u = numeric(15000)), list(counts = counts, g = g), device = "host")
  }
  skip_without_compiler()
  one <- laplace(joint(), "u")
  other <- laplace(joint(), "u")
  expect_identical(one$fn(c(0.1, -0.3)), other$fn(c(0.1, -0.3)))
  expect_identical(one$gr(c(0.1, -0.3)), other$gr(c(0.1, -0.3)))
  expect_equal(one$gr(c(0.1, -0.3)), as.vector(difference_columns(one$fn, c(0.1, -0.3))), tolerance = 1e-6)
})

test_that("what cannot be integrated out is refused by name", {
  skip_on_cran() # a matter of seconds
  start <- list(b = 0, u = c(0, 0), v = c(0, 0))
  data <- list(y = c(0.1, 0.2, 0.3), g = c(1, 2, 2), h = c(1, 1, 2))
  refused <- function(f, message, random = "u", ...) {
    names <- names(formals(f))
    expect_error(
      {
        marginal <- laplace(as_objective(opencl_function(f, ...), start[names(start) %in% names], data[names(data) %in% names], device = "host"), random)
        marginal$fn(marginal$par)
        marginal$gr(marginal$par)
      },
      message, fixed = TRUE, class = "nmathopencl_error"
    )
  }
  crossed <- function(y, g, h, b, u, v) sum(dnorm(y, b + u[g] + v[h], log = TRUE)) + sum(dnorm(u, log = TRUE)) + sum(dnorm(v, log = TRUE))
  refused(crossed, "`random` names `u` and `v`", c("u", "v"))
  refused(crossed, "`w` is not in `start`", "w")
  refused(function(y, g, h, b, u) sum(dnorm(y, b + u[g] + u[h], log = TRUE)) + sum(dnorm(u, log = TRUE)), "the elements of `u` meet each other")
  refused(function(y, g, b, u) sum(dnorm(y, b + u[g], log = TRUE)) - sum(u)^2, "the elements of `u` meet each other")
  refused(function(y, b, u) sum(dnorm(y, b, log = TRUE)), "`u` is in `start`, and `ll` does not use it")
  refused(function(y, b, u) sum(dnorm(y, 0, log = TRUE)) + sum(dnorm(u, log = TRUE)), "`b` is in `start`, and `ll` does not use it")
  refused(function(y, b, u) dnorm(y, b + u), "made with reduce = \"prod\"", reduce = "prod")
  refused(function(y, g, b, u) sum(pgamma(y, exp(b + u[g]), log.p = TRUE)), "second derivative of pgamma() in `shape` (?opencl_derivatives). laplace() takes")
  wide <- as_objective(opencl_function(function(y, b, u) sum(dnorm(y, b, log = TRUE)) + sum(u^2)), list(b = 0, u = diag(2)), data["y"])
  expect_error(laplace(wide, "u"), "`u` is a matrix in `start`", fixed = TRUE, class = "nmathopencl_error")
  refused(function(y, u) sum(dnorm(y, u[1], log = TRUE)), "no parameters besides `u`")
  refused(function(y, b, u) dnorm(y, b + u, log = TRUE), "is a mean", reduce = "mean")
  ordered <- function(ll) expect_error(laplace(as_objective(opencl_function(ll), list(b = 0, u = numeric(3)), data["y"]), "u"), "where effects change places the log-likelihood bends", fixed = TRUE, class = "nmathopencl_error")
  ordered(function(y, b, u) sum(dnorm(y, b + u[1], log = TRUE)) + sum(dnorm(sort(u), log = TRUE)))
  ordered(function(y, b, u) { v <- exp(u); o <- order(v); sum(dnorm(y, b + u[o][1], log = TRUE)) })
  ordered(function(y, b, u) sum(dnorm(y, b + median(u) + rank(u)[1], log = TRUE)))
  expect_error(laplace(1, "u"), "as_objective", class = "nmathopencl_error")
  # no maximum in the effects: flat, rising, and a minimum
  for (f in list(function(y, b, u) sum(dnorm(y, b, log = TRUE)) + 0 * sum(u), function(y, b, u) sum(dnorm(y, b, log = TRUE)) + sum(u), function(y, b, u) sum(dnorm(y, b, log = TRUE)) + sum(u^2))) {
    marginal <- laplace(as_objective(opencl_function(f), start[c("b", "u")], data["y"], device = "host"), "u")
    expect_identical(marginal$fn(0), Inf)
    expect_identical(marginal$gr(0), NaN)
  }
})

test_that("a log-likelihood that is missing at the start is told once, with what explains it", {
  ll <- opencl_function(function(y, g, b, u) sum(dnorm(y, b + u[g], log = TRUE)) + sum(dnorm(u, log = TRUE)))
  start <- list(b = 0, u = c(0, 0))
  reported <- function(y, g, text) {
    marginal <- laplace(as_objective(ll, start, list(y = y, g = g), device = "host"), "u")
    expect_warning(value <- marginal$fn(0), text, fixed = TRUE)
    expect_identical(value, NaN)
    expect_silent(value <- marginal$fn(0.1))
    expect_identical(value, NaN)
    expect_identical(marginal$gr(0.1), NaN)
  }
  reported(c(1, 2, 3), c(1, 2, 3), "the log-likelihood is missing at `start`: `g` has codes up to 3, and `u` has 2 elements")
  reported(c(1, NA, 3), c(1, 2, 2), "the log-likelihood is missing at `start`: `y` has 1 missing value")
  reported(c(1, 2, 3), factor(c("a", NA, "b")), "the log-likelihood is missing at `start`: `g` has 1 missing value")
})

test_that("parameters are taken by name, as other objectives take them", {
  skip_on_cran() # a matter of seconds
  pots <- data.frame(count = c(2, 1, 5, 3, 0, 1, 4, 6, 2, 2, 9, 7), dose = rep(0:1, 6), pot = factor(rep(c("f", "e", "d", "a", "b", "c"), each = 2)))
  loglik <- function(count, dose, pot, b, log_sd, u) {
    sum(dpois(count, exp(b[1] + b[2] * dose + u[pot]), log = TRUE)) + sum(dnorm(u, 0, exp(log_sd), log = TRUE))
  }
  made <- function(u, data = pots) laplace(as_objective(opencl_function(loglik), list(b = c(0, 0), log_sd = 0, u = u), data, device = "host"), "u")
  at <- c(b1 = 1, b2 = 0.2, log_sd = -0.5)
  orders <- list(3:1, c(2L, 3L, 1L))
  known <- made(numeric(6))
  known <- lapply(known[c("fn", "gr", "he", "vcov", "f", "split", "modes")], function(asked) asked(unname(at)))
  for (order in orders) {
    marginal <- made(numeric(6))
    expect_equal(marginal$fn(at[order]), known$fn)
    expect_equal(marginal$gr(at[order]), known$gr[order])
    expect_equal(as.vector(marginal$f(at[order])), known$fn)
    expect_equal(attr(marginal$f(at[order]), "gradient"), known$gr[order])
    expect_equal(marginal$he(at[order]), known$he[order, order])
    expect_equal(marginal$vcov(at[order]), known$vcov[order, order])
    expect_equal(marginal$curvature(at[order]), known$he)
    expect_identical(marginal$split(at[order]), known$split)
    expect_equal(marginal$modes(at[order]), known$modes)
    expect_warning(table <- summary(marginal, at[order]), "not a minimum")
    expect_warning(expect_equal(summary(marginal, unname(at)), table), "not a minimum")
    fit <- stats::optim(0 * at[order], marginal$fn, marginal$gr, method = "BFGS", control = list(reltol = 1e-14))
    expect_equal(marginal$gr(fit$par), numeric(3), tolerance = 1e-4)
    expect_identical(rownames(coef(summary(marginal, fit))), names(at))
  }
  expect_error(marginal$fn(c(b1 = 1, b2 = 0.2, s = 1)), "names of `par` are not those of `start`, `b1`, `b2`, `log_sd`", class = "nmathopencl_error")
  expect_error(marginal$gr(1), "`par` has 1 number, and `start` has 3 besides `u`", class = "nmathopencl_error")
  expect_error(marginal$fn(c(q = 1, r = 0.2, s = -0.5)), "unname(par) by place", fixed = TRUE, class = "nmathopencl_error")
  expect_identical(marginal$fn(c(V1 = 1, V2 = 0.2, V3 = -0.5)), marginal$fn(unname(at)))
  # rows of modes: the levels, the names of the effects, or numbers
  expect_identical(rownames(known$modes), levels(pots$pot))
  expect_identical(rownames(made(stats::setNames(numeric(6), LETTERS[1:6]))$modes(at)), LETTERS[1:6])
  expect_identical(rownames(made(numeric(7))$modes(at)), as.character(1:7))
  pots$pot <- as.integer(pots$pot)
  expect_identical(rownames(made(numeric(6), pots)$modes(at)), as.character(1:6))
})

test_that("what R computes of data has a slope, or is refused, where it reads a parameter or the effects, however the function was made", {
  skip_on_cran() # a matter of seconds
  y <- c(1.2, 2, 4.1, 3, -1, 0.5, 2.2, 1.1)
  x <- seq(-1, 1, length.out = 8)
  g <- rep(1:4, 2)
  parts <- function(v) {
    list(
      bquote(median(.(v))), bquote(sum(sort(.(v)) * x)), bquote(diff(range(.(v)))), bquote(quantile(.(v), 0.3)), bquote(log(det(diag(9) * mean(exp(.(v)))))),
      bquote(sum(solve(diag(9) * (2 + mean(.(v))))))
    )
  }
  start <- list(b = c(0.3, -0.2), s = 0.2, u = numeric(4))
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  gradients <- list(NULL, "b", "u", "s", names(start))
  compared <- refused <- 0
  for (of in list(quote(y * b[2]), quote(x * s + b[2]), quote(x * s + u[g]))) {
    for (part in parts(of)) {
      body <- bquote({ m <- .(part); sum(dnorm(y, b[1] + m + u[g], exp(s), log = TRUE)) + sum(dnorm(u, log = TRUE)) })
      f <- eval(call("function", as.pairlist(alist(b = , s = , u = )), body))
      marginal <- tryCatch({
        made <- opencl_function(f, gradient = sample(gradients, 1L)[[1L]])
        laplace(as_objective(made, start, if (runif(1) < 0.5) data.frame(y, x, g) else list(), device = "host"), "u")
      }, nmathopencl_error = function(e) NULL)
      slopes <- if (!is.null(marginal)) tryCatch(marginal$gr(marginal$par), nmathopencl_error = function(e) NULL)
      if (is.null(slopes)) {
        refused <- refused + 1
        next
      }
      expect_false("u" %in% all.vars(of), info = deparse1(body)) # the effects meet each other
      expect_equal(slopes, as.vector(difference_columns(marginal$fn, marginal$par)), tolerance = 1e-7, info = deparse1(body))
      compared <- compared + 1
    }
  }
  expect_gt(compared, 5)
  expect_gt(refused, 6)
})

test_that("modes have the levels of the factor, however the function reads it", {
  skip_without_compiler()
  withr_options(list(nmathopencl.device = "host"), environment())
  d <- data.frame(y = c(5, 6, 1, 2, 9, 8), pot = factor(rep(c("c", "a", "b"), each = 2), levels = c("c", "a", "b")))
  pot <- d$pot
  joint <- function(y, m, u) sum(dnorm(y, m + u, 1, log = TRUE)) # of a function that is called
  ways <- list(
    function(m, u) sum(dnorm(d$y, m + u[d$pot], 1, log = TRUE)) + sum(dnorm(u, 0, 3, log = TRUE)),
    function(m, u) with(d, sum(dnorm(y, m + u[pot], 1, log = TRUE)) + sum(dnorm(u, 0, 3, log = TRUE))),
    function(m, u) sum(dnorm(d$y, m + u[pot], 1, log = TRUE)) + sum(dnorm(u, 0, 3, log = TRUE)),
    function(m, u) {
      g <- as.integer(d[["pot"]])
      joint(d$y, m, u[g]) + sum(dnorm(u, 0, 3, log = TRUE))
    }
  )
  for (f in ways) {
    found <- laplace(as_objective(opencl_function(f, gradient = c("m", "u")), list(m = 5, u = numeric(3))), "u")$modes(5)
    expect_identical(rownames(found), c("c", "a", "b"), info = deparse1(body(f)))
    expect_lt(max(abs(found$mode - c(0.5, -3.5, 3.5) * 2 / (2 + 1 / 9))), 1e-10)
  }
  codes <- function(m, u) sum(dnorm(d$y, m + u[g], 1, log = TRUE)) + sum(dnorm(u, 0, 3, log = TRUE))
  g <- c(1, 1, 2, 2, 3, 3)
  expect_identical(rownames(laplace(as_objective(opencl_function(codes, gradient = c("m", "u")), list(m = 5, u = numeric(3))), "u")$modes(5)), c("1", "2", "3"))
})
