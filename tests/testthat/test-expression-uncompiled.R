# Where there is no C compiler R computes what an opencl_function gives, and gives the same: values, gradients, reductions,
# names, missing values and warnings.

unoptimized_programs()

likelihoods <- list(
  normal = list(function(y, m, s) dnorm(y, m, s, log = TRUE), c("m", "s")),
  square = list(function(y, m) (y - m)^2, "m"),
  robust = list(function(y, m, s) ifelse(abs(y - m) < 2, -(y - m)^2 / (2 * s), -abs(y - m) * s), c("m", "s")),
  chosen = list(function(y, m, s) ifelse(s > 1, y * m, y / m) + s, c("m", "s")), # a test of length one
  gamma = list(function(y, m, s) dgamma(y, m, rate = s, log = TRUE), c("m", "s")),
  tail = list(function(y, m, s) pnorm(y, m, s, lower.tail = FALSE, log.p = TRUE), c("m", "s")),
  quantile = list(function(y, m, s) qnorm(plogis(y), m, s), c("m", "s")),
  extreme = list(function(y, m) pmax(y, m) + pmin(y, 2 * m), "m"),
  power = list(function(y, m) abs(y)^m + m^y, "m"),
  linear = list(function(y, X, b, s) dnorm(y, X %*% b, s, log = TRUE), c("b", "s")),
  count = list(function(k, X, b) dpois(k, exp(X %*% b), log = TRUE), "b"),
  mixture = list(function(y, m, s) log(0.3 * dnorm(y, m) + 0.7 * dnorm(y, s)), c("m", "s")),
  censored = list(function(y, d, m, s) ifelse(d, dweibull(y, m, s, log = TRUE), pweibull(y, m, s, lower.tail = FALSE, log.p = TRUE)), c("m", "s")),
  roots = list(function(y, m) sqrt(y - m) + log(y), "m"),
  beta = list(function(y, m, s) dbeta(plogis(y), m, s, log = TRUE) + lgamma(m), c("m", "s"))
)
likelihood_data <- function(what) {
  n <- c(few = 7L, missing = 7L, one = 1L, other = 4L)[[what]]
  set.seed(4)
  y <- round(rexp(n) + 0.1, 3)
  if (what == "missing") y[c(2, 5)] <- c(NA, NaN)
  list(y = y, k = rep_len(c(0L, 3L, 1L, NA)[seq_len(4L - (what != "missing"))], n), d = rep_len(c(TRUE, FALSE), n), X = cbind(1, round(rnorm(n), 3)),
       m = 1.3, s = 0.8, b = c(u = 0.2, v = -0.4))
}

without_compiler <- function(expr) {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  with_conditions(expr)
}

# Values to `tolerance`, everything else identical.
expect_same <- function(ours, known, reported) {
  for (one in list(ours, known)) if (inherits(one$value, "failed")) return(testthat::fail(paste(reported, one$value[[1L]])))
  shape <- function(x) rapply(list(attributes(x), is.na(x), is.nan(x), typeof(x)), function(v) if (is.double(v)) is.na(v) else v, how = "list")
  numbers <- function(x) c(as.vector(x), as.vector(attr(x, "gradient")))
  expect_identical(shape(ours$value), shape(known$value), info = reported)
  expect_equal(numbers(ours$value), numbers(known$value), tolerance = 1e-11, info = reported)
  expect_identical(sort(ours$warnings), sort(known$warnings), info = reported)
}

test_that("gradients without a compiler are those of kernels, with their names and warnings", {
  skip_without_compiler()
  reductions <- list(list(reduce = "sum"), list(reduce = "mean", na.rm = TRUE), list(reduce = "sum", na.rm = TRUE), list(reduce = "mean"))
  # Elements of each, and two of the reductions in turn: each is a program to compile.
  as_one(for (name in names(likelihoods)) for (setting in c(list(list()), reductions[(match(name, names(likelihoods)) + 0:1) %% 4 + 1])) {
    f <- likelihoods[[name]][[1L]]
    new_function <- function() do.call(opencl_function, c(list(f, gradient = likelihoods[[name]][[2L]]), setting))
    compiled <- new_function()
    plain <- new_function() # both know what they were called with before
    for (what in c("few", "missing", "one", "other")) {
      args <- likelihood_data(what)[names(formals(f))]
      by <- if (!is.null(setting$reduce) && what == "missing" && name != "chosen") list(NULL, c(1L, 1L, 3L, NA, 3L, 1L, 3L), factor(rep_len(c("a", "b"), 7), c("a", "b", "c"))) else list(NULL)
      for (groups in by) {
        call <- function(g) do.call(g, c(args, if (!is.null(groups)) list(by = groups), list(device = "host")))
        expect_same(without_compiler(call(plain)), with_conditions(call(compiled)), paste(name, setting$reduce, what))
      }
    }
  })
})

test_that("reductions without a compiler are R's", {
  x <- list(c(1, NaN, 3), c(NA, 2, NaN), c(NaN, NA), c(-Inf, 5), c(0.5, 2), NA_real_, c(3L, NA, 1L), c(TRUE, FALSE, NA), 4:6)
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  for (op in c("sum", "mean", "min", "max", "prod", "any", "all")) for (na.rm in c(FALSE, TRUE)) {
    f <- opencl_function(function(x) x, reduce = op, na.rm = na.rm)
    for (v in x) {
      known <- suppressWarnings(do.call(op, list(if (op %in% c("any", "all")) as.logical(v) else v, na.rm = na.rm)))
      if (op %in% c("any", "all")) expect_no_warning(f(v, device = "host"))
      expect_identical(suppressWarnings(f(v, device = "host")), known)
    }
  }
  f <- opencl_function(function(x) x, reduce = "logsumexp")
  expect_equal(f(c(-.Machine$integer.max, 1L, 3L), device = "host"), log(sum(exp(c(1, 3)))), tolerance = 1e-15)
})

test_that("R sees other opencl_functions and the functions that have no name in R", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  inner <- opencl_function(function(u, v = 2) ifelse(u > v, log1pmx(u), u))
  f <- opencl_function(function(x) inner(x) + inner(x, 0))
  expect_equal(f(c(1, 3), device = "host"), c(1 + log1p(1) - 1, 2 * (log1p(3) - 3)), tolerance = 1e-14)
  expect_message(f(c(1, 3), device = "host", verbose = TRUE), "2 elements")
  g <- opencl_function(function(x) x * 2)
  v <- opencl_vector(c(a = 1, b = 2), device = "host")
  expect_identical(names(g(v)), c("a", "b"))
  slopes <- opencl_function(function(x, a) x * a, gradient = "a")(c(1, 2), 3, device = "host", keep = TRUE)
  expect_identical(as.vector(attr(slopes, "gradient")$a), c(1, 2))
})

test_that("what is known of one call holds for another one of the same shapes only where it is the same", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  scale <- 2
  bend <- function(x) x^2
  f <- function(y, g, u, k, way) {
    s <- 0
    for (j in 1:k) s <- s + j * u[1]
    if (way == "log") sum(log1p(bend(u[g]))) + s else sum(scale * sort(y) * u[g]) + s + bend(u[2])
  }
  ours <- opencl_function(f, gradient = "u")
  calls <- list(
    list(c(3, 1, 2), c(1L, 2L, 2L), c(0.5, 0.7), 2, "log"), list(c(3, 1, 2), c(1L, 2L, 2L), c(0.5, 0.7), 3, "log"), list(c(3, 1, 2), c(1L, 2L, 2L), c(0.9, 0.7), 2, "not"),
    list(c(3, 1, 5), c(2L, 2L, 1L), c(0.9, 0.7), 2, "not"), list(c(3, 1, 2, 8), c(2L, 2L, 1L, 1L), c(0.9, 0.7), 2, "not"), list(c(3, 1, 5), c(2L, 2L, 1L), c(0.9, 0.7, 3), 2, "not")
  )
  same <- function() for (call in c(calls, rev(calls))) {
    value <- do.call(ours, c(call, device = "host"))
    at <- function(u) do.call(f, replace(call, 3L, list(u)))
    expect_equal(as.vector(value), at(call[[3L]]), tolerance = 1e-13)
    slopes <- vapply(seq_along(call[[3L]]), function(j) {
      h <- 1e-5 * (seq_along(call[[3L]]) == j)
      (at(call[[3L]] + h) - at(call[[3L]] - h)) / 2e-5
    }, 0)
    expect_equal(unname(attr(value, "gradient")), slopes, tolerance = 1e-8)
  }
  same()
  scale <- 5
  same()
  scale <- c(1, 2, 1)
  calls <- Filter(function(call) length(call[[1L]]) == 3L, calls)
  same()
  bend <- function(x) sin(x)
  same()
})
