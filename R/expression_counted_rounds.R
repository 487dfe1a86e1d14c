# while loops that count, i <- 2; while (i <= length(y)) { ...; i <- i + 1 }, as for (i in 2:length(y)) { ... }, of which there may be any number of rounds.

# What stands for them has R's functions of these names.
functions_of_counts <- c("as.double", ":", ">=", "<=", "<", "+", "-", "length", "nrow", "ncol", "NROW", "NCOL")

# A body in which such loops are written so: the count begins at a double that is a whole number and is raised by the last statement alone, the end is made of lengths and
# numbers, and nothing behind the loop reads the count before it is given another value.
with_counted_rounds <- function(expr, formals, whole = expr) {
  if (!is.call(expr)) return(expr)
  if (is_call_of(expr, "{")) {
    statements <- as.list(expr)[-1L]
    for (k in seq_along(expr)[-1L]) if (is_call_of(expr[[k]], "while")) {
      made <- counted_rounds(statements, k - 1L, whole, formals)
      if (!is.null(made)) expr[[k]] <- structure(made, written = shown_code(expr[[k]]))
    }
  }
  for (k in seq_along(expr)) if (k > 1L && !is_empty_argument(expr[[k]])) expr[k] <- list(with_counted_rounds(expr[[k]], formals, whole))
  expr
}

# The loop for statement `k` of a block; NULL: it stays as it is.
counted_rounds <- function(statements, k, whole, formals) {
  test <- statements[[k]][[2L]]
  block <- statements[[k]][[3L]]
  if (!is_call_of(test, c("<=", "<")) || !is.symbol(test[[2L]]) || !is_call_of(block, "{") || length(block) < 3L) return(NULL)
  i <- test[[2L]]
  name <- as.character(i)
  last <- block[[length(block)]]
  raised <- is_call_of(last, c("<-", "=")) && identical(last[[2L]], i) && is_one_more(last[[3L]], i)
  rounds <- block[-length(block)]
  if (!raised || name %in% assigned_names(rounds) || any(c("next", "break", "return", "function") %in% all.names(rounds))) return(NULL)
  behind <- statements[seq_along(statements) > k]
  start <- value_before(statements[seq_len(k - 1L)], name)
  outside <- sum(all.names(whole) == name) - sum(unlist(lapply(statements, all.names)) == name)
  if (is.null(start) || outside != 0L || name %in% formals || !begins_anew(behind, name) || !begins_anew(statements, name)) return(NULL)
  end <- test[[3L]]
  if (!is_known_end(end, whole, formals, c(name, assigned_names(rounds)), statements[[k]])) return(NULL)
  if (is_call_of(test, "<")) end <- call("-", end, 1)
  # R counts in doubles: the number of the round is an integer only as an index.
  rounds <- with_numbers_as_doubles(rounds, i)
  call("if", call(">=", end, start), call("for", i, call(":", start, end), rounds))
}

# Whether what reads a variable comes behind a statement that gives it another value.
begins_anew <- function(statements, name) {
  first <- Find(function(one) name %in% all.names(one), statements)
  is.null(first) || (is_call_of(first, c("<-", "=")) && identical(first[[2L]], as.symbol(name)) && !name %in% all.names(first[[3L]]))
}

is_one_more <- function(expr, i) {
  one <- function(x) is.numeric(x) && length(x) == 1L && x == 1
  is_call_of(expr, "+") && length(expr) == 3L && ((identical(expr[[2L]], i) && one(expr[[3L]])) || (identical(expr[[3L]], i) && one(expr[[2L]])))
}

# The whole number, a double, that a variable has been given last; NULL: that is not known. What stands before the statement does not matter, what comes behind it does.
value_before <- function(statements, name) {
  for (one in rev(statements)) {
    if (is_call_of(one, c("<-", "=")) && identical(one[[2L]], as.symbol(name))) {
      value <- one[[3L]]
      return(if (is.double(value) && length(value) == 1L && is.finite(value) && value == round(value) && value >= 1 && value < 1e9) value)
    }
    if (name %in% assigned_names(one)) return(NULL)
  }
}

# length(y), nrow(X), numbers, sums and differences of them, and variables that are given such a value once, by a statement of the body before
# the loop. `changed`: names that rounds give values.
is_known_end <- function(expr, whole, formals, changed, loop, depth = 5L) {
  if (is.numeric(expr)) return(length(expr) == 1L && is.finite(expr) && expr == round(expr))
  if (is_call_of(expr, c("length", "nrow", "ncol", "NROW", "NCOL")) && length(expr) == 2L) {
    of <- all.vars(expr)
    return(length(of) > 0L && !any(of %in% assigned_names(whole)) && all(all.names(expr[[2L]]) %in% c(of, "$")))
  }
  if (is_call_of(expr, c("+", "-")) && length(expr) == 3L) return(is_known_end(expr[[2L]], whole, formals, changed, loop, depth) && is_known_end(expr[[3L]], whole, formals, changed, loop, depth))
  if (!is.symbol(expr) || depth == 0L) return(FALSE)
  name <- as.character(expr)
  if (name %in% c(formals, changed, arguments_within(whole)) || sum(assigned_names(whole) == name) != 1L) return(FALSE)
  for (part in statements_before(whole)) {
    if (has_part(part, loop)) return(FALSE)
    if (is_call_of(part, c("<-", "=")) && identical(part[[2L]], expr)) return(is_known_end(part[[3L]], whole, formals, changed, loop, depth - 1L))
  }
  FALSE
}

has_part <- function(expr, part) identical(expr, part) || (is.call(expr) && any(vapply(given_parts(expr), has_part, NA, part)))

# i as a double where it is no index.
with_numbers_as_doubles <- function(expr, i, index = FALSE) {
  if (identical(expr, i)) return(if (index) i else call("as.double", i))
  if (!is.call(expr)) return(expr)
  places <- is_call_of(expr, c("[", "[["))
  inner <- index && is_call_of(expr, c("+", "-", "("))
  for (k in seq_along(expr)) if (k > 1L && !is_empty_argument(expr[[k]])) expr[k] <- list(with_numbers_as_doubles(expr[[k]], i, if (places) k > 2L else inner))
  expr
}
