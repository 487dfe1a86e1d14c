# What expressions may call: the functions of inst/spec/functions.tsv by R's names, and R's own arithmetic.

expression_state <- new.env(parent = emptyenv())

# inst/spec/functions.tsv, read once.
function_table <- function() {
  if (is.null(expression_state$table)) {
    table <- utils::read.delim(
      system.file("spec", "functions.tsv", package = "nmathopencl"),
      quote = "", colClasses = "character", na.strings = character()
    )
    expression_state$table <- table[!table$kernel %in% c("r_check_stack_kernel", "r_check_user_interrupt_kernel"), ]
  }
  expression_state$table
}

# inst/spec/rule_functions.tsv: device functions that the rules of derivatives call, and nobody else.
rule_functions <- function() {
  table <- utils::read.delim(
    system.file("spec", "rule_functions.tsv", package = "nmathopencl"),
    quote = "", colClasses = "character", na.strings = character()
  )
  stats::setNames(.mapply(list, table, NULL), table$name)
}

split_commas <- function(text) if (nzchar(text)) strsplit(text, ", *")[[1L]] else character()

# "x, mean = 0, sd = 1" as the formals of a function.
parsed_formals <- function(text) formals(eval(str2lang(paste0("function(", text, ") NULL"))))

# The function's name in R: mirrors is "stats::dnorm" or "base::`^`"; functions that R calls in C only keep their own.
r_name <- function(row) {
  ifelse(nzchar(row$mirrors), gsub("`", "", sub("^[a-z]*::", "", row$mirrors), fixed = TRUE), row$name)
}

# Rows by R's name; of the forms of one function (central, non-central; by prob, by mu) R's name stands for the first.
library_functions <- function() {
  if (is.null(expression_state$functions)) {
    table <- function_table()
    rows <- .mapply(list, table, NULL)
    names(rows) <- table$name
    expression_state$rule_rows <- rule_functions()
    expression_state$rows <- c(rows, expression_state$rule_rows)
    first <- order(!nzchar(table$mirrors))
    named <- rows[first]
    keys <- r_name(table)[first]
    own <- c(names(named), keys)
    all <- c(named, named)
    expression_state$functions <- all[!duplicated(own)]
    names(expression_state$functions) <- own[!duplicated(own)]
    expression_state$functions <- expression_state$functions[setdiff(names(expression_state$functions), "^")]
  }
  expression_state$functions
}

library_row <- function(name) {
  library_functions()
  expression_state$rows[[name]]
}

# inst/spec/language.tsv: what an expression may call besides.
language_table <- function() {
  if (is.null(expression_state$language)) {
    expression_state$language <- utils::read.delim(
      system.file("spec", "language.tsv", package = "nmathopencl"),
      quote = "", colClasses = "character", na.strings = character()
    )
  }
  expression_state$language
}

# Those of the kind `list` are no calls for the compiler: see without_lists().
language_calls <- function() {
  if (is.null(expression_state$calls)) expression_state$calls <- language_table()$name[language_table()$kind != "list"]
  expression_state$calls
}

# Whether a call of the language needs values before those of the elements.
is_staged_call <- function(name) {
  name %in% c("var", "sd", "matrix", "vapply", "sapply") || language_table()$kind[match(name, language_table()$name)] %in% c("index", "reduction")
}

# Whether `name` is R's, or this package's, as seen from `env`: the entry of the language that it stands for, an
# opencl_function, or an error.
resolve_call <- function(name, env, package = NULL) {
  found <- function_named(name, if (is.null(package)) env else asNamespace(package))
  if (name %in% names(written_helpers)) return(list(kind = "own", value = written_helpers[[name]]))
  if (inherits(found, "opencl_function")) return(list(kind = "own", value = found))
  if (endsWith(name, "_opencl") && !is.null(found) && identical(found, get0(name, topenv(), mode = "function"))) {
    own <- sub("_opencl$", "", name)
    row <- library_functions()[[own]]
    if (!is.null(row)) return(list(kind = "library", value = row, name = own))
  }
  if (is_helper(found, env)) return(list(kind = "own", value = found))
  element <- if (is.null(found)) function_of_element(name, env)
  if (!is.null(element)) return(list(kind = "own", value = element))
  home <- if (is.null(found)) NULL else environment(found)
  rs <- is.null(found) || is.primitive(found) || identical(home, asNamespace("stats")) || identical(home, baseenv()) ||
    identical(home, .BaseNamespaceEnv) || (identical(home, asNamespace("utils")) && name %in% language_calls())
  if (!rs) {
    if (isS4(found)) {
      own <- if (name %in% language_calls()) "is an S4 generic that is not R's own for plain vectors" else "is not supported"
      limit_error("`", name, "()` ", own, ": compute its value before the call, and give that as an argument")
    }
    argument_error(
      "`", name, "()` is a function of ", if (isNamespace(topenv(home))) paste0("the package ", getNamespaceName(topenv(home))) else "a package",
      if (is_of_language(found)) paste0(": make it one that an expression can call, ", name, " <- opencl_function(", name, ")") else
        paste0(", and not written in the language: ", instead_of(name) %||% before_the_call)
    )
  }
  if (name %in% language_calls()) return(list(kind = "language", name = name))
  row <- library_functions()[[name]]
  if (!is.null(row)) return(list(kind = "library", value = row, name = name))
  argument_error(unsupported_text(name, found))
}

# Whether `found`, as seen from `env`, is a function of the user's own, which is inlined: not one of a package, but for the package that
# the calling function itself is of.
is_helper <- function(found, env) {
  if (!is.function(found) || is.primitive(found) || is.object(found)) return(FALSE)
  home <- environment(found)
  for (of in list(NULL, baseenv(), .BaseNamespaceEnv, asNamespace("stats"), asNamespace("nmathopencl"))) if (identical(home, of)) return(FALSE)
  top <- topenv(home)
  identical(top, globalenv()) || (is.environment(env) && identical(top, topenv(env)))
}

# Whether opencl_function() makes one of a function of a package. What that calls of other packages is not looked at.
is_of_language <- function(found) {
  if (isTRUE(expression_state$looks)) return(FALSE)
  expression_state$looks <- TRUE
  on.exit(expression_state$looks <- FALSE)
  tryCatch(is.function(opencl_function(found)), error = function(e) FALSE)
}

supported_text <- function() {
  paste0(
    "An expression has arithmetic, comparisons, logic, ifelse, if, loops, sums, indexing, %*%, elementary functions, ",
    "other opencl_functions and the functions of this package by R's names"
  )
}

# `shown`: what the user wrote of it, for messages.
call_name <- function(expr, shown = identity) {
  head <- expr[[1L]]
  if (is.symbol(head)) return(list(name = as.character(head), package = NULL))
  if (is.call(head) && length(head) == 3L && as.character(head[[1L]]) %in% c("::", ":::")) {
    return(list(name = as.character(head[[3L]]), package = as.character(head[[2L]])))
  }
  argument_error(
    "`", deparse1(shown(expr)), "`: a function is called by its name. Give it one, name <- opencl_function(function(x) ...), and call name(x)"
  )
}

# NULL where there is none.
default_of <- function(formals, name) if (!is_empty_argument(formals[[name]])) formals[[name]]

no_part_assigned <- function(expr) {
  target <- expr[[2L]]
  if (is_call_of(target, c("attr", "attributes", "class", "levels", "mostattributes"))) {
    return(paste0(
      "`", shown_line(expr), "`: an expression computes numbers, and sets no attributes of them: do it with what the call gives, value <- f(x), then ",
      shown_line(substituted(expr, names_read(target)[1L], quote(value))), if (identical(as.list(target)[-1L][2L], list("gradient"))) ". The gradient itself comes of opencl_function(f, gradient = \"par\")"
    ))
  }
  if (is_call_of(target, "names") && length(target) == 2L && is.symbol(target[[2L]])) {
    name <- as.character(target[[2L]])
    return(paste0(
      "`", shown_line(expr), "`: names are given by texts that stand there, names(", name, ") <- c(\"a\", \"b\"), or with the argument, f(", name, " = setNames(", name, ", ", shown_line(expr[[3L]]), "))"
    ))
  }
  if (is_call_of(target, c("$", "[[")) && length(target) == 3L && is.symbol(target[[2L]]) && (is.symbol(target[[3L]]) || is.character(target[[3L]]))) {
    name <- as.character(target[[3L]])
    return(paste0(
      "`", shown_line(expr), "`: elements of a list or a data frame that is given are not assigned. Use a variable, ",
      name, " <- ..., and `", name, "` for `", deparse1(target), "` behind it"
    ))
  }
  paste0(
    "`", deparse1(expr), "`: variables and their elements, v[k], can be assigned. Write x <- ifelse(test, value, x) to change some elements"
  )
}

library_template <- function(row) {
  if (is.null(expression_state$templates[[row$name]])) expression_state$templates[[row$name]] <- new_library_template(row)
  expression_state$templates[[row$name]]
}
new_library_template <- function(row) {
  flags <- if (row$flags %in% c("draws", "counts", "cells")) character() else split_commas(row$flags)
  defaults <- lapply(flags, function(name) name == "lower.tail")
  names(defaults) <- flags
  template <- function() NULL
  formals(template) <- c(parsed_formals(row$formals), defaults)
  template
}

match_library <- function(expr, row, shown = identity) {
  template <- library_template(row)
  tryCatch(match.call(template, expr), error = function(e) {
    known <- names(formals(template))
    named <- names(expr)[-1L]
    wrong <- named[nzchar(named) & is.na(pmatch(named, known, duplicates.ok = TRUE))]
    argument_error("`", deparse1(shown(expr)), "`: ", conditionMessage(e), if (length(wrong) > 0L) did_you_mean(wrong[1L], known))
  })
}

# A number, TRUE, FALSE or NA in a function's body.
check_constant <- function(value) {
  if (length(value) == 1L && typeof(value) %in% c("double", "integer", "logical")) return(invisible())
  argument_error(
    "the constant `", deparse1(value), "` is not a number: an expression has numbers, TRUE, FALSE and NA. Compare texts before the ",
    "call, and give what comes of it as an argument"
  )
}

# resolve_call() for the compiler: list(kind, name, ...); "refused" with the error's text, for when the call is reached.
resolved_call <- function(name, env, package) {
  tryCatch({
    what <- resolve_call(name, env, package)
    switch(what$kind,
      own = {
        inner <- attr(what$value, "expression") %||% list(f = what$value)
        c(list(kind = "own", reduces = !is.null(inner$reduce)), function_parts(inner$f))
      },
      library = list(kind = "library", name = what$value$name),
      language = list(kind = "language", name = what$name)
    )
  }, nmathopencl_error = function(e) list(kind = "refused", name = paste0(conditionMessage(e), see_limits)))
}

# `outer`: of the function itself, not of those that it calls.
# A body as it was written when the inputs were noted, with_bodies(): how may depend on what there was in environments then.
function_parts <- function(f, outer = FALSE) {
  for (one in expression_state$bodies) {
    if (one$outer == outer && identical(one$f, f)) return(list(formals = formals(f), body = one$body, env = environment(f)))
  }
  list(formals = formals(f), body = without_lists(f, outer)$body, env = environment(f))
}

with_bodies <- function(expression, code) {
  before <- expression_state$bodies
  on.exit(expression_state$bodies <- before)
  expression_state$bodies <- expression$bodies
  force(code)
}

# Names that an expression may call.
callable_names <- function() c(language_calls(), names(library_functions()))

# `found`: the function of that name, NULL where there is none.
unsupported_text <- function(name, found = get0(name, mode = "function")) {
  shown <- if (make.names(name) == name || name %in% c("for", "while", "repeat", "function")) paste0("`", name, "()`") else paste0("`", name, "`")
  table <- function_table()
  own <- table[c(row_of_name(name, table), which(small_letters(r_name(table)) == small_letters(name))), ] # C's name, or other capitals
  own <- r_name(own)[!is.na(own$name)]
  hint <- instead_of(name) %||% if (is.null(found)) paste0(
    "there is no such function here", if (length(own)) paste0(", but ", own[1L], "()"),
    if (!length(own)) did_you_mean(name, setdiff(callable_names(), c("for", "if", "while", "repeat", "function")), "()")
  )
  paste0(shown, " is not supported: ", hint %||% paste0(before_the_call, ". ", supported_text()))
}

# ---- calls of R that are written by others of the language: mapply() as a loop, outer() by columns, rep() by codes

# What cumprod() is where it is no constant. `.named_as()` is the language's own, no function of R.
utils::globalVariables(".named_as")
cumprod_by_rounds <- function(x) {
  if (length(x) < 2) return(.named_as(as.double(x), x)) # doubles of any type
  h <- numeric(length(x))
  h[1] <- x[1]
  for (t in 2:length(x)) h[t] <- h[t - 1] * x[t]
  .named_as(h, x)
}

# mapply() of one to six vectors.
mapped_by_several <- lapply(stats::setNames(1:6, paste0(".mapped", 1:6)), function(n) {
  vectors <- paste0("X", seq_len(n))
  elements <- lapply(vectors, function(x) call("as.vector", call("[", as.symbol(x), quote(k)))) # without names
  fits <- lapply(vectors[-1L], function(x) call("==", call("length", quote(X1)), call("length", as.symbol(x))))
  names(fits) <- rep("the vectors have different lengths: R recycles them, an expression does not. Write rep_len(x, n)", n - 1L)
  each <- call("sapply", quote(seq_along(X1)), made_function(alist(k = ), as.call(c(quote(FUN), elements))))
  body <- as.call(c(quote(`{`), if (n > 1L) list(as.call(c(quote(stopifnot), fits))), list(call(".as_apply", each, quote(X1), 0))))
  as.function(c(stats::setNames(rep(alist(a = ), n + 1L), c(vectors, "FUN")), body), envir = topenv())
})
# outer(X, Y, FUN) of a function that goes element by element. `.as_outer` is the compiler's: R has no such function.
outer_by_columns <- list(as.function(alist(X = , Y = , FUN = , .as_outer(sapply(seq_along(Y), function(k) FUN(X, Y[k])), X, Y))))
# The same with both as long as a column, of which ifelse() takes its length.
outer_by_filled_columns <- list(as.function(alist(X = , Y = , FUN = , .as_outer(sapply(seq_along(Y), function(k) FUN(X, rep_len(Y[k], length(X)))), X, Y))))

# mahalanobis() of rows of a matrix; errors name it.
distances_of_rows <- local({
  said <- function(part) structure(part, written = "mahalanobis(x, center, cov)")
  as.function(c(alist(x = , center = , cov = ), bquote({
    D <- .(said(quote(sweep(x, 2, center))))
    rowSums((D %*% .(said(quote(solve(cov))))) * D)
  })), envir = topenv())
})

# dmultinom(), in R's words where it stops.
density_of_counts <- function(x, prob, as_log, size) {
  if (length(x) != length(prob)) stop("x[] and prob[] must be equal length vectors.")
  if (!is.finite(sum(prob)) || min(prob) < 0 || sum(prob) == 0) stop("probabilities must be finite, non-negative and not all 0")
  p <- prob / sum(prob)
  k <- as.integer(x + 0.5)
  if (min(k) < 0) stop("'x' must be non-negative")
  if (!is.null(size)) if (size != sum(k)) stop("size != sum(x), i.e. one is wrong")
  r <- lgamma(sum(k) + 1) + sum(ifelse(p == 0, ifelse(k == 0, 0, -Inf), k * log(p)) - lgamma(k + 1))
  if (as_log) r else exp(r)
}

# weighted.mean(), to which elements of weight 0 add nothing, not even where they are NA; of a missing weight, NaN too, R makes NA.
weighted_mean <- function(x, w) {
  if (length(w) != length(x)) stop("'x' and 'w' must have the same length")
  sum(ifelse(is.na(w), NA, ifelse(w == 0 & !is.finite(x), 0, x * w))) / sum(w)
}
# The same of elements that are not NA.
weighted_mean_of_known <- function(x, w) {
  if (length(w) != length(x)) stop("'x' and 'w' must have the same length")
  sum(ifelse(is.na(x), 0, ifelse(is.na(w), NA, ifelse(w == 0 & !is.finite(x), 0, x * w)))) / sum(ifelse(is.na(x), 0, w))
}

# What aggregate() with a formula takes, which leaves rows with NA out.
without_na <- function(x) {
  if (any(is.na(x))) stop("aggregate() with a formula leaves rows with NA out, an expression does not: write tapply(x, g, sum)")
  x
}

written_helpers <- c(mapped_by_several, list(
  .mahalanobis = distances_of_rows, .multinomial = density_of_counts, .weighted = weighted_mean, .weighted_known = weighted_mean_of_known, .without_na = without_na,
  .cumprod = cumprod_by_rounds, .added = added_up, .multiplied = multiplied_up, .pmax_up = pmax_up, .pmin_up = pmin_up, .one_number = one_number, .bound_columns = bound_columns, .bound_rows = bound_rows, .added_to = added_to, .added_numbers = added_numbers, .some_items = some_items, .added_by_two = added_up_by_two, .outer_of = outer_by_columns[[1L]], .outer_filled = outer_by_filled_columns[[1L]], .of_ones = as.function(alist(FUN = , FUN(1, 1)))
))

# NULL: the call stays as it is.
with_helpers <- function(expr, head, f, known, part, walk) {
  switch(head,
    Reduce = reduced_call(expr, walk),
    mapply = mapped_call(expr, walk),
    outer = outer_call(expr, f, walk),
    rep = repeated_call(expr, known, part, walk),
    do.call = bound_call(expr, walk)
  )
}

# The arguments of lapply(X, FUN) or Map(FUN, X, Y); NULL: it is neither.
list_call_of <- function(expr, functions) {
  if (!is.call(expr) || !is.symbol(expr[[1L]])) return(NULL)
  name <- as.character(expr[[1L]])
  if (!name %in% functions) return(NULL)
  if (name == "lapply") {
    given <- tryCatch(match.call(base::lapply, expr), error = function(e) NULL)
    return(if (!is.null(given) && length(given) == 3L && !is.null(given$FUN)) list(X = given$X, FUN = given$FUN))
  }
  function_first <- is.null(names(expr)) && length(expr) %in% 3:4
  if (function_first) list(X = expr[[3L]], Y = if (length(expr) == 4L) expr[[4L]], FUN = expr[[2L]])
}

is_function_given <- function(expr) is.symbol(expr) || (is.call(expr) && identical(expr[[1L]], quote(`function`)))

# rep(x, times = counts), where counts may be several: codes of elements are R's to make.
repeated_call <- function(expr, known, part, walk) {
  given <- tryCatch(match.call(function(x, times, each, length.out) NULL, expr), error = function(e) NULL)
  if (is.null(given) || length(given) != 3L || is.null(given$x) || is.null(given$times)) return(NULL)
  times <- given$times
  if (is.numeric(given$x) || !(is.symbol(times) || (is.call(times) && as.character(times[[1L]])[1L] %in% c("$", "as.vector", "[[")))) return(NULL)
  value <- known(times)
  if (is.null(value)) return(NULL)
  codes <- part(as.call(list(codes_of_counts, value)), call("codes", times))
  call(".rep_by", expr, walk(given$x), walk(times), codes)
}

codes_of_counts <- function(counts) {
  if (is_resident(counts)) counts <- in_r(counts)
  if (length(counts) == 1L) 1L else rep(seq_along(counts), counts)
}
