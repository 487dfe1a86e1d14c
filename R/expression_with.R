# What stands in with(): parts that R computes there, and names of functions.

# list(name, vector) of with(data, ...) and with(as.list(par), ...), NULL of other calls. `fixed`: names that are no lists of the call.
scope_of_with <- function(expr, fixed) {
  if (length(expr) != 3L || !is.null(names(expr))) return(NULL)
  of <- expr[[2L]]
  vector <- is.call(of) && identical(of[[1L]], quote(as.list)) && length(of) == 2L
  if (vector) of <- of[[2L]]
  if (is.symbol(of) && !as.character(of) %in% fixed) list(name = as.character(of), vector = vector)
}

# What R evaluates for a part within `scopes`, the innermost last. Of a list that has a gradient it may read no element, unless it changes
# in `steps` only.
within_scopes <- function(value, scopes, differentiated, steps, shown) {
  read <- all.vars(value)
  for (scope in rev(scopes)) {
    never <- if (!steps && scope$name %in% lists_of_gradient(differentiated)) read
    value <- call("with", as.call(list(list_for_part, as.symbol(scope$name), never, shown)), value)
  }
  value
}
list_for_part <- function(of, never, shown) {
  element <- intersect(never, names(of))
  if (length(element) > 0L) {
    of <- deparse1(substitute(of))
    limit_error("`", shown, "` reads `", element[1L], "`, an element of `", of, "`, which has a gradient: R computes such calls of data only")
  }
  as.list(if (is_resident(of)) in_r(of) else of)
}

# Arguments that are functions, FUN of sapply(x, FUN).
takers_of_functions <- alist(
  tapply = function(X, INDEX, FUN, ...) NULL, ave = function(x, ..., FUN) NULL, sapply = function(X, FUN, ...) NULL,
  vapply = function(X, FUN, FUN.VALUE, ...) NULL, lapply = function(X, FUN, ...) NULL, apply = function(X, MARGIN, FUN, ...) NULL,
  outer = function(X, Y, FUN, ...) NULL, mapply = function(FUN, ...) NULL, aggregate = function(x, by, FUN, ...) NULL,
  Map = function(f, ...) NULL, Reduce = function(f, x, ...) NULL, Filter = function(f, x) NULL, do.call = function(what, ...) NULL
)

# Which part of a call, by number, is the name of a function: R looks for a function of that name, whatever lists have.
function_place <- function(expr, f) {
  k <- place_of_function(expr)
  if (k == 0L) return(0L)
  name <- as.character(expr[[k]])
  if (name %in% names(formals(f))) return(0L)
  if (name %in% functions_assigned(body(f)) || !is.null(get0(name, environment(f), mode = "function"))) k else 0L
}

# Where a name stands that the call takes for a function; 0: nowhere.
place_of_function <- function(expr) {
  head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
  taker <- takers_of_functions[[head]]
  if (is.null(taker)) return(0L)
  numbered <- expr
  numbered[seq_along(expr)[-1L]] <- as.list(seq_along(expr)[-1L])
  given <- tryCatch(match.call(eval(taker, baseenv()), numbered), error = function(e) NULL)
  k <- given$FUN %||% given$f %||% given$what
  if (is.null(k) || !is.symbol(expr[[k]]) || is_empty_argument(expr[[k]])) 0L else k
}

# sapply(x, f) of a function of the environment as sapply(x, function(t) f(t)).
applied_by_name <- function(expr, f, walk) {
  k <- function_place(expr, f)
  if (k == 0L || as.character(expr[[k]]) %in% assigned_names(body(f))) return(NULL)
  alone <- if (identical(expr[[1L]], quote(vapply))) function(X, FUN, FUN.VALUE, ..., USE.NAMES) NULL else function(X, FUN, ..., USE.NAMES) NULL
  given <- tryCatch(match.call(alone, expr), error = function(e) NULL)
  if (is.null(given) || !all(names(given)[-1L] %in% names(formals(alone))) || anyDuplicated(names(given))) return(NULL)
  if (length(given) - 1L - ("USE.NAMES" %in% names(given)) != length(formals(alone)) - 2L) return(NULL) # arguments of f
  expr[[k]] <- made_function(alist(.one = ), call(as.character(expr[[k]]), quote(.one)))
  for (at in setdiff(seq_along(expr)[-1L], k)) if (!is_empty_argument(expr[[at]])) expr[at] <- list(walk(expr[[at]]))
  expr
}
