# ?opencl_derivatives: what the compiler differentiates by inst/spec/derivatives.tsv, once and twice, and how accurately by
# inst/spec/derivative_errors.tsv, which tools/derivative_errors.R makes.

spec_rows <- function(file) {
  utils::read.delim(system.file("spec", file, package = "nmathopencl"), quote = "", colClasses = "character", na.strings = character())
}

# Each function that an expression may call, by the call of R that chooses it, "dt(ncp = )": list(name, called, of_r, language, first, second,
# lacking), arguments that are numbers; `second`: those with a second derivative, together with each other; `language`: whether its name is a
# word of the language, whose row there has its derivatives.
derivative_facts <- function() {
  rules <- spec_rows("derivatives.tsv")
  table <- function_table()
  table <- table[!table$flags %in% c("draws", "counts", "cells"), ]
  rows <- .mapply(list, table, NULL)
  lapply(rows, function(row) {
    row <- as.data.frame(row)
    formals <- as.list(parsed_formals(row$formals))
    flags <- c(split_commas(row$flags), "expon.scaled", "expo")
    other <- form_in_r(row, table)
    arguments <- setdiff(names(formals), c(flags, if (!grepl("^[dpq]n", row$name)) "ncp", if (!endsWith(row$name, "_mu")) "mu"))
    first <- Filter(function(argument) is_differentiated(row, formals, argument), arguments)
    second <- Filter(function(argument) is_differentiated(row, formals, argument, TRUE), first)
    list(
      name = row$name, called = if (is.null(other)) sub("^()", "x^y", paste0(r_name(row), "()"), fixed = TRUE) else other, of_r = nzchar(row$mirrors) || !is.null(other),
      language = r_name(row) %in% language_calls() && !any(rules$name %in% c(row$name, r_name(row))), first = first, second = second,
      lacking = setdiff(arguments, first)
    )
  })
}

# "dt(ncp = )" of dnt, "dnbinom(mu = )" of dnbinom_mu; NULL of others.
form_in_r <- function(row, table) {
  if (endsWith(row$name, "_mu")) return(paste0(sub("_mu$", "", row$name), "(mu = )"))
  central <- sub("^([dpq])n", "\\1", row$name)
  if ("ncp" %in% split_commas(row$columns) && central != row$name && central %in% table$name) paste0(central, "(ncp = )")
}

# Whether the compiler takes the function's gradient in the argument, or its Hessian: of a call with what must be given, and this argument.
is_differentiated <- function(row, formals, argument, twice = FALSE) {
  needed <- names(Filter(function(default) identical(default, quote(expr = )), formals))
  needed <- setdiff(needed, c("ncp"[!endsWith(form_in_r(row, function_table()) %||% "", "(ncp = )")], "mu"[!endsWith(row$name, "_mu")]))
  given <- union(needed, argument)
  f <- eval(call("function", as.pairlist(sapply(given, function(name) quote(expr = ))), call("sum", as.call(c(
    as.symbol(r_called(row)), lapply(stats::setNames(nm = given), as.symbol)
  )))), baseenv())
  tryCatch(is.function(opencl_function(f, gradient = argument, hessian = twice)), nmathopencl_error = function(e) FALSE)
}

# By which name an expression calls that form.
r_called <- function(row) if (is.null(form_in_r(row, function_table()))) r_name(row) else row$name

derivative_table_section <- function() {
  errors <- spec_rows("derivative_errors.tsv")
  all <- Filter(function(fact) !fact$language, derivative_facts())
  facts <- Filter(function(fact) length(fact$first) > 0L, all)
  groups <- c(d = "Densities", p = "Distribution functions", q = "Quantile functions", other = "Other functions")
  kind <- vapply(facts, function(fact) if (grepl("^[dpq].* (log|lower)", of_flags(fact$name))) substr(fact$name, 1L, 1L) else "other", "")
  none <- unique(vapply(Filter(function(fact) fact$of_r && length(fact$first) == 0L, all), function(fact) rd_code(fact$called), ""))
  c(unlist(lapply(names(groups), function(group) {
    lines <- vapply(facts[kind == group], function(fact) {
      at <- match(paste(fact$name, fact$first), paste(errors$name, errors$argument))
      if (anyNA(at)) at <- ifelse(is.na(at), match(paste(sub("\\(.*", "", fact$called), fact$first), paste(errors$name, errors$argument)), at)
      shown <- paste0(rd_code(fact$first), ifelse(is.na(at), "", paste0(" ", errors$worst[at])))
      twice <- if (length(fact$second) == 0L) "none" else if (setequal(fact$second, fact$first)) "all of these" else paste(rd_code(fact$second), collapse = ", ")
      lacking <- if (length(fact$lacking) > 0L) paste(rd_code(fact$lacking), collapse = ", ") else ""
      paste(rd_code(fact$called), paste(shown, collapse = ", "), twice, lacking, sep = " \\tab ")
    }, "")
    lines <- c("Function \\tab first derivatives in \\tab second ones in \\tab none in", lines)
    paste0("@section ", groups[[group]], ": \\tabular{llll}{", paste(lines, collapse = " \\cr\n  "), "}")
  })), paste0("@section Functions without derivatives: ", paste(none, collapse = ", "), "; conditions and random numbers."))
}

# The row's name and its flags.
of_flags <- function(name) {
  table <- function_table()
  paste(name, table$flags[match(name, table$name)])
}

#' Derivatives that opencl_function() knows
#'
#' The functions of this package that have rules for derivatives, the arguments in which they have first ones and second ones, and how accurate these are. A gradient,
#' \code{\link{opencl_function}(f, gradient = "a")}, applies them; elementary functions, arithmetic and the other parts of the language
#' (\code{\link{opencl_language}}) have derivatives besides.
#'
#' The number behind an argument is the worst error of the derivative on the host device, in units of \code{.Machine$double.eps * (1 + cond)}, over some 200
#' points or more with references of 40 digits, far tails and both scales included: \code{log = TRUE}, \code{log.p = TRUE}, \code{lower.tail = FALSE}.
#' \code{cond} is the condition number of the derivative, the relative change of the derivative for relative changes of all arguments. Arguments
#' without a number have the values of another row.
#'
#' Derivatives of distribution functions have all forms: of the lower tail, of the upper one, and of their logarithms, which are computed without the
#' tail itself, so that they are right where it underflows. Quantiles have those of the implicit function.
#' Second derivatives, \code{hessian = TRUE}, follow from the first ones where these are made of functions with rules: the tables name the arguments
#' between any two of which there is one. \code{optimHess(par, fn, gr)} with \code{fn} and \code{gr} of \code{\link{as_objective}} takes differences of the
#' gradient where there is none.
#'
#' @eval derivative_table_section()
#' @section What is not there: A derivative without a rule is an error when the function is made, which names function and argument, and the arguments of that
#'   function that have one. What can be had instead: the argument as a constant, with a gradient in the others; a grid of values of it
#'   with \code{over = } (\code{\link{opencl_function}}); or differences of the values, \code{(f(a + h) - f(a - h)) / (2 * h)}.
#' @seealso \code{\link{opencl_function}}, \code{\link{opencl_language}}.
#' @examples
#' f <- opencl_function(function(q, a) pgamma(q, a, log.p = TRUE), gradient = "a")
#' f(c(0.5, 2), 3, device = "host")
#' try(opencl_function(function(q, means) ptukey(q, means, 10), gradient = "means"))
#' @name opencl_derivatives
NULL
