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
