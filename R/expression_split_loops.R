# Loops over groups, for (e in split(y, g)), and functions of the groups of several vectors, mapply(f, split(y, g), split(x, g)).

# The arguments of split(x, g) and split(x, g, drop = TRUE); NULL of another call.
split_given <- function(over) {
  given <- if (is_call_of(over, "split")) tryCatch(match.call(function(x, f, drop) NULL, over), error = function(e) NULL)
  dropped <- given$drop %||% FALSE
  if (!is.null(given$x) && !is.null(given$f) && (isTRUE(dropped) || isFALSE(dropped))) list(x = given$x, by = given$f, dropped = dropped)
}

# The loop as one that adds sums of groups, or round by round over the numbers of the groups. `whole`: the function's body, which reads `e` nowhere else.
rounds_of_groups <- function(expr, whole, known, differentiated, part, walk, is_rs) {
  over <- split_given(expr[[3L]])
  if (is.null(over)) return(NULL)
  name <- as.character(expr[[2L]])
  uses <- function(of) sum(all.names(of) == name)
  if (name %in% c(assigned_names(expr[[4L]]), inner_names(expr[[4L]]), all.vars(expr[[3L]])) || uses(whole) != uses(expr)) return(NULL)
  if (asked_of_data(expr[[4L]], name)) return(NULL)
  added <- added_by_rounds(expr, whole)
  split_into <- function(body) split_by(over$x, over$by, made_function(stats::setNames(alist(a = ), name), body), "split", over$dropped, known, differentiated, part)
  of <- if (!is.null(added)) split_into(added$body)
  found <- if (!is.null(of)) in_groups(of, is_rs)
  if (!is.null(found) && found$level == of_group) {
    sum <- chosen_groups(call("sum", walk(in_r_by_groups(".group_numbers", of, FALSE))), found, walk(call("sum", found$value)), refused_lengths(expr), of, walk)
    if (!is.null(found$own)) sum <- call(".as_apply", sum, 0, 0, walk(found$own))
    return(call("<-", added$total, call("+", added$total, sum)))
  }
  of <- split_into(expr[[4L]])
  if (is.null(of)) return(NULL)
  number <- number_of_group(expr)
  test <- bquote(!is.na(.(of$codes)) & .(of$codes) == .(number))
  replaced <- function(expr) {
    if (of$counts(expr)) return(call("sum", call("(", test)))
    whole <- of$elements(expr)
    if (!is.null(whole)) return(call("(", call("[", whole, test)))
    if (!is.call(expr)) return(expr)
    made <- expr
    for (k in seq_along(expr)[-1L]) if (!is_empty_argument(expr[[k]])) made[k] <- list(replaced(expr[[k]]))
    if (is_call_of(expr, "with") && length(expr) == 3L && name %in% all.vars(expr[[3L]])) refused_of_element(expr, name, made) else made
  }
  body <- with_chosen_inlined(replaced(expr[[4L]]))
  if (name %in% all.vars(body)) return(NULL) # a data frame that is used whole
  structure(call("for", number, call("seq_along", of$count), walk(body)), written = shown_code(expr))
}

# The variable that goes over the numbers of groups: another one where such a loop, or the user, has one of that name around it.
number_of_group <- function(expr) {
  used <- all.names(expr)
  as.symbol(setdiff(c(".group", paste0(".group", seq_along(used))), used)[1L])
}
is_number_of_group <- function(names) grepl("^[.]group[0-9]*$", names)

# Whether a list or a data frame is asked for a name before the variable of that name is, with(d, k).
asked_of_data <- function(expr, name) {
  if (!is.call(expr)) return(FALSE)
  parts <- given_parts(expr)[-1L]
  if (is_call_of(expr, c("subset", "model.matrix")) && name %in% unlist(lapply(parts[if (is_call_of(expr, "model.matrix")) TRUE else -1L], all.vars))) return(TRUE)
  for (part in parts) if (asked_of_data(part, name)) return(TRUE)
  FALSE
}

# list(total, body) of a loop that adds up, { m <- mean(e); s <- s + m^2 }: the variable, and the block that gives what is added. NULL: another loop.
added_by_rounds <- function(expr, whole) {
  block <- expr[[4L]]
  parts <- if (is_call_of(block, "{")) as.list(block)[-1L] else list(block)
  if (length(parts) == 0L || any(c("break", "next", "return", "for", "while", "repeat", "function") %in% all.names(block))) return(NULL)
  is_assigned <- function(part) is_call_of(part, c("<-", "=")) && is.symbol(part[[2L]])
  if (!all(vapply(parts, is_assigned, NA))) return(NULL)
  last <- parts[[length(parts)]]
  total <- last[[2L]]
  added <- without_total(last[[3L]], total)
  before <- parts[-length(parts)]
  own <- c(as.character(expr[[2L]]), vapply(before, function(part) as.character(part[[2L]]), ""))
  inside <- all.names(expr)
  outside <- vapply(own, function(name) sum(all.names(whole) == name) != sum(inside == name), NA)
  if (is.null(added) || any(outside) || as.character(total) %in% c(own, unlist(lapply(before, all.names)), all.names(added))) return(NULL)
  list(total = total, body = if (length(before) == 0L) added else as.call(c(quote(`{`), before, list(added))))
}

# mapply(function(u, v) ..., split(y, g), split(x, g)) as sapply(split(seq_along(y), g), function(i) ...) with y[i] for u and x[i] for v, and Map() so
# as lapply(). Of other vectors .along(y, x) asks for the same length where R computes: R's groups of a longer vector are other ones. NULL: other
# arguments.
mapped_over_splits <- function(expr) {
  is_map <- is_call_of(expr, "Map")
  names <- names(expr) %||% rep("", length(expr))
  f_at <- c(which(names %in% c("FUN", "f")), setdiff(which(!nzchar(names)), 1L))[1L]
  rest <- setdiff(seq_along(expr)[-1L], f_at)
  f <- if (!is.na(f_at)) expr[[f_at]]
  if (!is_call_of(f, "function") || length(rest) == 0L || any(nzchar(names[rest])) || length(f[[2L]]) != length(rest)) return(NULL)
  over <- lapply(as.list(expr)[rest], split_given)
  if (any(vapply(over, is.null, NA))) return(NULL)
  same <- vapply(over, function(one) identical(one$by, over[[1L]]$by) && identical(one$dropped, over[[1L]]$dropped), NA)
  formals <- names(f[[2L]])
  body <- f[[3L]]
  inside <- c(assigned_names(body), inner_names(body))
  if (!all(same) || any(formals %in% inside) || any(unlist(lapply(over, function(one) all.vars(one$x))) %in% c(formals, inside))) return(NULL)
  i <- as.symbol(setdiff(paste0(".i", seq_len(99L)), all.names(expr))[1L])
  if (any(vapply(formals, asked_of_data, NA, expr = body))) return(NULL)
  shadows <- vapply(formals, function(name) name %in% unlist(lapply(over, function(one) all.vars(one$x))), NA)
  if (any(shadows)) return(NULL)
  for (k in seq_along(formals)) body <- substituted(body, formals[k], call("[", over[[k]]$x, i))
  first <- over[[1L]]
  others <- unique(Filter(function(x) !identical(x, first$x), lapply(over[-1L], function(one) one$x)))
  along <- if (length(others) == 0L) call("seq_along", first$x) else as.call(c(quote(.along), first$x, others))
  groups <- as.call(c(list(quote(split), along, first$by), if (first$dropped) list(drop = TRUE)))
  made <- call(if (is_map) "lapply" else "sapply", groups, made_function(stats::setNames(alist(a = ), as.character(i)), body))
  if (is_map || length(others) == 0L) return(made)
  same_length <- Reduce(function(a, b) call("&&", a, b), lapply(others, function(x) call("==", call("length", x), call("length", first$x))))
  call("if", same_length, made, call(".refused", paste0("`", shown_line(expr), "`: vectors that are split by the same groups have the same length")))
}
along_in_r <- function(x, ...) {
  for (other in list(...)) if (length(other) != length(x)) limit_error("Map() and mapply() of split(y, g) and split(x, g): vectors that are split by the same groups have the same length")
  seq_along(x)
}

# ---- max(), min() and prod() of elements that a test chooses

# As of all elements of which the others change nothing; `x`: what is chosen of. NULL: of extremes it has to be known that there are some, as there
# are of groups.
extreme_of_chosen <- function(head, x, test) {
  if (head == "prod") return(call("prod", call("ifelse", test, x, 1L)))
  if (!any(is_number_of_group(all.vars(test)))) return(NULL)
  least <- if (head == "max") -Inf else Inf
  as_integer <- call(head, call("ifelse", test, call("as.integer", x), if (head == "max") -.Machine$integer.max else .Machine$integer.max))
  call("if", call("is.double", x), call(head, call("ifelse", test, x, least)), as_integer)
}

# Levels of split(), where a function of each group has no value of one without elements; `...`: what is split, to which the groups are recycled.
counted_full_levels <- function(group, dropped, ...) {
  levels <- factor_of_split(group, dropped)
  n <- length_of_all(...)
  if (any(tabulate(if (is.na(n)) levels else rep_len(as.integer(levels), n), nlevels(levels)) == 0L)) {
    limit_error("max() and min() of a level without elements are infinite in R, with a warning: take droplevels() of the groups before the call")
  }
  counted_levels(group, dropped)
}
