# Random functions in the language of opencl_function(): statements, locals, conditions, and calls of all that it knows.
#
# They read these arguments: x, y, z, u (u between 0 and 1), i, j, l, m of any length; s, k, t of length one; X and b for
# X %*% b. Types are those that torture_values() gives, and may be others at the next call.

torture_vectors <- c("x", "x", "y", "y", "z", "u", "i", "i", "j", "l", "m")
torture_scalars <- c("s", "s", "k", "t")
torture_literals <- list(
  0, 1, 2, -1, 0.5, 3, 10, 1.5, -0.25, 1e5, 1e-3, 0L, 1L, 2L, 3L, -2L, 7L, .Machine$integer.max, TRUE, FALSE, NA, NA_real_,
  NA_integer_, NaN, Inf, -Inf, 2147483648, 1e300
)

# Other functions that an expression may call, and a variable of their environment.
torture_own <- list(
  gap = function(a, b) ifelse(a > b, a - b, b * 2L),
  square = function(a, b = 1) {
    w <- a + b
    w * w + level
  },
  share = function(a, b) if (length(a) > 1L) a %/% b else pmin(a, b),
  both = function(a) gap(a, 1L) + square(a)
)
torture_level <- c(0.5, 2, -3)

# Plain R functions of one's own, which are inlined as they are.
torture_plain_own <- list(
  damp = function(v, by = level, kind = "soft") {
    if (kind == "soft") return(v / (1 + abs(by)))
    switch(kind, hard = pmin(v, by), none = v * by)
  },
  maybe = function(v, w) if (missing(w)) v * 3L else {
    return(v - w)
    0
  },
  weighted = function(v, w = NULL) {
    if (is.null(w)) w <- length(v) > 2L
    v * w
  },
  stepped = function(v, unused) {
    step <- function(z, s = top) z + s
    top <- if (isTRUE(length(v) > 1L)) 1L else 0.5
    step(v) - maybe(v, step(1L, v))
  },
  within = function(v, test) ifelse(test, v, damp(v, 2)),
  onward = function(v, ...) damp(v, ...) + 1L
)

call_of <- function(name, ...) as.call(c(list(as.symbol(name)), list(...)))

# Rows of the table whose functions R has, and which take no longer than others.
torture_library <- function() {
  table <- function_table()
  name <- gsub("`", "", sub("^[a-z]*::", "", table$mirrors), fixed = TRUE)
  known <- vapply(name, function(name) nzchar(name) && exists(name, asNamespace("stats"), mode = "function"), NA)
  usual <- table$cost %in% c("cheap", "moderate") & !table$flags %in% c("draws", "counts", "cells")
  other <- grepl("wilcox|signrank|tukey", name) | name %in% c("^", "sign", "round", "signif", "trunc")
  rows <- table[known & usual & !other, ]
  rows$r_name <- name[known & usual & !other]
  rows
}

# `smooth`: for differences, nearly all parts have derivatives other than 0, and no value is missing.
# `rules`: of each function of the library the arguments that have rules.
new_writer <- function(smooth = FALSE, library = torture_library(), rules = NULL) {
  w <- new.env(parent = emptyenv())
  w$smooth <- smooth
  w$library <- library
  w$rules <- rules
  w$locals <- w$scalar_locals <- w$functions <- character()
  w$vectors <- if (smooth) c("x", "x", "y", "u", "a", "a", "c", "c") else torture_vectors # a and c are of length one, or as long
  w$scalars <- if (smooth) c("a", "c") else torture_scalars
  w
}

torture_leaf <- function(w, scalar) {
  if (chance(0.18)) {
    if (w$smooth) return(one_of(0.5, 1, 2, 3, 1.5, -1, 2L))
    return(do.call(one_of, torture_literals))
  }
  as.symbol(sample(if (scalar) c(w$scalars, w$scalar_locals) else c(w$vectors, w$locals, w$scalars, w$scalar_locals), 1L))
}

torture_weights <- list(
  rough = c(arithmetic = 28, sign = 3, comparison = 8, logic = 5, choice = 8, condition = 3, extreme = 6, elementary = 14, rounding = 3,
            two = 3, missing = 5, conversion = 5, size = 3, product = 2, own = 4, library = 8, bracket = 1, helper = 6, passing = 4, known = 2),
  smooth = c(arithmetic = 30, sign = 2, comparison = 1, choice = 4, condition = 1, extreme = 3, elementary = 18, two = 4,
             product = 4, own = 2, library = 25, bracket = 1, helper = 4, passing = 2)
)

# A random part, `depth` calls deep at most; of length one if `scalar`.
torture_part <- function(w, depth, scalar = FALSE) {
  if (depth <= 0L || chance(0.06)) return(torture_leaf(w, scalar))
  part <- function() torture_part(w, depth - 1L - chance(0.25), scalar)
  weights <- torture_weights[[if (w$smooth) "smooth" else "rough"]]
  switch(sample(names(weights), 1L, prob = weights),
    arithmetic = torture_arithmetic(w, part),
    sign = call_of(one_of("-", "-", "+"), part()),
    comparison = call_of(one_of("==", "!=", "<", ">", "<=", ">="), part(), part()),
    logic = torture_logic(part, scalar),
    choice = call_of("ifelse", if (w$smooth) call_of(one_of("<", ">="), part(), part()) else part(), part(), part()),
    condition = call_of("if", torture_condition(w), part(), part()),
    extreme = torture_extreme(w, part),
    elementary = torture_elementary(w, part),
    rounding = torture_rounding(part),
    two = if (chance(0.5)) call_of("atan2", part(), part()) else torture_log(w, part),
    missing = call_of(one_of("is.na", "is.nan", "is.finite", "is.infinite"), part()),
    conversion = call_of(one_of("as.integer", "as.double", "as.numeric", "as.logical"), part()),
    size = torture_size(),
    product = if (scalar) torture_leaf(w, TRUE) else quote(X %*% b),
    own = if (scalar) call_of("gap", part(), part()) else torture_own_call(part), # the others' values may be longer
    library = torture_library_call(w, part),
    bracket = call_of("(", part()),
    helper = torture_helper_call(w, part, scalar),
    passing = call_of(one_of("drop", "c", "unname", "identity", "invisible", "suppressWarnings", "suppressWarnings"), part()),
    known = torture_known(w, part)
  )
}

torture_arithmetic <- function(w, part) {
  if (w$smooth) {
    op <- one_of("+", "-", "*", "*", "/", "^")
    if (op == "/") return(call_of("/", part(), torture_positive(part())))
    if (op == "^") return(if (chance(0.5)) call_of("^", part(), one_of(2, 3, 2L)) else call_of("^", torture_positive(part()), call_of("tanh", part())))
    return(call_of(op, part(), part()))
  }
  call_of(sample(c("+", "-", "*", "/", "^", "%%", "%/%"), 1L, prob = c(20, 20, 20, 12, 10, 9, 9)), part(), part())
}

torture_logic <- function(part, scalar) {
  op <- one_of("&", "|", "!", "xor", if (scalar) "&&", if (scalar) "||")
  if (is.null(op)) op <- "&"
  if (op == "!") call_of("!", part()) else call_of(op, part(), part())
}

torture_extreme <- function(w, part) {
  call <- call_of(one_of("pmin", "pmax"), part(), part())
  if (chance(0.25)) call[[4L]] <- part()
  if (chance(if (w$smooth) 0.1 else 0.3)) call$na.rm <- if (chance(0.8)) TRUE else FALSE
  call
}

torture_elementary <- function(w, part) {
  if (w$smooth) {
    name <- one_of("exp", "sin", "cos", "tanh", "atan", "asinh", "expm1", "log", "sqrt", "log1p", "log2", "log10", "sinh", "cosh", "abs", "asin",
                   "acos", "atanh", "acosh", "tan", "sinpi", "cospi", "tanpi")
    inner <- part()
    if (name %in% c("log", "sqrt", "log1p", "log2", "log10")) inner <- torture_positive(inner)
    if (name %in% c("exp", "expm1", "sinh", "cosh")) inner <- call_of("atan", inner)
    if (name %in% c("asin", "acos", "atanh")) inner <- call_of("tanh", inner)
    if (name == "acosh") inner <- call_of("+", 1, torture_positive(inner))
    return(call_of(name, inner))
  }
  language <- nmathopencl:::language_table()
  call_of(sample(c(language$name[language$kind == "elementary"], "log1p", "expm1", "cospi", "sinpi", "tanpi", "trunc", "sign", "abs", "abs", "sqrt", "exp",
                   "log", "log"), 1L), part())
}

torture_rounding <- function(part) {
  name <- one_of("round", "signif", "floor")
  if (name == "floor" || chance(0.4)) return(call_of(name, part()))
  digits <- if (chance(0.85)) one_of(0, 1, 2L, 3, -1, 6L, NA, 1.5) else part()
  if (chance(0.5)) call_of(name, part(), digits) else call_of(name, part(), digits = digits)
}

torture_log <- function(w, part) {
  call_of("log", if (w$smooth) torture_positive(part()) else part(), if (chance(0.6)) one_of(2, 10, 0.5, 3L) else if (w$smooth) 3 else part())
}

torture_size <- function() {
  one_of(call_of("length", as.symbol(sample(c("x", "y", "i", "l"), 1L))), quote(nrow(X)), quote(ncol(X)), quote(NROW(x)), quote(NCOL(y)))
}

torture_own_call <- function(part) {
  switch(one_of("gap", "square", "square1", "share", "both"),
    gap = call_of("gap", part(), part()), square = call_of("square", part(), b = part()), square1 = call_of("square", part()),
    share = call_of("share", part(), part()), both = call_of("both", part())
  )
}

# A call of a plain function; of length one if `scalar`, where `damp()` without `by` is not.
torture_helper_call <- function(w, part, scalar) {
  name <- one_of("damp", "damp", "maybe", "weighted", "stepped", "within", "onward")
  if (length(w$functions) > 0L && chance(0.5)) name <- sample(w$functions, 1L)
  kind <- one_of("soft", "hard", "none", if (!w$smooth) quote(how) else "soft")
  switch(name,
    damp = if (scalar || chance(0.6)) call_of("damp", part(), part(), kind) else call_of("damp", part(), kind = kind),
    maybe = if (chance(0.5)) call_of("maybe", part()) else call_of("maybe", part(), w = part()),
    weighted = one_of(call_of("weighted", part()), call_of("weighted", part(), part()), call_of("weighted", part(), NULL)),
    stepped = if (chance(0.5)) call_of("stepped", part()) else call_of("stepped", part(), quote(stop("never"))),
    onward = one_of(call_of("onward", part(), 2, kind), call_of("onward", kind = kind, part(), 0.5)),
    within = call_of("within", part(), call_of("<", part(), part())),
    if (chance(0.5)) call_of(name, part()) else call_of(name, q = part(), part())
  )
}

# What is known when a call is, or of one flag.
torture_known <- function(w, part) {
  switch(sample(3L, 1L),
    call_of(one_of("isTRUE", "isFALSE"), call_of(one_of("<", "=="), torture_leaf(w, TRUE), torture_leaf(w, TRUE))),
    call_of("if", call_of(one_of("is.numeric", "is.integer", "is.logical", "is.double"), as.symbol(sample(w$vectors, 1L))), part(), part()),
    call_of("switch", quote(how), soft = part(), hard = part(), part())
  )
}

# A function that the body makes, which sees the body's arguments.
torture_local_function <- function(w) {
  as.call(list(as.symbol("function"), as.pairlist(alist(p = , q = 2L)), call_of(
    "{", call_of("<-", quote(r), call_of(one_of("+", "*"), quote(p), quote(q))),
    one_of(call_of("return", call_of(one_of("-", "*"), quote(r), as.symbol(sample(w$scalars, 1L)))), quote(if (length(r) > 3L) r else r * 2), quote(abs(r)))
  )))
}

torture_positive <- function(part) {
  switch(sample(4L, 1L),
    call_of("+", call_of("abs", part), 0.5), call_of("exp", call_of("tanh", part)), call_of("+", call_of("^", part, 2), 0.25),
    call_of("log1p", call_of("exp", call_of("atan", part)))
  )
}

# ---- functions of the library ----------------------------------------------------------------------------------------------

torture_library_call <- function(w, part) {
  row <- w$library[sample.int(nrow(w$library), 1L), ]
  formals <- parsed_arguments(row$formals)
  drop <- c("ncp", if (chance(0.5)) c("prob", "rate") else c("mu", "scale"))
  if (!"mu" %in% names(formals)) drop <- setdiff(drop, c("prob", "mu"))
  if (!all(c("rate", "scale") %in% names(formals))) drop <- setdiff(drop, c("rate", "scale"))
  names <- setdiff(names(formals), drop)
  whole <- grepl("binom|pois|geom|hyper", row$r_name)
  log_p <- grepl("log.p", row$flags, fixed = TRUE) && chance(0.4)
  call <- call_of(row$r_name)
  for (name in names) {
    optional <- !identical(formals[[name]], quote(expr = ))
    if (optional && name != "deriv" && chance(0.4)) next
    value <- if (w$smooth && !has_rule(w, row$name, name)) {
      if (whole && name %in% c("x", "q")) quote(n) else
        if (name == "expon.scaled") one_of(TRUE, FALSE, 2) else
        if (whole && name == "size" && !grepl("nbinom", row$name)) one_of(5L, 8) else one_of(0.5, 1, 2, 3)
    } else {
      torture_argument(w, row$r_name, name, whole, log_p, part)
    }
    if (name == names[1L] || (!optional && length(call) > 1L && is.null(names(call)) && chance(0.5))) {
      call[[length(call) + 1L]] <- value
    } else {
      call[[name]] <- value
    }
  }
  flag <- function() if (w$smooth || chance(0.8)) chance(0.5) else quote(t)
  if (row$flags == "log" && chance(0.6)) call$log <- flag()
  if (grepl("lower.tail", row$flags, fixed = TRUE) && chance(0.5)) call$lower.tail <- flag()
  if (log_p) call$log.p <- TRUE
  call
}

has_rule <- function(w, name, argument) {
  if (argument == "rate" && is.null(w$rules[[name]])) return(FALSE)
  known <- c(w$rules[[name]], if (argument == "mu") w$rules[[paste0(name, "_mu")]])
  argument %in% known || (argument == "rate" && "scale" %in% known)
}

parsed_arguments <- function(text) formals(eval(str2lang(paste0("function(", text, ") NULL"))))

# An argument that mostly lies where the function is not NaN. R's functions of whole numbers search for ever among large ones.
torture_argument <- function(w, r_name, name, whole, log_p, part) {
  bounded <- function(part) call_of("+", call_of("pmin", call_of("abs", part), 40), 0.5)
  if (name == "deriv") return(one_of(0L, 1L, 2, 3L))
  if (name == "nu") return(one_of(0, 0.5, 1, 2, 3.5))
  if (name == "expon.scaled") return(if (w$smooth) TRUE else one_of(TRUE, FALSE, 1L, 2, 0.5, quote(t)))
  if (name == "k" && grepl("choose", r_name)) return(one_of(2, 3L, 0, 5, quote(k)))
  if (name == "p" && log_p) return(call_of("-", torture_positive(part())))
  if (name %in% c("p", "prob")) return(if (chance(0.6)) call_of("plogis", call_of("tanh", part())) else if (chance(0.6)) quote(u) else one_of(0.3, 0, 1, 0.75))
  if (whole) {
    value <- bounded(part())
    return(if (name %in% c("x", "q", "size", "m", "n", "k") && chance(0.8)) call_of("floor", value) else value)
  }
  if (grepl("bessel", r_name)) return(bounded(part()))
  if (name %in% c("shape", "shape1", "shape2", "scale", "rate", "sd", "sdlog", "df", "df1", "df2", "lambda", "size", "mu", "a", "b", "max")) {
    if (!w$smooth && chance(0.1)) return(part())
    return(if (chance(0.3)) one_of(1, 2, 0.5, 3L) else if (chance(0.5)) bounded(part()) else torture_positive(part()))
  }
  if (name == "min") return(call_of("-", torture_positive(part())))
  positive <- w$smooth && (grepl("^.(gamma|lnorm|weibull|exp|chisq|f)$", r_name) || grepl("gamma$", r_name))
  if (w$smooth && grepl("^.beta$", r_name)) return(call_of("plogis", call_of("tanh", part())))
  if (positive) torture_positive(part()) else if (grepl("gamma", r_name)) bounded(part()) else part()
}

# ---- statements ------------------------------------------------------------------------------------------------------------

# A condition of length one, which mostly is not NA.
torture_condition <- function(w) {
  if (w$smooth) return(one_of(quote(a > 0), quote(length(x) > 1L), quote(nrow(X) > 2L), quote(c < 1)))
  scalar <- function() torture_part(w, 1L, TRUE)
  switch(sample(10L, 1L), quote(how == "soft"), call_of("isTRUE", call_of("<", torture_leaf(w, TRUE), 2)),
    call_of("is.na", scalar()), call_of("!", call_of("is.na", quote(s))), bquote(!is.na(s) && s > .(torture_leaf(w, TRUE))),
    call_of(one_of(">", "<=", "=="), torture_size(), one_of(1, 2L, 3)), call_of("is.finite", scalar()), quote(is.na(t) || t),
    quote(!is.na(k) && k %% 2L == 0L), call_of(one_of(">", "!="), scalar(), scalar())
  )
}

# Locals whose value is read whichever way conditions go: what is computed in vain has no warnings here, and has them in R.
surely_read <- function(expr) {
  if (is.symbol(expr)) return(as.character(expr))
  if (!is.call(expr)) return(character())
  parts <- as.list(expr)[-1L]
  switch(as.character(expr[[1L]]),
    "if" = union(surely_read(parts[[1L]]), if (length(parts) == 3L) intersect(surely_read(parts[[2L]]), surely_read(parts[[3L]]))),
    "&&" = , "||" = surely_read(parts[[1L]]),
    "<-" = surely_read(parts[[2L]]),
    length = , nrow = , ncol = , NROW = , NCOL = , "function" = character(),
    switch = intersect(surely_read(parts[[1L]]), character()),
    stepped = surely_read(parts[[1L]]),
    unique(unlist(lapply(parts, surely_read)))
  )
}

# A function's body.
torture_body <- function(w, depth = sample(2:4, 1L)) {
  statements <- list()
  if (chance(0.08)) statements <- list(call_of("if", torture_condition(w), call_of("return", torture_part(w, 2L))))
  if (!w$smooth && chance(0.05)) statements <- c(statements, list(call_of("stopifnot", torture_condition(w))))
  if (chance(0.15)) {
    statements <- c(statements, list(call_of("<-", quote(h), torture_local_function(w))))
    w$functions <- "h"
  }
  for (n in seq_len(sample(0:3, 1L, prob = c(4, 3, 2, 1)))) {
    name <- paste0("v", n)
    scalar <- chance(0.25)
    local <- as.symbol(name)
    value <- torture_part(w, sample(1:3, 1L), scalar)
    first <- call_of("<-", local, value)
    if (chance(0.2)) first <- call_of("if", torture_condition(w), call_of("{", first), call_of("{", call_of("<-", local, torture_part(w, 2L, scalar))))
    statements <- c(statements, list(first))
    if (scalar) w$scalar_locals <- c(w$scalar_locals, name) else w$locals <- c(w$locals, name)
    if (chance(0.15)) {
      again <- call_of("<-", local, call_of(one_of("+", "*", "pmin"), local, torture_part(w, 2L, scalar)))
      statements <- c(statements, list(if (chance(0.4)) call_of("if", torture_condition(w), again) else again))
    }
  }
  last <- torture_part(w, depth)
  read <- unique(c(surely_read(last), unlist(lapply(statements, function(s) if (as.character(s[[1L]]) == "<-") surely_read(s)))))
  for (name in setdiff(c(w$locals, w$scalar_locals), read)) last <- call_of(one_of("+", "pmax", "-"), last, as.symbol(name))
  if (chance(0.1)) last <- call_of("return", last)
  as.call(c(list(as.symbol("{")), statements, list(last)))
}

torture_formals <- alist(x = , y = , z = , u = , i = , j = , l = , m = , s = , k = , t = , X = , b = , how = )
