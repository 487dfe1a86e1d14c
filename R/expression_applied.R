# Functions of rows, of elements of several vectors and of groups, written as the language has them: apply(), mapply(), aggregate(); dmultinom();
# sort() and median() of what a body computes.

# The code of a function, as R's parser makes it: where references to its source would be stands NULL, which tools that walk through calls ask.
made_function <- function(formals, body) as.call(list(quote(`function`), as.pairlist(formals), body, NULL))

# apply(M, 1, f) and apply(M, 2, f): the function of each row or column.
rows_applied <- function(expr, walk) {
  given <- tryCatch(match.call(base::apply, expr), error = function(e) NULL)
  further <- setdiff(names(given), c("", "X", "MARGIN", "FUN"))
  if (is.null(given) || is.null(given$FUN) || !is.numeric(given$MARGIN) || !given$MARGIN %in% 1:2 || "simplify" %in% further || length(given) != 4L + length(further)) return(NULL)
  M <- walk(given$X)
  of_rows <- given$MARGIN == 1
  shown <- function(made) structure(made, written = deparse1(expr))
  at <- as.symbol(setdiff(c(".at", paste0(".at", seq_along(all.names(expr)))), all.names(expr))[1L])
  element <- if (of_rows) call("[", M, at, quote(expr = )) else call("[", M, quote(expr = ), at)
  f <- given$FUN
  if (is.call(f) && identical(f[[1L]], quote(`function`)) && length(f[[2L]]) >= 1L && length(further) == 0L) {
    body <- call("{", call("<-", as.symbol(names(f[[2L]])[1L]), shown(element)), walk(f[[3L]]))
  } else if (is.symbol(f)) {
    made <- as.call(c(list(f, element), as.list(given)[further]))
    body <- walk(made)
    if (identical(body, made)) body <- shown(body)
  } else {
    return(NULL)
  }
  applied <- made_function(stats::setNames(alist(a = ), as.character(at)), body)
  call(".as_apply", shown(call("sapply", call("seq_len", call(if (of_rows) "nrow" else "ncol", M)), applied)), M, given$MARGIN)
}

# What apply() makes of the values of rows or columns, and mapply() of a function that comes last, where R computes.
applied_in_r <- function(value, of, side, own) {
  if (is.list(value) && length(value) == 0L && side != 0) {
    of <- if (side == 1) "nrow(X)" else "ncol(X)"
    limit_error("apply() over no ", if (side == 1) "rows" else "columns", ": in R its value has the type that the function gives for zeros. Ask before, if (", of, " > 0) sum(apply(X, ", side, ", f)) else 0")
  }
  names <- if (side == 0) names(of) else dimnames(of)[[side]]
  if (is.null(names) && !missing(own) && is.null(names(value))) return(stats::setNames(value, names(own)))
  if (is.null(dim(value))) return(stats::setNames(value, if (side == 0) names_of_each(names, names(value)) else names))
  rows <- rownames(value)
  dimnames(value) <- if (!is.null(rows) || !is.null(names)) list(rows, names)
  value
}
mapped_in_r <- function(...) {
  given <- list(...)
  do.call(mapply, c(given[length(given)], given[-length(given)]), quote = TRUE)
}

# apply(M, 1, median) of data: R's.
rows_taken <- function(expr, known, differentiated, part) {
  given <- tryCatch(match.call(base::apply, expr), error = function(e) NULL)
  if (is.null(given) || !is.symbol(given$FUN) || !as.character(given$FUN) %in% c(taken_steps, taken_values)) return(NULL)
  for (k in setdiff(seq_along(given)[-1L], match("FUN", names(given)))) {
    value <- known(given[[k]])
    if (is.null(value) || reads_differentiated(value, differentiated)) return(NULL)
    given[[k]] <- value
  }
  part(as.call(list(taken_of_data, given)), expr)
}

# mapply(FUN, X, Y, MoreArgs = list(...)): arguments may have the names of FUN's, in any order.
mapped_call <- function(expr, walk) {
  parts <- as.list(expr)[-1L]
  names <- names(parts) %||% rep("", length(parts))
  more <- list()
  if ("MoreArgs" %in% names) {
    more <- parts[[match("MoreArgs", names)]]
    if (!is.call(more) || !identical(more[[1L]], quote(list)) || is.null(names(more)) || !all(nzchar(names(more)[-1L]))) return(NULL)
    more <- as.list(more)[-1L]
  }
  for (name in c("FUN", "f")) if (name %in% names) names[match(name, names)] <- "FUN" # Map() has it as `f`
  at <- if ("FUN" %in% names) match("FUN", names) else match("", names)
  f <- if (!is.na(at)) parts[[at]]
  if (is.null(f) || !is_function_given(f) || any(names %in% c("SIMPLIFY", "USE.NAMES"))) return(NULL)
  left <- setdiff(seq_along(parts), c(at, match("MoreArgs", names)))
  parts <- parts[left]
  names <- names[left]
  if (!length(parts) %in% seq_along(mapped_by_several)) return(NULL)
  f <- function_of_elements(f, names, more)
  if (!is.null(f)) as.call(c(as.symbol(names(mapped_by_several)[length(parts)]), lapply(unname(parts), walk), list(walk(f))))
}

# The function of elements alone: of so many vectors, called by these names, with what is the same for all of them. NULL: not as R has it.
function_of_elements <- function(f, names, more, used = character()) {
  if (length(more) == 0L && (is.symbol(f) && !any(nzchar(names)))) return(f)
  elements <- lapply(paste0(".element", seq_along(names)), as.symbol)
  if (is.symbol(f)) {
    formals <- stats::setNames(rep(alist(a = ), length(names)), vapply(elements, as.character, ""))
    return(made_function(formals, as.call(c(list(f), stats::setNames(elements, names), more))))
  }
  takes <- f[[2L]]
  given <- tryCatch(match.call(as.function(c(takes, list(NULL))), as.call(c(list(quote(f)), stats::setNames(elements, names), more))), error = function(e) NULL)
  given <- as.list(given)[-1L]
  from <- match(elements, given)
  if (anyNA(from) || "..." %in% names(takes)) return(NULL)
  same <- given[setdiff(seq_along(given), from)]
  inside <- c(assigned_names(f[[3L]]), inner_names(f[[3L]]))
  by_own_name <- vapply(seq_along(same), function(k) identical(same[[k]], as.symbol(names(same)[k])) && !names(same)[k] %in% inside, NA) # p = p
  own <- c(setdiff(names(takes), names(same)[by_own_name]), inside)
  same <- same[!by_own_name]
  read <- unlist(lapply(same, all.vars))
  for (name in intersect(own, read)) { # which is another one around the function
    if (any(name_readers %in% all.names(f[[3L]])) || name %in% names(same)[by_own_name]) return(NULL)
    free <- setdiff(paste0(name, ".", seq_len(length(used) + 99L)), c(used, all.names(f), read, names(f[[2L]])))[1L]
    f <- with_other_name(f, name, free)
    if (is.null(f)) return(NULL)
    names(given)[names(given) == name] <- free
    names(same)[names(same) == name] <- free
  }
  takes <- f[[2L]]
  for (name in names(same)) { # p itself, and d$y
    value <- same[[name]]
    if (!is_variable_or_element(value) || name %in% assigned_names(f[[3L]]) || any(name_readers %in% all.names(f[[3L]]))) next
    if (any(all.vars(value) %in% inner_names(f[[3L]])) || name %in% c(inner_names(f[[3L]]), called_within(f[[3L]])) || any(vapply(as.list(takes), mentions, NA, name))) next
    f[3L] <- list(substituted(f[[3L]], name, value))
    same[[name]] <- NULL
    takes[[name]] <- NULL
  }
  assigned <- lapply(names(same), function(name) call("<-", as.symbol(name), same[[name]]))
  left <- takes[setdiff(names(takes), names(given))]
  for (name in names(left)) { # a default that reads such an argument is a part of the body
    if (is_empty_argument(left[[name]]) || !any(all.vars(left[[name]]) %in% names(same))) next
    later <- setdiff(names(left)[seq_along(left) >= match(name, names(left))], "")
    if (any(all.vars(left[[name]]) %in% c(inside, later)) || name %in% inside || any(name_readers %in% all.names(f[[3L]]))) return(NULL)
    assigned <- c(assigned, list(call("<-", as.symbol(name), left[[name]])))
  }
  takes <- c(takes[names(given)[from]], left[setdiff(names(left), vapply(assigned, function(one) as.character(one[[2L]]), ""))])
  made_function(takes, if (length(assigned) == 0L) f[[3L]] else as.call(c(quote(`{`), assigned, if (is_call_of(f[[3L]], "{")) as.list(f[[3L]])[-1L] else list(f[[3L]]))))
}

# Names that an expression calls.
called_within <- function(expr) {
  if (is.pairlist(expr)) return(unlist(lapply(Filter(Negate(is_empty_argument), as.list(expr)), called_within)))
  if (!is.call(expr)) return(character())
  c(if (is.symbol(expr[[1L]])) as.character(expr[[1L]]), unlist(lapply(given_parts(expr), called_within)))
}
is_variable_or_element <- function(expr) is.symbol(expr) || (is_call_of(expr, "$") && is.symbol(expr[[2L]]))

# sapply(x, f, a) as sapply(x, function(v) f(v, a)), also of vapply(), lapply() and apply(). NULL: no further arguments.
with_further_arguments <- function(expr, used = character()) {
  takes <- switch(as.character(expr[[1L]]),
    sapply = function(X, FUN, ..., simplify, USE.NAMES) NULL, vapply = function(X, FUN, FUN.VALUE, ..., USE.NAMES) NULL,
    lapply = function(X, FUN, ...) NULL, apply = function(X, MARGIN, FUN, ..., simplify) NULL
  )
  given <- tryCatch(match.call(takes, expr, expand.dots = FALSE), error = function(e) NULL)
  further <- given$...
  if (is.null(further) || is.null(given$FUN) || !is_function_given(given$FUN)) return(NULL)
  if (is.symbol(given$FUN) && identical(expr[[1L]], quote(apply))) return(NULL) # of which rows_applied() knows more
  f <- function_of_elements(given$FUN, "", further, used)
  if (is.null(f)) {
    limit_error("`", shown_line(expr), "`: arguments for the function behind it have names that the function uses otherwise. Write function(v) f(v, a)")
  }
  given$FUN <- f
  own <- as.list(given)[-1L]
  own <- own[setdiff(intersect(names(formals(takes)), names(own)), "...")]
  names(own)[names(own) %in% c("X", "MARGIN", "FUN", "FUN.VALUE")] <- ""
  as.call(c(expr[[1L]], own))
}

# The same of functions of subjects, sapply(split(d, d$id), function(e, p) ..., p = p), before their rows are looked at.
with_arguments_of_subjects <- function(expr, used = all.names(expr)) {
  if (!is.call(expr) || is_call_of(expr, "quote")) return(expr)
  for (k in seq_along(expr)) if (k > 1L && !is_empty_argument(expr[[k]])) expr[k] <- list(with_arguments_of_subjects(expr[[k]], used))
  of_subjects <- is_call_of(expr, c("sapply", "vapply", "lapply")) && length(expr) > 3L && is_call_of(expr[[2L]], c("split", "unique")) && is_call_of(expr[[3L]], "function")
  made <- if (of_subjects) with_further_arguments(expr, used)
  if (is.null(made)) expr else structure(made, written = shown_code(expr))
}

# list(g) of one vector of groups.
of_one <- function(groups) {
  if (is.call(groups) && identical(groups[[1L]], quote(list)) && length(groups) == 2L) groups[[2L]] else groups
}

# aggregate(x, list(g), sum)$x and aggregate(y ~ g, FUN = sum)$y, of which [["y"]] and [, 2] are others: sums of groups as rowsum() has them.
aggregated <- function(expr, known, part, walk) {
  made <- expr[[2L]]
  given <- tryCatch(match.call(function(x, by, FUN) NULL, made), error = function(e) NULL)
  by_formula <- is.call(made[[2L]]) && identical(made[[2L]][[1L]], quote(`~`))
  if (by_formula) given <- tryCatch(match.call(function(formula, data, FUN) NULL, made), error = function(e) NULL)
  way <- if (is.symbol(given$FUN)) as.character(given$FUN) else ""
  if (!way %in% c("sum", "mean")) return(NULL)
  formula <- given$formula
  if (by_formula && !(length(formula) == 3L && is.symbol(formula[[2L]]) && is.symbol(formula[[3L]]))) return(NULL)
  x <- if (by_formula) formula[[2L]] else given$x
  group <- if (by_formula) formula[[3L]] else of_one(given$by)
  if (is.null(x) || is.null(group) || (!by_formula && identical(group, given$by))) return(NULL)
  name <- if (by_formula) as.character(x) else "x"
  if (!is.null(given$data)) { # where a column that is not there is an error, not a variable
    if (!is.symbol(given$data)) return(NULL)
    x <- call("[[", given$data, as.character(x))
    group <- call("[[", given$data, as.character(group))
  }
  wanted <- if (identical(expr[[1L]], quote(`[`))) {
    length(expr) == 4L && is_empty_argument(expr[[3L]]) && is.numeric(expr[[4L]]) && expr[[4L]] == 2
  } else {
    length(expr) == 3L && as.character(expr[[3L]])[1L] == name
  }
  value <- known(group)
  if (!wanted || is.null(value)) return(NULL)
  codes <- part(as.call(list(codes_of_groups, value, "aggregate")), call("codes", group))
  count <- part(as.call(list(counted_groups, value, "aggregate")), call("groups", group))
  x <- walk(x)
  call(".sums_by", if (by_formula) call(".without_na", x) else x, codes, count, way == "mean", FALSE)
}

multinomial_written <- function(expr, walk) {
  given <- tryCatch(match.call(stats::dmultinom, expr), error = function(e) NULL)
  if (is.null(given$x) || is.null(given$prob)) return(NULL)
  call(".multinomial", walk(given$x), walk(given$prob), if (is.null(given$log)) FALSE else walk(given$log), if (!is.null(given$size)) walk(given$size))
}

# weighted.mean(x, w), with `na.rm` where that is TRUE or FALSE as it is written.
weighted_mean_written <- function(expr, walk) {
  given <- tryCatch(match.call(function(x, w, ..., na.rm = FALSE) NULL, expr), error = function(e) NULL)
  if (is.null(given$x) || is.null(given$w) || !all(names(given)[-1L] %in% c("x", "w", "na.rm")) || !(is.null(given$na.rm) || isTRUE(given$na.rm) || isFALSE(given$na.rm))) return(NULL)
  x <- walk(given$x)
  call(if (isTRUE(given$na.rm)) ".weighted_known" else ".weighted", x, walk(given$w))
}

# sort(), median(), quantile() and range() of what a gradient is in: which elements those are is R's to say.
ordered_of_computed <- function(expr, head, known, differentiated, part, walk) {
  x <- expr[[2L]]
  if (head == "range" && length(expr) == 2L && is.null(names(expr))) return(call("c", call("min", walk(x)), call("max", walk(x))))
  if (head == "quantile") return(quantile_of_computed(expr, known, differentiated, part, walk))
  if (!head %in% c("sort", "median")) return(NULL)
  given <- tryCatch(match.call(if (head == "sort") function(x, decreasing) NULL else function(x) NULL, expr), error = function(e) NULL)
  value <- known(given$x)
  decreasing <- given$decreasing %||% FALSE
  if (is.null(value) || !is.logical(decreasing)) return(NULL)
  if (head == "sort") return(call("[", walk(given$x), part(as.call(list(sorted_places, value, decreasing)), expr)))
  middle <- call("[", walk(given$x), part(as.call(list(middle_places, value)), expr))
  # One element has the type of the vector, and no name.
  call("if", call("==", call("length", middle), 1L), call("as.vector", middle), call("mean", middle))
}

# quantile(x, probs), of type 7: between two neighbours in order.
quantile_of_computed <- function(expr, known, differentiated, part, walk) {
  given <- tryCatch(match.call(function(x, probs, na.rm, names, type) NULL, expr), error = function(e) NULL)
  value <- known(given$x)
  probs <- if (is.null(given$probs)) seq(0, 1, 0.25) else known(given$probs)
  leaves_out <- given$na.rm %||% FALSE
  with_names <- given$names %||% TRUE
  if (is.null(value) || is.null(probs) || reads_differentiated(probs, differentiated) || !is.logical(leaves_out) || !is.logical(with_names) || !(given$type %||% 7) %in% 7) return(NULL)
  taken <- function(what, of) part(as.call(list(quantile_part, value, probs, leaves_out, with_names, what)), call(of, expr))
  x <- call("(", walk(given$x))
  below <- call("[", x, taken("below", "below"))
  above <- call("[", x, taken("above", "above"))
  weight <- taken("weight", "weight")
  bquote(ifelse(.(weight) == 0, .(below), (1 - .(weight)) * .(below) + .(weight) * .(above)))
}

# The places of the neighbours of a quantile, and how far it is from the first one. Errors are R's.
quantile_part <- function(x, probs, leaves_out, with_names, what) {
  if (is_resident(x)) x <- in_r(x)
  if (!leaves_out && anyNA(x)) argument_error("missing values and NaN's not allowed if 'na.rm' is FALSE")
  if (any(probs < -100 * .Machine$double.eps | probs > 1 + 100 * .Machine$double.eps, na.rm = TRUE)) argument_error("'probs' outside [0,1]")
  places <- order(x, na.last = NA)
  index <- 1 + max(length(places) - 1, 0) * pmax(0, pmin(1, probs))
  below <- places[floor(index)]
  above <- places[ceiling(index)]
  if (what == "below") return(below)
  if (what == "above") return(above)
  same <- x[below] == x[above]
  weight <- ifelse(is.na(same) | same, 0, index - floor(index))
  if (with_names) stats::setNames(weight, names(stats::quantile(0, probs))) else as.vector(weight)
}

sorted_places <- function(x, decreasing) {
  if (is_resident(x)) x <- in_r(x)
  order(x, na.last = NA, decreasing = decreasing)
}

# Of the one or two elements whose mean the median is; NA where it is NA.
middle_places <- function(x) {
  if (is_resident(x)) x <- in_r(x)
  if (length(x) == 0L || anyNA(x)) return(NA_integer_)
  half <- (length(x) + 1L) %/% 2L
  order(x)[half + if (length(x) %% 2L == 1L) 0L else 0:1]
}
