# Elements by a test of data, x[d == 1], and without those of some numbers, x[-i]: R finds the places.

# x[d == 1]: the places are R's to find, and how many elements `x` has is looked at. X[d == 1, ]: the same of the numbers of its rows.
chosen_elements <- function(expr, known, differentiated, part, walk, is_logical) {
  of_rows <- length(expr) >= 4L
  keeps <- length(expr) == 5L && identical(names(expr), c("", "", "", "", "drop")) && is.logical(expr[[5L]]) # drop = FALSE
  if (is_empty_argument(expr[[3L]]) || (of_rows && (!is.symbol(expr[[2L]]) || !(keeps || is.null(names(expr)))))) return(NULL)
  if (length(expr) == 5L && !keeps) return(NULL)
  index <- expr[[3L]]
  if (!(is.call(index) || is.symbol(index))) return(NULL)
  value <- known(index)
  while (is.call(value) && identical(value[[1L]], quote(`(`))) value <- value[[2L]]
  if (is.null(value)) return(NULL)
  said <- is_call_of(value, "c") && all(vapply(as.list(value)[-1L], is.logical, NA))
  if (!said && !is_call_of(value, c(logical_calls, "as.logical")) && !is_logical(value)) return(elements_left(expr, known, differentiated, part, walk))
  given <- if (!of_rows) vectors_of(expr[[2L]], known, character()) else if (!is.null(known(expr[[2L]]))) list(call("NROW", known(expr[[2L]])))
  of_data <- if (length(given) > 0L) as.call(c(quote(c), given)) else index
  if (of_rows && length(given) > 0L) names(given) <- "rows"
  places <- part(as.call(c(places_of_logical, value, given)), call("places", index, of_data))
  of <- part(as.call(c(tested_places, value, given)), call("tested", index, of_data))
  chosen <- part(as.call(c(counted_places, value, given)), call("chosen", index, of_data))
  if (!of_rows) return(call(".where", walk(expr[[2L]]), places, of, chosen))
  # A vector that is too short has missing elements; of rows it is R's error.
  expr[[3L]] <- call(
    "if", call("<=", call("length", of), call("nrow", expr[[2L]])), call(".where", call("seq_len", call("nrow", expr[[2L]])), places, of, chosen),
    call(".refused", paste0("`", shown_line(expr), "`: (subscript) logical subscript too long"))
  )
  if (!is_empty_argument(expr[[4L]])) expr[4L] <- list(walk(expr[[4L]]))
  expr
}

# Arguments of a program have elements, so that of none there is a place that is not looked at; of the others only lengths matter.
places_of_logical <- function(test, ...) {
  test <- test_of_all(test, ...)
  places <- seq_along(test)[as.vector(test)]
  if (length(places) == 0L) NA_integer_ else places
}
tested_places <- function(test, ...) logical(length(test_of_all(test, ...)))
counted_places <- function(test, ...) {
  test <- test_of_all(test, ...)
  logical(1L + sum(is.na(test) | test))
}
# The test, recycled to the elements of data, or to so many `rows`.
test_of_all <- function(test, ..., rows = NULL) {
  if (is_resident(test)) test <- in_r(test)
  n <- rows %||% length_of_all(...)
  if (is.na(n) || length(test) == 0L || length(test) >= n) test else rep_len(test, n)
}

# x[-i] of a vector i that R knows: the places that are left, of as many elements as the data in x have. A single number is the compiler's.
elements_left <- function(expr, known, differentiated, part, walk) {
  index <- expr[[3L]]
  while (is.call(index) && identical(index[[1L]], quote(`(`))) index <- index[[2L]]
  if (!is.call(index) || !identical(index[[1L]], quote(`-`)) || length(index) != 2L || length(expr) > 4L) return(NULL)
  of_rows <- length(expr) == 4L
  out <- known(index[[2L]])
  while (is.call(out) && identical(out[[1L]], quote(`(`))) out <- out[[2L]]
  is_run <- is.call(out) && as.character(out[[1L]])[1L] %in% c(":", "seq_len", "length", "nrow", "-", "+")
  if (is.null(out) || is.numeric(out) || is_run) return(NULL) # of those the compiler knows more
  data <- if (of_rows) Filter(Negate(is.null), list(known(expr[[2L]]))) else vectors_of(expr[[2L]], known, differentiated)
  if (length(data) == 0L) return(NULL)
  given <- c(list(out, of_rows), data)
  places <- part(as.call(c(places_left, given)), call("left", expr[[2L]], index))
  of <- part(as.call(c(elements_left_from, given)), call("of", expr[[2L]], index))
  chosen <- part(as.call(c(count_left, given)), call("count", expr[[2L]], index))
  x <- if (of_rows) call("seq_len", call("nrow", expr[[2L]])) else walk(expr[[2L]])
  where <- call("if", call("==", call("length", x), call("length", of)), call(".where", x, places, of, chosen), call(".refused", paste0(
    "`", shown_line(expr), "`: the vector has another length than the data in it, so that R does not know before the call which elements are left"
  )))
  if (of_rows) {
    expr[[3L]] <- where
    return(expr)
  }
  one <- part(as.call(list(is_single_index, out)), call("one", index))
  call("if", call("==", call("length", one), 1L), call("[", walk(expr[[2L]]), call("-", walk(index[[2L]]))), where)
}
places_left <- function(out, of_rows, ...) {
  if (is_resident(out)) out <- in_r(out)
  n <- if (of_rows) nrow(..1) else length_of_all(...)
  places <- if (of_rows || length(out) != 1L) seq_len(n)[-as.vector(out)]
  if (length(places) == 0L) NA_integer_ else places
}
elements_left_from <- function(out, of_rows, ...) logical(if (of_rows) nrow(..1) else length_of_all(...))
count_left <- function(...) {
  places <- places_left(...)
  logical(1L + if (anyNA(places)) 0L else length(places))
}
is_single_index <- function(out) logical(if (length(out) == 1L) 1L else 2L)

where_in_r <- function(x, places, of, chosen) {
  if (length(x) > length(of)) argument_error("an index that is a comparison has ", length(of), " elements, and the vector ", length(x))
  x[places[seq_len(length(chosen) - 1L)]]
}

over_range <- function(expr, walk) {
  by_ones <- by_one(expr[[3L]])
  if (!is.null(by_ones)) return(structure(walk(rounds_by_one(expr, by_ones)), written = shown_code(expr)))
  over <- with_ranges(expr[[3L]])
  if (!identical(over, expr[[3L]])) walk(`[[<-`(expr, 3L, over))
}

# seq(2, n) as 2:n, where a loop goes over it: of such numbers the compiler knows more than of those that R has made.
with_ranges <- function(over) {
  if (!is.call(over)) return(over)
  if (is_call_of(over, c("seq", "seq.int")) && length(over) == 3L && (is.null(names(over)) || identical(names(over)[-1L], c("from", "to")))) {
    return(structure(call(":", over[[2L]], over[[3L]]), written = deparse1(over)))
  }
  if (is_call_of(over, c("rev", "[", "("))) over[[2L]] <- with_ranges(over[[2L]])
  over
}

# list(from, to, down) of seq(from, to, by = 1) and by = -1; NULL of another call.
by_one <- function(over) {
  if (!is_call_of(over, c("seq", "seq.int"))) return(NULL)
  given <- tryCatch(match.call(function(from, to, by) NULL, over), error = function(e) NULL)
  by <- given$by
  down <- is_call_of(by, "-") && length(by) == 2L && identical(by[[2L]], 1)
  if (!is.null(given$from) && !is.null(given$to) && (identical(by, 1) || down)) list(from = given$from, to = given$to, down = down)
}

# for (k in seq(2, n, by = 1)) as a loop over 2:n, whose numbers are doubles where they are no places.
rounds_by_one <- function(expr, range) {
  name <- expr[[2L]]
  as_double <- function(part, is_place = FALSE) {
    if (identical(part, name)) return(if (is_place) part else call("as.numeric", part))
    if (!is.call(part) || is_call_of(part, "function")) return(part)
    passes <- is_place && is_call_of(part, c("+", "-", "("))
    for (k in seq_along(part)[-1L]) if (!is_empty_argument(part[[k]])) {
      part[k] <- list(as_double(part[[k]], passes || (k > 2L && is_call_of(part, c("[", "[[")))))
    }
    part
  }
  block <- expr[[4L]]
  if (as.character(name) %in% c(assigned_names(block), inner_names(block)) || "function" %in% all.names(block)) block <- call("{", call("<-", name, call("as.numeric", name)), block)
  else block <- as_double(block)
  fits <- as.call(list(quote(stopifnot), call(if (range$down) ">=" else "<=", range$from, range$to)))
  names(fits) <- c("", "wrong sign in 'by' argument")
  call("{", fits, call("for", name, call(":", range$from, range$to), block))
}

# Calls that give a vector of numbers, of which x[[k]] is one.
vector_makers <- c("tapply", "table", "tabulate", "cumsum", "rowSums", "colSums", "rowMeans", "colMeans")
number_of_made <- function(x, k) call(".element", call("as.vector", call("[", x, k)), x, k)
# x[which(test)] <- value as x[test & !is.na(test)] <- value, where the test has an element for each of x: a shorter one would be recycled.
assigned_by_test <- function(expr, target) {
  test <- call("(", target[[c(3L, 2L)]])
  expr[[c(2L, 3L)]] <- call("&", test, call("!", call("is.na", test)))
  refused <- paste0("`", shown_line(target), "` is assigned, and the test has not as many elements as `", shown_line(target[[2L]]), "`")
  call("if", call("==", call("length", test), call("length", target[[2L]])), expr, call(".refused", refused))
}

# subset(x, test) of a vector that the function computes.
subset_of_computed <- function(expr, walk) {
  if (length(expr) != 3L || !is.null(names(expr))) return(NULL)
  test <- call("(", expr[[3L]])
  structure(walk(call("[", expr[[2L]], call("&", test, call("!", call("is.na", test))))), written = deparse1(expr))
}

# X[i, "y"] of an argument: what takes the column in R, where that may be a data frame as well as a matrix; NULL of another call.
column_of_argument <- function(expr, f, outer, known, differentiated) {
  if (!outer || length(expr) != 4L || !is.symbol(expr[[2L]]) || !is.character(expr[[4L]]) || !is.null(names(expr))) return(NULL)
  name <- as.character(expr[[2L]])
  if (!name %in% names(formals(f)) || identical(formals(f)[[name]], as.symbol(data_name(name)))) return(NULL)
  value <- known(expr)
  if (is.null(value) || reads_differentiated(value, differentiated)) return(NULL)
  as.call(list(column_of_rows, value[[2L]], value[[3L]], value[[4L]]))
}
column_of_rows <- function(x, i, column) {
  shown <- deparse1(substitute(x))
  if (is_resident(x)) x <- in_r(x)
  if (is.matrix(x) && !column %in% colnames(x)) {
    argument_error("`", shown, "[, \"", column, "\"]`: `", shown, "` has no column of that name: subscript out of bounds", absent_name_text(column, colnames(x), shown, TRUE))
  }
  x[i, column]
}
