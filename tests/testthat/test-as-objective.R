# Objectives of optimizers: which number is which.

unoptimized_programs()

test_that("parameters and columns with the names of `start` are taken by name, or are an error", {
  f <- opencl_function(function(x, mean, sd) sum(dnorm(x, mean, sd, log = TRUE)), gradient = c("mean", "sd"), data = list(x = c(1, 2, 4)))
  objective <- as_objective(f, start = c(mean = 0, sd = 1), device = "host")
  P <- cbind(sd = c(2, 3), mean = c(1, -1))
  expect_identical(as.vector(objective$over(P)), as.vector(objective$over(unname(P[, 2:1]))))
  expect_identical(as.vector(objective$over(as.data.frame(P))), as.vector(objective$over(unname(P[, 2:1]))))
  expect_identical(objective$fn(c(sd = 2, mean = 1)), objective$fn(c(1, 2)))
  for (what in c("gr", "f")) for (par in list(c(sd = 2, mean = 1), c(mean = 1, sd = 2))) {
    slopes <- if (what == "gr") objective$gr(par) else attr(objective$f(par), "gradient")
    expect_identical(stats::setNames(slopes, names(par))[c("mean", "sd")], stats::setNames(objective$gr(c(1, 2)), c("mean", "sd")))
  }
  for (what in c("he", "vcov")) {
    of_places <- objective[[what]](c(2.2, 1.3))
    of_names <- objective[[what]](c(sd = 1.3, mean = 2.2))
    expect_identical(rownames(of_names), c("sd", "mean"))
    expect_identical(of_names[2:1, 2:1], of_places)
  }
  expect_identical(objective$fn(c("par 1" = 1, "par 2" = 2)), objective$fn(c(1, 2)))
  expect_error(objective$fn(c(mean = 1, s = 2)), "names of `par` are not those of `start`, `mean`, `sd`", class = "nmathopencl_error", fixed = TRUE)
  expect_error(objective$over(cbind(mean = 1, s = 2)), "names of `P`", class = "nmathopencl_error", fixed = TRUE)
  whole <- as_objective(
    opencl_function(function(x, par) sum(dnorm(x, par["m"], exp(par["s"]), log = TRUE)), gradient = "par", data = list(x = c(1, 2, 4))),
    start = list(par = c(m = 0, s = 0)), device = "host"
  )
  expect_identical(whole$fn(c(s = 0.3, m = 1)), whole$fn(c(1, 0.3)))
  expect_identical(as.vector(whole$over(cbind(s = 0.3, m = 1))), whole$fn(c(1, 0.3)))
  expect_identical(whole$fn(c(par.s = 0.3, par.m = 1)), whole$fn(c(1, 0.3)))
})

test_that("data that are no numbers are named, whatever else is resident on a device", {
  ll <- opencl_function(function(y, g, X, u, b) sum(dnorm(y, X %*% b + u[g], 1, log = TRUE)), gradient = c("u", "b"))
  data <- list(y = c(1, 2, 4, 3), g = c(1, 2, 1, 2), X = cbind(1, 1:4))
  reported <- function(name, value, text) {
    data[[name]] <- value
    objective <- as_objective(ll, list(u = c(0, 0), b = c(0, 0)), data, device = "host")
    expect_error(objective$fn(objective$par), text, fixed = TRUE, class = "nmathopencl_error")
    expect_error(do.call(ll, c(lapply(data, function(x) if (is.numeric(x)) opencl_vector(x, "host") else x), list(u = 0, b = c(0, 0)))), text, fixed = TRUE)
  }
  reported("g", c("a", "b", "a", "b"), "`u[g]`: `u` has no element of that name: subscript out of bounds. The elements of `u` have no names")
  reported("X", data.frame(1, 1:4), "`X` is of class data.frame")
  reported("X", data.frame(1, 1:4), "Give as.matrix(X), or its columns, each as an argument; of one with factors model.matrix(~ ., X)")
  reported("y", factor(1:4), "`y` is of class factor")
  reported("y", c("1", "2"), "Give as.numeric(y), if that is what is meant")
  reported("y", c("yes", "no"), "as.numeric(y == \"no\"); where they are names of elements, u[y], write u[match(y, names(u))]")
  # a factor and NULL beside what stays are what they are
  data$g <- NULL
  kept <- opencl_function(ll, gradient = c("u", "b"), data = data)
  expect_identical(
    as.vector(kept(g = factor(c("a", "b", "a", "b")), u = c(0, 1), b = c(0, 0), device = "host")),
    as.vector(ll(data$y, c(1, 2, 1, 2), data$X, c(0, 1), c(0, 0), device = "host"))
  )
})

test_that("a value that is missing at first is told once, with what explains it", {
  reported <- function(f, start, data, text, ...) {
    objective <- as_objective(opencl_function(f, gradient = names(start)), start, data, device = "host", ...)
    warning <- expect_warning(value <- objective$fn(objective$par), text, fixed = TRUE)
    expect_identical(conditionCall(warning), quote(objective$fn(objective$par)))
    expect_true(is.na(value))
    expect_silent(objective$gr(objective$par))
    expect_silent(objective$fn(objective$par + 1))
  }
  normal <- function(y, g, m, u) sum(dnorm(y, m + u[g], 1, log = TRUE))
  reported(normal, list(m = 0, u = c(0, 0)), list(y = c(1, 2), g = c(1, 4)), "the log-likelihood is missing at `start`: `g` has codes up to 4, and `u` has 2 elements")
  reported(normal, list(m = 0, u = c(0, 0)), list(y = c(NA, NA), g = c(1, 2)), "the log-likelihood is missing at `start`: `y` has 2 missing values")
  reported(normal, list(m = NA_real_, u = c(0, 0)), list(y = c(1, 2), g = c(1, 2)), "missing at `start`: `m` has 1 missing value")
  reported(normal, list(m = NA_real_, u = c(0, 0)), list(y = c(1, 2), g = c(1, 2)), "the objective is missing at `start`: ", negative = FALSE)
  reported(function(y, m) sum(y * (0 * m) / m), list(m = 0), list(y = c(1, 2)), "a function has an argument out of its range there")
  fine <- as_objective(opencl_function(normal, gradient = "m"), list(m = 0, u = c(0, 0)), list(y = c(1, 2), g = c(1, 2)), device = "host")
  expect_silent(fine$fn(fine$par))
  expect_silent(fine$fn(fine$par + NA))
})

test_that("slopes that are missing where the value is not are told once", {
  dose <- c(0, 0, 1, 2, 4)
  curve <- opencl_function(function(y, dose, e, h) -sum((y - 1 / (1 + (dose / e)^-h))^2), gradient = c("e", "h"))
  objective <- as_objective(curve, list(e = 1.5, h = 1.2), list(y = c(0, 0.1, 0.4, 0.6, 0.8), dose = dose), device = "host")
  expect_silent(objective$fn(objective$par)) # of data that are 0 they are not
  value <- function(e, h) sum((c(0, 0.1, 0.4, 0.6, 0.8) - 1 / (1 + (dose / e)^-h))^2)
  expect_equal(objective$gr(objective$par), differences(value, list(e = 1.5, h = 1.2), c("e", "h")), tolerance = 1e-7)
  of_zero <- opencl_function(function(y, x, s) -sum((y - 1 / (1 + x / s))^2), gradient = "s")
  objective_at_0 <- as_objective(of_zero, list(s = 0), list(y = c(0.5, 0.2), x = c(1, 2)), device = "host")
  expect_warning(objective_at_0$fn(0), "the slope in `s` is NaN though the value is not", fixed = TRUE)
  expect_silent(objective_at_0$gr(0))
  safe <- opencl_function(function(y, dose, e, h) -sum((y - ifelse(dose > 0, 1 / (1 + (dose / e)^-h), 0))^2), gradient = c("e", "h"))
  objective <- as_objective(safe, list(e = 1.5, h = 1.2), list(y = c(0, 0.1, 0.4, 0.6, 0.8), dose = dose), device = "host")
  expect_silent(objective$fn(objective$par))
  expect_false(anyNA(objective$gr(objective$par)))
})

test_that("a matrix of parameters is one, and its gradient is column by column", {
  X <- cbind(1, c(0.5, -1, 2))
  y <- cbind(c(1, 2, 4), c(0, 1, 1))
  f <- function(X, y1, y2, B, s) -sum((y1 - X %*% B[, 1] - s)^2) - sum((y2 - X %*% B[, 2])^2)
  start <- list(B = matrix(c(0.1, 0.2, 0.3, 0.4), 2), s = 0.5)
  objective <- as_objective(opencl_function(f, gradient = c("s", "B")), start, list(X = X, y1 = y[, 1], y2 = y[, 2]), device = "host")
  value <- function(par) -f(X, y[, 1], y[, 2], matrix(par[1:4], 2), par[5L])
  expect_identical(names(objective$par), c("B1", "B2", "B3", "B4", "s"))
  expect_equal(objective$fn(objective$par), value(objective$par))
  slopes <- vapply(1:5, function(k) (value(objective$par + 1e-5 * (1:5 == k)) - value(objective$par - 1e-5 * (1:5 == k))) / 2e-5, 0)
  expect_equal(objective$gr(objective$par), slopes, tolerance = 1e-8)
  expect_identical(objective$split(objective$par), start)
  P <- rbind(objective$par, objective$par / 2)
  expect_equal(as.vector(objective$over(P)), c(value(P[1, ]), value(P[2, ])))
  expect_equal(attr(objective$over(P), "gradient")[1L, ], stats::setNames(slopes, names(objective$par)), tolerance = 1e-8)
  column <- as_objective(opencl_function(function(X, y1, b) -sum((y1 - X %*% b)^2), gradient = "b"), list(b = matrix(c(0, 0), 2)), list(X = X, y1 = y[, 1]))
  expect_equal(unname(column$he(c(0, 0))), 2 * crossprod(X))
})

test_that("optimizers find the same from a start in any order", {
  x <- c(0.4, 1.1, 1.3, 2.2, 0.7)
  f <- opencl_function(function(x, m, s, k) sum(dnorm(x, m, exp(s), log = TRUE)) - (k - m)^2, gradient = c("s", "k", "m"))
  objective <- as_objective(f, c(m = 0, s = 0, k = 1), list(x = x), device = "host")
  found <- c(m = mean(x), s = log(sqrt(mean((x - mean(x))^2))), k = mean(x))
  for (start in list(c(m = 0, s = 0, k = 1), c(k = 1, s = 0, m = 0), c(s = 0, k = 1, m = 0), c(s = 0, m = 0, k = 1))) {
    by_optim <- stats::optim(start, objective$fn, objective$gr, method = "BFGS", control = list(reltol = 1e-14))$par
    expect_equal(by_optim[names(found)], found, tolerance = 1e-5)
    by_nlminb <- stats::nlminb(start, objective$fn, objective$gr, objective$he)$par
    expect_equal(by_nlminb[names(found)], found, tolerance = 1e-5)
    at <- found[names(start)]
    expect_equal(stats::optimHess(at, objective$fn, objective$gr), objective$he(at), tolerance = 1e-5)
    expect_equal(objective$he(at)[names(found), names(found)], objective$he(found))
  }
})

test_that("fn warns at a point each time that it is asked, gr of what fn has said there does not", {
  objective <- as_objective(opencl_function(function(x, s) sum(sqrt(x * s)), gradient = "s"), list(s = 2), list(x = 1:4 / 2), device = "host")
  reported <- function(ask, at) sum(grepl("NaNs produced", warnings_of(ask(at))))
  expect_equal(reported(objective$fn, 2), 0)
  for (turn in 1:3) expect_equal(reported(objective$fn, -1), 1)
  expect_equal(reported(objective$gr, -1), 0)
  expect_equal(reported(objective$gr, -2), 1)
  expect_equal(reported(objective$fn, -2), 1)
})

test_that("names that match none of `start` are an error, and those that count places go by place", {
  skip_on_cran() # a matter of seconds
  y <- c(0.4, 1.1, 1.3, 2.2)
  negative <- function(y, mu, ls) -sum(dnorm(y, mu, exp(ls), log = TRUE))
  o <- as_objective(opencl_function(negative, gradient = c("mu", "ls")), list(mu = 1, ls = 0.5), data = list(y = y), negative = FALSE, device = "host")
  want <- negative(y, 0.5, 1)
  refused <- function(code, text) expect_error(code, text, fixed = TRUE, class = "nmathopencl_error")
  for (names in list(c("a", "b"), c("a", ""), c("mean", "sd"), c("(Intercept)", "x"), c("p2", "p1"), c("p1", "q2"), c("p01", "p02"), c("p1", NA))) {
    point <- stats::setNames(c(0.5, 1), names)
    for (code in list(quote(o$fn(point)), quote(o$gr(point)), quote(o$he(point)), quote(o$f(point)), quote(o$split(point)), quote(logLik(o, point)))) {
      refused(eval(code), "give all of them or none, unname(par) by place")
    }
    refused(o$over(rbind(point)), "unname(P) by place")
  }
  refused(o$fn(c(a = 0.5, b = 1)), "`a` is none of them")
  refused(o$fn(c(m = 0.5, lss = 1)), "`lss` is none of them; did you mean `ls`?")
  expect_equal(o$fn(c(ls = 1, mu = 0.5)), want, tolerance = 1e-14)
  for (names in list(NULL, c("", ""), c("par 1", "par 2"), c("V1", "V2"), c("x[1]", "x[2]"), c("1", "2"))) { # what samplers and data frames have
    point <- stats::setNames(c(0.5, 1), names)
    expect_equal(o$fn(point), want, tolerance = 1e-14)
    expect_equal(as.vector(o$over(rbind(point, point))), rep(want, 2), tolerance = 1e-14)
  }
  expect_equal(as.vector(o$over(as.data.frame(rbind(c(0.5, 1))))), want, tolerance = 1e-14)
  # Optimizers hand over names as they had them.
  starts <- list(o$par, unname(o$par), stats::setNames(o$par, c("par1", "par2")))
  for (start in starts) for (fit in list(
    optim(start, o$fn, o$gr, method = "BFGS")$par, optim(start, o$fn)$par, optim(start, o$fn, o$gr, method = "L-BFGS-B")$par, nlm(o$f, start)$estimate,
    nlminb(start, o$fn, o$gr, o$he)$par
  )) expect_equal(unname(fit), c(mean(y), log(sd(y) * sqrt(3 / 4))), tolerance = 1e-3)
})

test_that("a start that is one vector without names takes any names by place, and lists those of their elements", {
  negative <- function(y, x, b) sum((y - b[1] - b[2] * x)^2)
  data <- list(y = c(1, 3, 2), x = c(0, 1, 2))
  o <- as_objective(opencl_function(negative, gradient = "b"), list(b = c(0, 0)), data, negative = FALSE, device = "host")
  fit <- coef(lm(y ~ x, data))
  expect_equal(o$fn(fit), deviance(lm(y ~ x, data)), tolerance = 1e-12)
  expect_equal(as.vector(o$over(rbind(fit))), o$fn(unname(fit)), tolerance = 1e-12)
  expect_error(o$fn(c(b2 = 1, b3 = 2)), "are not those of `start`, `b1`, `b2`", class = "nmathopencl_error")
  of_list <- function(y, p) sum((y - p$a)^2) * p$b
  o <- as_objective(opencl_function(of_list, gradient = "p"), list(p = list(a = 1, b = 2)), data["y"], negative = FALSE, device = "host")
  expect_equal(o$fn(c(b = 3, a = 2)), 3 * 2, tolerance = 1e-14)
  expect_equal(o$fn(c("p$b" = 3, "p$a" = 2)), 3 * 2, tolerance = 1e-14)
  expect_error(o$fn(c(u = 3, v = 2)), "unname(par) by place", fixed = TRUE, class = "nmathopencl_error")
})

test_that("starts with lists in them are named as by unlist(), and parameters are a vector, a list or a fit", {
  skip_on_cran() # a matter of seconds
  set.seed(3)
  y <- rnorm(24, rep(0:1, 12))
  g <- rep(1:2, 12)
  M <- matrix(c(0.5, 0.1, -0.2, 0.3), 2, dimnames = list(NULL, c("p", "q")))
  negative <- function(y, g, p, k) -sum(dnorm(y, p$mu[g] + p$M[1, 2], exp(p$s), log = TRUE)) + sum((p$M - M)^2) + (k - 2)^2 + sum(p$mu^2)
  start <- list(k = 1, p = list(mu = c(a = 0, b = 1), s = 0.1, M = M))
  moved <- function(x) if (is.list(x)) lapply(x, moved) else x + 0.25
  at <- moved(start)
  flat <- unlist(at)
  turned <- list(p = list(M = at$p$M, mu = rev(at$p$mu), s = at$p$s), k = at$k)
  on_each_device(function(device) {
    o <- as_objective(opencl_function(negative, gradient = c("p", "k")), start, list(y = y, g = g), negative = FALSE, device = device)
    expect_identical(o$par, unlist(start))
    want <- negative(y, g, at$p, at$k)
    plain <- function(x) negative(y, g, list(mu = x[2:3], s = x[4], M = matrix(x[5:8], 2)), x[1])
    slopes <- vapply(1:8, function(j) (plain(flat + 1e-5 * (1:8 == j)) - plain(flat - 1e-5 * (1:8 == j))) / 2e-5, 0)
    as_before <- stats::setNames(flat, sub("^p[.]", "p$", names(flat))) # names that `ll` itself gives
    named <- list(flat, unname(flat), as_before, at, turned, rev(at), list(par = flat, value = 1), list(minimum = 2, estimate = unname(flat)))
    known <- list(he = o$he(flat), curvature = o$curvature(flat))
    for (par in named) {
      expect_equal(o$fn(par), want, tolerance = 1e-12)
      expect_equal(o$gr(par), slopes, tolerance = 1e-7)
      expect_equal(attr(o$f(par), "gradient"), slopes, tolerance = 1e-7)
      expect_identical(o$split(par), at)
      he <- o$he(par)
      expect_identical(dimnames(he), list(names(flat), names(flat)))
      expect_identical(he, known$he)
      expect_identical(o$curvature(par), known$curvature)
    }
    expect_equal(o$fn(rev(flat)), want, tolerance = 1e-12)
    expect_equal(o$gr(rev(flat)), rev(slopes), tolerance = 1e-7)
    expect_equal(o$he(rev(flat)), known$he[8:1, 8:1])
  })
  o <- as_objective(opencl_function(negative, gradient = c("p", "k")), start, list(y = y, g = g), negative = FALSE, device = "host")
  refused <- function(par, text) expect_error(o$fn(par), text, fixed = TRUE, class = "nmathopencl_error")
  refused(utils::modifyList(at, list(p = list(mu = 1:3))), "`p$mu` is 3 numbers in `par`, and 2 numbers in `start`")
  refused(utils::modifyList(at, list(p = list(M = matrix(1, 4, 3)))), "`p$M` is 4 x 3 numbers in `par`, and 2 x 2 numbers in `start`")
  refused(utils::modifyList(at, list(p = list(mu = c(a = 1, c = 2)))), "`p$mu` has the names `a`, `c` in `par`, and `a`, `b` in `start`")
  refused(utils::modifyList(at, list(p = list(s = "1"))), "`par` must be numbers")
  refused(lm(y ~ g), "`par` must be numbers, and is of class lm: a vector, a list like `start`, or what optim(), nlminb() or nlm() returned")
  refused(at$p, "`par` has 7 numbers, and `start` has 8")
  refused(NULL, "of type NULL")
  refused("1", "of type character")
})

test_that("objectives of lists have values at many points, in whatever way the function reads the list", {
  y <- c(1, 2, 4, 3, 0)
  g <- c(1, 2, 2, 1, 1)
  ways <- list(
    function(y, g, p) sum(dnorm(y, p$mu[g], exp(p[["s"]]), log = TRUE)) - sum(p$M^2),
    function(y, g, p) with(p, sum(dnorm(y, mu[g], exp(s), log = TRUE)) - sum(M^2)),
    function(y, g, p) {
      m <- p$mu
      last <- function(p) p + 1
      sum(dnorm(y, m[g], exp(p$s), log = TRUE)) - sum(p$M^2) + last(p$s) - p$s - 1
    }
  )
  start <- list(p = list(mu = c(0, 1), s = 0.1, M = matrix(c(1, 0.5, 2, 0.2), 2)))
  set.seed(5)
  P <- matrix(rnorm(28), 4, dimnames = list(letters[1:4], names(unlist(start))))
  for (f in ways) on_each_device(function(device) {
    o <- as_objective(opencl_function(f, gradient = "p"), start, list(y = y, g = g), device = device)
    found <- o$over(P)
    want <- apply(P, 1L, function(row) -f(y, g, list(mu = row[1:2], s = row[3], M = matrix(row[4:7], 2))))
    expect_equal(c(found), want, tolerance = 1e-12)
    expect_equal(attr(found, "gradient"), `dimnames<-`(t(apply(P, 1L, o$gr)), dimnames(P)), tolerance = 1e-12)
    expect_identical(o$over(P[, 7:1]), found)
    expect_identical(o$over(as.data.frame(P)), found)
    expect_equal(o$over(P, gradient = FALSE), want, tolerance = 1e-12)
    expect_identical(c(o$over(P[2, , drop = FALSE])), c(found[2]))
    expect_identical(dim(attr(o$over(P[0, ]), "gradient")), c(0L, 7L))
  })
  taken <- opencl_function(function(y, p.s, p) sum(dnorm(y, p$mu, exp(p$s) + p.s, log = TRUE)), gradient = "p", data = list(y = y, p.s = 2)) # p.s is another one
  o <- as_objective(taken, list(p = list(mu = 0, s = 0)), device = "host")
  expect_equal(c(o$over(rbind(c(1, 0.5)))), -sum(dnorm(y, 1, exp(0.5) + 2, log = TRUE)), tolerance = 1e-12)
  expect_error(o$over(cbind(1)), "`P` has 1 column, and `start` has 2 numbers", fixed = TRUE, class = "nmathopencl_error")
})

test_that("with `by` an objective is the sum of the levels", {
  y <- c(0.3, 1.2, -0.4, 0.8, 2.1, 0.9, 1.4, 0.2)
  id <- factor(c("u", "u", "u", "v", "v", "v", "v", NA), levels = c("u", "none", "v"))
  series <- function(y, m, a) {
    s <- dnorm(y[1], m, 1, log = TRUE)
    for (i in 2:length(y)) s <- s + dnorm(y[i], m + a * (y[i - 1] - m), 1, log = TRUE)
    s
  }
  plain <- function(p) -series(y[1:3], p[1], p[2]) - series(y[4:7], p[1], p[2])
  on_each_device(function(device) {
    o <- as_objective(opencl_function(series, reduce = "sum", gradient = c("m", "a")), c(m = 0, a = 0), list(y = y), by = id, device = device)
    at <- c(m = 0.3, a = 0.2)
    expect_equal(o$fn(at), plain(at), tolerance = 1e-12)
    expect_equal(o$gr(at), vapply(1:2, function(k) (plain(at + 1e-5 * (1:2 == k)) - plain(at - 1e-5 * (1:2 == k))) / 2e-5, 0), tolerance = 1e-8)
    expect_equal(o$he(at), stats::optimHess(at, plain), tolerance = 1e-4)
    P <- rbind(at, 2 * at)
    expect_equal(c(o$over(P)), c(at = plain(at), plain(2 * at)), ignore_attr = TRUE, tolerance = 1e-12)
    expect_equal(unname(attr(o$over(P), "gradient")), unname(t(apply(P, 1L, o$gr))), tolerance = 1e-12)
  })
  ll <- opencl_function(function(y, m) dnorm(y, m, 1, log = TRUE), reduce = "sum", gradient = "m")
  o <- as_objective(ll, c(m = 0), list(y = y), by = c(1, 3, 1, 3, 1, 3, NA, 7), device = "host") # codes that nobody has
  expect_equal(o$fn(0.5), -sum(dnorm(y[-7], 0.5, 1, log = TRUE)), tolerance = 1e-12)
  expect_equal(unname(vcov(o, mean(y[-7]))), matrix(1 / 7), tolerance = 1e-8)
  refused <- function(code, text) expect_error(code, text, fixed = TRUE, class = "nmathopencl_error")
  whole <- opencl_function(function(y, m) sum(dnorm(y, m, 1, log = TRUE)), gradient = "m")
  refused(as_objective(whole, c(m = 0), list(y = y), by = id), "`by` is for an `ll` that is made with `reduce`: the objective is then the sum of its values for each level")
  refused(as_objective(ll, c(m = 0), list(y = y), by = "id"), "write by = factor(data$id)")
  refused(as_objective(ll, c(m = 0), list(y = y), by = letters[1:8]), "write by = factor(by)")
})

test_that("a start that is not as the function reads it is told of", {
  y <- c(1, 2, 4)
  by_dollar <- opencl_function(function(y, p) sum(dnorm(y, p$mu, p$sd, log = TRUE)), gradient = "p", data = list(y = y))
  refused <- function(start, text) expect_error(as_objective(by_dollar, start), text, fixed = TRUE, class = "nmathopencl_error")
  refused(list(p = list(0, 1)), "all elements of a list must have names, list(p = list(a = 0, b = c(0, 0)))")
  refused(list(p = list(mu = 0, 1)), "all elements of a list must have names")
  refused(list(p = list(mu = 0, sd = list(a = 1))), "`p$sd` in `start` is of type list: elements of a list are numbers, and lists in it are not supported")
  refused(list(list(mu = 0, sd = 1)), "`start` must have names")
  refused(list(p = list(mu = 0)), "`ll` reads `p$sd`, and `p` in `start` has `mu`")
  refused(list(p = list(mu = 0, s = 1)), "`ll` reads `p$sd`, and `p` in `start` has `mu`, `s`")
  refused(list(p = c(mu = 0, sd = 1)), "`p` in `start` is no list: write list(p = list(mu = ...))")
  expect_error(as_objective(by_dollar, list(p = list(mu = 0, sd = 1, other = 2)))$gr(c(0, 1, 2)), "`ll` does not read `p$other`: leave it out of `start`", fixed = TRUE)
  value <- -sum(dnorm(y, 0.5, 2, log = TRUE))
  b <- 2
  for (f in list( # what R finds has a value
    function(y, p) sum(dnorm(y, p[["mu"]], p[["sd"]], log = TRUE)), function(y, p) sum(dnorm(y, p["mu"], p["sd"], log = TRUE)),
    function(y, p) with(as.list(p), sum(dnorm(y, mu, sd, log = TRUE)))
  )) for (gradient in list("p", NULL)) {
    o <- as_objective(opencl_function(f, gradient = gradient), list(p = c(mu = 0, sd = 1)), list(y = y), device = "host")
    expect_equal(o$fn(c(mu = 0.5, sd = 2)), value, tolerance = 1e-12)
  }
  absent <- opencl_function(function(y, p) sum(dnorm(y, p$mu, if (is.null(p$sd)) 2 else p$sd, log = TRUE)), gradient = "p", data = list(y = y))
  expect_equal(as_objective(absent, list(p = list(mu = 0)), device = "host")$fn(0.5), value, tolerance = 1e-12)
  outside <- opencl_function(function(y, p) with(p, sum(dnorm(y, mu, b, log = TRUE))), gradient = "p", data = list(y = y))
  expect_equal(as_objective(outside, list(p = list(mu = 0)), device = "host")$fn(0.5), value, tolerance = 1e-12)
})
