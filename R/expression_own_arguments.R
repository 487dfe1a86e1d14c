# Arguments of functions that stand in a call, sapply(split(y, id), function(y) sum(y)^2), with the name of a variable that the call's other
# arguments read: within the function they get a name of their own, so that each name is one value.

callers_of_functions <- c("sapply", "lapply", "vapply", "mapply", "Map", "tapply", "by", "ave", "outer", "apply", "aggregate")

# What looks at names themselves, or looks for them in lists first.
name_readers <- c("stopifnot", "with", "within", "local", "missing", "quote", "bquote", "substitute", "match.call", "sys.call", "eval", "get", "data.frame", "model.matrix", "~", "subset")

with_own_arguments <- function(expr, f) {
  if (!any(callers_of_functions %in% all.names(expr))) return(expr)
  used <- c(all.names(expr), names(formals(f)))
  hidden <- c(names(formals(f)), functions_assigned(expr))
  own_name <- function(name) {
    free <- setdiff(paste0(name, ".", seq_along(used)), used)[1L]
    used <<- c(used, free)
    free
  }
  renamed <- function(made, names) {
    for (name in names) {
      own <- own_name(name)
      names(made[[2L]])[match(name, names(made[[2L]]))] <- own
      made[3L] <- list(substituted(made[[3L]], name, as.symbol(own)))
    }
    made
  }
  walk <- function(expr) {
    if (!is.call(expr) || is_call_of(expr, "quote")) return(expr)
    for (k in seq_along(expr)) if (is.call(expr[[k]])) expr[k] <- list(walk(expr[[k]]))
    if (!is_call_of(expr, setdiff(callers_of_functions, hidden))) return(expr)
    is_made <- vapply(as.list(expr), is_call_of, NA, "function")
    read <- unlist(lapply(given_parts(as.call(as.list(expr)[!is_made]))[-1L], all.vars))
    for (k in which(is_made)) {
      takes <- expr[[k]][[2L]]
      names <- setdiff(intersect(names(takes), read), "...")
      if (any(names %in% c(names(expr), all.names(expr[["MoreArgs"]]), names(expr[["MoreArgs"]]))) || any(name_readers %in% all.names(expr[[k]])) || !all(vapply(as.list(takes), is_empty_argument, NA))) next
      if (length(names) == 0L) next
      if (is.null(attr(expr, "written"))) attr(expr, "written") <- shown_code(expr)
      expr[k] <- list(renamed(expr[[k]], names))
    }
    expr
  }
  walk(expr)
}

# ---- what functions read besides their arguments

# A function's body without par[1] and par[["a"]] of vectors that are none of its arguments: the same number for all elements.
without_numbers_of <- function(expr, arguments) {
  if (!is.call(expr)) return(expr)
  is_one <- function(index) length(index) == 1L && (is.character(index) || (is.numeric(index) && index >= 1))
  of_vector <- is_call_of(expr, c("[", "[[")) && length(expr) == 3L && is.symbol(expr[[2L]]) && !as.character(expr[[2L]]) %in% arguments
  if (of_vector && !is_empty_argument(expr[[3L]]) && is_one(expr[[3L]])) return(expr[[2L]])
  for (k in seq_along(expr)) if (is.call(expr[[k]])) expr[k] <- list(without_numbers_of(expr[[k]], arguments))
  expr
}
