# Elements that a test chooses and a variable keeps, yy <- y[id == k], and functions of each group, sapply(split(y, g), f): as chosen_reduced()
# takes them.

# Blocks without variables of chosen elements: where such a variable is read there stands what it is. A test that is an index, too.
with_chosen_inlined <- function(expr, whole = expr) {
  if (!is.call(expr)) return(expr)
  if (identical(expr[[1L]], quote(`function`))) {
    expr[3L] <- list(with_chosen_inlined(expr[[3L]]))
    return(expr)
  }
  if (identical(expr[[1L]], quote(`{`))) {
    parts <- as.list(expr)[-1L]
    inlined <- logical(length(parts))
    for (k in seq_along(parts)) {
      made <- chosen_assigned(parts[[k]], parts[-seq_len(k)], whole)
      if (is.null(made)) next
      inlined[k] <- TRUE
      for (j in seq_along(parts)) if (j > k) parts[j] <- list(substituted(parts[[j]], made$name, made$value, made$count))
    }
    expr <- as.call(c(quote(`{`), parts[!inlined]))
  }
  for (k in seq_along(expr)[-1L]) if (is.call(expr[[k]])) expr[k] <- list(with_chosen_inlined(expr[[k]], whole))
  expr
}

# A body in which s <- factor(s), of an argument or a variable, gives the variable a name of its own.
with_own_factors <- function(expr) {
  if (!is.call(expr) || !identical(expr[[1L]], quote(`{`))) return(expr)
  assigned <- assigned_names(expr)
  for (k in seq_along(expr)[-1L]) {
    part <- expr[[k]]
    if (!is.call(part) || !as.character(part[[1L]])[1L] %in% c("<-", "=") || !is.symbol(part[[2L]]) || !is.call(part[[3L]])) next
    name <- as.character(part[[2L]])
    makes <- c("factor", "as.factor", "cut", "droplevels", "relevel", "interaction", "match", "findInterval", "rank", "order", "match.arg")
    if (!any(makes %in% all.names(part[[3L]])) || !name %in% all.vars(part[[3L]]) || sum(assigned == name) != 1L) next
    own <- as.symbol(paste0(name, ".made"))
    expr[[c(k, 2L)]] <- own
    for (j in seq_along(expr)) if (j > k) expr[j] <- list(substituted(expr[[j]], name, own))
  }
  expr
}

# A body in which what is assigned a name again, t <- t[o], gives it a name of its own from there on, so that what R computes of the data before,
# o <- order(t), can be told from it. Of names that only statements of the body itself assign, and that R may have to compute with.
with_names_apart <- function(expr, takes, differentiated) {
  if (!is_call_of(expr, "{") || !any(c(taken_steps, taken_values, "[") %in% all.names(expr))) return(expr)
  if (any(c("with", "local", "missing", "cbind", "rbind", "data.frame", "match.arg", "quote") %in% all.names(expr))) return(expr)
  assigned <- assigned_names(expr)
  inner <- c(inner_names(expr), unlist(lapply(functions_assigned(expr), function(name) unlist(lapply(functions_made(expr, name), all.vars)))))
  by_defaults <- unlist(lapply(names(takes), function(name) all.vars(default_of(takes, name)))) # which R evaluates later
  formals <- names(takes)
  asked <- setdiff(names_asked(expr), by_defaults)
  for (name in setdiff(sort(unique(assigned)), c(inner, differentiated))) {
    at <- which(vapply(as.list(expr), function(part) is_call_of(part, c("<-", "=")) && length(part) == 3L && identical(part[[2L]], as.symbol(name)), NA))
    before <- if (length(at) > 0L) c(as.list(expr)[seq_len(at[1L] - 1L)], expr[[at[1L]]][[3L]])
    is_there <- name %in% formals || name %in% unlist(lapply(before, all.vars))
    if (!name %in% asked || length(at) != sum(assigned == name) || length(at) + is_there < 2L) next
    now <- name
    for (k in if (is_there) at else at[-1L]) {
      own <- setdiff(paste0(name, ".", seq_len(length(expr))), c(all.names(expr), formals))[1L]
      expr[[c(k, 2L)]] <- as.symbol(own)
      for (j in seq_along(expr)) if (j > k) expr[j] <- list(with_target_renamed(expr[[j]], now, own))
      now <- own
    }
  }
  expr
}

# The same in what is assigned to, whose name stays where the statement gives it anew.
with_target_renamed <- function(expr, name, own) {
  if (is_call_of(expr, c("<-", "=")) && length(expr) == 3L && identical(expr[[2L]], as.symbol(name))) {
    expr[3L] <- list(substituted(expr[[3L]], name, as.symbol(own)))
    return(expr)
  }
  substituted(expr, name, as.symbol(own))
}

# Names in what R computes before the launch: order(t), and k <- t > 0.5, an index.
names_asked <- function(expr) {
  if (!is.call(expr)) return(character())
  here <- is_call_of(expr, c(taken_steps, taken_values, "factor", "as.factor", "cut")) || (is_call_of(expr, c("<-", "=")) && is_call_of(expr[[3L]], logical_calls))
  c(if (here) all.vars(expr), unlist(lapply(given_parts(expr), names_asked)))
}

# list(name, value) of a statement that assigns chosen elements, or a test that `rest`, what follows in its block, has as an index; NULL of others,
# where what it reads changes, and where the function, `whole`, has the name elsewhere.
chosen_assigned <- function(statement, rest, whole) {
  if (!is.call(statement) || !as.character(statement[[1L]])[1L] %in% c("<-", "=") || !is.symbol(statement[[2L]]) || length(rest) == 0L) return(NULL)
  name <- as.character(statement[[2L]])
  value <- statement[[3L]]
  uses <- function(expr) sum(names_used(expr) == name)
  if (name %in% c(names_used(value), unlist(lapply(rest, assigned_names))) || uses(whole) != 1L + sum(vapply(rest, uses, 0L))) return(NULL)
  if (any(names_read(value) %in% unlist(lapply(rest, function(part) c(assigned_names(part), inner_names(part)))))) return(NULL)
  if (is.call(value) && identical(value[[1L]], quote(which)) && length(value) == 2L && is_test(value[[2L]])) {
    # Its numbers and the test choose the same elements, and there are as many as are TRUE, length(i); they are the same nowhere else: y[i + 1].
    if (sum(vapply(rest, calls_of, 0L, is_index_of, name)) + sum(vapply(rest, calls_of, 0L, is_count_of, name)) != sum(vapply(rest, uses, 0L))) return(NULL)
    value <- structure(bquote((.(value[[2L]])) & !is.na(.(value[[2L]]))), written = deparse1(value)) # it leaves missing ones out
  }
  count <- if (is.call(statement[[3L]]) && identical(statement[[3L]][[1L]], quote(which))) call("sum", call("(", value))
  is_list <- is.call(value) && is.symbol(value[[1L]]) && as.character(value[[1L]]) %in% c("split", "Map", "lapply")
  if (is_list) return(list(name = name, value = value))
  as_index <- is_test(value)
  if (as_index && is.null(count) && sum(vapply(rest, calls_of, 0L, is_index_of, name)) == 0L) return(NULL)
  if (!as_index && !keeps_chosen(value)) return(NULL)
  list(name = name, value = call("(", value), count = count)
}

# How many calls of a kind there are with `name`.
calls_of <- function(expr, is_one, name) {
  if (!is.call(expr)) return(0L)
  found <- as.integer(is_one(expr, name))
  for (part in given_parts(expr)) if (is.call(part)) found <- found + calls_of(part, is_one, name)
  found
}
# It is an index of a vector, or of a matrix' rows; length(name); a$y.
is_index_of <- function(expr, name) identical(expr[[1L]], quote(`[`)) && length(expr) >= 3L && identical(expr[[3L]], as.symbol(name))
is_count_of <- function(expr, name) length(expr) == 2L && identical(expr[[1L]], quote(length)) && identical(expr[[2L]], as.symbol(name))
is_column_of <- function(expr, name) identical(expr[[1L]], quote(`$`)) && identical(expr[[2L]], as.symbol(name))

# Whether chosen elements are left in it, and not their sum alone.
keeps_chosen <- function(expr) {
  if (is_chosen(expr) || is_chosen_product(expr) || is_chosen_rows(expr)) return(TRUE)
  if (!is.call(expr) || !is.symbol(expr[[1L]]) || !(as.character(expr[[1L]]) %in% of_each_element() || is_passed(expr))) return(FALSE)
  any(vapply(as.list(expr)[-1L], function(part) !is_empty_argument(part) && keeps_chosen(part), NA))
}

# The expression with `value` where it reads `name`; functions that have the name themselves are left alone, and those that have one that
# `value` reads get another for it. `count`: what length(name) is, if not NULL.
substituted <- function(expr, name, value, count = NULL) {
  if (identical(expr, as.symbol(name))) return(as_named(value, name))
  if (!is.call(expr)) return(expr)
  if (!is.null(count) && is_count_of(expr, name)) return(count)
  if (identical(expr[[1L]], quote(`function`))) {
    if (name %in% names(expr[[2L]])) return(expr)
    if (name %in% all.names(expr)) expr <- without_captures(expr, c(all.vars(value), all.vars(count)))
    defaults <- lapply(expr[[2L]], function(default) if (is_empty_argument(default)) default else substituted(default, name, value, count))
    expr[2L] <- list(as.pairlist(defaults))
    expr[3L] <- list(substituted(expr[[3L]], name, value, count))
    return(expr)
  }
  last <- if (identical(expr[[1L]], quote(`$`))) 2L else length(expr)
  asks <- is_call_of(expr, "with") && length(expr) == 3L && name %in% all.vars(expr[[3L]])
  made <- expr
  for (k in seq_len(last)[-1L]) if (!is_empty_argument(expr[[k]])) made[k] <- list(substituted(expr[[k]], name, value, count))
  if (asks) refused_of_element(expr, name, made) else made
}

# The function with names of their own for its arguments and variables that are called as those of `read`, which are variables around it.
without_captures <- function(f, read) {
  for (name in intersect(unique(c(names(f[[2L]]), assigned_names(f[[3L]]))), read)) {
    used <- c(all.names(f), names(f[[2L]]), read)
    f <- with_other_name(f, name, setdiff(paste0(name, ".", seq_along(used)), used)[1L])
    if (is.null(f)) limit_error("`", name, "` is a variable of a function inside, and before it is assigned the one around it: give it another name")
  }
  f
}

# The function with `own` for its argument or variable `name`. A variable is one from its first statement on, which may read the one around it;
# NULL where that is assigned on the way, in a branch.
with_other_name <- function(f, name, own) {
  body <- f[[3L]]
  called <- name %in% functions_assigned(body) || !name %in% names(rs_functions()) # R passes by numbers where it calls a function
  renamed <- function(expr) {
    if (is_empty_argument(expr)) return(expr)
    expr <- substituted(expr, name, as.symbol(own))
    if (called) with_calls_renamed(expr, name, own) else expr
  }
  first <- if (is_call_of(body, "{")) Position(function(one) is_call_of(one, c("<-", "=")) && identical(one[[2L]], as.symbol(name)), as.list(body))
  if (name %in% names(f[[2L]])) {
    takes <- lapply(f[[2L]], renamed)
    names(takes)[names(takes) == name] <- own
    f[2L] <- list(as.pairlist(takes))
    body <- renamed(body)
  } else if (is.null(first) || is.na(first) || name %in% assigned_names(as.call(as.list(body)[seq_len(first - 1L)]))) {
    if (length(read_first(body, name)) > 0L) return(NULL)
    body <- renamed(body)
  } else {
    body[[c(first, 2L)]] <- as.symbol(own)
    for (k in seq_along(body)) if (k > first) body[k] <- list(renamed(body[[k]]))
  }
  f[3L] <- list(body)
  f
}

# A value in parentheses, or an element, that messages call by the user's name.
as_named <- function(value, name) {
  if (!is_call_of(value, c("(", "as.vector")) || !is.null(attr(value, "written")) || startsWith(name, ".")) return(value)
  structure(value, written = deparse1(as.symbol(name), backtick = TRUE))
}

# `made` in place of with(d, ...), which reads `name`: an element of the list, if it has one, and what `made` has for it if not.
refused_of_element <- function(expr, name, made) {
  of <- if (is_call_of(made[[2L]], "as.list")) made[[c(2L, 2L)]] else made[[2L]]
  refused <- paste0("`", shown_line(expr), "`: the list has an element that is called `", name, "`, as is a variable around it: give one of them another name")
  call("if", call("%in%", name, call("names", of)), call(".refused", refused), made)
}

# unlist(lapply(X, f)) and unlist(Map(f, X, Y)): a vector also of functions that give several numbers.
unlisted <- function(expr, known, differentiated, part, walk, is_rs) {
  given <- tryCatch(match.call(function(x, use.names = TRUE) NULL, expr), error = function(e) NULL)
  of <- given$x
  with_names <- given$use.names %||% TRUE
  if (!is.call(of) || !is.symbol(of[[1L]]) || !isTRUE(with_names) && !isFALSE(with_names)) return(NULL)
  if (as.character(of[[1L]]) %in% c("lapply", "tapply")) {
    made <- elements_of_groups(expr, of, with_names, known, differentiated, part, walk, is_rs)
    if (!is.null(made)) return(made)
  }
  as <- switch(as.character(of[[1L]]), lapply = "sapply", Map = "mapply")
  if (is.null(as)) return(NULL)
  of[[1L]] <- as.symbol(as)
  attr(of, "of_lapply") <- TRUE
  call(".unlisted", structure(walk(of), written = deparse1(given$x)), with_names)
}

# sum(unlist(lapply(split(x, g), function(v) ...))) of what the function computes element by element: a sum of each group's sums.
summed_in_groups <- function(expr, head, walk) {
  of <- if (head == "sum" && length(expr) == 2L && is.null(names(expr))) expr[[2L]]
  applied <- if (is.call(of) && identical(of[[1L]], quote(unlist)) && length(of) == 2L) of[[2L]]
  over <- if (is.call(applied) && identical(applied[[1L]], quote(lapply)) && length(applied) == 3L && is.null(names(applied))) applied[[2L]]
  if (!is.call(over) || !identical(over[[1L]], quote(split))) return(NULL)
  f <- applied[[3L]]
  if (!is.call(f) || !identical(f[[1L]], quote(`function`)) || "return" %in% all.names(f[[3L]])) return(NULL)
  last <- 3L
  while (is.call(f[[last]]) && identical(f[[last]][[1L]], quote(`{`)) && length(f[[last]]) > 1L) last <- c(last, length(f[[last]]))
  if (!keeps_chosen(substituted(f[[last]], names(f[[2L]])[1L], quote(.v[.c == 1])))) return(NULL) # numbers, which sapply() joins
  f[[last]] <- call("sum", f[[last]])
  applied[[1L]] <- quote(sapply)
  applied[[3L]] <- f
  call("sum", call(".unlisted", structure(walk(applied), written = deparse1(of)), FALSE))
}

# lapply(split(x, g), f) where its numbers are gone over, as by sapply(); the function has to give one for each group.
applied_to_groups <- function(expr, walk) {
  given <- tryCatch(match.call(get(as.character(expr[[1L]]), baseenv()), expr), error = function(e) NULL)
  of <- given$X
  if (!is.call(of) || !identical(of[[1L]], quote(lapply)) || length(of) < 2L || !is.call(of[[2L]]) || !identical(of[[c(2L, 1L)]], quote(split))) return(NULL)
  of[[1L]] <- quote(sapply)
  given$X <- structure(call(".single", structure(walk(of), written = deparse1(given$X))), written = deparse1(given$X))
  walk(given)
}

# What they are where R computes.
unlisted_in_r <- function(x, with_names) {
  if (is.matrix(x)) x <- lapply(stats::setNames(seq_len(ncol(x)), colnames(x)), function(k) x[, k])
  x <- unlist(x, use.names = with_names)
  if (with_names) x else unname(x)
}
single_in_r <- function(x) {
  if (length(x) == 0L) return(logical()) # of no groups tapply() has no values that it could tell a type by
  if (is.list(x) || is.matrix(x)) limit_error("the function gives several numbers for a group, of which R makes a list")
  x
}

# Whether it reads an element of the list `of`, of$y or of[["y"]].
has_element_taken <- function(expr, of) {
  if (!is.call(expr)) return(FALSE)
  if ((identical(expr[[1L]], quote(`$`)) || identical(expr[[1L]], quote(`[[`))) && identical(expr[[2L]], of)) return(TRUE)
  any(vapply(as.list(expr), function(part) !is_empty_argument(part) && has_element_taken(part, of), NA))
}

# The text of an error about elements of a group, v[-1] of sapply(split(y, g), function(v) ...): the code that stands for `v` is not the user's.
group_error_text <- function(text) {
  if (!grepl(" == .group", text, fixed = TRUE)) return(text)
  paste(
    "of the elements of a group, v in sapply(split(y, g), function(v) ...) and in for (v in split(y, g)), an expression computes sum(), mean() and length(), also of what is",
    "computed element by element of them and of numbers of length one; functions that give elements stand in unlist(lapply(split(y, g), function(v) v - mean(v))). For v[1], v[-1] and loops over them call the function with `by` (see ?nmathopencl_limits)"
  )
}

# The data whose lengths are that of an expression which goes element by element; none, where that is not known before it is computed.
vectors_of <- function(expr, known, differentiated) {
  found <- list()
  look <- function(expr) {
    if (is.numeric(expr) || is.logical(expr)) return(TRUE)
    if (is.symbol(expr)) {
      if (as.character(expr) %in% differentiated) return(TRUE)
      value <- known(expr)
      if (is.symbol(value)) found <<- c(found, value)
      return(is.symbol(value) || (!is.null(value) && look(value)))
    }
    head <- if (is.call(expr) && is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
    if (head == "seq_along") return(look(expr[[2L]]))
    if (head == ".along") return(all(vapply(as.list(expr)[-1L], look, NA)))
    if (head == "[" && is.symbol(expr[[2L]])) return(as.character(expr[[2L]]) %in% differentiated)
    head %in% of_each_element() && all(vapply(as.list(expr)[-1L], function(part) !is_empty_argument(part) && look(part), NA))
  }
  if (look(expr)) unique(found) else list()
}

# Levels of split() as codes, NA of what is of no level: recycled to the elements, as in R.
codes_of_split <- function(group, dropped, ...) {
  codes <- as.integer(factor_of_split(group, dropped))
  n <- length_of_all(...)
  if (is.na(n) || n == length(codes)) return(codes)
  if (length(codes) == 0L) argument_error("group length is 0 but data length > 0")
  if (n %% length(codes) != 0) warning("data length is not a multiple of split variable", call. = FALSE)
  rep_len(codes, n)
}
# Those of tapply(), which has no recycling.
codes_of_tapply <- function(group, ...) {
  n <- length_of_all(...)
  if (!is.na(n) && n != elements_of(group)) argument_error("arguments must have same length")
  codes_of_groups(group, "tapply")
}
# `dropped`: without levels of no element.
factor_of_split <- function(group, dropped) {
  if (is_resident(group)) group <- in_r(group)
  if (is.factor(group) && dropped) factor(group) else as.factor(group)
}
# A vector with the names of the groups.
counted_levels <- function(group, dropped) {
  levels <- levels(factor_of_split(group, dropped))
  stats::setNames(logical(length(levels)), levels)
}

length_of_all <- function(...) {
  sizes <- vapply(list(...), elements_of, 0)
  if (length(sizes) == 0L) NA_real_ else if (any(sizes == 0)) 0 else max(sizes)
}
elements_of <- function(x) if (is_resident(x)) size_of(x) else as.double(length(x))
