# Reduce() and do.call() of what lapply() and Map() give for each item, written as loops and as columns side by side.

# Reduce(`+`, lapply(X, FUN)) and Reduce(`+`, Map(FUN, X, Y)); of integers an integer, whose overflow is R's. The last one is Reduce(`+`, lapply(X, FUN), s).
added_up <- function(X, FUN) {
  stopifnot("Reduce() of no items is NULL in R: give it a start, Reduce(`+`, lapply(x, f), 0)" = length(X) > 0)
  s <- 0L
  for (k in X) s <- s + FUN(k)
  s
}
added_to <- function(X, FUN, s) {
  for (k in X) s <- s + FUN(k)
  s
}
# What + gives of numbers one after the other: of integers, whose sum() is a double beyond them, NA with R's warning.
added_numbers <- function(v) {
  if (!is.integer(v)) return(sum(v))
  s <- sum(as.numeric(v))
  as.integer(pmin(pmax(s, -2147483647), 2147483647)) + ((s > 2147483647) - (s < -2147483647))
}
some_items <- function(v) {
  stopifnot("Reduce() of no items is NULL in R: give it a start, Reduce(`+`, lapply(x, f), 0)" = length(v) > 0)
  v
}
multiplied_up <- function(X, FUN) {
  stopifnot("Reduce() of no items is NULL in R" = length(X) > 0)
  s <- 1L
  for (k in X) s <- s * FUN(k)
  s
}
added_up_by_two <- function(X, Y, FUN) {
  stopifnot(length(X) == length(Y), "Reduce() of no items is NULL in R: write sum(mapply(f, x, y))" = length(X) > 0)
  s <- 0L
  for (k in seq_along(X)) s <- s + FUN(as.vector(X[k]), as.vector(Y[k]))
  s
}
pmax_up <- function(X, FUN) {
  stopifnot("Reduce() of no items is NULL in R" = length(X) > 0)
  s <- FUN(as.vector(X[1]))
  for (k in X) s <- pmax(s, FUN(k))
  s
}
pmin_up <- function(X, FUN) {
  stopifnot("Reduce() of no items is NULL in R" = length(X) > 0)
  s <- FUN(as.vector(X[1]))
  for (k in X) s <- pmin(s, FUN(k))
  s
}

reduced_call <- function(expr, walk) {
  given <- tryCatch(match.call(base::Reduce, expr), error = function(e) NULL)
  if (is.null(given) || length(given) != 3L + !is.null(given$init) || is.null(given$f) || is.null(given$x)) return(NULL)
  op <- if (is.symbol(given$f) || is.character(given$f)) as.character(given$f) else ""
  made <- list_call_of(given$x, c("lapply", "Map"))
  if (!op %in% c("+", "*", "pmin", "pmax") || is.null(made) || !is_function_given(made$FUN)) return(NULL)
  if (!is.null(given$init)) {
    return(if (op == "+" && is.null(made$Y) && !is_call_of(made$X, "split")) call(".added_to", walk(made$X), walk(made$FUN), walk(given$init)))
  }
  if (op == "+" && is.call(made$X) && identical(made$X[[1L]], quote(split))) return(call(".added_numbers", call(".some_items", call(".single", walk(call("sapply", made$X, made$FUN))))))
  if (is.null(made$Y)) return(call(switch(op, "+" = ".added", "*" = ".multiplied", paste0(".", op, "_up")), walk(made$X), walk(made$FUN)))
  if (op == "+") call(".added_by_two", walk(made$X), walk(made$Y), walk(made$FUN))
}

# do.call(cbind, lapply(X, FUN)) and do.call(rbind, lapply(X, FUN)) of vectors.
bound_call <- function(expr, walk) {
  binder <- if (length(expr) == 3L && is.null(names(expr))) as.character(expr[[2L]])[1L] else ""
  if (!binder %in% c("cbind", "rbind")) return(NULL)
  made <- list_call_of(expr[[3L]], "lapply")
  if (is.null(made) || !is_function_given(made$FUN)) return(NULL)
  call(if (binder == "cbind") ".bound_columns" else ".bound_rows", structure(call("sapply", walk(made$X), walk(made$FUN)), written = shown_code(expr)), walk(made$X))
}
# What they are of sapply(X, FUN), which has single numbers side by side.
bound_columns <- function(M, X) {
  stopifnot("cbind() of no items is NULL in R" = length(X) > 0)
  if (length(M) == length(X)) t(.named_as(as.vector(M), X)) else M
}
bound_rows <- function(M, X) {
  stopifnot("rbind() of no items is NULL in R" = length(X) > 0)
  if (length(M) == length(X)) t(t(.named_as(as.vector(M), X))) else t(M)
}
# Where R evaluates the body, of vectors of no elements, too, of which sapply() makes a list.
bound_in_r <- function(binder) {
  function(M, X) {
    items <- if (is.list(M)) M else if (is.null(dim(M))) as.list(M) else return(if (binder == "rbind") t(M) else M)
    do.call(binder, if (is.null(names(X))) unname(items) else items)
  }
}
