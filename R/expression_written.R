# Calls of R that are written by others of the language: Reduce() and mapply() as loops, outer() by columns, rep() by codes.

# What cumprod() is where it is no constant.
cumprod_by_rounds <- function(x) {
  if (length(x) < 2) return(x)
  h <- numeric(length(x))
  h[1] <- x[1]
  for (t in 2:length(x)) h[t] <- h[t - 1] * x[t]
  h
}

# Reduce(`+`, lapply(X, FUN)) and Reduce(`+`, Map(FUN, X, Y)).
added_up <- function(X, FUN) {
  s <- 0
  for (k in X) s <- s + FUN(k)
  s
}
multiplied_up <- function(X, FUN) {
  s <- 1
  for (k in X) s <- s * FUN(k)
  s
}
added_up_by_two <- function(X, Y, FUN) {
  stopifnot(length(X) == length(Y))
  s <- 0
  for (k in seq_along(X)) s <- s + FUN(X[k], Y[k])
  s
}
mapped_by_two <- function(X, Y, FUN) {
  stopifnot(length(X) == length(Y))
  sapply(seq_along(X), function(k) FUN(X[k], Y[k]))
}
# outer(X, Y, FUN) of a function that goes element by element.
outer_by_columns <- function(X, Y, FUN) .as_outer(sapply(seq_along(Y), function(k) FUN(X, Y[k])), X, Y)

written_helpers <- list(
  .cumprod = cumprod_by_rounds, .added = added_up, .multiplied = multiplied_up, .added_by_two = added_up_by_two, .mapped = mapped_by_two, .outer_of = outer_by_columns
)

# NULL: the call stays as it is.
with_helpers <- function(expr, head, known, part, walk) {
  switch(head,
    Reduce = reduced_call(expr, walk),
    mapply = mapped_call(expr, walk),
    outer = outer_call(expr, walk),
    rep = repeated_call(expr, known, part, walk),
    do.call = bound_call(expr, walk)
  )
}

# The arguments of lapply(X, FUN) or Map(FUN, X, Y); NULL: it is neither.
list_made <- function(expr, ways) {
  if (!is.call(expr) || !is.symbol(expr[[1L]])) return(NULL)
  name <- as.character(expr[[1L]])
  if (!name %in% ways) return(NULL)
  if (name == "lapply") {
    given <- tryCatch(match.call(base::lapply, expr), error = function(e) NULL)
    return(if (!is.null(given) && length(given) == 3L && !is.null(given$FUN)) list(X = given$X, FUN = given$FUN))
  }
  function_first <- is.null(names(expr)) && length(expr) == 4L
  if (function_first) list(X = expr[[3L]], Y = expr[[4L]], FUN = expr[[2L]])
}

is_function_given <- function(expr) is.symbol(expr) || (is.call(expr) && identical(expr[[1L]], quote(`function`)))

reduced_call <- function(expr, walk) {
  given <- tryCatch(match.call(base::Reduce, expr), error = function(e) NULL)
  if (is.null(given) || length(given) != 3L || is.null(given$f) || is.null(given$x)) return(NULL)
  op <- if (is.symbol(given$f) || is.character(given$f)) as.character(given$f) else ""
  made <- list_made(given$x, c("lapply", "Map"))
  if (!op %in% c("+", "*") || is.null(made) || !is_function_given(made$FUN)) return(NULL)
  if (is.null(made$Y)) return(call(if (op == "+") ".added" else ".multiplied", walk(made$X), walk(made$FUN)))
  if (op == "+") call(".added_by_two", walk(made$X), walk(made$Y), walk(made$FUN))
}

mapped_call <- function(expr, walk) {
  if (!is.null(names(expr)) || length(expr) != 4L || !is_function_given(expr[[2L]])) return(NULL)
  call(".mapped", walk(expr[[3L]]), walk(expr[[4L]]), walk(expr[[2L]]))
}

# do.call(cbind, lapply(X, FUN)) of vectors.
bound_call <- function(expr, walk) {
  if (length(expr) != 3L || !identical(as.character(expr[[2L]]), "cbind")) return(NULL)
  made <- list_made(expr[[3L]], "lapply")
  if (!is.null(made) && is_function_given(made$FUN)) call("sapply", walk(made$X), walk(made$FUN))
}

# What looks at several elements at once may give other columns than it gives of all of them.
of_all_elements <- c("sum", "mean", "prod", "min", "max", "range", "var", "sd", "length", "cumsum", "cumprod", "rev", "[", "sort", "order", "any", "all", "diff", "crossprod", "%*%")

outer_call <- function(expr, walk) {
  given <- tryCatch(match.call(base::outer, expr), error = function(e) NULL)
  f <- given$FUN
  if (is.null(given) || length(given) != 4L || is.null(f)) return(NULL)
  own <- is.call(f) && identical(f[[1L]], quote(`function`)) && length(f[[2L]]) == 2L && !any(of_all_elements %in% all.names(f[[3L]]))
  known <- is.symbol(f) && as.character(f) %in% c(names(library_functions()), "pmin", "pmax", "atan2")
  if (known) f <- call("function", as.pairlist(alist(.a = , .b = )), call(as.character(f), quote(.a), quote(.b)))
  if (own || known) call(".outer_of", walk(given$X), walk(given$Y), walk(f))
}

# rep(x, times = counts), where counts may be several: codes of elements are R's to make.
repeated_call <- function(expr, known, part, walk) {
  given <- tryCatch(match.call(function(x, times, each, length.out) NULL, expr), error = function(e) NULL)
  if (is.null(given) || length(given) != 3L || is.null(given$x) || is.null(given$times)) return(NULL)
  times <- given$times
  if (is.numeric(given$x) || !(is.symbol(times) || (is.call(times) && as.character(times[[1L]])[1L] %in% c("$", "as.vector", "[[")))) return(NULL)
  value <- known(times)
  if (is.null(value)) return(NULL)
  codes <- part(as.call(list(codes_of_counts, value)), call("codes", times))
  call(".rep_by", expr, walk(given$x), walk(times), codes)
}

codes_of_counts <- function(counts) {
  if (is_resident(counts)) counts <- in_r(counts)
  if (length(counts) == 1L) 1L else rep(seq_along(counts), counts)
}
