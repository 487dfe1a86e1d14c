# Names that a body gives to vectors, names(par) <- c("a", "b") and par <- setNames(par, c("a", "b")), and questions about names.

# list(body, named): the body with vectors of named numbers instead, c(a = par[1], b = par[2]), and the names of those that stay what they are.
with_written_names <- function(expr) {
  if (!is.call(expr) || !any(c("names", "setNames") %in% all.names(expr))) return(list(body = expr, named = list()))
  named <- list()
  walk <- function(expr) {
    if (!is.call(expr)) return(expr)
    made <- named_by(expr)
    if (!is.null(made)) {
      named[[made$name]] <<- made$names
      numbers <- lapply(seq_along(made$names), function(k) call("as.vector", call("[", made$of, k))) # without the names that it has
      size <- as.numeric(length(made$names))
      return(call("{", call("stopifnot", call("==", call("length", made$of), size)), call("<-", as.symbol(made$name), as.call(c(quote(c), stats::setNames(numbers, made$names))))))
    }
    for (k in seq_along(expr)) if (k > 1L && !is_empty_argument(expr[[k]])) expr[k] <- list(walk(expr[[k]]))
    expr
  }
  expr <- walk(expr)
  assigned <- assigned_names(expr)
  list(body = expr, named = named[vapply(names(named), function(name) sum(assigned == name) == 1L, NA)])
}

# Of such a statement list(name, of, names), NULL of others. Names are texts that stand there.
named_by <- function(expr) {
  if (length(expr) != 3L || !as.character(expr[[1L]])[1L] %in% c("<-", "=")) return(NULL)
  target <- expr[[2L]]
  value <- expr[[3L]]
  if (is.call(target) && identical(target[[1L]], quote(names)) && length(target) == 2L && is.symbol(target[[2L]])) {
    of <- target[[2L]]
    target <- of
  } else if (is.symbol(target) && is.call(value) && identical(value[[1L]], quote(setNames)) && length(value) == 3L && is.null(names(value)) && is.symbol(value[[2L]])) {
    of <- value[[2L]]
    value <- value[[3L]]
  } else {
    return(NULL)
  }
  if (is.character(value)) value <- call("c", value)
  texts <- if (is.call(value) && identical(value[[1L]], quote(c))) as.list(value)[-1L]
  if (length(texts) == 0L || length(texts) > 64L || !all(vapply(texts, function(text) is.character(text) && !is.na(text) && nzchar(text), NA))) return(NULL)
  names <- unlist(texts, use.names = FALSE)
  if (anyDuplicated(names)) return(NULL)
  list(name = as.character(target), of = of, names = names)
}

# Whether a call asks about names, "a" %in% names(par), and about nothing that a gradient is in.
asks_names <- function(expr, differentiated) {
  if (!any(c("names", "colnames", "rownames") %in% all.names(expr))) return(FALSE)
  without <- function(expr) {
    if (!is.call(expr)) return(expr)
    if (is.symbol(expr[[1L]]) && as.character(expr[[1L]]) %in% c("names", "colnames", "rownames")) return("")
    for (k in seq_along(expr)) if (!is_empty_argument(expr[[k]])) expr[k] <- list(without(expr[[k]]))
    expr
  }
  !reads_differentiated(without(expr), differentiated)
}
