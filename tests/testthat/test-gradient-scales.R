# Gradients of distributions in parameters from all over the doubles. A scale that is a power of 2 changes no digit: the derivatives of a
# family with a scale s = 2^k at x = z s are those at z and s = 1, times powers of 2, to the last bits. Those at s = 1 are
# what test-derivative-tables.R looks at.

# The gradient of `call` in `names`, a matrix; R computes it node by node on the host device, by the functions that kernels call.
slopes_of <- function(call, names, arguments) {
  f <- as.function(c(stats::setNames(rep(alist(x = ), length(arguments)), names(arguments)), call), envir = globalenv())
  g <- opencl_function(f, gradient = names)
  attr(suppressWarnings(do.call(g, c(arguments, device = "host"))), "gradient")
}

# Families by their scale: other parameters, which arguments are as long as the scale (the first one and a location), a point z of the
# density at s = 1. `rate`: the parameter is 1/s.
families <- list(
  list(name = "norm", sd = "sd", long = c("x", "mean"), z = function(n) stats::rnorm(n), other = function(n) list(mean = stats::rnorm(n))),
  list(name = "exp", sd = "rate", long = "x", z = function(n) stats::rexp(n), other = function(n) list()),
  list(name = "gamma", sd = "scale", long = "x", z = function(n) stats::rgamma(n, 2) + 0.1, other = function(n) list(shape = stats::runif(n, 0.3, 9))),
  list(name = "gamma", sd = "rate", long = "x", z = function(n) stats::rgamma(n, 2) + 0.1, other = function(n) list(shape = stats::runif(n, 0.3, 9))),
  list(name = "weibull", sd = "scale", long = "x", z = function(n) stats::rexp(n) + 0.1, other = function(n) list(shape = stats::runif(n, 0.5, 4))),
  list(name = "logis", sd = "scale", long = c("x", "location"), z = function(n) stats::rnorm(n), other = function(n) list(location = stats::rnorm(n))),
  list(name = "cauchy", sd = "scale", long = c("x", "location"), z = function(n) stats::rt(n, 2), other = function(n) list(location = stats::rnorm(n)))
)

scaled_cases <- function(family, kind, n) {
  u <- family$z(n)
  other <- family$other(n)
  first <- if (kind == "d") "x" else if (kind == "p") "q" else "p"
  if (kind == "q") u <- stats::runif(n, 0.01, 0.99)
  c(stats::setNames(list(u), first), other)
}

# How often each argument's size has the scale as a factor: 1 of lengths, -1 of a rate, 0 of others.
length_of <- function(family, name) {
  if (name %in% c("q", "x", family$long)) 1 else if (name == family$sd) (if (name == "rate") -1 else 1) else 0
}

check_family <- function(family, kind, flags, n = 60) {
  at <- scaled_cases(family, kind, n)
  k <- sample(-996:996, n, TRUE)
  names <- c(names(at), family$sd)
  call <- as.call(c(as.name(paste0(kind, family$name)), lapply(stats::setNames(nm = names), as.name), flags))
  unit <- slopes_of(call, names, c(at, stats::setNames(list(rep(1, n)), family$sd)))
  lengths <- vapply(names, function(name) length_of(family, name), 0)
  moved <- Map(function(x, l) x * 2^(k * l), c(at, stats::setNames(list(rep(1, n)), family$sd)), lengths)
  ours <- slopes_of(call, names, moved)
  value <- if (kind == "q") 1 else if (kind == "d" && !isTRUE(flags$log)) -1 else 0 # its own power of the scale
  for (j in seq_along(names)) {
    power <- k * (value - lengths[j])
    truth <- unit[, j] * 2^(power %/% 2) * 2^(power - power %/% 2)
    fine <- abs(power) < 1000 & (value == 0 | abs(k) < 990) & (truth == 0 | abs(truth) > 1e-290 & abs(truth) < 1e290)
    error <- ifelse(truth == ours[, j], 0, abs(ours[, j] - truth) / abs(truth)) / .Machine$double.eps
    bad <- which(fine & !(error <= 16))
    testthat::expect_gt(sum(fine), n / 5)
    testthat::expect(length(bad) == 0L, paste(
      deparse1(call), "in", names[j], "at", toString(vapply(moved, function(x) format(x[bad[1]], digits = 17), "")), "is", format(ours[bad[1], j], digits = 17),
      "not", format(truth[bad[1]], digits = 17), "and", length(bad), "more"
    ))
  }
}

test_that("first derivatives have the scale as a factor, however large or small it is", {
  skip_on_cran() # a matter of seconds
  withr_options(list(nmathopencl.compiler = FALSE), environment())
  set.seed(11)
  tails <- list(list(), list(log.p = TRUE), list(lower.tail = FALSE), list(lower.tail = FALSE, log.p = TRUE))
  for (family in families) {
    for (flags in list(list(log = TRUE), list())) check_family(family, "d", flags)
    for (flags in tails) check_family(family, "p", flags)
    check_family(family, "q", list())
    check_family(family, "q", list(lower.tail = FALSE))
  }
})

# Second derivatives at a rate of 2^k are those at 1, times 2^-k for each time that it is differentiated in the rate and 2^k for each
# in the point.
test_that("second derivatives in a rate are right for large and small ones", {
  cases <- list(
    list(function(x, a, r) sum(dgamma(x, a, r, log = TRUE)), c(r = -1, a = 0, x = 1), c(x = 0.7, a = 2.5)),
    list(function(x, a, r) sum(dgamma(x, a, r, log = TRUE)), c(x = 1, a = 0, r = -1), c(x = 0.7, a = 2.5)),
    list(function(q, r) sum(pgamma(q, 2.5, r, log.p = TRUE)), c(r = -1, q = 1), c(q = 1.7)),
    list(function(q, r) sum(pgamma(q, 2.5, r, lower.tail = FALSE, log.p = TRUE)), c(q = 1, r = -1), c(q = 1.7)),
    list(function(q, r) sum(pgamma(q, 2.5, r)), c(r = -1), c(q = 1.7)), list(function(p, r) sum(qgamma(p, 2.5, r)), c(r = -1), c(p = 0.3))
  )
  for (compiles in unique(c(FALSE, compiler_here()))) {
    withr_options(list(nmathopencl.compiler = compiles), environment())
    for (case in cases) {
      f <- opencl_function(case[[1L]], gradient = names(case[[2L]]), hessian = TRUE)
      hessian_at <- function(k) {
        arguments <- c(as.list(case[[3L]]), r = 1)
        for (name in intersect(names(arguments), names(case[[2L]]))) arguments[[name]] <- arguments[[name]] * 2^(-k * case[[2L]][[name]])
        if ("q" %in% names(arguments) && !"q" %in% names(case[[2L]])) arguments$q <- arguments$q * 2^-k
        unname(attr(do.call(f, c(arguments, device = "host")), "hessian"))
      }
      unit <- hessian_at(0)
      value <- if (identical(names(case[[3L]]), "p")) 1 else 0
      for (k in c(-300, -170, 170, 300)) {
        powers <- outer(case[[2L]], case[[2L]], "+") - value
        expect_equal(hessian_at(-k) * 2^(k * powers), unit, tolerance = 1e-13, ignore_attr = TRUE, info = paste(deparse1(body(case[[1L]])), k, compiles))
      }
    }
  }
})

test_that("the t distribution function where the square of its argument, over the degrees of freedom, is not a double", {
  withr_options(list(nmathopencl.compiler = FALSE), environment())
  in_df <- function(q, df, log.p) {
    f <- if (log.p) function(q, df) pt(q, df, log.p = TRUE) else function(q, df) pt(q, df)
    drop(unname(slopes_of(body(f), "df", list(q = q, df = df))))
  }
  # mpmath, with as many digits as the exponents have
  expect_equal(in_df(c(-6.997319711017957, 1.6385270914874907e-197), c(7.713523412049926e-283, 4.316360315673594e-297), FALSE), c(-163.46648873934376, 6.2349760499974032e-50), tolerance = 1e-14)
  q <- c(-1.077490799970921, 7.043876009289848e+159, -2.845480139471093e-282, 3.53820540452753e-46)
  known <- c(-338.48470405065024, 711.56495805618099, -6.3619547601589009e-167, 224.32191797263552)
  got <- in_df(q, c(1.692443951358569e-294, 6.396159949565058e-299, 5.001151065188604e-232, 2.6411271007604662e-286), TRUE)
  expect_lt(max(abs(got / known - 1)), 1e-14)
  q <- c(1e-300, 1e-160, -1e-200) # q f(0), differentiated: f(0) of 1 and 2 degrees of freedom is 1/pi and 1/sqrt(8)
  expect_lt(max(abs(in_df(q, 1, FALSE) / (q / pi * (log(2) - 0.5)) - 1)), 1e-14)
})

test_that("rules of what is inside of an argument name functions and arguments that exist", {
  read <- function(file) utils::read.delim(system.file("spec", file, package = "nmathopencl"), colClasses = "character", quote = "", na.strings = character())
  rules <- read("chained_derivatives.tsv")
  functions <- rbind(read("functions.tsv")[c("name", "columns")], read("rule_functions.tsv")[c("name", "columns")], data.frame(name = "/", columns = "x, y"))
  known <- read("derivatives.tsv")
  expect_false(any(duplicated(rules[c("name", "argument", "inside", "form")])))
  expect_true(all(rules$inside %in% c("1/u", "exp(u)", "plogis(u)")))
  for (k in seq_len(nrow(rules))) {
    columns <- strsplit(functions$columns[match(rules$name[k], functions$name)], ", ")[[1L]]
    expect_true(rules$argument[k] %in% columns, info = rules$name[k])
    expect_identical(setdiff(all.vars(str2lang(rules$derivative[k])), c(columns, ".value", "u")), character(0), info = rules$name[k])
    # all forms that the argument has, or the others would have no derivative
    of <- known$name == rules$name[k] & known$argument == rules$argument[k] & known$form != "end"
    mine <- rules$form[rules$name == rules$name[k] & rules$argument == rules$argument[k] & rules$inside == rules$inside[k]]
    if (any(of)) expect_setequal(mine, known$form[of])
  }
})

# Of each rule with a "u": the derivative in u is that in the argument times the argument's own, at ordinary numbers.
test_that("rules of what is inside of an argument agree with those of the argument", {
  withr_options(list(nmathopencl.compiler = FALSE), environment())
  u <- c(0.3, 0.9, 1.7)
  inside <- list(`1/u` = list(function(u) 1 / u, function(u) -1 / u^2), `exp(u)` = list(exp, exp), `plogis(u)` = list(stats::plogis, stats::dlogis))
  calls <- list(
    `1/u` = list(quote(dgamma(2.2, 1.5, scale = V, log = TRUE)), quote(dgamma(2.2, 1.5, scale = V)), quote(pgamma(2.2, 1.5, scale = V)), quote(pgamma(2.2, 1.5, scale = V, lower.tail = FALSE)),
      quote(pgamma(2.2, 1.5, scale = V, log.p = TRUE)), quote(pgamma(2.2, 1.5, scale = V, lower.tail = FALSE, log.p = TRUE)), quote(qgamma(0.3, 1.5, scale = V)), quote(3 / V)),
    `exp(u)` = list(quote(dexp(0.4, V, log = TRUE)), quote(dexp(0.4, V)), quote(dpois(2, V, log = TRUE)), quote(dpois(2, V)), quote(dpois(0, V, log = TRUE)), quote(dpois_raw(1.5, V, log = TRUE)),
      quote(dnbinom(3, 1.5, mu = V, log = TRUE)), quote(dnbinom(3, 1.5, mu = V)), quote(ppois(2, V)), quote(ppois(2, V, log.p = TRUE)), quote(ppois(2, V, FALSE)), quote(ppois(2, V, FALSE, TRUE))),
    `plogis(u)` = list(quote(dbinom(2, 5, V, log = TRUE)), quote(dbinom(5, 5, V, log = TRUE)), quote(dbinom(0, 5, V, log = TRUE)), quote(dbinom(2, 5, V)), quote(dgeom(0, V, log = TRUE)),
      quote(dgeom(4, V, log = TRUE)), quote(dnbinom(3, 1.5, V, log = TRUE)), quote(dnbinom(0, 1.5, V)))
  )
  written <- list(`1/u` = quote(1 / u), `exp(u)` = quote(exp(u)), `plogis(u)` = quote(plogis(u)))
  for (way in names(calls)) {
    for (call in calls[[way]]) {
      plain <- drop(slopes_of(do.call(substitute, list(call, list(V = quote(v)))), "v", list(v = inside[[way]][[1L]](u))))
      whole <- drop(slopes_of(do.call(substitute, list(call, list(V = written[[way]]))), "u", list(u = u)))
      expect_lt(max(abs(unname(whole) / (plain * inside[[way]][[2L]](u)) - 1)), 1e-13)
    }
  }
})

# Of what depends on x/s alone, with x = z s and s = 1/r, the derivative in r goes like 1/r, whatever 1/r^2 is.
test_that("densities and tails of every family have derivatives in the reciprocal of a scale, however large or small it is", {
  withr_options(list(nmathopencl.compiler = FALSE), environment())
  z <- 0.7
  r <- 2^c(-1000, -700, -520, -400, 400, 520, 700, 1000)
  forms <- list(
    function(x, r) dnorm(x, 0, 1 / r, log = TRUE), function(x, r) dlogis(x, 0, 1 / r, log = TRUE), function(x, r) dcauchy(x, 0, 1 / r, log = TRUE),
    function(x, r) dexp(x, 1 / (1 / r), log = TRUE), function(x, r) dgamma(x, 2.5, scale = 1 / r, log = TRUE), function(x, r) dweibull(x, 2.5, 1 / r, log = TRUE),
    function(x, r) pnorm(x, 0, 1 / r), function(x, r) pnorm(x, 0, 1 / r, lower.tail = FALSE, log.p = TRUE), function(x, r) plogis(x, 0, 1 / r), function(x, r) plogis(x, 0, 1 / r, log.p = TRUE),
    function(x, r) pcauchy(x, 0, 1 / r), function(x, r) pcauchy(x, 0, 1 / r, log.p = TRUE), function(x, r) pgamma(x, 2.5, scale = 1 / r), function(x, r) pgamma(x, 2.5, scale = 1 / r, log.p = TRUE),
    function(x, r) pweibull(x, 2.5, 1 / r), function(x, r) pweibull(x, 2.5, 1 / r, log.p = TRUE), function(x, r) pweibull(x, 2.5, 1 / r, lower.tail = FALSE, log.p = TRUE),
    function(x, r) dnorm(x, 0, r^-1, log = TRUE), function(x, r) plogis(x, 0, r^-1, log.p = TRUE), function(x, r) dt(x / (1 / r), 3, log = TRUE)
  )
  for (f in forms) {
    slope <- function(r) drop(slopes_of(body(f), "r", list(x = z / r, r = r)))
    found <- unname(slope(r) * r) / unname(slope(1))
    expect_lt(max(abs(found - 1)), 1e-12, label = deparse(body(f))[1])
  }
  # a mean of 1/r in place of the rate, sizes r in place of the log of x
  for (f in list(function(x, r) dexp(x, 1 / r, log = TRUE), function(x, r) pexp(x, 1 / r), function(x, r) pexp(x, 1 / r, log.p = TRUE), function(x, r) dgamma(x, 2.5, rate = 1 / r, log = TRUE),
    function(x, r) pgamma(x, 2.5, rate = 1 / r, log.p = TRUE), function(x, r) dpois(3, x / r, log = TRUE))) {
    slope <- function(r) drop(slopes_of(body(f), "r", list(x = z * r, r = r)))
    expect_lt(max(abs(unname(slope(r) * r) / unname(slope(1)) - 1)), 1e-12, label = deparse(body(f))[1])
  }
})
