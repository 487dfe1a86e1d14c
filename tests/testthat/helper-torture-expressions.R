# Arguments for random functions, what R makes of them, and the rule that an opencl_function gives the same.

# ---- arguments -------------------------------------------------------------------------------------------------------------

torture_doubles <- c(
  0, -0, 1, -1, 0.5, 2, 3, -2.5, 10, 100.25, 1e10, -1e10, 2147483647, -2147483648, 2^53, 1e300, -1e300, 1e-300, 2^-1074,
  .Machine$double.xmax, Inf, -Inf, NA, NaN, NA, NaN
)
torture_integers <- c(-5:5, 7L, 100L, 46341L, -46341L, .Machine$integer.max, -.Machine$integer.max, NA, NA)

# n numbers of a type. `wild`: the share of extreme and missing ones.
torture_numbers <- function(type, n, wild) {
  if (n == 0L) return(vector(if (type == "unit") "double" else type, 0L))
  odd <- stats::runif(n) < wild
  switch(type,
    double = {
      usual <- ifelse(stats::runif(n) < 0.25, sample(-3:6, n, TRUE), signif(stats::rnorm(n, 0, 3), 4))
      far <- ifelse(stats::runif(n) < 0.15, 10^stats::runif(n, -300, 300), sample(torture_doubles, n, TRUE))
      ifelse(odd, far, usual)
    },
    unit = ifelse(odd, sample(c(0, 1, 1e-300, 1 - 2^-53, NA, NaN, -1), n, TRUE), round(stats::runif(n), 3)),
    integer = as.integer(ifelse(odd, sample(torture_integers, n, TRUE), sample(-4:9, n, TRUE))),
    logical = ifelse(odd, NA, stats::runif(n) < 0.5)
  )
}

# What calls of one program have in common: types, lengths, names, dimensions of every argument.
torture_shape <- function() {
  n <- sample(c(0L, 1L, 2L, 3L, 4L, 6L, 12L), 1L, prob = c(6, 8, 8, 14, 10, 44, 10))
  usual <- c(x = "double", y = "double", z = "double", u = "unit", i = "integer", j = "integer", l = "logical", m = "logical", s = "double", k = "integer",
             t = "logical")
  mixed <- chance(0.3)
  parts <- lapply(stats::setNames(names(usual), names(usual)), function(name) {
    type <- if (mixed && name != "u" && chance(0.4)) sample(c("double", "integer", "logical"), 1L) else usual[[name]]
    one <- name %in% c("s", "k", "t")
    length <- if (one) 1L else sample(c(n, 1L, max(1L, n %/% 2L), max(1L, n %/% 3L), 2L * n, n + 1L, 0L), 1L, prob = c(68, 12, 6, 4, 2, 5, 3))
    part <- list(type = type, length = length)
    if (chance(0.08)) part$names <- utils::head(rep(letters, 2L), length)
    if (length > 0L && chance(0.06)) {
      rows <- sample(c(1L, length, if (length %% 2L == 0L) 2L), 1L)
      part$dim <- c(rows, length %/% rows)
      part$names <- NULL
      if (chance(0.4)) part$dimnames <- list(paste0("r", seq_len(rows)), NULL)
    } else if (chance(0.03)) {
      part$note <- "kept"
    }
    part
  })
  columns <- sample(3L, 1L)
  c(parts, list(X = list(type = if (chance(0.85)) "double" else "integer", rows = n, columns = columns, named = chance(0.15)),
                b = list(columns = columns, named = chance(0.1), column = chance(0.1))))
}

torture_values <- function(shape) {
  wild <- sample(c(0, 0.1, 0.35), 1L)
  values <- lapply(shape[setdiff(names(shape), c("X", "b"))], function(part) {
    x <- torture_numbers(part$type, part$length, wild)
    if (!is.null(part$dim)) x <- array(x, part$dim, part$dimnames)
    if (length(part$names) > 0L) names(x) <- part$names
    if (!is.null(part$note)) attr(x, "note") <- part$note
    x
  })
  own <- shape$X
  values$X <- matrix(torture_numbers(own$type, own$rows * own$columns, wild / 2), own$rows, own$columns)
  if (own$named && own$rows > 0L) dimnames(values$X) <- list(paste0("row", seq_len(own$rows)), letters[seq_len(own$columns)])
  values$b <- torture_numbers("double", own$columns, wild / 2)
  if (shape$b$named) names(values$b) <- paste0("b_", seq_len(own$columns))
  if (shape$b$column) values$b <- matrix(values$b)
  values$how <- sample(c("soft", "hard", "none"), 1L)
  values
}

# ---- what R makes of it ------------------------------------------------------------------------------------------------------

# R's ifelse(), whose value has the wider type of its branches, as it has in a kernel.
ifelse_of_wider_type <- function(test, yes, no) {
  types <- c("logical", "integer", "double")
  frame <- parent.frame()
  type_of <- function(expr) {
    value <- tryCatch(suppressWarnings(eval(expr, frame)), error = function(e) NULL)
    match(typeof(value), types)
  }
  value <- base::ifelse(test, yes, no) # first, whose warnings count
  if (is.double(value)) return(value) # the widest; what is below evaluates the branches again, which nested calls multiply
  wider <- max(type_of(substitute(yes)), type_of(substitute(no)))
  if (!is.na(wider)) storage.mode(value) <- types[wider]
  value
}

# x %% y of doubles without rounding: what is left of |x| when |y| 2^k is taken away, for falling k.
exact_modulo <- function(x, y) {
  if (!is.double(x) && !is.double(y)) return(base::`%%`(x, y))
  call <- sys.call()
  value <- withCallingHandlers(base::`%%`(x, y), warning = function(w) {
    if (!grepl("loss of accuracy", conditionMessage(w))) warning(simpleWarning(conditionMessage(w), call))
    invokeRestart("muffleWarning")
  })
  n <- length(value)
  a <- rep_len(as.double(x), n)
  b <- rep_len(as.double(y), n)
  large <- which(is.finite(a) & is.finite(b) & b != 0 & abs(a) >= 2^20 * abs(b)) # R rounds the quotient times b
  apart <- which(is.finite(a) & is.finite(b) & a != 0 & (a < 0) != (b < 0) & abs(a) < 2^-40 * abs(b))
  value[apart] <- a[apart] + b[apart]
  for (i in large) {
    rest <- abs(a[i])
    step <- abs(b[i])
    while (rest >= step) {
      size <- step * 2^max(0, min(1000, floor(log2(rest)) - floor(log2(step)) - 1))
      while (size <= rest / 2) size <- 2 * size
      rest <- rest - size
    }
    if (rest != 0 && (a[i] < 0) != (b[i] < 0)) rest <- step - rest
    value[i] <- if (b[i] < 0) -rest else rest
  }
  value
}

# R's functions, as kernels have them if `compiled`; the other functions as R functions.
torture_plain <- function(compiled = TRUE) {
  env <- new.env(parent = globalenv())
  if (compiled) {
    env$ifelse <- ifelse_of_wider_type
    env$`%%` <- exact_modulo
  }
  add_own(env)
}

add_own <- function(env) {
  env$level <- torture_level
  add_functions(env, c(torture_own, torture_plain_own))
}

add_functions <- function(env, functions, made = identity) {
  for (name in names(functions)) {
    f <- functions[[name]]
    environment(f) <- env
    env[[name]] <- made(f)
  }
  env
}

# The same, whose inexact functions err a little, and give any NaN where R does not say which. `ours`: this package's functions
# on the host device under R's names, where R's own are not as exact. `exact`: these alone, and nothing errs.
torture_shaken <- function(plain, ours = FALSE, exact = FALSE) {
  env <- new.env(parent = plain)
  shake <- function(value, ulps = 4) {
    if (exact || !is.double(value) || length(value) == 0L) return(value)
    value[] <- value * (1 + sample(-ulps:ulps, length(value), TRUE) * 2^-53)
    value
  }
  any_missing <- function(value, args) {
    if (exact || !is.double(value) || !anyNA(value)) return(value)
    kinds <- lapply(args, function(a) rep_len(torture_kind(as.vector(a)), length(value)))
    mixed <- which(is.na(value) & Reduce(`|`, lapply(kinds, `==`, 1L)) & Reduce(`|`, lapply(kinds, `==`, 2L)))
    value[mixed] <- sample(c(NA, NaN), length(mixed), TRUE)
    value
  }
  wrap <- function(name, f, ulps) {
    force(f)
    force(ulps)
    env[[name]] <- function(...) {
      args <- list(...)
      numbers <- Filter(function(a) (is.numeric(a) || is.logical(a)) && length(a) > 0L, args)
      any_missing(shake(f(...), ulps), numbers)
    }
  }
  for (name in c("+", "-", "*", "/", "%%", "%/%", "pmin", "pmax", "atan2", "log")) wrap(name, get(name, plain), if (name %in% c("atan2", "log")) 4 else 0)
  for (name in c("^", "exp", "log1p", "expm1", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
                 "atanh", "cospi", "sinpi", "tanpi", "signif", "round")) wrap(name, get(name, baseenv()), 4)
  for (k in seq_len(nrow(rows <- torture_library()))) {
    name <- rows$r_name[k]
    f <- if (ours) on_host_device(rows$name[k]) else get(name, asNamespace("stats"))
    if (!exists(name, env, inherits = FALSE)) wrap(name, f, 64)
  }
  if (!exact) env$`%*%` <- function(x, y) { # sums in any order
    value <- base::`%*%`(x, y)
    size <- base::`%*%`(abs(x), abs(y))
    err <- stats::runif(length(value), -1, 1) * 8 * 2^-53 * size
    value[] <- value + ifelse(is.finite(err), err, 0)
    any_missing(value, list(rowSums(x), rep(sum(y), nrow(x))))
  }
  add_own(env)
}

on_host_device <- function(name) {
  f <- get(paste0(name, "_opencl"), asNamespace("nmathopencl"))
  function(...) f(..., device = "host")
}

# What R gives, and with functions that err a little.
torture_reference <- function(f, values, plain, shaken) {
  with_scope <- function(env) {
    g <- f
    environment(g) <- env
    torture_outcome(do.call(g, values))
  }
  list(rs = with_scope(plain), again = function() unlist(lapply(shaken, function(env) lapply(1:12, function(i) with_scope(env))), FALSE))
}

# ---- the rule ----------------------------------------------------------------------------------------------------------------

# `device`: as for calls; "plain" is the host device without its compiler, where R evaluates the body.
torture_on <- function(device, code) {
  if (device != "plain") return(code)
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  code
}

torture_device <- function(device) if (device == "plain") "host" else device

# The environment of random functions: other opencl_functions, plain functions, and a variable.
torture_home <- function() {
  env <- new.env(parent = globalenv())
  env$level <- torture_level
  add_functions(env, torture_plain_own)
  add_functions(env, torture_own, nmathopencl::opencl_function)
}

torture_code <- function(f, values, device, made = "opencl_function(f)", further = "") {
  called <- all.names(body(f))
  own <- intersect(names(torture_own), called)
  if ("both" %in% own) own <- names(torture_own)
  own <- names(torture_own)[names(torture_own) %in% own]
  plain <- if (any(names(torture_plain_own) %in% called)) names(torture_plain_own)
  c(
    if (device == "plain") "options(nmathopencl.compiler = FALSE)",
    if ("square" %in% own || length(plain) > 0L) paste("level <-", torture_text(torture_level)),
    vapply(plain, function(name) paste0(name, " <- ", torture_function_text(torture_plain_own[[name]])), ""),
    vapply(own, function(name) paste0(name, " <- opencl_function(", torture_function_text(torture_own[[name]]), ")"), ""),
    paste("f <-", torture_function_text(f)), paste("g <-", made),
    vapply(values, function(v) paste0("do.call(g, c(", torture_list_text(v), ", device = ", torture_text(torture_device(device)), further, "))"), "")
  )
}

torture_used <- function(f) {
  formals(f) <- formals(f)[intersect(names(formals(f)), all.vars(body(f)))]
  f
}

# One random function, called with values of one shape, of another one, and of the first again.
torture_expression <- function(case, device, state) {
  torture_seed("expressions", case)
  f <- as.function(c(torture_formals, torture_body(new_writer(library = state$library))), envir = state$home)
  f <- torture_used(f)
  first <- torture_shape()
  shapes <- list(first, torture_shape(), first)
  calls <- lapply(shapes, function(shape) torture_values(shape)[names(formals(f))])
  compare_calls(f, calls, device, state, case)
}

compare_calls <- function(f, calls, device, state, case, rule = "expressions") {
  g <- torture_outcome(nmathopencl::opencl_function(f))
  if (torture_failed(g)) {
    return(torture_finding(rule, case, "refused", c(torture_code(f, list(), device), paste("#", torture_shown(g)))))
  }
  found <- NULL
  for (turn in seq_along(calls)) {
    one <- compare_call(f, g$value, calls[[turn]], device, state)
    if (length(one$classes) == 0L) next
    fresh <- function(f) compare_call(f, nmathopencl::opencl_function(f), calls[[turn]][names(formals(f))], device, state)
    itself <- turn == 1L || length(fresh(f)$classes) > 0L
    shown <- f
    if (itself) {
      shown <- smallest_function(f, function(f) identical(fresh(f)$classes, one$classes), state$budget)
      one <- fresh(shown)
    }
    used <- lapply(if (itself) calls[turn] else calls[seq_len(turn)], function(values) values[names(formals(shown))])
    code <- c(
      torture_code(shown, used, device), paste("# ours:", torture_shown(one$ours)), paste("# R's: ", torture_shown(one$rs))
    )
    found <- rbind(found, torture_finding(rule, case, c(one$classes, if (!itself) "only after other calls"), code))
  }
  found
}

compare_call <- function(f, g, values, device, state) {
  reference <- torture_reference(f, values, state$plain, state$shaken)
  ours <- torture_outcome(torture_on(device, do.call(g, c(values, device = torture_device(device)))))
  classes <- torture_differences(ours, reference$rs, reference$again)
  if (!state$compiled) classes <- setdiff(classes, "calls of warnings") # those of this package's functions
  list(classes = classes, ours = ours, rs = reference$rs)
}

# What the cases of one run share.
torture_state <- function(device) {
  compiled <- device != "plain" && (!device %in% c("host", "0") || nmathopencl:::host_compiles())
  plain <- torture_plain(compiled)
  list(
    compiled = compiled,
    home = torture_home(), plain = plain, shaken = list(torture_shaken(plain), torture_shaken(plain, TRUE)),
    library = torture_library(), budget = 40L # trials that make a function smaller
  )
}
