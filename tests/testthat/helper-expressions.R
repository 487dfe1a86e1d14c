# Random expressions in the language of opencl_function(), and their comparison with what R makes of them.

# Sets options until the function whose frame is `env` returns.
withr_options <- function(new, env) {
  old <- options(new)
  do.call(on.exit, list(substitute(options(old), list(old = old)), add = TRUE, after = FALSE), envir = env) # the last one first
}

withr_threads <- function(threads, expr) {
  old <- options(nmathopencl.threads = threads)
  on.exit(options(old))
  expr
}

expression_devices <- function() c("host", if (nmathopencl_opencl_fp64_available()) "opencl")

# Values for variables: every type, lengths that recycle, missing values of both kinds.
expression_values <- function() {
  list(
    x = c(0.5, -1.25, NA, 3, NaN, 2), y = c(2.5, 0.125, 7), z = c(0.75, -3), s = 1.5, i = c(3L, NA, -2L, 7L, 5L, 0L),
    j = c(2L, 5L, -3L), k = 4L, l = c(TRUE, FALSE, NA, TRUE, TRUE, FALSE), big = c(.Machine$integer.max, 3L),
    u = c(0.25, 0.5, 0.9, 0.1, 0.7, 0.6)
  )
}

random_expression <- function(depth) {
  pick <- function(...) sample(c(...), 1L)
  if (depth == 0L) {
    return(switch(pick("variable", "variable", "variable", "constant"),
      variable = as.symbol(pick("x", "y", "z", "s", "i", "j", "k", "l", "big", "u")),
      constant = list(2, 0.5, 3L, TRUE, -1.5, 7)[[sample(6L, 1L)]]
    ))
  }
  sub <- function() random_expression(depth - 1L)
  call_of <- function(name, ...) as.call(c(as.symbol(name), list(...)))
  switch(pick("arithmetic", "arithmetic", "arithmetic", "compare", "logic", "ifelse", "math", "math", "density", "minmax", "missing",
              "negative"),
    arithmetic = call_of(pick("+", "-", "*", "/", "+", "-", "*", "^"), sub(), sub()),
    compare = call_of(pick("<", ">", "==", "!=", "<=", ">="), sub(), sub()),
    logic = call_of(pick("&", "|", "xor"), call_of("<", sub(), sub()), call_of("is.na", sub())),
    ifelse = call_of("ifelse", call_of(pick("<", ">="), sub(), sub()), call_of("+", sub(), 0), call_of("*", sub(), 1)),
    math = call_of(pick("exp", "sqrt", "log", "abs", "floor", "sin", "log1p", "is.nan", "atan", "lgamma", "sign", "trunc"), sub()),
    density = call_of(pick("dnorm", "pnorm", "dexp", "plogis", "dt"), sub(), sub()),
    minmax = call_of(pick("pmin", "pmax"), call_of("+", sub(), 0), call_of("*", sub(), 1)),
    missing = call_of(pick("is.na", "is.finite", "!"), sub()),
    negative = call_of("-", sub())
  )
}

# A value with the messages of its warnings, or of its error.
with_conditions <- function(expr) {
  messages <- character()
  value <- tryCatch(
    withCallingHandlers(expr, warning = function(w) {
      messages <<- c(messages, conditionMessage(w))
      invokeRestart("muffleWarning")
    }),
    error = function(e) structure(list(conditionMessage(e)), class = "failed")
  )
  list(value = value, warnings = messages)
}

# TRUE, or what differs: values to `tolerance` of the larger of 1 and their size, NA apart from NaN, types, warnings.
same_result <- function(ours, rs, tolerance = 1e-12) {
  a <- ours$value
  b <- rs$value
  if (inherits(b, "failed")) return(if (inherits(a, "failed")) TRUE else "R fails, we do not")
  if (inherits(a, "failed")) return(paste("we fail:", a[[1L]]))
  if (typeof(a) != typeof(b)) return(paste("types", typeof(a), typeof(b)))
  if (length(a) != length(b)) return(paste("lengths", length(a), length(b)))
  if (!identical(attributes(a), attributes(b))) return("attributes")
  if (!identical(is.na(a), is.na(b))) return("missing")
  if (is.double(a) && !identical(is.nan(a), is.nan(b))) return("NaN and NA")
  ok <- !is.na(a)
  near <- a[ok] == b[ok] | abs(a[ok] - b[ok]) <= tolerance * pmax(1, abs(b[ok]))
  if (!all(near)) return(paste("values", paste(format(a, digits = 17), format(b, digits = 17), collapse = "; ")))
  if (!identical(ours$warnings, rs$warnings)) return(paste("warnings", toString(ours$warnings), "|", toString(rs$warnings)))
  TRUE
}

# The same outcome by R and by an opencl_function of it: values, warnings, errors with their calls' functions left out.
outcome_of <- function(expr) {
  reported <- character()
  value <- tryCatch(withCallingHandlers(expr, warning = function(w) {
    reported <<- c(reported, conditionMessage(w))
    invokeRestart("muffleWarning")
  }), error = function(e) paste("error:", conditionMessage(e)))
  list(value = value, reported = reported)
}

# `made`: where one function has many calls.
expect_as_r <- function(f, ..., devices = expression_devices(), ways = c(devices, "plain"), made = opencl_function(f)) {
  args <- list(...)
  rs <- outcome_of(do.call(f, args))
  g <- made
  for (device in ways) {
    withr_options(list(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler")), environment())
    for (turn in 1:2) { # the second time the program is there
      ours <- outcome_of(do.call(g, c(args, device = if (device == "plain") "host" else device)))
      reported <- paste(deparse1(f), deparse1(args), "on", device)
      expect_equal(ours$value, rs$value, tolerance = 1e-12, info = reported)
      expect_identical(ours$reported, rs$reported, info = reported)
    }
  }
}

# The value and slopes of a call, which are R's, compiled and not. `at`: par.
expect_slopes_as_r <- function(f, at, ..., data = list(), tolerance = 1e-6, ways = c("0", "plain")) {
  value <- f
  environment(value) <- list2env(as.list(data), parent = environment(f))
  slope <- function(k, h = 1e-5) {
    up <- down <- at
    up[k] <- at[k] + h
    down[k] <- at[k] - h
    unname(value(up, ...) - value(down, ...)) / (2 * h)
  }
  rs <- value(at, ...)
  slopes <- vapply(seq_along(at), slope, 0)
  made <- opencl_function(f, gradient = "par", data = data)
  for (way in ways) {
    for (turn in 1:2) {
      ours <- in_way(way, made(at, ..., device = device_of_way(way)))
      reported <- paste(deparse1(f), way)
      expect_equal(as.vector(ours), as.vector(rs), tolerance = 1e-12, info = reported)
      expect_equal(unname(attr(ours, "gradient")), slopes, tolerance = tolerance, info = reported)
    }
  }
}
