# What an R function has no derivative for is told when the opencl_function is made: which parts of its body depend on the
# arguments of the gradient, before anything is known of their types and lengths.

# An error where a call that is made in any case has no rule for an argument that depends on the gradient's.
check_derivatives <- function(expression) {
  if (is.null(expression$gradient)) return(invisible())
  names <- vapply(expression$inputs[expression$gradient], function(input) input$name, "")
  look <- new.env(parent = emptyenv())
  look$names <- names # that depend on the gradient's arguments
  look$env <- environment(expression$f)
  look$sure <- TRUE # FALSE in what a condition decides on, NA where there was more than is looked through
  look$depth <- 0L # of opencl_functions within each other
  look$level <- 0L # of calls within each other
  depends(body(expression$f), look)
  invisible()
}

# Whether a part's derivative can be other than 0.
depends <- function(expr, look) {
  if (is.symbol(expr)) return(as.character(expr) %in% look$names)
  if (!is.call(expr)) return(FALSE)
  if (look$level > 100L) { # the call will tell
    look$names <- union(look$names, all.vars(expr))
    look$sure <- NA
    return(TRUE)
  }
  look$level <- look$level + 1L
  on.exit(look$level <- look$level - 1L)
  head <- call_name(expr)
  what <- resolve_call(head$name, look$env, head$package)
  args <- as.list(expr)[-1L]
  switch(what$kind,
    own = depends_own(expr, what$value, look),
    library = depends_library(expr, what$value, look),
    language = depends_language(expr, what$name, args, look)
  )
}

any_depends <- function(args, look) any(vapply(args, depends, NA, look = look)) # all of them are looked through

depends_language <- function(expr, name, args, look) {
  if (name %in% c(comparison_calls, logic_calls, size_calls, "is.na", "is.nan", "is.finite", "is.infinite", "as.integer", "as.logical")) {
    any_depends(args, look)
    return(FALSE)
  }
  if (name == "{") {
    value <- FALSE
    for (part in args) value <- depends(part, look)
    return(value)
  }
  if (name %in% c("<-", "=")) {
    value <- depends(args[[2L]], look)
    target <- as.character(args[[1L]])
    look$names <- if (value) union(look$names, target) else if (isTRUE(look$sure)) setdiff(look$names, target) else look$names
    return(value)
  }
  if (name == "if") {
    depends(args[[1L]], look)
    sure <- look$sure
    look$sure <- sure && FALSE
    value <- any_depends(args[-1L], look)
    if (!is.na(look$sure) && !"return" %in% all.names(expr)) look$sure <- sure # else what follows is not reached in any case
    return(value)
  }
  if (name == ".c_text") {
    value <- any_depends(args[-1L], look)
    if (value && isTRUE(look$sure)) argument_error("a text of OpenCL C has no derivative")
    return(value)
  }
  if (name %in% c("round", "signif")) {
    digits <- as.list(match.call(function(x, digits) NULL, expr))$digits
    if (depends(digits, look)) told_without_rule(look, name, "digits")
  }
  if (name == "ifelse") args <- as.list(match.call(function(test, yes, no) NULL, expr))[-1L][c("yes", "no")]
  any_depends(args, look)
}

told_without_rule <- function(look, name, argument) {
  if (isTRUE(look$sure)) no_rule(name, argument)
  TRUE
}

depends_own <- function(expr, fn, look) {
  inner <- attr(fn, "expression")$f
  given <- as.list(match.call(inner, as.call(c(quote(f), as.list(expr)[-1L]))))[-1L]
  used <- vapply(given, depends, NA, look = look)
  if (look$depth > 20L) return(any(used))
  own <- new.env(parent = emptyenv())
  own$names <- names(given)[used]
  own$env <- environment(inner)
  own$sure <- look$sure
  own$depth <- look$depth + 1L
  own$level <- look$level
  value <- depends(body(inner), own)
  if (is.na(own$sure)) look$sure <- NA
  value
}

depends_library <- function(expr, row, look) {
  given <- as.list(match_library(expr, row))[-1L]
  used <- vapply(given, depends, NA, look = look)
  if (!any(used)) return(FALSE)
  if (row$flags %in% c("draws", "counts", "cells")) {
    if (isTRUE(look$sure) && any(used[names(given) %in% split_commas(row$columns)])) argument_error("random numbers have no derivative")
    return(TRUE)
  }
  row <- form_of(row, names(given))
  defaults <- parsed_formals(row$formals)
  flags <- split_commas(row$flags)
  for (column in setdiff(split_commas(row$columns), flags)) {
    from <- if (column %in% names(given)) column else all.vars(default_of(defaults, column)) # rate = 1, scale = 1 / rate
    if (!any(used[names(given) %in% from])) next
    known <- vapply(paste0(c(row$name, r_name(row)), " ", column, " "), function(of) any(startsWith(names(derivative_rules()), of)), NA)
    if (!any(known)) told_without_rule(look, r_name(row), column)
  }
  TRUE
}
