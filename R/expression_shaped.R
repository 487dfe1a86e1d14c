# Matrices that the body makes of data alone: R makes them, of any size. Of parameters, and of single numbers, the program makes them.

shaping_calls <- c("matrix", "array", "row", "col", "aperm", "max.col", "cor", "cov", "backsolve", "forwardsolve", "mahalanobis")

# Whether `expr` is made of variables and data; matrix(x, n) of whole vectors among them, as numbers side by side, matrix(c(a, 0, 0, b[1]), 2), are the
# program's.
is_shaped_data <- function(expr, known) {
  if (as.character(expr[[1L]]) %in% c("matrix", "array")) {
    given <- tryCatch(match.call(if (identical(expr[[1L]], quote(matrix))) base::matrix else base::array, expr), error = function(e) NULL)
    if (is.null(given$data) || !has_whole_vector(given$data)) return(FALSE)
  }
  value <- known(expr)
  !is.null(value) && length(all.vars(value)) > 0L
}

# Of the names `read` those that are no parameter of a call, nor of points: variables, and arguments with their value in `data`.
names_of_data <- function(f, read) {
  own <- names(formals(f))
  Filter(function(name) !name %in% own || identical(formals(f)[[name]], as.symbol(data_name(name))), read)
}

has_whole_vector <- function(expr) {
  if (is.symbol(expr)) return(TRUE)
  if (!is.call(expr)) return(FALSE)
  if (identical(expr[[1L]], quote(c))) return(any(vapply(as.list(expr)[-1L], has_whole_vector, NA)))
  !as.character(expr[[1L]])[1L] %in% c("[", "[[")
}

# Names some of whose elements are assigned: M in M[1, 2] <- a and diag(M) <- v.
names_filled <- function(expr) {
  if (!is.call(expr)) return(character())
  own <- if (as.character(expr[[1L]])[1L] %in% c("<-", "=") && is.call(expr[[2L]])) all.vars(expr[[2L]])
  for (part in given_parts(expr)[-1L]) own <- c(own, names_filled(part))
  own
}

# ---- calls of matrices that are written as others of the language

# tcrossprod(a, b) as a %*% t(b), without names of vectors.
tcrossprod_written <- function(expr, walk) {
  if (!identical(expr[[1L]], quote(tcrossprod)) || !length(expr) %in% 2:3 || !is.null(names(expr))) return(NULL)
  call("%*%", walk(expr[[2L]]), call(".turned", walk(expr[[length(expr)]])))
}

# vector("numeric", n) as numeric(n).
made_vector <- function(expr, walk) {
  given <- tryCatch(match.call(base::vector, expr), error = function(e) NULL)
  types <- c(numeric = "numeric", double = "numeric", integer = "integer", logical = "logical")
  if (is.character(given$mode) && given$mode %in% names(types) && !is.null(given$length)) {
    walk(call(types[[given$mode]], given$length))
  }
}

# solve(V, r) of a matrix that is data: its inverse times r, a matrix where r is one.
solved <- function(expr, taken, walk) {
  if (!identical(expr[[1L]], quote(solve)) || length(expr) != 3L || !is.null(names(expr))) return(NULL)
  inverse <- taken(call("solve", expr[[2L]]), FALSE)
  if (!is.null(inverse)) structure(call(".solved", inverse, walk(expr[[3L]])), written = deparse1(expr))
}

# diag(M) <- v as M[.diag(M)] <- v, which R has as row(M) == col(M).
with_diagonals <- function(expr) {
  if (!is.call(expr)) return(expr)
  for (k in seq_along(expr)[-1L]) if (!is_empty_argument(expr[[k]])) expr[k] <- list(with_diagonals(expr[[k]]))
  if (!as.character(expr[[1L]])[1L] %in% c("<-", "=") || length(expr) != 3L || !is.call(expr[[2L]])) return(expr)
  target <- expr[[2L]]
  if (identical(target[[1L]], quote(diag)) && length(target) == 2L && is.symbol(target[[2L]])) {
    expr[[2L]] <- call("[", target[[2L]], structure(call(".diag", target[[2L]]), written = deparse1(target)))
  }
  expr
}

# determinant(S)$modulus, without its attribute.
log_determinant <- function(expr, taken, walk) {
  given <- tryCatch(match.call(base::determinant, expr[[2L]]), error = function(e) NULL)
  if (is.null(given$x) || !(is.null(given$logarithm) || isTRUE(given$logarithm)) || length(setdiff(names(given), c("", "x", "logarithm"))) > 0L) return(NULL)
  taken(call("as.vector", expr), FALSE) %||% call(".log_det", walk(given$x))
}

# mahalanobis(x, center, cov) of a matrix.
squared_distances <- function(expr, walk) {
  given <- tryCatch(match.call(stats::mahalanobis, expr), error = function(e) NULL)
  if (is.null(given) || length(given) != 4L || is.null(given$x) || is.null(given$center) || is.null(given$cov)) return(NULL)
  call(".mahalanobis", walk(given$x), walk(given$center), walk(given$cov))
}
