# Gradients of log densities and log probabilities that are -Inf, and at the edge of the support: NaN where the function is constant,
# outside of the support, the limit from inside at its edge, and within it what the formula gives, of whatever size. Otherwise
# an optimizer takes a point of no likelihood for a maximum.

slope_in <- function(f, name, ..., device = "host") unname(drop(attr(suppressWarnings(opencl_function(f, gradient = name)(..., device = device)), "gradient")))

# Each density on the log scale: a point of the support, points outside of it, parameters.
densities <- list(
  dlnorm = list(2, -1, meanlog = 0, sdlog = 1), dunif = list(0.5, c(-1, 2), min = 0, max = 1), dexp = list(1, -1, rate = 2),
  dgamma = list(1, -1, shape = 2, rate = 3), dchisq = list(1, -1, df = 3), dbeta = list(0.5, c(-0.1, 1.1), shape1 = 2, shape2 = 3),
  df = list(1, -1, df1 = 3, df2 = 4), dweibull = list(1, -1, shape = 2, scale = 3), dpois = list(1, c(-1, 1.5), lambda = 2),
  dbinom = list(1, c(-1, 1.5, 6), prob = 0.3), dgeom = list(1, c(-1, 1.5), prob = 0.3), dnbinom = list(1, c(-1, 1.5), size = 2, prob = 0.3)
)

density_call <- function(name, parameters, log) {
  given <- lapply(stats::setNames(nm = names(parameters)), as.name)
  if (name == "dbinom") given$size <- 5
  as.call(c(as.name(name), quote(x), given, log = log))
}

test_that("a log density outside of its support has no derivative, a density there has 0", {
  withr_options(list(nmathopencl.compiler = FALSE), environment())
  for (name in names(densities)) {
    case <- densities[[name]]
    parameters <- case[-(1:2)]
    x <- c(case[[1L]], case[[2L]])
    for (log in c(TRUE, FALSE)) {
      f <- as.function(c(stats::setNames(rep(alist(x = ), 1L + length(parameters)), c("x", names(parameters))), density_call(name, parameters, log)), envir = globalenv())
      for (parameter in names(parameters)) {
        got <- do.call(slope_in, c(list(f, parameter, x), unname(parameters)))
        expect_true(is.finite(got[1L]) && got[1L] != 0, info = paste(name, parameter))
        expect_identical(got[-1L], rep(if (log) NaN else 0, length(x) - 1L), info = paste(name, parameter, log))
        total <- as.function(c(formals(f), call("sum", body(f))), envir = globalenv())
        if (log) expect_true(is.nan(do.call(slope_in, c(list(total, parameter, x), unname(parameters)))), info = paste(name, parameter))
      }
    }
  }
})

# The rules' choices share parts: a kernel has them where all can reach them.
test_that("kernels of the sums give the same", {
  skip_on_cran()
  skip_if_not(compiler_here())
  further <- list(dnorm = list(0.3, NULL, mean = 0, sd = 2), dt = list(0.3, NULL, df = 3), dlogis = list(0.3, NULL, location = 0, scale = 2), dcauchy = list(0.3, NULL, location = 0, scale = 2))
  cases <- c(densities, further)
  for (name in names(cases)) {
    parameters <- cases[[name]][-(1:2)]
    f <- as.function(c(stats::setNames(rep(alist(x = ), 1L + length(parameters)), c("x", names(parameters))), call("sum", density_call(name, parameters, TRUE))), envir = globalenv())
    arguments <- c(list(c(cases[[name]][[1L]], cases[[name]][[1L]])), unname(parameters))
    got <- lapply(c(TRUE, FALSE), function(compiles) {
      old <- options(nmathopencl.compiler = compiles)
      on.exit(options(old))
      do.call(slope_in, c(list(f, names(parameters)), arguments))
    })
    expect_equal(got[[1L]], got[[2L]], tolerance = 1e-14, info = name)
  }
})

test_that("each density with a rule has a support", {
  read <- function(name) utils::read.delim(system.file("spec", name, package = "nmathopencl"), colClasses = "character", quote = "")
  supports <- read("supports.tsv")
  rules <- read("derivatives.tsv")
  expect_setequal(supports$name, rules$name[rules$form == "log" & startsWith(rules$name, "d")])
  functions <- read("functions.tsv")
  for (k in seq_len(nrow(supports))) {
    columns <- strsplit(functions$columns[functions$name == supports$name[k]], ", ")[[1L]]
    expect_identical(setdiff(all.vars(str2lang(supports$support[k])), columns), character())
  }
})

test_that("log probabilities of events that cannot happen have no derivative", {
  withr_options(list(nmathopencl.compiler = FALSE), environment())
  lower <- list(
    function(q, a) pexp(q, a, log.p = TRUE), function(q, a) pgamma(q, 2, a, log.p = TRUE), function(q, a) pweibull(q, 2, a, log.p = TRUE),
    function(q, a) plnorm(q, a, log.p = TRUE), function(q, a) pbeta(q, a, 2, log.p = TRUE), function(q, a) pf(q, a, 2, log.p = TRUE),
    function(q, a) ppois(q, a, log.p = TRUE), function(q, a) pchisq(q, a, log.p = TRUE)
  )
  for (f in lower) expect_identical(is.nan(slope_in(f, "a", c(-1, 0.5), 0.7)), c(TRUE, FALSE), info = deparse1(body(f)))
  upper <- list(function(q, a) pbeta(q, a, 2, lower.tail = FALSE, log.p = TRUE), function(q, a) punif(q, a, 1, FALSE, TRUE), function(q, a) pbinom(10 * q, 9, a, FALSE, TRUE))
  for (f in upper) expect_identical(is.nan(slope_in(f, "a", c(2, 0.5), 0.3)), c(TRUE, FALSE), info = deparse1(body(f)))
  for (f in upper) expect_identical(slope_in(f, "a", -1, 0.3), 0, info = deparse1(body(f))) # of what is certain
})

test_that("within the support a value of -Inf has the derivative of the formula", {
  cases <- list(
    list(function(x, a) dnorm(x, a, 1, log = TRUE), c(1e200, -1e200), c(0, 0), c(1e200, -1e200)), list(function(x, a) dnorm(x, 0, a, log = TRUE), c(1e200, 1e200), c(1, 1e40), c(Inf, 1e280)),
    list(function(x, a) dexp(x, a, log = TRUE), 1e308, 100, -1e308), list(function(x, a) dgamma(x, 2, a, log = TRUE), 1e308, 100, -1e308),
    list(function(x, a) dlogis(x, a, 1e-100, log = TRUE), 1e300, 0, 1e100), list(function(x, a) dpois(x, a, log = TRUE), 3, 0, Inf),
    list(function(x, a) dbinom(x, 5, a, log = TRUE), 3, c(0, 1), c(Inf, -Inf)), list(function(x, a) pnorm(x, a, log.p = TRUE), -1e200, 0, -1e200),
    list(function(x, a) pexp(x, a, FALSE, TRUE), 1e308, 100, -1e308), list(function(x, a) pweibull(x, 2, a, FALSE, TRUE), 1e200, 1, Inf),
    list(function(x, a) pweibull(x, a, 1, FALSE, TRUE), 1e200, 2, -Inf), list(function(x, a) pnorm(x, 0, a), 1e200, 1e-200, 0)
  )
  for (compiles in unique(c(FALSE, compiler_here()))) {
    withr_options(list(nmathopencl.compiler = compiles), environment())
    for (case in cases) expect_equal(slope_in(case[[1L]], "a", case[[2L]], case[[3L]]), case[[4L]], tolerance = 1e-14, info = paste(deparse1(body(case[[1L]])), compiles))
  }
})

test_that("at the edge of the support the derivative is the limit from inside", {
  withr_options(list(nmathopencl.compiler = FALSE), environment())
  at <- function(f, name, known, ...) {
    got <- slope_in(f, name, ...)
    expect_equal(got, known, tolerance = 1e-14, info = deparse1(body(f)))
    expect_identical(is.infinite(got), is.infinite(known))
  }
  psi <- -0.016956704369469250 # (psi(9/2) - psi(3) - 1/2)/2
  at(function(x, r) dexp(x, r, log = TRUE), "r", 1 / 3, 0, 3)
  at(function(x, a, r) dgamma(x, a, r, log = TRUE), "r", c(0.5, 1, 0.5), 0, c(0.5, 1, 1), c(1, 1, 2))
  at(function(x, a, r) dgamma(x, a, r, log = TRUE), "r", 1.25, 0, 2.5, 2)
  at(function(x, a, r) dgamma(x, a, r, log = TRUE), "a", c(-Inf, -Inf), 0, c(1, 2.5), 2)
  at(function(x, a, s) dgamma(x, a, scale = s, log = TRUE), "s", c(-0.5, -1.25), 0, c(1, 2.5), 2)
  at(function(x, k, s) dweibull(x, k, s, log = TRUE), "s", -c(1, 2.5) / 3, 0, c(1, 2.5), 3)
  at(function(x, a, b) dbeta(x, a, b, log = TRUE), "b", c(1 / 3, 1 / 3 + 1 / 4), 0, c(1, 2), 3)
  at(function(x, a, b) dbeta(x, a, b, log = TRUE), "a", c(1 / 3, 1 / 3 + 1 / 4), 1, 3, c(1, 2))
  at(function(x, a, b) dbeta(x, a, b, 1, log = TRUE), "b", c(1 / 2, 1 / 2 + 1 / 3), 0, c(1, 2), 2)
  at(function(x, a, b) dbeta(x, a, b, 1, log = TRUE), "a", 1 / (2 + 1 / 2), 1, 2, 1) # sum_j p_j (a + j) = a + ncp / 2 at b = 1
  at(function(x, a, b, l) dbeta(x, a, b, l, log = TRUE), "l", c(-1 / 2, 1 / 2 / (2 + 1 / 2)), c(0, 1), 2, 1, 1)
  at(function(x, a) dchisq(x, a, log = TRUE), "a", -Inf, 0, 2)
  at(function(x, m, n) df(x, m, n, log = TRUE), "n", psi, 0, 3, 6)
  at(function(x, m, n) df(x, m, n, 1, log = TRUE), "n", c(psi, -1 / 4), 0, c(3, 4), c(6, 2))
  at(function(x, m, s) dlnorm(x, m, s, log = TRUE), "m", -Inf, 0, 0, 1)
})

test_that("a component whose density is 0 has no part in the gradient of a mixture", {
  mixture <- function(x, r, m, p) logspace_add(log(p) + dexp(x, r, log = TRUE), log1p(-p) + dnorm(x, m, log = TRUE))
  sums <- function(x, r, m, p) log(p * exp(dexp(x, r, log = TRUE)) + (1 - p) * exp(dnorm(x, m, log = TRUE)))
  linear <- function(x, r, m, p) log(p * dexp(x, r) + (1 - p) * dnorm(x, m))
  x <- c(-1, 0.5, 2)
  names <- c("r", "m", "p")
  for (compiles in unique(c(FALSE, compiler_here()))) {
    withr_options(list(nmathopencl.compiler = compiles), environment())
    known <- cbind(slope_in(linear, "r", x, 2, 0.1, 0.3), slope_in(linear, "m", x, 2, 0.1, 0.3), slope_in(linear, "p", x, 2, 0.1, 0.3))
    expect_true(all(is.finite(known)) && known[1L, 1L] == 0)
    for (f in list(mixture, sums)) expect_equal(unname(slope_in(f, names, x, 2, 0.1, 0.3)), known, tolerance = 1e-13)
    hessians <- lapply(list(mixture, sums, linear), function(f) {
      whole <- as.function(c(formals(f), call("sum", body(f))), envir = globalenv())
      attr(opencl_function(whole, gradient = names, hessian = TRUE)(x, 2, 0.1, 0.3, device = "host"), "hessian")
    })
    for (k in 1:2) expect_equal(hessians[[k]], hessians[[3L]], tolerance = 1e-12)
    interval <- function(a, b, m) logspace_sub(pnorm(b, m, log.p = TRUE), pnorm(a, m, log.p = TRUE))
    expect_equal(slope_in(interval, "m", c(-Inf, -1), c(0.5, 1), 0), -c(dnorm(0.5) / pnorm(0.5), 0), tolerance = 1e-14)
  }
})

test_that("the Hessian of what has no likelihood is NaN, too", {
  f <- opencl_function(function(x, r) sum(dexp(x, r, log = TRUE)), gradient = "r", hessian = TRUE)
  expect_true(is.nan(attr(f(c(-1, 2), 3, device = "host"), "hessian")))
  expect_equal(as.vector(attr(f(c(0, 2), 3, device = "host"), "hessian")), -2 / 9, tolerance = 1e-15)
})

test_that("links through which a parameter underflows leave the derivative in the linear predictor", {
  y <- c(0, 3, 3, 3)
  b <- c(-744, -744, -709, -800)
  logit <- c(-800, -744, -40, 40, 800)
  for (compiles in unique(c(FALSE, compiler_here()))) {
    withr_options(list(nmathopencl.compiler = compiles), environment())
    expect_equal(slope_in(function(y, b) dpois(y, exp(b), log = TRUE), "b", y, b), c(-exp(-744), 3, 3, 3), tolerance = 1e-15)
    expect_equal(slope_in(function(y, b) dnbinom(y, 2, mu = exp(b), log = TRUE), "b", y, b), c(-exp(-744), 3, 3, 3), tolerance = 1e-15)
    expect_equal(slope_in(function(y, b) dexp(y, exp(b), log = TRUE), "b", 3, c(-744, 0)), c(1, -2), tolerance = 1e-15)
    expect_equal(slope_in(function(q, b) ppois(q, exp(b), FALSE, TRUE), "b", c(0, 3), -744), c(1, 4), tolerance = 1e-15)
    expect_equal(slope_in(function(y, b) dbinom(y, 4, plogis(b), log = TRUE), "b", 4, logit), 4 * plogis(-logit), tolerance = 1e-15)
    expect_equal(slope_in(function(y, b) dbinom(y, 4, plogis(b), log = TRUE), "b", 1, logit), 1 - 4 * plogis(logit), tolerance = 1e-15)
    expect_equal(slope_in(function(y, b) dgeom(y, plogis(b), log = TRUE), "b", c(0, 2), c(40, 40)), c(plogis(-40), -2), tolerance = 1e-15)
    expect_equal(slope_in(function(y, b) dnbinom(y, 2, plogis(b), log = TRUE), "b", c(0, 3), c(40, 40)), c(2 * plogis(-40), -3), tolerance = 1e-15)
  }
})
