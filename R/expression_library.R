# Calls of the functions of inst/spec/functions.tsv in a typed tree.

translate_library <- function(expr, row, tree, scope) {
  given <- as.list(match_library(expr, row))[-1L]
  if (row$flags %in% c("draws", "counts", "cells")) return(translate_draw(expr, row, given, tree, scope))
  row <- form_of(row, names(given))
  inner <- library_scope(row, given, expr, tree, scope)
  columns <- lapply(split_commas(row$columns), function(name) {
    if (name == "expon.scaled") switch_node(tree, inner(name)) else inner(name)
  })
  flags <- lapply(split_commas(row$flags), function(name) library_flag(name, given, row, tree, scope))
  library_node(tree, row, c(columns, flags), expr)
}

# A switch with a value for each element: R takes whatever is not 0 for TRUE.
switch_node <- function(tree, id) as_double_node(tree, as_type(tree, id, "logical"))

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

# name -> node of an argument: as given, or its default, which may speak of other arguments.
library_scope <- function(row, given, expr, tree, scope) {
  template <- parsed_formals(row$formals)
  both <- function(a, b) all(c(a, b) %in% names(given))
  if (both("rate", "scale")) argument_error("`", deparse1(expr), "`: specify 'rate' or 'scale' but not both")
  if (both("prob", "mu")) argument_error("`", deparse1(expr), "`: 'prob' and 'mu' both specified")
  node <- function(name) {
    if (!is.null(given[[name]])) return(translate(given[[name]], tree, scope))
    default <- default_of(template, name)
    if (is.null(default)) {
      argument_error("`", deparse1(expr), "`: argument \"", name, "\" is missing, with no default")
    }
    inner <- new_scope(baseenv(), list(), scope$inputs_of)
    for (other in intersect(all.vars(default), names(template))) inner$vars[[other]] <- node(other)
    translate(default, tree, inner)
  }
  node
}

# A flag is TRUE or FALSE for all elements: the first of a vector, as R takes it.
library_flag <- function(name, given, row, tree, scope) {
  if (is.null(given[[name]])) return(constant(tree, name == "lower.tail"))
  value <- as_flag(decided(given[[name]], tree, scope, whole = TRUE))
  constant(tree, value != 0L)
}

# n of r*(): one draw per element of the count that R would read.
translate_draw <- function(expr, row, given, tree, scope) {
  if (row$flags == "cells") argument_error("`", deparse1(expr), "`: rmultinom gives a matrix, which no expression has: call rmultinom_opencl() and give its result as an argument")
  count_name <- setdiff(names(parsed_formals(row$formals)), split_commas(row$columns))[1L]
  if (is.null(given[[count_name]])) argument_error("`", deparse1(expr), "`: argument \"", count_name, "\" is missing, with no default")
  tree$exact <- TRUE
  n <- translate(given[[count_name]], tree, scope)
  n <- if (len_of(tree, n) == 1) draw_count(decided(given[[count_name]], tree, scope), expr) else len_of(tree, n)
  row <- form_of(row, names(given))
  inner <- library_scope(row, given, expr, tree, scope)
  args <- lapply(split_commas(row$columns), function(name) as_double_node(tree, inner(name)))
  tree$draws <- tree$draws + 1L
  type <- if (row$flags == "counts") "integer" else "double"
  id <- add_node(tree, "draw", type, n, unlist(args), value = list(row$name, tree$draws))
  add_site(tree, id, expr, "draw", "NAs produced")
}
