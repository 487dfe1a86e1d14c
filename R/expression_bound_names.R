# What cbind() and rbind() call the vectors that they bind: a name that stands there by itself is R's name for it, and what the body is
# taken apart into are names, too, `d$x` and `order(x)`, which R never sees.

# A body whose bound names are said, cbind(x = x, d$y), before it is taken apart.
with_bound_names <- function(expr, f) {
  binds <- binding_calls(expr, f)
  if (length(binds) == 0L) return(expr)
  changed_calls(expr, binds, function(call) {
    for (k in bound_symbols(call)) names(call)[k] <- as.character(call[[k]])
    call
  })
}

# Behind that: names as they were written, and parentheses about those that stand for something else, which have no name then.
without_bound_names <- function(expr, f) {
  binds <- binding_calls(expr, f)
  if (length(binds) == 0L) return(expr)
  changed_calls(expr, binds, function(call) {
    alone <- bound_symbols(call)
    said <- which(names(call) == vapply(as.list(call), function(part) if (is.symbol(part)) as.character(part) else "", "") & nzchar(names(call)))
    for (k in alone) call[[k]] <- call("(", call[[k]])
    names(call)[said] <- ""
    if (!any(nzchar(names(call)))) names(call) <- NULL
    call
  })
}

# Which of the two are R's where the body stands.
binding_calls <- function(expr, f) {
  used <- intersect(c("cbind", "rbind"), all.names(expr))
  if (length(used) == 0L) return(used)
  own <- c(names(formals(f)), functions_assigned(expr))
  Filter(function(name) !name %in% own && identical(get0(name, environment(f) %||% baseenv(), mode = "function"), get(name, baseenv())), used)
}

# Places of arguments that are a name alone.
bound_symbols <- function(call) {
  names <- names(call) %||% rep("", length(call))
  is_one <- function(k) !nzchar(names[k]) && is.symbol(call[[k]]) && !as.character(call[[k]]) %in% c("", "...")
  Filter(is_one, seq_along(call)[-1L])
}

# `change` of each call of these functions, but of an index, M[cbind(i, j)], which has no names.
changed_calls <- function(expr, functions, change, is_index = FALSE) {
  if (!is.call(expr)) return(expr)
  takes_index <- identical(expr[[1L]], quote(`[`))
  for (k in seq_along(expr)) {
    if (is.call(expr[[k]])) expr[k] <- list(changed_calls(expr[[k]], functions, change, takes_index && k > 2L))
  }
  if (is_index || !is.symbol(expr[[1L]]) || !as.character(expr[[1L]]) %in% functions) return(expr)
  change(expr)
}
