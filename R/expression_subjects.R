# Loops over the rows of each subject, for (i in unique(id)) { yi <- y[id == i]; a <- 0; for (t in seq_along(yi)) a <- phi * a + yi[t]; s <- s + a }, as
# one loop over all rows in the order of the subjects: what stands before the inner loop runs at a subject's first row, and what stands behind it at
# its last one. So the statements run one after the other as R runs them, and a program has one loop, however many subjects there are.

#' @name opencl_language
#' @section Loops over subjects: A loop over the rows of each subject is one loop over all rows, however many subjects there are:
#'   \preformatted{s <- 0
#' for (i in unique(id)) {
#'   yi <- y[id == i]
#'   a <- 0
#'   for (t in seq_along(yi)) { a <- phi * a + yi[t]; s <- s + dnorm(a, m, 1, log = TRUE) }
#' }}
#'   So is the same in \code{sapply(unique(id), function(i) ...)} and \code{sum(sapply(split(y, id), function(v) ...))}, whose value stands at the function's end. Each round of the inner loop reads
#'   \code{yi[t]} and, in \code{2:length(yi)}, \code{seq_along(yi)[-1]} or behind \code{if (t > 1)}, \code{yi[t - 1]}. What stands before it, in it and behind it reads
#'   \code{yi[1]}, \code{yi[length(yi)]}, \code{length(yi)}, \code{sum(yi)} and \code{mean(yi)}. There may be several such vectors, and \code{own <- which(id == i)} with \code{for (j in own)}. Every subject
#'   has a row, and none is missing: else the call stops. Values have the names of what \code{sapply()} goes over; those of the elements of \code{y} and
#'   of parameters are lost. \code{sum(sapply())} of integers beyond the integers is an error: let the function give \code{as.numeric()}.
#'
#'   Rows of a data frame, which a list is not, are taken so, too: \code{e <- d[d$id == i, ]}, \code{sum(sapply(split(d, d$id), function(e) ...))} and a function of the body that
#'   is given by its name, \code{sum(sapply(split(d, d$id), nll))}, where \code{e$y}, \code{e[t, "y"]}, \code{nrow(e)} and
#'   \code{with(e, sum(y - p[1] * x))} are all that is read of \code{e}. \code{e <- subset(d, id == i)} is \code{d[which(d$id == i), ]}. In these two a name that is an argument or
#'   a variable of the function, or a number outside of it, is that, and others are columns, unless \code{d} is in \code{data} or there when the function is made, where its columns are
#'   known. A call with a data frame of other columns is an error. After
#'   \code{ids <- unique(id)} the loop may be \code{for (j in seq_along(ids))} with \code{y[id == ids[j]]} and \code{u[j]}.
#'
#'   \code{for (lev in levels(g))} and \code{sapply(levels(g), function(lev) ...)} ask \code{g == lev}, as do those over \code{unique(s)} of texts that are there
#'   when the function is made.
#' @section Recursions: \code{Reduce(function(a, b) phi * a + b, y, 0, accumulate = TRUE)} is a loop over the elements of a vector, with \code{init}, \code{right} and
#'   \code{accumulate}, whose values have no names. So is \code{filter(x, a, method = "recursive")} of one number \code{a}, whose value is no time series.
NULL

# The loop; NULL: another one. `whole`: the function's body, which reads the variables of both loops nowhere else.
rows_of_subjects <- function(expr, whole, known, part) {
  i <- expr[[2L]]
  made <- subject_loop(expr[[3L]], i, block_parts(expr[[4L]]), NULL, expr, known, part)
  if (is.null(made)) return(NULL)
  outside <- function(name) sum(all.names(whole) == name) != sum(all.names(expr) == name)
  if (outside(as.character(i)) || outside(made$t)) NULL else structure(as.call(c(quote(`{`), made$statements)), written = shown_code(expr))
}

# list(over, i, block, like) of sapply(unique(id), function(i) { ... }), also of vapply() and lapply(), and of split(y, id) and function(v); NULL of others,
# and of functions without a loop.
function_of_subjects <- function(applied, whole) {
  if (!is_call_of(applied, c("sapply", "vapply", "lapply"))) return(NULL)
  given <- tryCatch(match.call(get(as.character(applied[[1L]]), baseenv()), applied), error = function(e) NULL)
  f <- given$FUN
  if (!all(names(given) %in% c("", "X", "FUN", "FUN.VALUE")) || !(is.null(given$FUN.VALUE) || is_double_like(given$FUN.VALUE))) return(NULL)
  if (!is_call_of(f, "function") || length(f[[2L]]) != 1L || !"for" %in% all.names(f[[3L]]) || any(c("return", "with") %in% all.names(f[[3L]]))) return(NULL)
  name <- names(f[[2L]])
  body <- f[[3L]]
  if (name %in% c(assigned_names(body), inner_names(body))) return(NULL)
  over <- given$X
  split <- split_given(over)
  if (!is.null(split)) {
    if (split$dropped || any(names_read(split$x) %in% assigned_names(body))) return(NULL)
    i <- setdiff(paste0(".of_group", seq_len(99L)), all.names(whole))[1L]
    codes <- call("as.factor", split$by)
    body <- substituted(body, name, call("(", call("[", split$x, call("==", call("as.integer", codes), as.symbol(i)))))
    over <- call("seq_len", call("nlevels", codes))
    name <- i
  }
  list(over = over, i = as.symbol(name), block = body, like = given$FUN.VALUE, is_split = !is.null(split))
}

# sum(sapply(unique(id), function(i) { ... })), of vapply() and of unlist(lapply()) too, whose function has such a loop.
summed_over_subjects <- function(expr, whole, known, part) {
  applied <- if (is_call_of(expr, "sum") && length(expr) == 2L && is.null(names(expr))) expr[[2L]]
  if (is_call_of(applied, "unlist") && length(applied) == 2L) applied <- if (is_call_of(applied[[2L]], "lapply")) applied[[2L]]
  of <- function_of_subjects(applied, whole)
  if (is.null(of)) return(NULL)
  free <- function(stem) as.symbol(setdiff(paste0(stem, seq_len(99L)), all.names(whole))[1L])
  total <- free(".of_sum")
  one <- free(".of_one")
  all_integers <- free(".of_type") # an integer until a value is none
  keep <- function(value, at_row) {
    added <- list(call("<-", one, call("sum", value)), call("<-", total, call("+", total, one)))
    if (is.null(of$like)) added[[3L]] <- call("if", call("!", call("is.integer", one)), call("<-", all_integers, 0))
    as.call(c(quote(`{`), added))
  }
  made <- subject_loop(of$over, of$i, block_parts(block_with_values(of$block, list(), all.names(whole), expr)), keep, expr, known, part)
  if (is.null(made)) return(NULL)
  # A sum of integers is an integer, or a double where it is beyond them.
  fits <- structure(as.call(list(quote(stopifnot), bquote(is.na(.(total)) | abs(.(total)) <= 2147483647))), names = c("", paste0(
    "`", shown_line(expr), "` is beyond the integers, where R has a double: let the function give as.numeric() of its value"
  )))
  value <- if (is.null(of$like)) call("if", call("is.integer", all_integers), call("{", fits, call("as.integer", total)), total) else total
  begin <- list(call("<-", total, 0), if (is.null(of$like)) call("<-", all_integers, 0L))
  as.call(c(quote(`{`), Filter(Negate(is.null), begin), made$statements, value))
}

# sapply(unique(id), function(i) { ... }) as the vector of all values, with the names that R gives it.
values_of_subjects <- function(expr, whole, known, part) {
  of <- function_of_subjects(expr, whole)
  if (is.null(of) || of$is_split || is_call_of(expr, "lapply")) return(NULL)
  all <- as.symbol(setdiff(paste0(".of_all", seq_len(99L)), all.names(whole))[1L])
  keep <- function(value, at_row) call("<-", call("[", all, at_row("code")), structure(call(".one_number", value), written = shown_code(value)))
  made <- subject_loop(of$over, of$i, block_parts(block_with_values(of$block, list(), all.names(whole), expr)), keep, expr, known, part)
  if (is.null(made)) return(NULL)
  of_lapply <- isTRUE(attr(expr, "of_lapply"))
  named <- part(as.call(list(named_subjects, known(of$over), of_lapply)), call(paste("named subjects", of_lapply), of$over))
  as.call(c(quote(`{`), call("<-", all, call("rep", if (is.null(of$like)) FALSE else 0, call("length", named))), made$statements, call(".as_apply", all, named, 0)))
}
named_subjects <- function(over, of_lapply) {
  if (is_resident(over)) over <- in_r(over)
  stats::setNames(logical(length(over)), names(over) %||% if (is.character(over) && !of_lapply) over)
}

block_parts <- function(block) {
  if (!is_call_of(block, "{")) return(list(block))
  found <- list()
  for (one in as.list(block)[-1L]) found <- c(found, if (is_call_of(one, "{")) block_parts(one) else list(one))
  found
}

# list(statements, t) of a subject's statements, of which one goes over its rows. `keep`: makes the statement that keeps the value of the last one, if
# not NULL.
subject_loop <- function(over, i, parts, keep, expr, known, part) {
  parts <- with_places_inlined(parts)
  at <- which(vapply(parts, function(one) is_call_of(one, "for") && reads_subject(one[[3L]], i, parts), NA))
  if (length(at) != 1L || length(parts) == 0L) return(NULL)
  id <- id_of_subject(parts, i)
  of <- list(id = if (!is.null(id)) known(id), over = known(over))
  if (is.null(of$id) || is.null(of$over)) return(NULL)
  loop <- parts[[at]]
  before <- parts[seq_len(at - 1L)]
  after <- parts[-seq_len(at)]
  names <- c(unlist(lapply(parts, assigned_names)), unlist(lapply(parts, inner_names)))
  t <- as.character(loop[[2L]])
  if (as.character(i) %in% c(names, names_read(id)) || any(names_read(id) %in% names) || sum(names == t) > 1L || t %in% unlist(lapply(c(before, after), names_used))) return(NULL)
  if (any(c("next", "break", "return", "while", "repeat") %in% unlist(lapply(parts, all.names)))) return(NULL)
  r <- as.symbol(setdiff(paste0(".at", seq_len(99L)), all.names(expr))[1L])
  rows <- subject_rows(of, id, over, part, startsWith(as.character(i), ".of_group")) # split() leaves missing ones out
  reader <- subject_reader(id, i, r, rows, before, names)
  range <- reader$range(loop[[3L]])
  if (is.null(range)) return(NULL)
  at_row <- function(which) call("[", rows(which), r)
  replaced <- callCC(function(leave) {
    reader$leave <- function() leave(NULL)
    if (!is.null(keep) && length(after) == 0L) leave(NULL)
    value <- if (!is.null(keep)) after[[length(after)]]
    if (is_call_of(value, "if") && length(value) == 3L) leave(NULL) # NULL where the test is false
    if (!is.null(keep)) after <- after[-length(after)]
    all <- list(
      before = lapply(Filter(Negate(reader$is_places), before), reader$replace, "first"),
      each = reader$replace(loop[[4L]], "each", loop[[2L]], range), after = lapply(after, reader$replace, "last")
    )
    if (!is.null(keep)) all$after <- c(all$after, keep(reader$replace(value, "last"), at_row))
    all
  })
  if (is.null(replaced)) return(NULL)
  assigned <- unlist(lapply(replaced$before, assigned_names))
  as_block <- function(parts) as.call(c(quote(`{`), parts))
  adds <- vapply(replaced$before, adds_to_total, NA, assigned) # to what there is before the first subject
  given <- replaced$before[!adds]
  if (length(assigned) > 0L && length(read_first(as_block(given), unique(assigned))) > 0L) return(NULL) # which runs ahead, too
  each <- if (range$from == 2L) call("if", call("!", at_row("first")), replaced$each) else replaced$each
  round <- c(if (length(replaced$before) > 0L) call("if", at_row("first"), as_block(replaced$before)), each, if (length(replaced$after) > 0L) call("if", at_row("last"), as_block(replaced$after)))
  ahead <- lapply(given, function(one) without_warning(substituted(one, as.character(r), 1L)))
  list(statements = c(reader$vectors(), ahead, call("for", r, call("seq_along", rows(if (range$from == 2L && is.null(range$none)) "more" else "order")), as_block(round))), t = t)
}

# Whether a statement is total <- total + value, and the only one of the `assigned` that gives the total a value.
adds_to_total <- function(statement, assigned) {
  if (!is_call_of(statement, c("<-", "=")) || !is.symbol(statement[[2L]]) || sum(assigned == as.character(statement[[2L]])) != 1L) return(FALSE)
  value <- statement[[3L]]
  is_call_of(value, c("+", "-")) && length(value) == 3L && identical(value[[2L]], statement[[2L]]) && !as.character(statement[[2L]]) %in% names_read(value[[3L]])
}

# A statement that the loop runs again, where it warns.
without_warning <- function(statement) {
  if (is_call_of(statement, "{")) {
    for (k in seq_along(statement)[-1L]) statement[k] <- list(without_warning(statement[[k]]))
    return(statement)
  }
  value <- if (is_call_of(statement, c("<-", "=")) && length(statement) == 3L) statement[[3L]]
  if (is.call(value) && !is_call_of(value, c("numeric", "integer", "logical", "vector", "rep", "rep_len", "matrix", "c", "list", "function", "{", "if", "suppressWarnings"))) {
    statement[[3L]] <- call("suppressWarnings", value)
  }
  statement
}

# v <- y[own] of own <- which(id == i), where it is read.
with_places_inlined <- function(parts) {
  names <- unlist(lapply(parts, assigned_names))
  once <- function(one) is_call_of(one, c("<-", "=")) && is.symbol(one[[2L]]) && sum(names == as.character(one[[2L]])) == 1L
  own <- character()
  inlined <- logical(length(parts))
  for (k in seq_along(parts)) {
    one <- parts[[k]]
    if (!once(one)) next
    value <- one[[3L]]
    if (is_call_of(value, "which")) own <- c(own, as.character(one[[2L]]))
    is_chosen <- is_call_of(value, "[") && length(value) == 3L && is.symbol(value[[3L]]) && as.character(value[[3L]]) %in% own && !any(names_read(value[[2L]]) %in% names)
    if (!is_chosen) next
    for (j in seq_along(parts)) if (j > k) parts[j] <- list(substituted(parts[[j]], as.character(one[[2L]]), call("(", value)))
    inlined[k] <- TRUE
  }
  parts[!inlined]
}

is_subject_test <- function(test, id, i) {
  test <- bare_test(test)
  is.call(test) && length(test) == 3L && (identical(test, call("==", id, i)) || identical(test, call("==", i, id)))
}

# The data `id` of the first test id == i.
id_of_subject <- function(parts, i) {
  for (one in parts) {
    if (!is.call(one)) next
    if (is_call_of(one, "==") && length(one) == 3L) for (k in 2:3) if (identical(one[[k]], i)) return(one[[5L - k]])
    found <- id_of_subject(given_parts(one), i)
    if (!is.null(found)) return(found)
  }
}

# Whether what a loop goes over is the subject's, itself or by a name that one of the statements gives it.
reads_subject <- function(over, i, parts) {
  if (as.character(i) %in% all.vars(over)) return(TRUE)
  for (one in parts) {
    if (is_call_of(one, c("<-", "=")) && is.symbol(one[[2L]]) && as.character(one[[2L]]) %in% all.vars(over) && as.character(i) %in% all.vars(one[[3L]])) return(TRUE)
  }
  FALSE
}

# What R says of the rows in the order of the subjects, by what is asked: arguments of the program.
subject_rows <- function(of, id, over, part, is_split) {
  function(what) part(as.call(list(subjects_in_order, of$id, of$over, what, is_split)), call(paste("subjects", what), id, over))
}
subjects_in_order <- function(id, over, what, is_split) {
  shown <- paste0("loops over the rows of subjects, y[", deparse1(without_checks(substitute(id))), " == i]: ")
  if (is_resident(id)) id <- in_r(id)
  if (is_resident(over)) over <- in_r(over)
  if (!is_split && (anyNA(id) || anyNA(over))) limit_error(shown, "no subject may be missing, of which y[NA] has elements in R")
  if (length(over) == 0L) limit_error(shown, "there are no subjects")
  if (anyDuplicated(over) > 0L) limit_error(shown, "a subject has one round of the loop")
  codes <- match(id, over)
  sizes <- tabulate(codes, length(over))
  if (any(sizes == 0L)) limit_error(shown, "there is a subject without rows: take droplevels() of a factor before the call, and subjects that are there, unique(id)")
  order <- order(codes, na.last = NA)
  codes <- codes[order]
  switch(what,
    order = order, code = codes, first = !duplicated(codes), last = !duplicated(codes, fromLast = TRUE), size = sizes[codes], place = sequence(sizes), start = rep(cumsum(sizes) - sizes + 1L, sizes), end = rep(cumsum(sizes), sizes), count = logical(length(id)), groups = logical(length(over)),
    more = if (any(sizes == 1L)) limit_error(shown, "2:length(yi) goes down to 1 in R for a subject with one row") else order,
    number = if (is.numeric(over)) over[codes] else limit_error(shown, "the subject itself is a text, or a factor's level: use seq_along(levels(id)) and as.integer(id)")
  )
}

# What R evaluates, without the functions that ask whether a name is a data frame.
without_checks <- function(expr) {
  if (!is.call(expr)) return(expr)
  if (is.function(expr[[1L]]) && length(expr) == 2L) return(without_checks(expr[[2L]]))
  for (k in seq_along(expr)[-1L]) if (!is_empty_argument(expr[[k]])) expr[k] <- list(without_checks(expr[[k]]))
  expr
}

# Functions about expressions of a subject: range(over) is list(from, places) of what the inner loop goes over, replace(expr, where, t, range) has rows of
# all data for the subject's elements, is_places(statement) says whether it gives which(id == i) a name, and vectors() gives those data in order.
subject_reader <- function(id, i, r, rows, before, assigned) {
  own <- new.env()
  own$data <- list()
  own$sums <- list() # those of each subject's elements, by name
  bare <- function(expr) {
    while (is_call_of(expr, "(") && length(expr) == 2L) expr <- expr[[2L]]
    expr
  }
  is_places_call <- function(value) is_call_of(bare(value), "which") && length(bare(value)) == 2L && is_subject_test(bare(value)[[2L]], id, i)
  own$is_places <- function(one) is_call_of(one, c("<-", "=")) && is.symbol(one[[2L]]) && sum(assigned == as.character(one[[2L]])) == 1L && is_places_call(one[[3L]])
  places <- vapply(Filter(own$is_places, before), function(one) as.character(one[[2L]]), "")
  is_index <- function(expr) {
    expr <- bare(expr)
    (is.symbol(expr) && as.character(expr) %in% places) || is_subject_test(expr, id, i) || is_places_call(expr)
  }
  # list(value, of, ones): the data of which an expression is the subject's part, what of it has to be as long as `id`, and what to have length one.
  data_of <- function(expr) {
    expr <- bare(expr)
    reads_own <- function(data) any(names_read(data) %in% c(assigned, as.character(i)))
    if (is_call_of(expr, "[") && length(expr) == 3L && is_index(expr[[3L]]) && !reads_own(expr[[2L]])) return(list(value = expr[[2L]], of = expr[2L], ones = list()))
    found <- if (is.call(expr) && !is_call_of(expr, "[")) chosen_within(expr)
    if (!is.null(found) && is_subject_test(found$test, id, i) && !reads_own(found$value)) found[c("value", "of", "ones")]
  }
  # What a subject's length is of has to be as long as `id`, too.
  has_data <- function(expr) {
    data <- data_of(expr)
    if (!is.null(data)) vector_of(data)
    !is.null(data)
  }
  is_count <- function(expr) {
    if (is_call_of(expr, "length") && length(expr) == 2L) return(has_data(expr[[2L]]) || (is.symbol(expr[[2L]]) && as.character(expr[[2L]]) %in% places))
    if (is_call_of(expr, "sum") && length(expr) == 2L) return(is_subject_test(bare(expr[[2L]]), id, i))
    if (!is.symbol(expr) || sum(assigned == as.character(expr)) != 1L) return(FALSE)
    for (one in before) if (is_call_of(one, c("<-", "=")) && identical(one[[2L]], expr)) return(is_count(one[[3L]]))
    FALSE
  }
  own$range <- function(over) {
    over <- bare(over)
    if (is_call_of(over, "seq_along") && length(over) == 2L && (has_data(over[[2L]]) || is_index(over[[2L]]) && !is_subject_test(bare(over[[2L]]), id, i))) return(list(from = 1L, places = FALSE))
    if (is_call_of(over, "seq_len") && length(over) == 2L && is_count(over[[2L]])) return(list(from = 1L, places = FALSE))
    if (is_call_of(over, "[") && length(over) == 3L && identical(over[[3L]], quote(-1)) && is_call_of(over[[2L]], c("seq_along", "seq_len"))) {
      all <- own$range(over[[2L]])
      return(if (!is.null(all)) list(from = 2L, places = FALSE, none = TRUE)) # of one row there are no rounds
    }
    if (is_call_of(over, ":") && is_count(over[[3L]]) && over[[2L]] %in% list(1, 2, 1L, 2L)) return(list(from = as.integer(over[[2L]]), places = FALSE))
    if (!is_subject_test(over, id, i) && is_index(over)) list(from = 1L, places = TRUE)
  }
  vector_of <- function(data) {
    for (name in names(own$data)) if (identical(own$data[[name]], data)) return(as.symbol(name))
    name <- paste0(".of_rows", length(own$data) + 1L)
    own$data[[name]] <- data
    as.symbol(name)
  }
  at_row <- function(what) call("[", rows(what), r)
  sum_of <- function(data, as_double) {
    z <- vector_of(data)
    if (as_double) z <- call("as.numeric", z)
    for (name in names(own$sums)) if (identical(own$sums[[name]], z)) return(call("[", as.symbol(name), at_row("code")))
    name <- paste0(".of_sums", length(own$sums) + 1L)
    own$sums[[name]] <- z
    call("[", as.symbol(name), at_row("code"))
  }
  # `behind`: so many rows of the subject are known to be before this one.
  own$replace <- function(expr, where, t = NULL, range = NULL, behind = if (is.null(range)) 0L else range$from - 1L) {
    again <- function(part, behind) own$replace(part, where, t, range, behind)
    as_users <- function(made) structure(made, written = shown_code(as_written(expr, character())))
    if (!is.null(t) && identical(expr, t)) return(as_users(at_row(if (range$places) "order" else "place")))
    if (identical(expr, i)) return(if (startsWith(as.character(i), ".")) at_row("number") else as_users(at_row("number")))
    if (is.symbol(expr) && as.character(expr) %in% places) own$leave()
    if (!is.call(expr)) return(expr)
    if (is_call_of(expr, "$")) {
      expr[[2L]] <- again(expr[[2L]], behind)
      return(expr)
    }
    if (is_count(expr)) return(as_users(at_row("size")))
    is_own <- is_call_of(expr, c("[", "[[")) && length(expr) == 3L && is.symbol(expr[[2L]]) && as.character(expr[[2L]]) %in% places
    data <- if (is_call_of(expr, c("[", "[[")) && length(expr) == 3L) data_of(expr[[2L]])
    if (!is.null(data) || is_own) {
      z <- if (is_own) rows("order") else vector_of(data)
      place <- bare(expr[[3L]])
      if (is.numeric(place) && isTRUE(place == 1)) return(as_users(call("[", z, if (where == "first") r else at_row("start"))))
      if (is_count(place)) return(as_users(call("[", z, if (where == "last") r else at_row("end"))))
      if (where != "each" || range$places) own$leave()
      if (identical(place, t)) return(as_users(call("[", z, r)))
      lag <- if (is_call_of(place, "-") && length(place) == 3L && identical(place[[2L]], t) && is.numeric(place[[3L]])) place[[3L]]
      if (is.null(lag) || !lag %in% seq_len(behind)) own$leave()
      return(as_users(call("[", z, call("-", r, lag))))
    }
    if (is_call_of(expr, c("sum", "mean")) && length(expr) == 2L && is.null(names(expr))) {
      of <- data_of(expr[[2L]])
      if (!is.null(of)) return(as_users(if (is_call_of(expr, "sum")) sum_of(of, FALSE) else call("/", sum_of(of, TRUE), at_row("size"))))
    }
    if (!is.null(data_of(expr)) || is_index(expr) || is_call_of(expr, "function")) own$leave()
    if (!is.null(t) && !range$places && is_call_of(expr, "if")) { # if (t > 1) and if (t == 1)
      later <- identical(expr[[2L]], call(">", t, 1)) || identical(expr[[2L]], call("!=", t, 1)) || identical(expr[[2L]], call(">=", t, 2))
      start <- identical(expr[[2L]], call("==", t, 1))
      for (k in seq_along(expr)[-1L]) expr[k] <- list(again(expr[[k]], if ((later && k == 3L) || (start && k == 4L)) max(behind, 1L) else behind))
      return(expr)
    }
    for (k in seq_along(expr)[-1L]) if (!is_empty_argument(expr[[k]])) expr[k] <- list(again(expr[[k]], behind))
    expr
  }
  own$vectors <- function() c(own$vectors_in_order(), lapply(names(own$sums), function(name) {
    call("<-", as.symbol(name), call(".sums_by", own$sums[[name]], rows("code"), rows("groups"), FALSE, FALSE))
  }))
  own$vectors_in_order <- function() unlist(lapply(names(own$data), function(name) {
    data <- own$data[[name]]
    has_length <- function(of, n, text) structure(as.call(list(quote(stopifnot), call("==", call("length", of), n))), names = c("", paste0("`", shown_line(of), "` ", text)))
    c(
      lapply(data$of, has_length, call("length", rows("count")), paste0("and `", shown_line(id), "` have different lengths, where a loop goes over the rows of subjects")),
      lapply(data$ones, has_length, 1L, "stands beside the elements of a subject, and is no number"),
      list(call("<-", as.symbol(name), call("[", data$value, rows("order"))))
    )
  }), recursive = FALSE)
  own
}
