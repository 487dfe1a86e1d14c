# Expressions over all families of functions are what plain R makes of them: values, types, attributes, warnings in their
# order, errors; compiled on every device, and evaluated by R where the host has no compiler.

unoptimized_programs()

# A program of PoCL takes up to 20 seconds to build: the few that take under two are built there, and all of them on
# other devices or with NMATHOPENCL_TEST_FAMILIES = all. Without NOT_CRAN the host device compiles these few as well.
quickly_built <- c(
  "uniform", "uniform_log", "normal", "normal_log", "normal_fixed", "normal_fixed_density", "normal_fixed_tail",
  "lnorm_quantile", "exponential", "exponential_quantile",
  "weibull", "weibull_quantile", "logistic", "cauchy", "integers", "logic", "choices", "types", "recycled", "rounding"
)

built_here <- function(device, expressions) {
  everything <- identical(Sys.getenv("NMATHOPENCL_TEST_FAMILIES"), "all")
  slow <- if (device == "0") !identical(Sys.getenv("NOT_CRAN"), "true") else grepl("cpu", device_type(device))
  if (slow && !everything) expressions[intersect(quickly_built, names(expressions))] else expressions
}

device_type <- function(device) {
  all <- opencl_devices()
  all$type[all$index == as.integer(device)]
}

# Where R's function is the less exact, the body with this package's functions, which R evaluates, tells the rest.
compare_with_r <- function(device, expressions, lengths = c(0, 6, Inf)) {
  for (name in names(expressions)) {
    expression <- expressions[[name]]
    ours <- opencl_function(expression$f)
    for (n in unique(pmin(lengths, expression$most))) {
      values <- family_values(n)[names(formals(expression$f))]
      result <- with_conditions(do.call(ours, c(values, device = device)))
      expected <- with_conditions(do.call(expression$f, values))
      expect_identical(same_result(result, expected, expression$tolerance), TRUE, info = paste(name, n))
      if (expression$tolerance == 1e-12) next
      old <- options(nmathopencl.compiler = FALSE)
      exact <- with_conditions(do.call(ours, c(values, device = "host")))
      options(old)
      expect_identical(same_result(result, exact), TRUE, info = paste(name, n, "against the host's functions"))
    }
  }
}

test_that("the expressions call every function of the table that R has", {
  table <- nmathopencl:::function_table()
  table <- table[nzchar(table$mirrors) & table$flags != "cells", ]
  bodies <- c(lapply(family_expressions(), function(expression) body(expression$f)), lapply(draw_expressions(), body))
  expect_gte(length(bodies), 60L)
  called <- unique(unlist(lapply(bodies, all.names)))
  expect_identical(setdiff(gsub("^.*::|`", "", table$mirrors), called), character())
})

test_that("expressions over all families are plain R's, without a compiler", {
  withr_options(list(nmathopencl.compiler = FALSE), environment())
  compare_with_r("host", family_expressions())
})

test_that("expressions over all families are plain R's, compiled", {
  for (device in all_compiling_devices()) {
    compare_with_r(device, built_here(device, family_expressions()), if (device == "0") c(0, 6, Inf) else c(6, Inf))
    expect_ran_on(device)
  }
})

test_that("any lengths go together", {
  values <- family_values(6)
  for (device in c("0", opencl_test_devices())) {
    for (lens in list(c(1, 2, 3), c(3, 1, 6), c(2, 6, 1), c(6, 1e5, 2), c(1e5, 3, 1), c(1, 1, 1), c(2, 0, 1e5))) {
      args <- list(x = family_values(lens[1L])$x, a = abs(rep_len(values$x, lens[2L])), b = rep_len(values$y, lens[3L]))
      f <- function(x, a, b) (x + a) * dnorm(b, x, 1) / (a - b)
      expect_identical(
        same_result(with_conditions(do.call(opencl_function(f), c(args, device = device))), with_conditions(do.call(f, args))),
        TRUE, info = toString(lens)
      )
    }
  }
})

test_that("draws in expressions are the same on every device, and missing where R's are", {
  for (name in names(draw_expressions())) {
    f <- draw_expressions()[[name]]
    values <- c(list(n = 7L), family_values(4)[names(formals(f))[-1L]])
    drawn <- function(device, compiler = NULL) {
      old <- options(nmathopencl.compiler = compiler %||% getOption("nmathopencl.compiler"))
      on.exit(options(old))
      set.seed(11)
      with_conditions(do.call(opencl_function(f), c(values, device = device)))
    }
    plain <- drawn("host", FALSE)
    expected <- with_conditions(do.call(f, values))
    expect_identical(typeof(plain$value), typeof(expected$value))
    expect_identical(is.na(plain$value), is.na(expected$value))
    expect_identical(plain$warnings, expected$warnings)
    devices <- if (name %in% c("real", "counts", "missing")) all_compiling_devices() else intersect(all_compiling_devices(), "0")
    for (device in devices) expect_identical(same_result(drawn(device), plain), TRUE, info = paste(name, device))
  }
})

test_that("matrices, names and columns of data frames go through as in R", {
  m <- matrix(c(0.5, NA, 2, 3, NaN, 0.25), 2, dimnames = list(c("u", "v"), NULL))
  d <- data.frame(x = c(0.5, 1, NA), k = 0:2, l = c(TRUE, NA, FALSE))
  named <- c(p = 0.25, q = 0.5)
  calls <- list(
    list(function(m, s) pgamma(m, s) + m, list(m, 2)), list(function(m, s) dnorm(m, s) > 0.1, list(m, c(one = 1, two = 2))),
    list(function(x, k, l) ifelse(l, dpois(k, x), k), d), list(function(m, b) plogis(m %*% b), list(m[, 1:2], named)),
    list(function(p, a) qexp(p, a) - p, list(named, 1:2)), list(function(x, m) is.na(x) | m > 1, list(1, m)),
    list(function(a, m) pmax(a, m), list(named, m)), list(function(m) -round(m), list(array(m, c(1, 2, 3))))
  )
  for (device in expression_devices()) {
    for (call in calls) {
      values <- unname(as.list(call[[2L]]))
      ours <- with_conditions(do.call(opencl_function(call[[1L]]), c(values, device = device)))
      expect_identical(same_result(ours, with_conditions(do.call(call[[1L]], values))), TRUE, info = deparse1(call[[1L]]))
    }
  }
})

# R's own text is in ours, which says more.
test_that("what R refuses is refused with R's words", {
  m <- matrix(1:6, 2)
  calls <- list(
    list(function(a, b) a * b, list(m, t(m))), list(function(X, b) X %*% b, list(m, 1:2)),
    list(function(x, a) if (a) x else 0, list(1, NA)), list(function(x, a) dgamma(x, a, rate = 2, scale = 3), list(1, 2)),
    list(function(k) dnbinom(k, 2, prob = 0.5, mu = 1), list(1)), list(function(k) rpois(-1, k), list(1)),
    list(function(x, a) x + a, list(1)), list(function(x) x + not_to_be_found_anywhere, list(1)),
    list(function(x) dnorm(x, nosuch = 1), list(1)), list(function(q) pgamma(q), list(1))
  )
  for (compiler in c(TRUE, FALSE)) {
    old <- options(nmathopencl.compiler = compiler)
    for (call in calls) {
      ours <- with_conditions(do.call(opencl_function(call[[1L]]), c(call[[2L]], device = "host")))
      expected <- with_conditions(do.call(call[[1L]], call[[2L]]))
      expect_s3_class(expected$value, "failed")
      expect_s3_class(ours$value, "failed")
      if (inherits(ours$value, "failed")) expect_match(ours$value[[1L]], expected$value[[1L]], fixed = TRUE)
    }
    options(old)
  }
})
