# Deep expressions: arithmetic and elementary functions within each other, in a loop.

# Calls within calls, of arithmetic and elementary functions, take no deeper stack the deeper they are: on the way down
# left operands are translated where the right one is the deeper, on the way up the rest.
translate_spine <- function(expr, tree, scope) {
  path <- list()
  repeat {
    name <- spine_call(expr, scope)
    if (is.null(name)) break
    if (name == "(") {
      expr <- expr[[2L]]
      next
    }
    right <- length(expr) == 3L && length(all.names(expr[[3L]])) > length(all.names(expr[[2L]]))
    path[[length(path) + 1L]] <- list(
      expr = expr, name = name, right = right, left = if (right) translate(expr[[2L]], tree, scope)
    )
    expr <- if (right) expr[[3L]] else expr[[2L]]
  }
  value <- translate_other_call(expr, tree, scope)
  if (is.null(value)) no_value(expr)
  for (step in rev(path)) {
    value <- if (length(step$expr) == 2L) {
      if (step$name %in% arithmetic_calls) sign_node(tree, step$name, value) else
        elementary_node(tree, step$name, as_double_node(tree, value), step$expr)
    } else if (step$right) {
      arithmetic_node(tree, step$name, step$left, value, step$expr)
    } else {
      arithmetic_node(tree, step$name, value, translate(step$expr[[3L]], tree, scope), step$expr)
    }
  }
  value
}

# The name of a call that translate_spine() can go through, or NULL.
spine_call <- function(expr, scope) {
  if (!is.call(expr) || !is.symbol(expr[[1L]]) || !is.null(names(expr))) return(NULL)
  name <- as.character(expr[[1L]])
  operands <- length(expr) - 1L
  fits <- if (name %in% arithmetic_calls) operands == 2L || (operands == 1L && name %in% c("+", "-")) else
    operands == 1L && (name == "(" || !is.null(elementary[[name]]))
  if (fits && resolve_call(name, scope$env)$kind == "language") name
}

sign_node <- function(tree, name, a) {
  type <- if (type_of(tree, a) == "double") "double" else "integer"
  add_node(tree, if (name == "-") "neg" else "plus", type, len_of(tree, a), as_type(tree, a, type))
}

# What is no such call.
translate_other_call <- function(expr, tree, scope) {
  if (is.call(expr)) return(translate_call(expr, tree, scope))
  if (is.symbol(expr)) return(translate_name(as.character(expr), tree, scope))
  constant(tree, expr)
}

no_value <- function(expr) {
  argument_error("`", deparse1(expr), "` has no value: its condition is FALSE and there is no `else`")
}
