# Matrices that the body makes of data alone: R makes them, of any size. Of parameters, and of single numbers, the program makes them.

shaping_calls <- c("matrix", "array", "row", "col", "aperm", "max.col", "cor", "cov", "backsolve", "forwardsolve", "mahalanobis")

# Whether `expr` is made of variables and data; matrix(x, n) of whole vectors among them, as numbers side by side, matrix(c(a, 0, 0, b[1]), 2), are the
# program's.
is_shaped_data <- function(expr, f, known) {
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
  c(own, unlist(lapply(as.list(expr)[-1L], function(part) if (!is_empty_argument(part)) names_filled(part))))
}
