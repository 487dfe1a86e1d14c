# Parts of data frames: e <- d[d$x > 0, ], subset(d, x > 0), na.omit(d), model.matrix(~ x, d). R makes them before the launch, at each call, and an
# expression reads their elements as those of lists that are given, e$y and with(e, ...).

# Calls whose value may be a data frame.
frame_makers <- c("[", "subset", "head", "tail", "na.omit", "data.frame", "merge", "droplevels")

# list(body, frames): the body without statements that make such parts, and what R is to evaluate for each name that stands for one, by name.
without_frames <- function(f, outer) {
  if (!any(c(frame_makers, "model.matrix") %in% all.names(body(f)))) return(list(body = body(f), frames = list()))
  f <- with_body(f, with_own_frames(body(f), names(formals(f))))
  is_rs <- rs_seen_from(f)
  known <- known_to_r(f, outer, is_rs)
  value_of <- function(made) {
    value <- known(made)
    if (!is.null(value) && !reads_differentiated(value, attr(f, "differentiated"))) return(value)
    limit_error(
      "`", shown_line(made), "`: R makes parts of data before the launch, of variables, numbers and arguments that are not in `gradient`. ",
      "Choose by what the function computes in its terms, sum(ifelse(test, term, 0)), or give the rows as an argument. An element of one row is d$y[i]"
    )
  }
  frames <- list()
  parts <- if (is_call_of(body(f), "{")) as.list(body(f))[-1L] else list(body(f))
  made <- logical(length(parts))
  for (k in seq_along(parts)) {
    name <- frame_assigned(parts[[k]], parts[-seq_len(k)])
    if (is.null(name) || name %in% names(formals(f))) next
    frames[[name]] <- value_of(parts[[k]][[3L]])
    made[k] <- TRUE
  }
  left <- if (length(frames) > 0L) as.call(c(quote(`{`), parts[!made])) else body(f)
  read <- frames_where_read(left, f, is_rs, value_of)
  frames <- c(frames, read$frames)
  list(body = with_columns(read$body, f, names(frames)), frames = frames)
}

with_body <- function(f, expr) {
  if (identical(expr, body(f))) return(f)
  kept <- attributes(f)
  body(f) <- expr
  attributes(f) <- kept
  f
}

# d <- d[d$x > 0, ] gives the variable a name of its own.
with_own_frames <- function(expr, formals) {
  if (!is_call_of(expr, "{")) return(expr)
  used <- all.names(expr)
  for (k in seq_along(expr)[-1L]) {
    name <- frame_assigned(expr[[k]], as.list(expr)[seq_along(expr) > k], TRUE)
    before <- unlist(lapply(as.list(expr)[seq_len(k - 1L)], all.vars))
    if (is.null(name) || (!name %in% c(formals, before, all.vars(expr[[c(k, 3L)]])) && sum(assigned_names(expr) == name) == 1L)) next
    own <- setdiff(paste0(name, ".", seq_along(used)), used)[1L]
    used <- c(used, own)
    expr[[c(k, 2L)]] <- as.symbol(own)
    for (j in seq_along(expr)) if (j > k) expr[j] <- list(substituted(expr[[j]], name, as.symbol(own)))
  }
  expr
}

# The name that a statement gives to a part of a data frame, which `rest`, what follows, reads as a list; NULL of others, and where it is assigned
# in `rest`. `again`: that may be another part, by a statement of the same block.
frame_assigned <- function(statement, rest, again = FALSE) {
  if (!is_call_of(statement, c("<-", "=")) || length(statement) != 3L || !is.symbol(statement[[2L]]) || !is_call_of(statement[[3L]], frame_makers)) return(NULL)
  name <- as.character(statement[[2L]])
  if (again) rest <- lapply(rest, function(part) if (is_call_of(part, c("<-", "=")) && identical(part[[2L]], statement[[2L]]) && is_call_of(part[[3L]], frame_makers)) part[[3L]] else part)
  if (name %in% unlist(lapply(rest, function(part) c(assigned_names(part), inner_names(part))))) return(NULL)
  if (any(vapply(rest, reads_as_list, NA, name))) name
}

# e$y, e[["y"]], with(e, ...), e[i, "y"], model.matrix(~ x, e).
reads_as_list <- function(expr, name) {
  if (!is.call(expr)) return(FALSE)
  of <- function(part) identical(part, as.symbol(name))
  head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
  if (length(expr) >= 3L && of(expr[[2L]])) {
    if (head %in% c("$", "with") || (head == "[[" && is.character(expr[[3L]])) || (head == "[" && length(expr) == 4L && is.character(expr[[4L]]))) return(TRUE)
  }
  if (head == "model.matrix" && any(vapply(as.list(expr)[-1L], of, NA))) return(TRUE)
  any(vapply(as.list(expr)[-1L], function(part) !is_empty_argument(part) && reads_as_list(part, name), NA))
}

# d[d$x > 0, ]$y and with(subset(d, x > 0), ...): as if a variable had the part's name.
frames_where_read <- function(expr, f, is_rs, value_of) {
  frames <- list()
  lists <- setdiff(unlist(lists_in(expr)), c(assigned_names(expr), inner_names(expr)))
  walk <- function(expr) {
    if (!is.call(expr)) return(expr)
    for (k in seq_along(expr)[-1L]) if (!is_empty_argument(expr[[k]])) expr[k] <- list(walk(expr[[k]]))
    of <- if (length(expr) > 1L && is_call_of(expr[[2L]], frame_makers) && is_rs(as.character(expr[[c(2L, 1L)]]))) expr[[2L]]
    if (is.null(of) || (is_call_of(of, "[") && (length(of) != 4L || !is_empty_argument(of[[4L]])))) return(expr)
    by_name <- is_call_of(expr, c("$", "with")) || (is_call_of(expr, "[[") && length(expr) == 3L && is.character(expr[[3L]])) ||
      (is_call_of(expr, "[") && length(expr) == 4L && is.character(expr[[4L]]))
    counts <- is_call_of(expr, c("nrow", "NROW")) && is.symbol(of[[2L]]) && (as.character(of[[2L]]) %in% lists || is_frame_there(as.character(of[[2L]]), f))
    if (!by_name && !counts) return(expr)
    frames[[deparse1(of)]] <<- value_of(of)
    expr[[2L]] <- as.symbol(deparse1(of))
    expr
  }
  list(body = walk(expr), frames = frames)
}

# Whether a name is a data frame now: a variable, or an argument with its value in `data`.
is_frame_there <- function(name, f) {
  if (name %in% names(formals(f))) {
    if (!identical(formals(f)[[name]], as.symbol(data_name(name)))) return(FALSE)
    name <- data_name(name)
  }
  is.data.frame(get0(name, environment(f)))
}

# d[i, "y"] of a data frame as d[["y"]][i].
with_columns <- function(expr, f, frames) {
  lists <- c(frames, unlist(lists_in(expr)))
  assigned <- setdiff(assigned_names(expr), frames)
  walk <- function(expr) {
    if (!is.call(expr)) return(expr)
    for (k in seq_along(expr)[-1L]) if (!is_empty_argument(expr[[k]])) expr[k] <- list(walk(expr[[k]]))
    if (!is_call_of(expr, "[") || length(expr) != 4L || !is.null(names(expr)) || !is.symbol(expr[[2L]]) || !is.character(expr[[4L]])) return(expr)
    name <- as.character(expr[[2L]])
    if (name %in% assigned || !(name %in% lists || is_frame_there(name, f))) return(expr)
    column <- call("[[", expr[[2L]], expr[[4L]])
    if (is_empty_argument(expr[[3L]])) column else structure(call("[", column, expr[[3L]]), written = deparse1(expr))
  }
  walk(expr)
}

# What R is to evaluate for parts, where names of frames stand for what R makes.
parts_of_frames <- function(parts, frames) {
  if (length(frames) == 0L) return(parts)
  lapply(parts, function(part) {
    if (!any(names(frames) %in% all.vars(part))) return(part)
    kept <- attributes(part)
    part <- with_variables_apart(part, names(frames))
    for (name in names(frames)) part <- substituted(part, name, frames[[name]])
    attributes(part) <- kept
    if (!"with" %in% all.names(part)) attr(part, "taken") <- TRUE # of data alone it is computed once
    part
  })
}

# with(e, x) of a name: its column, or the variable.
with_variables_apart <- function(expr, frames) {
  if (!is.call(expr)) return(expr)
  if (is_call_of(expr, "with") && is.symbol(expr[[2L]]) && as.character(expr[[2L]]) %in% frames && is.symbol(expr[[3L]])) {
    return(as.call(list(column_or_variable, expr[[2L]], as.character(expr[[3L]]), expr[[3L]])))
  }
  for (k in seq_along(expr)[-1L]) if (is.call(expr[[k]])) expr[[k]] <- with_variables_apart(expr[[k]], frames)
  expr
}
column_or_variable <- function(of, name, variable) if (name %in% names(of)) of[[name]] else variable

# ---- calls that look for names in a data frame first

# subset(d, x > k) and model.matrix(~ x, d) as a function of the data frame and of all names in the test or the formula, each of which is asked for
# only where the data frame has no such column. NULL: it calls functions that are not R's own.
code_of_columns <- function(expr, known, is_rs, differentiated) {
  is_subset <- identical(expr[[1L]], quote(subset))
  given <- tryCatch(match.call(if (is_subset) function(x, subset, select) NULL else function(object, data) NULL, expr), error = function(e) NULL)
  of <- if (is_subset) given$x else given$data
  if (is.null(given) || (is_subset && is.null(of)) || (!is_subset && !is_call_of(given$object, "~"))) return(NULL)
  codes <- as.list(given)[intersect(names(given), c("object", "subset", "select"))]
  called <- setdiff(unlist(lapply(codes, all.names)), unlist(lapply(codes, all.vars)))
  if (!all(vapply(called, function(name) is_rs(name) && !is.null(get0(name, asNamespace("stats"), mode = "function")), NA))) return(NULL)
  value <- if (!is.null(of)) known(of)
  if (!is.null(of) && is.null(value)) return(NULL)
  names <- setdiff(unlist(lapply(codes, all.vars)), ".")
  variables <- lapply(names, function(name) {
    found <- if (!name %in% c(differentiated, lists_of_gradient(differentiated))) known(as.symbol(name))
    found %||% as.call(list(refuse_as_column, name, shown_line(expr)))
  })
  takes <- stats::setNames(rep(alist(a = ), length(names) + !is.null(of)), c(if (!is.null(of)) ".of", names))
  made <- if (is_subset) as.call(c(list(base::subset, quote(.of)), codes)) else as.call(c(list(design_of_data, codes$object), if (!is.null(of)) quote(.of)))
  if (all(called %in% same_again)) {
    about <- as.call(c(if (is_subset) quote(subset) else quote(design), codes))
    made <- as.call(list(kept_part, call("quote", about), names_of_all(codes), if (!is.null(of)) quote(.of), made_function(alist(.name = ), quote(get(.name, envir = parent.env(environment())))), made_function(NULL, made)))
  }
  as.call(c(list(as.function(c(takes, made), envir = asNamespace("stats"))), value, variables))
}

# With the "." of a formula.
names_of_all <- function(codes) unique(unlist(lapply(codes, all.vars)))

refuse_as_column <- function(name, shown) {
  limit_error("`", shown, "`: the data have no column `", name, "`, and the function computes it, or has a gradient in it: R makes parts of data before the launch")
}

design_of_data <- function(formula, data = environment(formula)) {
  made <- stats::model.matrix(formula, data)
  matrix(as.vector(made), nrow(made), ncol(made), dimnames = dimnames(made))
}

# ---- X[, "a"] of an argument, which is a matrix or a data frame

# A matrix is an argument of the program, on whichever device it is. Of a data frame R takes the columns, so that a call with one is that of
# another function. The call that asks for these; NULL where the body has no such argument.
is_any_frame <- function(expression) {
  f <- expression$f
  if (isTRUE(attr(f, "takes_frames"))) return(NULL)
  asked <- lapply(expression$lists$columns, function(name) {
    is_frame <- as.call(list(is.data.frame, as.symbol(name)))
    read <- all.vars(as.call(c(quote(c), formals(f)[[name]]))) # by a default, which is evaluated here where it reads no others
    given_later <- any(read %in% c(names(formals(f)), assigned_names(body(f))))
    if (!is_empty_argument(formals(f)[[name]]) && !given_later) is_frame else call("&&", call("!", call_of_missing(name)), is_frame)
  })
  if (length(asked) > 0L) Reduce(function(a, b) call("||", a, b), asked)
}

# `frame`: of the function that was called, by `call`.
run_with_frames <- function(expression, frame, call) {
  if (length(expression$called) > 0L) look_up_called(expression)
  f <- expression$with_frames %||% function_of_frames(expression)
  expression$with_frames <- f
  missing <- names(formals(expression$f))[eval(expression$missing, frame)]
  run_by(f, expression, missing, frame, call)
}

function_of_frames <- function(expression) {
  f <- expression$f
  attr(f, "takes_frames") <- TRUE
  made_again(expression, f, expression$written)
}
