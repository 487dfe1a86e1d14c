# Sums of elements that a test chooses which only the body knows, as sum(dnorm(y[id == k], m[k])) in a loop over k: as sums over all elements
# of which the others have no part. And tests of vectors of texts, which R makes.

# sum(), mean() and length() of what is computed element by element of x[test]; NULL: the call stays as it is. The compiler takes the second
# argument of .chosen(), R the first.
chosen_reduced <- function(expr, head, known, part, walk) {
  if (length(expr) != 2L || !is.null(names(expr))) return(NULL)
  found <- chosen_within(expr[[2L]])
  if (is.null(found) || !is.null(known(found$test))) return(NULL)
  there <- if (found$mixed) of_known_side(found$test, none_missing, known, part)
  if (found$mixed && is.null(there)) return(NULL)
  test <- walk(found$test)
  if (identical(found$value, found$of[[1L]]) && head == "length") found$value <- 0
  value <- walk(found$value)
  chosen <- call("ifelse", test, value, 0L)
  instead <- switch(head,
    sum = call("sum", chosen),
    mean = call("/", call("sum", chosen), call("sum", test)),
    max = , min = , prod = extreme_of_chosen(head, value, test),
    length = call("sum", call("|", call("is.na", test), test))
  )
  if (is.null(instead)) return(NULL)
  lengths <- c(
    lapply(found$of, function(x) call("==", call("length", walk(x)), call("length", test))),
    lapply(found$ones, function(x) call("==", call("length", walk(x)), 1L)),
    if (found$mixed) list(call("==", call("length", there), 1L))
  )
  fits <- Reduce(function(a, b) call("&&", a, b), lengths)
  call(".chosen", expr, call("if", fits, instead, expr))
}

# crossprod(A), crossprod(A, B), t(A) %*% B, colSums(A), colMeans(A) and nrow(A) of rows that a test chooses, Z[test, , drop = FALSE]: of all rows,
# of which the others are 0. Without drop = FALSE one row is a vector, so that no group may have one row alone. NULL: another call.
chosen_products <- function(expr, head, known, part, walk) {
  if (!is.null(names(expr))) return(NULL)
  parts <- as.list(expr)[-1L]
  if (head == "%*%") {
    if (!is.call(parts[[1L]]) || !identical(parts[[1L]][[1L]], quote(t)) || length(parts[[1L]]) != 2L) return(NULL)
    parts[[1L]] <- parts[[c(1L, 2L)]]
  }
  if (!length(parts) %in% if (head == "crossprod") 1:2 else if (head == "%*%") 2L else 1L) return(NULL)
  found <- lapply(parts, chosen_rows_within)
  if (any(vapply(found, is.null, NA)) || (!head %in% c("crossprod", "%*%") && !found[[1L]]$rows)) return(NULL)
  test <- same_test(found[[1L]]$test, found[[length(found)]]$test)
  if (is.null(test) || !is.null(known(test))) return(NULL)
  drops <- any(vapply(found, function(one) isTRUE(one$drops), NA))
  mixed <- !identical(found[[1L]]$test, found[[length(found)]]$test) || any(vapply(found, function(one) isTRUE(one$mixed), NA))
  alone <- if (drops) of_known_side(test, single_rows, known, part)
  there <- if (mixed) of_known_side(test, none_missing, known, part)
  if ((drops && is.null(alone)) || (mixed && is.null(there))) return(NULL)
  test <- walk(test)
  masked <- lapply(found, function(one) if (one$rows) call(".rows_chosen", test, walk(one$value)) else call("ifelse", test, walk(one$value), 0))
  instead <- switch(head,
    crossprod = , "%*%" = as.call(c(quote(crossprod), masked)),
    colSums = call("colSums", masked[[1L]]),
    colMeans = call("/", call("colSums", masked[[1L]]), call("sum", test)),
    call("sum", call("|", call("is.na", test), test))
  )
  lengths <- unlist(lapply(found, function(one) c(
    lapply(one$of, function(x) call("==", call(if (one$rows) "nrow" else "length", walk(x)), call("length", test))),
    if (isTRUE(one$drops)) lapply(one$of, function(x) call(">", call("ncol", walk(x)), 1L)), # of one column they are a vector, too
    lapply(one$ones, function(x) call("==", call("length", walk(x)), 1L))
  )), recursive = FALSE)
  if (mixed) lengths <- c(lengths, call("==", call("length", there), 1L))
  made <- call("if", Reduce(function(a, b) call("&&", a, b), lengths), instead, expr)
  if (drops) made <- call("if", call("==", call("length", alone), 1L), made, call(".refused", paste0("`", shown_line(expr), "`: some group has one row alone, which is a vector in R. Write Z[id == i, , drop = FALSE], or `own` for the test")))
  call(".chosen", expr, made)
}

# What a function says of the data `id` in a test id == i, as a part of one element or of two; NULL: another test.
of_known_side <- function(test, says, known, part) {
  test <- bare_test(test)
  sides <- if (identical(test[[1L]], quote(`==`))) Filter(Negate(is.null), lapply(as.list(test)[-1L], known))
  if (length(sides) == 1L) part(as.call(list(says, sides[[1L]])), call(if (identical(says, none_missing)) "missing" else "single rows", sides[[1L]]))
}
# Two elements where some value is there once, and where one is missing: x[id == i] and x[which(id == i)] are the same where none is.
single_rows <- function(id) {
  if (is_resident(id)) id <- in_r(id)
  logical(if (any(!id %in% id[duplicated(id)])) 2L else 1L)
}
none_missing <- function(id) {
  if (is_resident(id)) id <- in_r(id)
  logical(if (anyNA(id)) 2L else 1L)
}

# A test without what which() leaves out, (t) & !is.na(t), and without parentheses.
bare_test <- function(test) {
  while (is.call(test) && identical(test[[1L]], quote(`(`))) test <- test[[2L]]
  if (is.call(test) && identical(test[[1L]], quote(`&`)) && length(test) == 3L) {
    inner <- test[[2L]]
    while (is.call(inner) && identical(inner[[1L]], quote(`(`))) inner <- inner[[2L]]
    if (identical(test[[3L]], call("!", call("is.na", inner)))) test <- inner
  }
  if (is.call(test)) attr(test, "written") <- NULL
  test
}
# The test that two of them are where none is missing, of which one may be that of which(). NULL: they differ.
same_test <- function(a, b) {
  if (identical(a, b)) return(a)
  if (identical(bare_test(a), bare_test(b))) bare_test(a)
}

# What chosen_within() gives, and whether these are rows of a matrix.
chosen_rows_within <- function(expr) {
  while (is.call(expr) && identical(expr[[1L]], quote(`(`))) expr <- expr[[2L]]
  if (!is_chosen_rows(expr)) {
    found <- chosen_within(expr)
    return(if (!is.null(found)) c(found, rows = FALSE))
  }
  if (has_chosen(expr[[2L]])) return(NULL)
  while (identical(expr[[c(3L, 1L)]], quote(`(`))) expr[[3L]] <- expr[[c(3L, 2L)]]
  list(test = expr[[3L]], value = expr[[2L]], of = list(expr[[2L]]), rows = TRUE, drops = !(length(expr) == 5L && isFALSE(expr[[5L]])))
}

is_test <- function(expr) {
  while (is.call(expr) && identical(expr[[1L]], quote(`(`))) expr <- expr[[2L]]
  is.call(expr) && is.symbol(expr[[1L]]) && as.character(expr[[1L]]) %in% logical_calls
}

is_chosen <- function(expr) {
  while (is.call(expr) && identical(expr[[1L]], quote(`(`))) expr <- expr[[2L]]
  is_chosen_call(expr)
}
# y[test] and Z[test, 1].
is_chosen_call <- function(expr) {
  if (!is.call(expr) || !identical(expr[[1L]], quote(`[`)) || !length(expr) %in% 3:4 || !is.null(names(expr)) || !is_test(expr[[3L]])) return(FALSE)
  length(expr) == 3L || (length(expr[[4L]]) == 1L && (is.numeric(expr[[4L]]) || is.character(expr[[4L]])))
}

# Z[test, ] and Z[test, , drop = FALSE].
is_chosen_rows <- function(expr) {
  while (is.call(expr) && identical(expr[[1L]], quote(`(`))) expr <- expr[[2L]]
  if (!is.call(expr) || !identical(expr[[1L]], quote(`[`)) || !length(expr) %in% 4:5 || !is_test(expr[[3L]]) || !is_empty_argument(expr[[4L]])) return(FALSE)
  is.null(names(expr)) || (length(expr) == 5L && identical(names(expr), c("", "", "", "", "drop")) && is.logical(expr[[5L]]))
}

# Z[test, ] %*% b: an element for each chosen row.
is_chosen_product <- function(expr) {
  while (is.call(expr) && identical(expr[[1L]], quote(`(`))) expr <- expr[[2L]]
  is.call(expr) && identical(expr[[1L]], quote(`%*%`)) && is_chosen_rows(expr[[2L]])
}

# What leaves elements as they are.
is_passed <- function(expr) is.call(expr) && length(expr) == 2L && is.symbol(expr[[1L]]) && as.character(expr[[1L]]) %in% c("drop", "as.vector", "c")

has_chosen <- function(expr) {
  is.call(expr) && (is_chosen(expr) || is_chosen_rows(expr) || any(vapply(as.list(expr)[-1L], function(part) !is_empty_argument(part) && has_chosen(part), NA)))
}

# list(test, value, of, ones, mixed): `value` has x where an expression has x[test], `of` are these, `ones` what else stands there, which may
# not be longer than a number, and `mixed` whether which() is in some of the tests. NULL where there are several tests, or what is no function of each element.
chosen_within <- function(expr) {
  if (!has_chosen(expr)) return(NULL)
  test <- NULL
  of <- ones <- list()
  whole <- TRUE
  mixed <- FALSE
  chooses <- function(by) {
    while (identical(by[[1L]], quote(`(`))) by <- by[[2L]]
    both <- if (is.null(test)) by else same_test(test, by)
    if (is.null(both)) whole <<- FALSE
    mixed <<- mixed || !(is.null(test) || identical(test, by))
    test <<- both %||% by
  }
  replace <- function(expr) {
    while (is.call(expr) && identical(expr[[1L]], quote(`(`))) expr <- expr[[2L]]
    if (is_chosen_call(expr)) {
      if (has_chosen(expr[[2L]]) || has_chosen(expr[[3L]])) whole <<- FALSE
      chooses(expr[[3L]])
      value <- if (length(expr) == 3L) expr[[2L]] else call("[", expr[[2L]], quote(expr = ), expr[[4L]])
      of <<- c(of, value)
      return(value)
    }
    if (is_chosen_product(expr)) {
      rows <- expr[[2L]]
      while (identical(rows[[1L]], quote(`(`))) rows <- rows[[2L]]
      if (has_chosen(rows[[2L]]) || has_chosen(rows[[3L]]) || has_chosen(expr[[3L]])) whole <<- FALSE
      chooses(rows[[3L]])
      value <- call("%*%", rows[[2L]], expr[[3L]])
      of <<- c(of, value)
      return(value)
    }
    if (!has_chosen(expr) || is_reduced(expr)) {
      if (is.symbol(expr) || is.call(expr)) ones <<- c(ones, expr)
      return(expr)
    }
    if (!is.symbol(expr[[1L]]) || !(as.character(expr[[1L]]) %in% of_each_element() || is_passed(expr))) whole <<- FALSE
    for (k in seq_along(expr)[-1L]) if (whole) expr[[k]] <- replace(expr[[k]])
    expr
  }
  value <- replace(expr)
  if (whole && !is.null(test)) list(test = test, value = value, of = unique(of), ones = unique(ones), mixed = mixed)
}

# A number of all chosen elements, as mean(y[id == k]).
is_reduced <- function(expr) is.call(expr) && is.symbol(expr[[1L]]) && as.character(expr[[1L]]) %in% c("sum", "mean", "length")

# Calls that go element by element.
of_each_element <- function() {
  if (is.null(expression_state$of_each_element)) {
    rows <- language_table()
    computed <- setdiff(names(library_functions()), drawing_functions())
    expression_state$of_each_element <- c("(", "+", "-", "*", "/", "^", "abs", "log", "as.numeric", "as.double", computed, rows$name[rows$kind == "elementary"])
  }
  expression_state$of_each_element
}

# Names of functions that draw random numbers.
drawing_functions <- function() {
  if (is.null(expression_state$drawing)) {
    drawing <- names(Filter(function(row) "draws" %in% strsplit(row$flags, "[, ]+")[[1L]], library_functions()))
    expression_state$drawing <- c(drawing, paste0(drawing, "_opencl"), "sample")
  }
  expression_state$drawing
}

# A comparison of texts, one of which is a vector of them or a factor where the function is made; else the compiler knows it. `f`: the
# function, `scopes` those of with() around it.
compares_texts <- function(expr, f, known, scopes = list()) {
  if (length(expr) != 3L) return(FALSE)
  said <- vapply(as.list(expr)[-1L], is_said_text, NA)
  if (sum(said) != 1L) return(FALSE)
  value <- known(expr[[which(!said) + 1L]])
  if (is.null(value)) return(FALSE)
  for (scope in rev(scopes)) value <- call("with", if (scope$vector) call("as.list", as.symbol(scope$name)) else as.symbol(scope$name), value)
  there <- value_there(value, f)
  is.factor(there) || (is.character(there) && length(there) > 1L)
}

# What an expression is where the function is made; NULL where a call gives something in it.
value_there <- function(value, f) {
  given <- formals(f)
  in_data <- list()
  for (name in intersect(names_read(value), names(given))) {
    if (!identical(given[[name]], as.symbol(data_name(name)))) return(NULL)
    in_data[name] <- list(environment(f)[[data_name(name)]])
  }
  tryCatch(eval(value, in_data, environment(f)), error = function(e) NULL)
}

is_said_text <- function(expr) {
  is.character(expr) || (is.call(expr) && identical(expr[[1L]], quote(c)) && all(vapply(as.list(expr)[-1L], is.character, NA)))
}
