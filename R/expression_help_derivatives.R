# ?opencl_derivatives: inst/spec/derivatives.tsv, and inst/spec/derivative_errors.tsv, which tools/derivative_errors.R makes.

# R's name of each function that has rules, with what tells a non-central distribution apart.
derivative_names <- function(names) {
  table <- function_table()
  own <- vapply(names, function(name) {
    row <- table[table$name == name, ]
    if (nrow(row) == 1L) r_name(row) else name
  }, "")
  noncentral <- grepl("^[dpq]n(chisq|beta|f|t)$", names)
  paste0(ifelse(noncentral, sub("^(.)n", "\\1", names), own), ifelse(noncentral, "(ncp = )", "()"))
}

derivative_table_section <- function() {
  read <- function(file) {
    utils::read.delim(system.file("spec", file, package = "nmathopencl"), quote = "", colClasses = "character", na.strings = character())
  }
  rules <- read("derivatives.tsv")
  errors <- read("derivative_errors.tsv")
  groups <- c("^d" = "Densities", "^p" = "Distribution functions", "^q" = "Quantile functions", "." = "Other functions")
  distribution <- rules$name %in% function_table()$name & grepl("^[dpq]", rules$name) & !rules$name %in% c("digamma", "psigamma", "pentagamma", "pow1p")
  kind <- ifelse(distribution, paste0("^", substr(rules$name, 1, 1)), ".")
  unlist(lapply(names(groups), function(group) {
    own <- unique(rules$name[kind == group])
    lines <- vapply(own, function(name) {
      arguments <- unique(rules$argument[rules$name == name])
      at <- match(paste(name, arguments), paste(errors$name, errors$argument))
      shown <- paste0(rd_code(arguments), ifelse(is.na(at), "", paste0(" ", errors$worst[at])))
      paste0(rd_code(derivative_names(name)), " \\tab ", paste(shown, collapse = ", "))
    }, "")
    paste0("@section ", groups[[group]], ": \\tabular{ll}{", paste(lines, collapse = " \\cr\n  "), "}")
  }))
}

#' Derivatives that opencl_function() knows
#'
#' The functions of this package that have rules for derivatives, the arguments in which they have them, and how accurate these are. A gradient,
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
#' Second derivatives, \code{hessian = }, follow from the first ones where these are made of functions with rules. Distribution functions
#' have only first derivatives in shapes and degrees of freedom, and Bessel functions in the order.
#'
#' @eval derivative_table_section()
#' @eval derivative_section()
#' @section What is not there: A derivative without a rule is an error when the function is made, which names function and argument, and the arguments of that
#'   function that have one. What can be had instead: the argument as a constant, with a gradient in the others; a grid of values of it
#'   with \code{over = } (\code{\link{opencl_function}}); or differences of the values, \code{(f(a + h) - f(a - h)) / (2 * h)}.
#' @seealso \code{\link{opencl_function}}, \code{\link{opencl_language}}.
#' @examples
#' f <- opencl_function(function(q, a) pgamma(q, a, log.p = TRUE), gradient = "a")
#' f(c(0.5, 2), 3, device = "host")
#' try(opencl_function(function(q, df) ptukey(q, 3, df), gradient = "df"))
#' @name opencl_derivatives
NULL
