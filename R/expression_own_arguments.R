# Arguments and variables of functions that stand in a call, sapply(split(y, id), function(y) sum(y)^2), with the name of a variable that
# stands outside of them: within the function they get a name of their own, so that each name is one value.

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
  walk <- function(expr) {
    if (!is.call(expr) || is_call_of(expr, "quote")) return(expr)
    for (k in seq_along(expr)) if (is.call(expr[[k]])) expr[k] <- list(walk(expr[[k]]))
    if (!is_call_of(expr, setdiff(callers_of_functions, hidden))) return(expr)
    is_made <- vapply(as.list(expr), is_call_of, NA, "function")
    for (k in which(is_made)) {
      inside <- all.names(expr[[k]])
      takes <- names(expr[[k]][[2L]])
      own <- setdiff(assigned_names(expr[[c(k, 3L)]]), takes)
      names <- Filter(function(name) sum(used == name) > sum(inside == name), setdiff(c(takes, own), "..."))
      names <- union(names, read_first(expr[[c(k, 3L)]], own)) # y <- y[id == i]
      if (any(names %in% c(names(expr), all.names(expr[["MoreArgs"]]), names(expr[["MoreArgs"]]))) || any(name_readers %in% inside)) next
      if (length(names) == 0L) next
      if (is.null(attr(expr, "written"))) attr(expr, "written") <- shown_code(expr)
      for (name in names) expr[k] <- list(with_other_name(expr[[k]], name, own_name(name)) %||% expr[[k]])
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
