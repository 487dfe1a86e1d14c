# Other ways to read the rows of a subject: with(e, sum(y - p)) is sum(e$y - p), and subset(d, id == i) is d[which(d$id == i), ]. Which names are columns
# is said where the function is made; each call asks whether they are columns of its data frame, too, and the others none.

# `outer`: of the function itself, whose arguments are those of the call.
with_columns_of_rows <- function(expr, f, outer) {
  if (!any(c("with", "subset") %in% all.names(expr)) || !any(c("for", "sapply", "vapply", "lapply", "by") %in% all.names(expr))) return(expr)
  formals <- names(formals(f))
  changed <- c(assigned_names(expr), inner_names(expr))
  bound <- c(formals, changed)
  no_frames <- c(changed, if (!outer) formals, lists_of_gradient(attr(f, "differentiated")))
  is_frame <- function(d) is.symbol(d) && !as.character(d) %in% no_frames
  asked <- list() # by the data frame's name
  ask <- function(d, columns, variables, rows = FALSE) {
    d <- as.character(d)
    before <- asked[[d]]
    asked[[d]] <<- list(columns = union(before$columns, columns), variables = union(before$variables, variables), rows = isTRUE(before$rows) || rows)
  }
  is_column <- function(name, d) {
    there <- value_there(d, f)
    if (is.data.frame(there)) return(name %in% names(there))
    if (name %in% bound) return(FALSE)
    value <- get0(name, environment(f))
    is.null(value) || is.function(value) || length(value) != 1L
  }
  used <- all.names(expr)

  # subset(d, id == i), or what else the rows of the round `i` are.
  rows_chosen <- function(value, i) {
    if (is_call_of(value, "subset") && length(value) == 3L && is.null(names(value)) && is_frame(value[[2L]])) value <- subset_of_round(value, i) %||% value
    of <- rows_of_subject(value, i)
    if (!is.null(of) && is_frame(of$frame)) value
  }
  subset_of_round <- function(value, i) {
    d <- value[[2L]]
    test <- value[[3L]]
    if (!is_call_of(test, "==") || length(test) != 3L) return(NULL)
    at <- which(vapply(as.list(test), is_of_round, NA, i))
    if (length(at) != 1L) return(NULL)
    round <- test[[at]]
    column <- test[[5L - at]]
    if (is.symbol(column)) {
      there <- value_there(d, f)
      if (as.character(column) %in% all.vars(round) || (is.data.frame(there) && !as.character(column) %in% names(there))) return(NULL)
      ask(d, as.character(column), all.vars(round), TRUE)
      test[[5L - at]] <- call("$", d, column)
    } else if (is_call_of(column, c("$", "[[")) && length(column) == 3L && identical(column[[2L]], d) && !is.call(column[[3L]])) {
      ask(d, character(), c(as.character(d), all.vars(round)), TRUE)
    } else {
      return(NULL)
    }
    structure(call("[", d, call("which", test), quote(expr = )), written = shown_code(value))
  }

  # with(e, block) of the rows `e` of `d`; `is_own`: what the block assigns is a variable of the function around it alone. NULL: it stays.
  by_columns <- function(block, e, d, is_own = FALSE) {
    own <- assigned_names(block)
    heads <- all.names(block)
    stays <- c(name_readers, names(takers_of_functions), "function", "return", "<<-", "::", ":::", "on.exit", "environment", "parent.frame", "sys.function", "assign", "names<-")
    if (any(stays %in% heads) || e %in% heads || (length(own) > 0L && !is_own)) return(NULL)
    read <- unique(names_read(block))
    columns <- Filter(function(name) is_column(name, d), setdiff(read, own))
    ask(d, columns, setdiff(c(read, own), columns))
    walk <- function(expr) {
      if (is.symbol(expr)) return(if (as.character(expr) %in% columns) call("$", as.symbol(e), expr) else expr)
      if (!is.call(expr)) return(expr)
      last <- if (is_call_of(expr, c("$", "@"))) 2L else length(expr)
      for (k in seq_len(last)[-1L]) if (!is_empty_argument(expr[[k]])) expr[k] <- list(walk(expr[[k]]))
      expr
    }
    walk(block)
  }
  is_with <- function(expr) is_call_of(expr, "with") && length(expr) == 3L && is.null(names(expr))

  # The statements of a round, of which with(d[d$id == i, ], ...) gets a statement of its own for the rows.
  with_rows_before <- function(statement, i) {
    before <- list()
    walk <- function(expr) {
      if (!is.call(expr) || is_call_of(expr, c("function", "for", "while", "repeat", "quote", "if", "{"))) return(expr)
      value <- if (is_with(expr) && is.call(expr[[2L]])) rows_chosen(expr[[2L]], i)
      if (!is.null(value)) {
        name <- setdiff(c("rows", paste0("rows", seq_len(99L))), used)[1L]
        used <<- c(used, name)
        before[[length(before) + 1L]] <<- call("<-", as.symbol(name), value)
        expr[[2L]] <- as.symbol(name)
        return(expr)
      }
      for (k in seq_along(expr)[-1L]) if (!is_empty_argument(expr[[k]])) expr[k] <- list(walk(expr[[k]]))
      expr
    }
    statement <- walk(statement)
    c(before, list(statement))
  }
  # A block of the round `i`, or of none; `rows`: the data frame of each name that is rows of one. `is_function`: the whole body of one.
  in_block <- function(block, i, rows, is_function = FALSE) {
    statements <- if (is_call_of(block, "{")) as.list(block)[-1L] else list(block)
    if (!is.null(i)) statements <- unlist(lapply(statements, with_rows_before, i), recursive = FALSE)
    for (k in seq_along(statements)) {
      one <- statements[[k]]
      if (!is.null(i) && is_call_of(one, c("<-", "=")) && length(one) == 3L && is.symbol(one[[2L]])) {
        value <- rows_chosen(one[[3L]], i)
        name <- as.character(one[[2L]])
        if (!is.null(value)) {
          one[[3L]] <- value
          if (sum(assigned_names(expr) == name) <= 1L && !name %in% c(formals, inner_names_of_arguments)) rows[[name]] <- rows_of_subject(value, i)$frame
          statements[k] <- list(one)
          next
        }
      }
      e <- if (is_function && k == length(statements) && is_with(one) && is.symbol(one[[2L]])) as.character(one[[2L]])
      if (!is.null(e) && !is.null(rows[[e]])) {
        others <- unlist(lapply(statements[-k], all.names))
        made <- by_columns(one[[3L]], e, rows[[e]], !any(assigned_names(one[[3L]]) %in% others))
        if (!is.null(made)) {
          statements[k] <- list(made)
          next
        }
      }
      statements[k] <- list(walk(one, i, rows))
    }
    if (length(statements) == 1L && !is_call_of(block, "{")) statements[[1L]] else as.call(c(quote(`{`), statements))
  }
  walk <- function(expr, i = NULL, rows = list()) {
    if (!is.call(expr) || is_call_of(expr, "quote")) return(expr)
    if (is_with(expr) && is.symbol(expr[[2L]]) && !is.null(rows[[as.character(expr[[2L]])]])) {
      return(by_columns(expr[[3L]], as.character(expr[[2L]]), rows[[as.character(expr[[2L]])]]) %||% expr)
    }
    if (is_call_of(expr, "{")) return(in_block(expr, i, rows))
    if (is_call_of(expr, "for")) {
      expr[3L] <- list(walk(expr[[3L]], i, rows))
      expr[4L] <- list(in_block(expr[[4L]], as.character(expr[[2L]]), rows))
      return(expr)
    }
    if (is_call_of(expr, "function")) return(in_function(expr, rows))
    of <- if (is_call_of(expr, c("sapply", "vapply", "lapply", "by"))) split_by_rows(expr)
    first <- if (!is.null(of)) which(vapply(as.list(expr), is_call_of, NA, "function"))[1L]
    for (k in seq_along(expr)[-1L]) {
      if (is_empty_argument(expr[[k]])) next
      given <- if (k %in% first && length(expr[[k]][[2L]]) > 0L && (names(expr) %||% rep("", k))[k] %in% c("", "FUN")) stats::setNames(list(of), names(expr[[k]][[2L]])[1L])
      expr[k] <- list(if (is.null(given)) walk(expr[[k]], i, rows) else in_function(expr[[k]], rows, given))
    }
    expr
  }
  # `given`: the rows that its first argument is.
  in_function <- function(expr, rows, given = list()) {
    own <- names(expr[[2L]])
    inside <- c(assigned_names(expr[[3L]]), inner_names(expr[[3L]]))
    rows <- c(rows[setdiff(names(rows), c(own, inside))], given[setdiff(names(given), inside)])
    expr[3L] <- list(in_block(expr[[3L]], if (length(own) >= 1L && !own[1L] %in% inside) own[1L], rows, TRUE))
    expr
  }
  # The data frame of split(d, g) and by(d, g, f).
  split_by_rows <- function(expr) {
    of <- if (is_call_of(expr, "by")) expr else if (length(expr) > 2L && is_call_of(expr[[2L]], "split") && is.null(names(expr[[2L]]))) expr[[2L]]
    if (length(of) >= 3L && is.null(names(of)) && is_frame(of[[2L]])) of[[2L]]
  }
  inner_names_of_arguments <- arguments_within(expr)
  made <- walk(expr)
  checks <- lapply(names(asked), function(d) {
    one <- asked[[d]]
    as.call(list(quote(stopifnot), call("==", call("length", call(".columns", as.symbol(d), one$columns, one$variables, one$rows)), 1L)))
  })
  if (length(checks) == 0L) made else as.call(c(quote(`{`), checks, if (is_call_of(made, "{")) as.list(made)[-1L] else list(made)))
}

# What R evaluates at each call. `rows`: whether subset() takes rows of it; NA: nrow() counts those of subjects by that column.
checked_columns <- function(d, columns, variables, rows) {
  shown <- deparse1(substitute(d))
  if (!is.list(d)) return(TRUE) # what is read of it has errors of its own
  if (is.na(rows)) {
    absent <- setdiff(columns, names(d))
    if (length(absent) > 0L) limit_error("`", shown, "` has no column `", absent, "`, by which nrow() counts a subject's rows: leave it out of the function")
    return(TRUE)
  }
  if (rows) check_frame(d, shown)
  columns <- setdiff(columns, names(d))
  variables <- intersect(variables, names(d))
  if (length(columns) > 0L) {
    limit_error(
      "`", columns[1L], "` in with() or subset() is taken for a column of `", shown, "`, which has none of that name. Write variables outside of with(), or make the function with `",
      shown, "` in `data`, where its columns are known", absent_name_text(columns[1L], names(d), shown, TRUE)
    )
  }
  if (length(variables) > 0L) {
    limit_error(
      "`", variables[1L], "` in with() or subset() is a variable of the function or around it, and `", shown, "` has a column of that name, which R takes there. ",
      "Give the variable another name, or make the function with `", shown, "` in `data`, where its columns are known"
    )
  }
  TRUE
}
