# Functions of each group as vectors over groups. In sapply(split(x, g), function(v) sum((v - mean(v))^2)) the mean is a vector with a number
# for each group, of which each element takes its own group's, and the sum is one of sums of groups. So data are gone through a few times,
# however many groups there are, and a function may give elements, v - mean(v).

# Levels of what stands in such a function.
of_all <- 0L # the same for all groups
of_group <- 1L # a number for each group
of_element <- 2L # an element for each element of the group

# list(level, value, own, ones, of) of a function's body. `value`: a vector with an element for each group, or for each element of the vectors
# that are split; `own`: a number that has the name of the function's number, if not NULL; `ones`: what has to have length one for that, `of`:
# what has to be as long as the codes. NULL: the body has what is no function of sums and elements, `why$part`. `group`: what split_by() gives.
in_groups <- function(group, is_rs, why = new.env()) {
  ones <- locals <- list()
  of <- if (is.null(group$x)) list() else if (is_call_of(group$x, ".along")) as.list(group$x)[-1L] else list(group$x)
  each <- of_each_element()
  callCC(function(leave) {
    stuck <- function(expr) {
      why$part <- expr
      leave(NULL)
    }
    # `named`: vectors whose names the elements may have, in R's order: the first with names gives them. NULL: not known.
    made <- function(level, value, own = NULL, named = list()) list(level = level, value = value, own = own, named = named)
    summed <- function(value, means = FALSE) made(of_group, call(".sums_by", value, group$codes, group$count, means, FALSE))
    same <- function(value) made(of_all, value, if (!is_number(value)) call("*", 0, value))
    elements <- function(whole) {
      of <<- c(of, list(whole))
      made(of_element, call("as.vector", whole), NULL, list(whole))
    }
    # Of an argument of what goes by elements, beside others of `level`.
    beside <- function(one, level) {
      if (one$level == of_all && !is_number(one$value)) ones <<- c(ones, list(one$value))
      if (one$level == of_group && level == of_element) call("[", one$value, group$codes) else one$value
    }
    joined <- function(expr, parts) {
      level <- max(vapply(parts, function(one) one$level, 0L))
      head <- as.character(expr[[1L]])
      if (level > of_all && head == "ifelse" && parts[[1L]]$level != level) stuck(expr) # as long as its test
      row <- library_functions()[[head]]
      if (level > of_all && !is.null(row)) { # flags, as log = TRUE
        names <- names(expr)[-1L] %||% rep("", length(parts))
        flags <- names %in% c("log", "log.p", "lower.tail", "give.log") | (!nzchar(names) & seq_along(parts) > length(split_commas(row$columns)))
        if (any(vapply(parts[flags], function(one) one$level > of_all, NA))) stuck(expr)
      }
      for (k in seq_along(parts)) expr[k + 1L] <- list(if (level > of_all) beside(parts[[k]], level) else parts[[k]]$value)
      if (level == of_all) return(same(expr))
      owns <- Filter(Negate(is.null), lapply(if (head == "ifelse" || !is.null(row)) parts[1L] else parts, function(one) one$own))
      drops <- head %in% c("as.numeric", "as.double")
      numbers <- function(one) if (one$level == of_all && !is_number(one$value)) list(call(".number", one$value)) else list()
      of_parts <- lapply(if (head %in% name_keepers) parts else if (parts[[1L]]$level == of_element) parts[1L], function(one) if (one$level == of_element) one$named else numbers(one))
      known <- length(of_parts) > 0L && !any(vapply(of_parts, is.null, NA))
      named <- if (drops) list() else if (known) unlist(of_parts, recursive = FALSE)
      made(level, expr, if (length(owns) > 0L && !drops) Reduce(function(a, b) call("+", a, b), owns), named)
    }
    reduced <- function(expr, head) {
      given <- tryCatch(match.call(function(x, na.rm) NULL, expr), error = function(e) stuck(expr))
      without <- given$na.rm %||% FALSE
      if (is.null(given$x) || !(isTRUE(without) || isFALSE(without))) stuck(expr)
      x <- walk(given$x)
      if (x$level == of_all) {
        expr[[match("x", names(given))]] <- x$value
        return(same(expr))
      }
      if (x$level == of_group && head %in% c("sum", "mean") && !without) return(made(of_group, call("+", if (head == "sum") 0L else 0, x$value))) # of one number
      if (x$level != of_element || (without && !head %in% c("sum", "mean"))) stuck(expr)
      x <- x$value
      there <- call("!", call("is.na", x))
      known_sum <- summed(call("ifelse", call("is.na", x), 0L, x))$value
      if (head == "length") return(made(of_group, group$sizes))
      if (head == "sum") return(if (without) made(of_group, known_sum) else summed(x))
      if (head == "mean") return(if (without) made(of_group, call("/", known_sum, summed(there)$value)) else summed(x, TRUE))
      from_mean <- call("-", x, call("[", summed(x, TRUE)$value, group$codes))
      value <- bquote(ifelse(.(group$sizes) < 2L, NA_real_, .(summed(call("^", from_mean, 2))$value) / (.(group$sizes) - 1)))
      made(of_group, if (head == "sd") call("sqrt", value) else value)
    }
    walk <- function(expr) {
      if (is.symbol(expr) && !is.null(locals[[as.character(expr)]])) return(locals[[as.character(expr)]])
      if (length(intersect(all.vars(expr), names(locals))) == 0L) {
        whole <- elements_in(expr, group)
        if (!is.null(whole)) return(elements(whole))
      }
      if (group$counts(expr)) return(made(of_group, group$sizes))
      number <- if (!is.null(group$numbers)) group$numbers(expr)
      if (!is.null(number)) return(made(of_group, number))
      if (is.symbol(expr) || is_number(expr) || is.character(expr)) return(same(expr))
      if (!is.call(expr) || !is.symbol(expr[[1L]])) stuck(expr)
      head <- as.character(expr[[1L]])
      if (head == "{") {
        value <- NULL
        for (part in given_parts(expr)[-1L]) value <- walk(part)
        return(value %||% stuck(expr))
      }
      if (head %in% c("<-", "=") && is.symbol(expr[[2L]])) return(locals[[as.character(expr[[2L]])]] <<- walk(expr[[3L]]))
      if (!is_rs(head) || any(vapply(as.list(expr), is_empty_argument, NA))) stuck(expr)
      if (head == "(" || (head %in% c("c", "drop", "as.vector") && length(expr) == 2L)) {
        one <- walk(expr[[2L]])
        if (one$level == of_element && !is.null(names(expr))) stuck(expr)
        named <- function(of) as.call(c(expr[[1L]], stats::setNames(list(of), names(expr)[-1L])))
        if (one$level == of_all) return(same(named(one$value)))
        own <- if (head == "as.vector") NULL else if (is.null(names(expr))) one$own else named(one$own %||% 0)
        return(made(one$level, one$value, own, if (head == "as.vector") list() else one$named))
      }
      if (head %in% c("sum", "mean", "length", "var", "sd")) return(reduced(expr, head))
      if (head %in% c(each, compared_by_elements, "ifelse")) return(joined(expr, lapply(as.list(expr)[-1L], walk)))
      if (head == "$") return(if (is.null(locals[[as.character(expr[[2L]])[1L]]])) same(expr) else stuck(expr))
      if (!head %in% same_for_all) stuck(expr)
      parts <- lapply(as.list(expr)[-1L], walk)
      number <- if (head == "[" && length(parts) == 2L && parts[[1L]]$level == of_all && !is.null(group$numbers)) group$numbers(expr[[3L]])
      if (!is.null(number)) return(made(of_group, call("[", parts[[1L]]$value, number), call("*", 0, call("[", parts[[1L]]$value, call("[", number, 1L))))) # u[i]
      if (any(vapply(parts, function(one) one$level > of_all, NA))) stuck(expr)
      for (k in seq_along(parts)) expr[[k + 1L]] <- parts[[k]]$value
      same(expr)
    }
    c(walk(with_value_last(group$body)), list(ones = unique(ones), of = unique(of)))
  })
}

# Operators whose value has the names of the first operand that has some.
name_keepers <- c("+", "-", "*", "/", "^", "==", "!=", "<", ">", "<=", ">=", "&", "|")
compared_by_elements <- c("==", "!=", "<", ">", "<=", ">=", "!", "&", "|", "is.na", "is.nan", "is.finite", "is.infinite")
# What may be computed of what is the same for all groups.
same_for_all <- c("[", "[[", "min", "max", "prod", ":", "seq_len", "rev", "cumsum", "if", "%*%", "crossprod", "rep")

# The whole vector of which an expression is a group's elements, also s$sex == "f", which R computes of the data; NULL: it is none.
elements_in <- function(expr, group) {
  whole <- group$elements(expr)
  if (!is.null(whole) || !is.call(expr) || length(expr) != 3L || !as.character(expr[[1L]])[1L] %in% c("==", "!=", "%in%")) return(whole)
  sides <- lapply(as.list(expr)[-1L], group$elements)
  texts <- vapply(as.list(expr)[-1L], is_said_text, NA)
  of <- which(!vapply(sides, is.null, NA))
  if (length(of) != 1L || !texts[3L - of] || (of == 2L && identical(expr[[1L]], quote(`%in%`)))) return(NULL)
  expr[[of + 1L]] <- sides[[of]]
  expr
}

is_number <- function(expr) (is.numeric(expr) || is.logical(expr)) && length(expr) == 1L

# A block that ends in return(x), with x there.
with_value_last <- function(body) {
  if (!is.call(body)) return(body)
  if (identical(body[[1L]], quote(`{`)) && length(body) > 1L) body[[length(body)]] <- with_value_last(body[[length(body)]])
  if (identical(body[[1L]], quote(return)) && length(body) == 2L) body[[2L]] else body
}

# ---- what is split

# sapply(split(x, g), f), vapply() and lapply() of it, tapply(x, g, f) and by(d, g, f) with a function that is made there: list(v, body, x,
# codes, count, sizes, elements, counts, ...). NULL: another call. `x`: the vector, NULL of data frames.
split_call <- function(expr, known, differentiated, part, recycled = TRUE) {
  head <- as.character(expr[[1L]])
  given <- tryCatch(match.call(get(head, baseenv()), expr), error = function(e) NULL)
  if (!all(names(given) %in% c("", "X", "FUN", "FUN.VALUE", "INDEX", "data", "INDICES"))) return(NULL)
  index <- given$INDEX %||% given$INDICES
  over <- if (is.null(index)) given$X else call("split", given$X %||% given$data, index)
  over <- if (is.call(over) && identical(over[[1L]], quote(split))) tryCatch(match.call(function(x, f, drop) NULL, over), error = function(e) NULL)
  dropped <- over$drop %||% FALSE
  if (is.null(over$x) || is.null(over$f) || !isTRUE(dropped) && !isFALSE(dropped)) return(NULL)
  split_by(over$x, over$f, given$FUN, if (is.null(index)) "split" else "tapply", dropped, known, differentiated, part, given$FUN.VALUE, recycled)
}

# The same of a vector or data frame, groups and a function. `way`: split() has all levels, tapply() stops at levels of no element.
split_by <- function(x, by, f, way, dropped, known, differentiated, part, like = NULL, recycled = TRUE) {
  if (is.symbol(f) && as.character(f) %in% c("sum", "mean", "length", "var", "sd", "max", "min", "prod")) f <- made_function(alist(.v = ), call(as.character(f), quote(.v)))
  if (!is.call(f) || !identical(f[[1L]], quote(`function`)) || length(f[[2L]]) != 1L) return(NULL)
  by <- of_one(by)
  group <- known(by)
  v <- names(f[[2L]])
  body <- f[[3L]]
  if (is.null(group) || any(all.vars(x) %in% c(v, assigned_names(body), inner_names(body)))) return(NULL)
  if (has_rows_taken(body, as.symbol(v))) return(NULL)
  of_frame <- is.symbol(x) && (has_element_taken(body, as.symbol(v)) || counts_rows(body, as.symbol(v)))
  if (of_frame && is.null(known(x))) return(NULL)
  vectors <- if (of_frame) list(call("row.names", x)) else vectors_of(x, known, differentiated)
  if (!recycled) vectors <- list()
  if (of_frame) group <- as.call(list(group_of_frame, x, group))
  if (way == "split") {
    if (dropped) by <- call("factor", by)
    codes <- as.call(c(list(codes_of_split, group, dropped), vectors))
    count <- as.call(if (any(c("max", "min") %in% all.names(body))) c(list(counted_full_levels, group, dropped), vectors) else list(counted_levels, group, dropped))
    shown <- call("levels", by)
  } else {
    codes <- as.call(c(list(codes_of_tapply, group), vectors))
    count <- as.call(list(named_groups, group))
    shown <- call("groups", by)
  }
  made <- list(v = v, body = body, x = if (!of_frame) x, codes_call = codes, count_call = count, vectors = vectors, like = like, way = way)
  made$codes <- part(codes, call(if (recycled) way else "unsplit", x, by))
  made$count <- part(count, shown)
  made$sizes <- call(".sums_by", call("!", call("is.na", made$codes)), made$codes, made$count, FALSE, FALSE)
  c(made, if (of_frame) rows_of_frame(x, as.symbol(v)) else elements_of_vector(x, as.symbol(v)))
}

# What stands for a group's elements: of a vector `v` and, where that is split(seq_along(y), g), y[v].
elements_of_vector <- function(x, v) {
  along <- is_call_of(x, c("seq_along", "seq_len", ".along"))
  list(
    elements = function(expr) {
      if (identical(expr, v)) return(x)
      if (along && is.call(expr) && identical(expr[[1L]], quote(`[`)) && length(expr) == 3L && identical(expr[[3L]], v) && !as.character(v) %in% all.vars(expr[[2L]])) expr[[2L]]
    },
    counts = function(expr) FALSE,
    along = along
  )
}

# Of a data frame s$y, s[["y"]] and nrow(s).
rows_of_frame <- function(d, s) {
  list(
    elements = function(expr) {
      if (!is.call(expr) || length(expr) != 3L || !identical(expr[[2L]], s)) return(NULL)
      by_name <- identical(expr[[1L]], quote(`$`)) && (is.symbol(expr[[3L]]) || is.character(expr[[3L]]))
      if (!by_name && !(identical(expr[[1L]], quote(`[[`)) && is.character(expr[[3L]]))) return(NULL)
      expr[[2L]] <- d
      expr
    },
    counts = function(expr) is_row_count(expr, s)
  )
}
# s[, 1]
has_rows_taken <- function(expr, s) {
  if (!is.call(expr)) return(FALSE)
  (identical(expr[[1L]], quote(`[`)) && length(expr) > 3L && identical(expr[[2L]], s)) || any(vapply(as.list(expr), function(part) !is_empty_argument(part) && has_rows_taken(part, s), NA))
}
is_row_count <- function(expr, s) is.call(expr) && length(expr) == 2L && (identical(expr[[1L]], quote(nrow)) || identical(expr[[1L]], quote(NROW))) && identical(expr[[2L]], s)
counts_rows <- function(expr, s) {
  is_row_count(expr, s) || (is.call(expr) && any(vapply(as.list(expr), function(part) !is_empty_argument(part) && counts_rows(part, s), NA)))
}
group_of_frame <- function(d, group) {
  if (!is.data.frame(d)) argument_error("`", deparse1(substitute(d)), "`, of which each group's rows are taken, is no data frame")
  group
}

named_groups <- function(group) {
  made <- groups_of(group, "tapply")
  stats::setNames(logical(nlevels(made)), levels(made))
}

# ---- what becomes of it

# sapply(), vapply() and tapply() of functions that give a number for each group: vectors over groups or, of other functions, sapply() over
# the numbers of the groups.
split_applied <- function(expr, known, differentiated, part, walk, is_rs) {
  of <- split_call(expr, known, differentiated, part)
  if (is.null(of)) return(NULL)
  why <- new.env()
  found <- in_groups(of, is_rs, why)
  to_double <- !is.null(of$like)
  if (!is.null(found) && (found$level != of_group || to_double && !is_double_like(of$like))) found <- NULL
  applied <- by_numbers(of, expr, walk)
  if (!is.null(found)) {
    value <- if (to_double) call("as.numeric", found$value) else found$value
    applied <- chosen_groups(walk(in_r_by_groups(".group_numbers", of, to_double)), found, walk(value), applied %||% refused_lengths(expr), of, walk)
  }
  if (is.null(applied) && !is.null(why$part)) refuse_in_group(why$part)
  if (is.null(applied)) return(NULL)
  applied <- structure(applied, written = deparse1(expr))
  if (of$way != "split") return(call(".single", applied))
  as.call(c(quote(.as_apply), applied, of$count, 0, if (!to_double && !is.null(found$own)) walk(found$own)))
}

# `part`: of a function of each group what is none of sums and elements.
refuse_in_group <- function(part) {
  head <- if (is.call(part) && is.symbol(part[[1L]])) as.character(part[[1L]]) else ""
  instead <- switch(head,
    "for" = , "while" = , "repeat" = , sapply = , vapply = , lapply = , Reduce =
      "Let the loop go around the groups, of all of which tapply() has the sums: for (z in nodes) L <- L + exp(tapply(term(z), g, sum)), then sum(log(L))",
    "if" = "Write ifelse(), which chooses for each group",
    "[" = , "[[" = "Of the first rows of groups give data of their own: x[!duplicated(g)]",
    max = , min = , range = , median = , quantile = "Compute it before the call, and give it as an argument with a number for each group",
    "Matrices of each group are for (i in unique(id)) with y[id == i] and crossprod(Z[id == i, , drop = FALSE])"
  )
  limit_error(
    "`", shown_line(part), "`: a function of each group, as sapply(split(d, d$g), function(e) ...) has it, may have sum(), mean(), length(), var() and sd() ",
    "of the group's elements, what is computed element by element, and ifelse(). ", instead
  )
}

is_double_like <- function(like) is.double(like) || (is.call(like) && length(like) == 2L && as.character(like[[1L]])[1L] %in% c("numeric", "double") && identical(as.numeric(like[[2L]]), 1))

# sapply() over the numbers of the groups, each of which chooses its elements.
by_numbers <- function(of, expr, walk) {
  if (is.null(of$x) || of$v %in% assigned_names(of$body) || has_element_taken(of$body, as.symbol(of$v))) return(NULL)
  if (asked_of_data(of$body, of$v)) return(NULL)
  number <- number_of_group(expr)
  test <- bquote(!is.na(.(of$codes)) & .(of$codes) == .(number))
  applied <- function(body) {
    f <- made_function(stats::setNames(alist(a = ), as.character(number)), with_chosen_inlined(body))
    walk(as.call(c(if (is.null(of$like)) quote(sapply) else quote(vapply), call("seq_along", of$count), f, of$like)))
  }
  made <- applied(substituted(of$body, of$v, call("(", call("[", of$x, test))))
  if (of$along) { # of y[i] the compiler knows more as y[test]
    chosen <- with_elements_chosen(of$body, of, test)
    if (!of$v %in% all.vars(chosen)) made <- call(".chosen", made, applied(chosen))
  }
  structure(made, written = deparse1(expr))
}

# A body with elements that a test chooses for those of the group.
with_elements_chosen <- function(expr, of, test) {
  whole <- of$elements(expr)
  if (!is.null(whole)) return(call("(", call("[", whole, test)))
  if (is.call(expr)) for (k in seq_along(expr)[-1L]) if (!is_empty_argument(expr[[k]])) expr[k] <- list(with_elements_chosen(expr[[k]], of, test))
  expr
}

# `value` where lengths are right, and `otherwise` where they are not; `by_r`: what R evaluates.
chosen_groups <- function(by_r, found, value, otherwise, of, walk) {
  length_is <- function(of, what) call("==", call("length", walk(of)), what)
  lengths <- c(lapply(found$of, length_is, call("length", of$codes)), lapply(found$ones, length_is, 1L))
  if (length(lengths) > 0L) value <- call("if", Reduce(function(a, b) call("&&", a, b), lengths), value, otherwise)
  call(".chosen", by_r, value)
}

refused_lengths <- function(expr) {
  call(".refused", paste0("`", shown_line(expr), "`: what stands beside the elements of a group in its function has to have length one, and the vectors that are split have to be as long as the groups"))
}

# unlist(lapply(split(x, g), f)), unlist(sapply()) and unlist(tapply()) of functions that give elements: those of the first group, then of the
# second. NULL: another function.
elements_of_groups <- function(expr, applied, with_names, known, differentiated, part, walk, is_rs) {
  of <- split_call(applied, known, differentiated, part)
  found <- if (!is.null(of)) in_groups(of, is_rs)
  if (is.null(found) || found$level != of_element) return(NULL)
  places <- part(as.call(list(places_of_groups, of$codes_call)), call("order", of$codes))
  value <- call("[", walk(found$value), places)
  if (with_names) value <- call(".as_apply", value, part(as.call(c(list(names_of_elements, of$codes_call, of$count_call, is.null(found$named)), vectors_with_names(found, known, differentiated))), call("names", expr)), 0)
  structure(chosen_groups(walk(in_r_by_groups(".group_elements", of, with_names)), found, value, refused_lengths(expr), of, walk), written = deparse1(expr))
}

# unsplit(lapply(split(x, g), f), g): elements where they were.
unsplit_groups <- function(expr, known, differentiated, part, walk, is_rs) {
  given <- tryCatch(match.call(function(value, f) NULL, expr), error = function(e) NULL)
  applied <- given$value
  if (!is.call(applied) || !identical(applied[[1L]], quote(lapply)) || length(applied) != 3L || !is.call(applied[[2L]]) || length(applied[[2L]]) != 3L) return(NULL)
  of <- split_call(applied, known, differentiated, part, FALSE)
  found <- if (!is.null(of) && identical(applied[[c(2L, 3L)]], given$f)) in_groups(of, is_rs)
  if (is.null(found) || found$level == of_all) return(NULL)
  value <- walk(if (found$level == of_group) call("[", found$value, of$codes) else call("ifelse", call("is.na", of$codes), NA, found$value))
  structure(chosen_groups(walk(in_r_by_groups(".group_unsplit", of)), found, value, refused_lengths(expr), of, walk), written = deparse1(expr))
}

# ave(x, g, FUN = function(v) ...) and FUN = length, var and sd; what is of no group stays as it is.
ave_of_groups <- function(expr, known, differentiated, part, walk, is_rs) {
  given <- tryCatch(match.call(function(x, g, FUN) NULL, expr), error = function(e) NULL)
  f <- given$FUN
  if (is.null(given$x) || is.null(given$g) || is.null(f) || (is.symbol(f) && !as.character(f) %in% c("length", "var", "sd"))) return(NULL)
  of <- split_by(given$x, given$g, f, "split", FALSE, known, differentiated, part)
  if (is.null(of) || is.null(of$x)) return(NULL)
  found <- in_groups(of, is_rs)
  if (is.null(found) || found$level == of_all) return(NULL)
  value <- if (found$level == of_group) call("[", found$value, of$codes) else found$value
  value <- bquote(if (length(.(of$count)) == 0L) .(of$x) else .(call(".as_apply", bquote(ifelse(is.na(.(of$codes)), as.vector(.(of$x)), .(value))), of$x, 0)))
  structure(chosen_groups(walk(in_r_by_groups(".group_ave", of)), found, walk(value), refused_lengths(expr), of, walk), written = deparse1(expr))
}

places_of_groups <- function(codes) order(suppressWarnings(codes), na.last = NA)
# Data that may have names: those that R takes them of, in this order, or all, where that is not known.
vectors_with_names <- function(found, known, differentiated) {
  unique(unlist(lapply(found$named %||% found$of, function(one) {
    if (is_call_of(one, ".number")) Filter(Negate(is.null), list(known(one[[2L]]))) else vectors_of(one, known, differentiated)
  }), recursive = FALSE))
}
