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
language_calls <- function() language_table()$name[language_table()$kind != "list"]

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
  own <- sub("_opencl$", "", name)
  ours <- asNamespace("nmathopencl")
  if (own != name && !is.null(found) && identical(found, get0(name, ours, mode = "function"))) {
    row <- library_functions()[[own]]
    if (!is.null(row)) return(list(kind = "library", value = row, name = own))
  }
  if (is_helper(found, env)) return(list(kind = "own", value = found))
  home <- if (is.null(found)) NULL else environment(found)
  rs <- is.null(found) || is.primitive(found) || identical(home, asNamespace("stats")) || identical(home, baseenv()) ||
    identical(home, .BaseNamespaceEnv) || (identical(home, asNamespace("utils")) && name %in% language_calls())
  if (!rs) {
    if (isS4(found)) limit_error("`", name, "()` is an S4 generic that is not R's own for plain vectors: give what it computes as an argument")
    argument_error(
      "`", name, "()` is a function of ", if (isNamespace(topenv(home))) paste0("the package ", getNamespaceName(topenv(home))) else "a package",
      ": make it one that an expression can call, ", name, " <- opencl_function(", name, ")"
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

supported_text <- function() {
  paste0(
    "an expression may use arithmetic, comparisons, logic, ifelse, if, pmin, pmax, %*% with a vector of coefficients, ",
    "elementary functions, other opencl_functions and the functions of this package by R's names (?opencl_language)"
  )
}

call_name <- function(expr) {
  head <- expr[[1L]]
  if (is.symbol(head)) return(list(name = as.character(head), package = NULL))
  if (is.call(head) && length(head) == 3L && as.character(head[[1L]]) %in% c("::", ":::")) {
    return(list(name = as.character(head[[3L]]), package = as.character(head[[2L]])))
  }
  argument_error(
    "`", deparse1(expr), "`: a function is called by its name. Give it one, name <- opencl_function(function(x) ...), and call name(x)"
  )
}

# NULL where there is none.
default_of <- function(formals, name) if (!identical(formals[[name]], quote(expr = ))) formals[[name]]

no_part_assigned <- function(expr) {
  paste0(
    "`", deparse1(expr), "`: variables and their elements, v[k], can be assigned. Write x <- ifelse(test, value, x) to change some elements"
  )
}

library_template <- function(row) {
  flags <- if (row$flags %in% c("draws", "counts", "cells")) character() else split_commas(row$flags)
  defaults <- lapply(flags, function(name) name == "lower.tail")
  names(defaults) <- flags
  template <- function() NULL
  formals(template) <- c(parsed_formals(row$formals), defaults)
  template
}

match_library <- function(expr, row) {
  tryCatch(match.call(library_template(row), expr), error = function(e) {
    argument_error("`", deparse1(expr), "`: ", conditionMessage(e))
  })
}

# A number, TRUE, FALSE or NA in a function's body.
check_constant <- function(value) {
  if (length(value) == 1L && typeof(value) %in% c("double", "integer", "logical")) return(invisible())
  argument_error(
    "the constant `", deparse1(value), "` is no number: an expression has numbers, TRUE, FALSE and NA. Compare texts before the ",
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
function_parts <- function(f, outer = FALSE) list(formals = formals(f), body = without_lists(f, outer)$body, env = environment(f))
