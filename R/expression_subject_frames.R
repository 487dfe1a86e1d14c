# Data frames of subjects: e <- d[d$id == i, ] in a loop over subjects, sum(sapply(split(d, d$id), function(e) ...)) with a loop over the rows of e, and
# functions of subjects that have a name. Columns take their place, e$y as (d$y[d$id == i]), and loops over subjects do the rest.

# What stands for them has R's functions of these names: where the user has others, the body stays.
functions_of_subjects <- c("sapply", "vapply", "lapply", "split", "unique", "by", "aggregate", "match", "length", "seq_along", "seq_len", "nlevels", "as.factor", "as.integer", "nrow", "NROW", "which", "sum", "unlist")

# A body without them. Where a data frame is used in another way than by its columns and number of rows it stays.
with_subject_frames <- function(expr, formals, outer) {
  if (!any(c("for", "sapply", "vapply", "lapply") %in% all.names(expr))) return(expr)
  expr <- with_numbered_subjects(expr, formals)
  made <- with_frames_in_rounds(expr, expr, formals)
  counted <- unique(rows_counted(made, if (!outer) formals))
  checks <- lapply(counted, function(one) call("stopifnot", call("==", call("length", call(".columns", one[[2L]], one[[3L]], character(), NA)), 1L)))
  if (length(checks) == 0L) made else as.call(c(quote(`{`), checks, if (is_call_of(made, "{")) as.list(made)[-1L] else list(made)))
}

# The columns d[["y"]] whose elements are counted for nrow(e) (columns_of_frame()), of data frames that are none of `left`: without that column R
# has rows all the same.
rows_counted <- function(expr, left) {
  if (!is.call(expr)) return(list())
  if (is_call_of(expr, "length") && grepl("^(nrow|NROW)[(]", attr(expr, "written") %||% "") && is_call_of(expr[[2L]], "(")) {
    column <- expr[[c(2L, 2L, 2L)]]
    return(if (is_call_of(column, "[[") && is.symbol(column[[2L]]) && !as.character(column[[2L]]) %in% left) list(column) else list())
  }
  unlist(lapply(given_parts(expr), rows_counted, left), recursive = FALSE)
}

# s <- by(d, d$g, f) where the only use of s is in what follows, and a <- aggregate(y ~ g, d, sum) where only a$y is read: what they are stands there.
with_summaries_in_place <- function(expr, formals, env) {
  if (!is_call_of(expr, "{") || !any(c("by", "aggregate") %in% all.names(expr))) return(expr)
  for (k in seq_along(expr)[-1L]) {
    statement <- expr[[k]]
    if (!is_call_of(statement, c("<-", "=")) || length(statement) != 3L || !is.symbol(statement[[2L]]) || !is_call_of(statement[[3L]], c("by", "aggregate"))) next
    name <- as.character(statement[[2L]])
    value <- statement[[3L]]
    later <- as.list(expr)[seq_along(expr) > k]
    uses <- sum(unlist(lapply(later, all.names)) == name)
    if (name %in% c(formals, arguments_within(expr)) || sum(all.names(expr) == name) != uses + 1L) next
    if (any(c(name, all.vars(value)) %in% unlist(lapply(later, assigned_names))) || any(all.names(value) %in% unlist(lapply(later, inner_names)))) next
    if ((is_call_of(value, "by") && uses != 1L) || draws_numbers(value, env)) next
    if (is_call_of(value, "aggregate") && sum(vapply(later, calls_of, 0L, is_column_of, name)) != uses) next
    expr[seq_along(expr) > k] <- lapply(later, substituted, name, value)
    expr[[k]] <- NULL
    return(with_summaries_in_place(expr, formals, env))
  }
  expr
}

# nll <- function(e) { ... } where sapply(split(d, d$id), nll) alone reads it.
with_functions_in_place <- function(expr, formals) {
  if (!is_call_of(expr, "{") || !any(c("sapply", "vapply", "lapply") %in% all.names(expr))) return(expr)
  for (k in seq_along(expr)[-1L]) {
    statement <- expr[[k]]
    if (!is_call_of(statement, c("<-", "=")) || length(statement) != 3L || !is.symbol(statement[[2L]]) || !is_call_of(statement[[3L]], "function")) next
    name <- as.character(statement[[2L]])
    f <- statement[[3L]]
    if (length(f[[2L]]) == 0L || !all(vapply(f[[2L]], is_empty_argument, NA)) || name %in% c(formals, inner_names(expr))) next
    if (sum(all.names(expr) == name) != 2L) next
    # What the function reads is as it is where it is called, unless a function there has a variable of that name.
    later <- as.list(expr)[seq_along(expr) > k]
    if (any(names_from_outside(f) %in% c(unlist(lapply(later, inner_names)), names_of_local_blocks(later)))) next
    placed <- lapply(later, with_function_in_call, name, without_last_return(f))
    if (name %in% unlist(lapply(placed, all.names))) next
    expr[seq_along(expr) > k] <- placed
    expr[[k]] <- NULL
    return(with_functions_in_place(expr, formals))
  }
  expr
}

# Names that a function of one argument reads before it gives them a value, as far as its block's statements say so, and those of calls.
names_from_outside <- function(f) {
  statements <- block_parts(f[[3L]])
  own <- Filter(function(name) begins_anew(statements, name), assigned_names(f[[3L]]))
  setdiff(all.names(f[[3L]]), c(names(f[[2L]]), own))
}

# Names that local(), with() and their like give values.
names_of_local_blocks <- function(statements) {
  walk <- function(expr) {
    if (!is.call(expr)) return(character())
    own <- if (is_call_of(expr, c("local", "with", "within", "eval", "evalq"))) all.names(expr)
    c(own, unlist(lapply(given_parts(expr), walk)))
  }
  unlist(lapply(statements, walk))
}

with_function_in_call <- function(expr, name, f) {
  if (!is.call(expr)) return(expr)
  if (is_call_of(expr, c("sapply", "vapply", "lapply")) && length(expr) >= 3L && is_call_of(expr[[2L]], c("split", "unique"))) {
    at <- which(vapply(as.list(expr), identical, NA, as.symbol(name)))
    further <- length(expr) - 3L - is_call_of(expr, "vapply") # the function's arguments besides its first one
    if (length(at) == 1L && (at == 3L || identical(names(expr)[at], "FUN")) && (length(f[[2L]]) == 1L || further == length(f[[2L]]) - 1L)) expr[[at]] <- f
    return(expr)
  }
  for (k in seq_along(expr)) if (!is_empty_argument(expr[[k]])) expr[k] <- list(with_function_in_call(expr[[k]], name, f))
  expr
}

# A function whose last statement is return(x), and that has no other.
without_last_return <- function(f) {
  block <- f[[3L]]
  last <- if (is_call_of(block, "{")) block[[length(block)]] else block
  if (!is_call_of(last, "return") || length(last) != 2L || sum(all.names(block) == "return") != 1L) return(f)
  if (is_call_of(block, "{")) block[[length(block)]] <- last[[2L]] else block <- last[[2L]]
  f[3L] <- list(block)
  f
}

with_frames_in_rounds <- function(expr, whole, formals) {
  if (!is.call(expr) || is_call_of(expr, "quote")) return(expr)
  if (is_call_of(expr, "sum") && length(expr) == 2L && is.null(names(expr))) expr <- sum_of_split_frames(expr, whole)
  if (is_call_of(expr, "for")) expr[4L] <- list(with_frames_in_block(expr[[4L]], as.character(expr[[2L]]), whole, formals))
  if (is_call_of(expr, "function") && length(expr[[2L]]) == 1L) {
    expr[3L] <- list(with_frames_in_block(expr[[3L]], names(expr[[2L]]), whole, formals))
  }
  for (k in seq_along(expr)) if (k > 1L && !is_empty_argument(expr[[k]]) && is.call(expr[[k]])) expr[k] <- list(with_frames_in_rounds(expr[[k]], whole, formals))
  expr
}

# e <- d[d$id == i, ] in a block of the round `i`.
with_frames_in_block <- function(block, i, whole, formals) {
  if (!is_call_of(block, "{")) return(block)
  for (k in seq_along(block)[-1L]) {
    statement <- block[[k]]
    of <- if (is_call_of(statement, c("<-", "=")) && length(statement) == 3L && is.symbol(statement[[2L]])) rows_of_subject(statement[[3L]], i)
    if (is.null(of)) next
    name <- as.character(statement[[2L]])
    assigned <- assigned_names(whole)
    rest <- as.list(block)[seq_along(block) > k]
    uses <- sum(unlist(lapply(rest, all.names)) == name)
    changed <- setdiff(c(unlist(lapply(rest, assigned_names)), unlist(lapply(rest, inner_names))), "")
    if (name %in% c(formals, arguments_within(whole)) || sum(assigned == name) != 1L || uses + 1L != sum(all.names(whole) == name)) next
    if (any(c(as.character(of$frame), all.names(of$test)) %in% c(name, changed)) || as.character(of$frame) %in% c(assigned, inner_names(whole))) next
    columns <- lapply(rest, columns_of_frame, name, of$frame, of$test, column_read(as.call(c(quote(`{`), rest)), as.symbol(name)))
    if (name %in% unlist(lapply(columns, all.names))) next
    block[seq_along(block) > k] <- columns
    block[[k]] <- NULL
    return(with_frames_in_block(block, i, whole, formals))
  }
  block
}

# list(frame, test) of d[test, ] and d[which(test), ], where the test asks for the round; NULL of others.
rows_of_subject <- function(value, i) {
  if (!is_call_of(value, "[") || length(value) != 4L || !is.null(names(value)) || !is.symbol(value[[2L]]) || is_empty_argument(value[[3L]]) || !is_empty_argument(value[[4L]])) return(NULL)
  test <- value[[3L]]
  asked <- if (is_call_of(test, "which") && length(test) == 2L) test[[2L]] else test
  if (!is_call_of(asked, "==") || length(asked) != 3L || !any(vapply(as.list(asked)[-1L], is_of_round, NA, i))) return(NULL)
  if (!identical(asked, test)) test <- structure(bquote((.(asked)) & !is.na(.(asked))), written = shown_code(test)) # as an index of each column
  list(frame = value[[2L]], test = test)
}

# i and ids[i].
is_of_round <- function(expr, i) identical(expr, as.symbol(i)) || (is_call_of(expr, "[") && length(expr) == 3L && is.symbol(expr[[2L]]) && identical(expr[[3L]], as.symbol(i)))

# e$y as (d$y[test]), nrow(e) as the length of a column that is read.
columns_of_frame <- function(expr, name, frame, test, first = NULL) {
  e <- as.symbol(name)
  rows <- function(column, shown) structure(call("(", call("[", column, test)), written = shown_code(shown))
  first <- first %||% column_read(expr, e)
  walk <- function(expr) {
    if (!is.call(expr)) return(expr)
    if (length(expr) == 3L && identical(expr[[2L]], e) && (is_call_of(expr, "$") || (is_call_of(expr, "[[") && is.character(expr[[3L]])))) {
      return(rows(as.call(list(expr[[1L]], frame, expr[[3L]])), expr))
    }
    if (is_call_of(expr, "[") && length(expr) == 4L && is.null(names(expr)) && identical(expr[[2L]], e) && is.character(expr[[4L]])) {
      column <- rows(call("[[", frame, expr[[4L]]), call("[", e, quote(expr = ), expr[[4L]]))
      return(if (is_empty_argument(expr[[3L]])) column else call("[", column, walk(expr[[3L]])))
    }
    if (is_call_of(expr, c("nrow", "NROW")) && length(expr) == 2L && identical(expr[[2L]], e) && !is.null(first)) {
      return(structure(call("length", rows(call("[[", frame, first), call("[[", e, first))), written = shown_code(expr)))
    }
    if (is_call_of(expr, c("<-", "=")) && e_is_changed(expr[[2L]], e)) return(expr)
    for (k in seq_along(expr)) if (k > 1L && !is_empty_argument(expr[[k]])) expr[k] <- list(walk(expr[[k]]))
    expr
  }
  walk(expr)
}
e_is_changed <- function(target, e) is.call(target) && e_of_target(target, e)
e_of_target <- function(target, e) identical(target, e) || (is.call(target) && e_of_target(target[[2L]], e))

# The first column of `e` that an expression reads, as a text.
column_read <- function(expr, e) {
  if (!is.call(expr)) return(NULL)
  if (is_call_of(expr, c("$", "[[")) && length(expr) == 3L && identical(expr[[2L]], e) && (is.character(expr[[3L]]) || is_call_of(expr, "$"))) return(as.character(expr[[3L]]))
  for (part in given_parts(expr)) {
    found <- column_read(part, e)
    if (!is.null(found)) return(found)
  }
}

# sum(sapply(split(d, d$id), function(e) { ... })) with a loop in the function, as over the numbers of the groups: summed_over_subjects().
sum_of_split_frames <- function(expr, whole) {
  applied <- expr[[2L]]
  if (is_call_of(applied, "unlist") && length(applied) == 2L) applied <- if (is_call_of(applied[[2L]], "lapply")) applied[[2L]]
  if (!is_call_of(applied, c("sapply", "vapply", "lapply"))) return(expr)
  given <- tryCatch(match.call(get(as.character(applied[[1L]]), baseenv()), applied), error = function(e) NULL)
  f <- if (is_call_of(given$FUN, "function")) without_last_return(given$FUN)
  split <- split_given(given$X)
  if (is.null(f) || is.null(split) || split$dropped || !is.symbol(split$x) || length(f[[2L]]) != 1L || !goes_over_rows(f[[3L]], names(f[[2L]]))) return(expr)
  e <- names(f[[2L]])
  body <- f[[3L]]
  if (is.null(column_read(body, as.symbol(e))) || !(is.call(split$by) || is.symbol(split$by)) || is_call_of(split$by, c("list", "interaction", "~"))) return(expr)
  if (e %in% c(assigned_names(body), inner_names(body)) || any(c(as.character(split$x), all.vars(split$by)) %in% c(e, assigned_names(body), inner_names(body)))) return(expr)
  i <- as.symbol(setdiff(paste0(".of_group", seq_len(99L)), all.names(whole))[1L])
  codes <- call("as.factor", split$by)
  body <- columns_of_frame(body, e, split$x, call("==", call("as.integer", codes), i))
  if (e %in% all.names(body)) return(expr)
  given$X <- call("seq_len", call("nlevels", codes))
  given$FUN <- made_function(stats::setNames(alist(a = ), as.character(i)), body)
  structure(call("sum", if (is_call_of(applied, "lapply")) call("unlist", given) else given), written = shown_code(expr))
}

# Whether one of a block's statements is a loop over what is read of `e`, itself or by a name that is given to it before.
goes_over_rows <- function(block, e) {
  names <- e
  for (one in block_parts(block)) {
    if (is_call_of(one, "for") && any(names %in% all.vars(one[[3L]]))) return(TRUE)
    if (is_call_of(one, c("<-", "=")) && is.symbol(one[[2L]]) && any(names %in% all.vars(one[[3L]]))) names <- c(names, as.character(one[[2L]]))
  }
  FALSE
}
