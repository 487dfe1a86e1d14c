# outer() of a function, by columns, and operators that stand as functions: outer(y, p, `-`), sweep(X, 2, p, `/`), mapply(`*`, x, y).

# ---- operators as functions

operators_of_two <- c("+", "-", "*", "/", "^", "%%", "%/%", "==", "!=", "<", ">", "<=", ">=", "&", "|")

# The operator that an argument is, `-`, or its text where that is one; NULL: another argument, or an operator that is not R's here.
operator_given <- function(expr, about, texts) {
  name <- if (is.symbol(expr) || (texts && is.character(expr) && length(expr) == 1L)) as.character(expr) else ""
  if (name %in% operators_of_two && !name %in% c(names(formals(about$f)), assigned_names(about$body)) && rs_seen_from(about$f)(name)) name
}
function_of_operator <- function(name) made_function(alist(.a = , .b = ), call(name, quote(.a), quote(.b)))

# mapply(`*`, x, y) and Map("+", x, y) with a function that is written out. NULL: others.
mapped_by_operator <- function(expr, about) {
  names <- names(expr) %||% rep("", length(expr))
  at <- which(names %in% c("FUN", "f"))
  if (length(at) == 0L) at <- which(!nzchar(names))[2L] # behind the call's own
  if (length(at) != 1L || is.na(at) || length(expr) != 4L || any(nzchar(names[-at]))) return(NULL)
  operator <- operator_given(expr[[at]], about, TRUE)
  if (is.null(operator)) return(NULL)
  expr[[at]] <- function_of_operator(operator)
  expr
}

# sweep(X, 2, p, `-`) with the operator's text.
swept_by_operator <- function(expr, about) {
  given <- tryCatch(match.call(base::sweep, expr), error = function(e) NULL)
  operator <- if (is.symbol(given$FUN)) operator_given(given$FUN, about, FALSE)
  if (is.null(operator)) return(NULL)
  given$FUN <- operator
  given
}

# ---- outer()

# outer(x, y, f, a = 1) and outer(x, y, k) of a function of one's own, with a function that is written out. NULL: the call stays as it is.
outer_written <- function(expr, about) {
  given <- tryCatch(match.call(base::outer, expr, expand.dots = FALSE), error = function(e) NULL)
  f <- given$FUN
  further <- as.list(given$...)
  if (is.null(given$X) || is.null(given$Y) || is.null(f)) return(NULL)
  with_function <- function(f) call("outer", given$X, given$Y, f)
  operator <- operator_given(f, about, TRUE)
  if (!is.null(operator)) {
    if (length(further) > 0L || (is.character(f) && operator %in% c("+", "-", "*", "/", "^", logical_calls))) return(NULL)
    return(with_function(if (operator %in% c("+", "-", "/", "^", logical_calls)) operator else function_of_operator(operator))) # "*" is a product of matrices
  }
  if (is.character(f) && length(f) == 1L && make.names(f) == f && !f %in% c(names(formals(about$f)), assigned_names(about$body))) f <- as.symbol(f)
  if (is.symbol(f)) {
    name <- as.character(f)
    made <- functions_assigned(about$body)
    is_own <- name %in% made && !name %in% names(formals(about$f))
    is_there <- !name %in% c(names(formals(about$f)), assigned_names(about$body), inner_names(about$body)) && is.function(function_named(name, environment(about$f)))
    if (!is_own && !is_there) return(NULL)
    if (length(further) == 0L && !is_own && rs_seen_from(about$f)(name)) return(if (is.character(given$FUN)) with_function(f)) # outer_call() knows these
  } else if (!is_call_of(f, "function") || length(further) == 0L) {
    return(NULL)
  }
  if (is.symbol(f)) {
    elements <- setdiff(c(".a", ".b", paste0(".a", 1:99)), all.names(expr))[1:2]
    formals <- stats::setNames(alist(a = , b = ), elements)
    return(with_function(made_function(formals, as.call(c(list(f), lapply(elements, as.symbol), further)))))
  }
  f <- function_of_elements(f, c("", ""), further, about$used$names)
  if (!is.null(f)) with_function(f)
}

# What looks at several elements at once may give other columns than it gives of all of them.
of_all_elements <- c("sum", "mean", "prod", "min", "max", "range", "var", "sd", "length", "cumsum", "cumprod", "rev", "[", "sort", "order", "any", "all", "diff", "crossprod", "%*%", ".solved")

# What goes element by element.
elementwise_calls <- function() {
  c(
    of_each_element(), operators_of_two, "{", "<-", "=", "return", "ifelse", "!", "xor", "pmin", "pmax", "is.na", "is.nan", "is.finite", "is.infinite", "atan2", "as.integer",
    "as.logical", "as.vector", "sign", "trunc", "round", "signif", "factorial", "lfactorial", "identity", "invisible", "unname", "suppressWarnings"
  )
}

# Whether an expression goes element by element in the variables `of`: functions of one's own are looked into.
# `sure`: those that are as long as the columns, whatever a function is given.
is_elementwise <- function(expr, of, f, sure = of, depth = 8L) {
  follow <- names_that_follow(expr, sure)
  of <- union(of, assigned_names(expr))
  reads <- function(part) !is_empty_argument(part) && any(all.vars(part) %in% of)
  look <- function(expr) {
    if (!is.call(expr) || !reads(expr)) return(TRUE)
    parts <- as.list(expr)[-1L]
    name <- call_name(expr)$name
    if (name == "if") return(!reads(parts[[1L]]) && all(vapply(parts[-1L], look, NA)))
    if (!all(vapply(parts, function(part) is_empty_argument(part) || look(part), NA))) return(FALSE)
    if (name == "ifelse") return(length(parts) == 3L && is.null(names(expr)) && any(all.vars(parts[[1L]]) %in% follow)) # else it is as long as the test
    own <- functions_made(body(f), name)
    there <- if (is.symbol(expr[[1L]])) function_named(name, environment(f))
    inner <- attr(there, "expression")$f %||% there
    if (length(own) == 0L && (is.null(inner) || !is_helper(inner, environment(f)))) return(name %in% elementwise_calls())
    if (depth == 0L || (length(own) == 0L && name %in% functions_assigned(body(f)))) return(FALSE)
    takes <- if (length(own) > 0L) lapply(own, function(one) as.function(c(as.list(one[[2L]]), list(one[[3L]])), envir = environment(f))) else list(inner)
    all(vapply(takes, function(takes) {
      given <- tryCatch(as.list(match.call(takes, expr))[-1L], error = function(e) NULL)
      if (is.null(given) || is.primitive(takes) || "..." %in% names(formals(takes))) return(FALSE)
      along <- union(names(given)[vapply(given, reads, NA)], if (length(own) > 0L) of) # a function of the body reads its variables
      defaults <- Filter(Negate(is_empty_argument), as.list(formals(takes)))
      along <- union(along, names(defaults)[vapply(defaults, function(default) any(all.vars(default) %in% along), NA)])
      if (any(of_all_elements %in% all.names(without_numbers_of(body(takes), names(formals(takes)))))) return(FALSE)
      if (!all(vapply(defaults, is_default_of_elements, NA, along))) return(FALSE)
      if ("ifelse" %in% all.names(body(takes))) { # which hides how long others are
        others <- c(given[setdiff(names(given), along)], defaults[setdiff(names(defaults), c(along, names(given)))])
        inside <- c(names(formals(takes)), assigned_names(body(takes)))
        if (!all(vapply(others, is_written_number, NA)) || !all(all.vars(body(takes)) %in% inside)) return(FALSE)
      }
      is_sure <- names(given)[vapply(given, function(part) !is_empty_argument(part) && any(all.vars(part) %in% follow), NA)]
      is_elementwise(body(takes), along, if (length(own) > 0L) f else takes, is_sure, depth - 1L)
    }, NA))
  }
  gives <- function(expr) {
    if (is_call_of(expr, c("{", "(")) && length(expr) > 1L) return(gives(expr[[length(expr)]]))
    if (is_call_of(expr, "if")) return(length(expr) == 4L && gives(expr[[3L]]) && gives(expr[[4L]]))
    any(all.vars(expr) %in% follow) # else one value is no matrix in R
  }
  returns <- function(expr) !is.call(expr) || (if (is_call_of(expr, "return")) length(expr) == 2L && gives(expr[[2L]]) else all(vapply(given_parts(expr), returns, NA)))
  look(expr) && gives(expr) && returns(expr)
}

# Whether an argument's default goes element by element in what it reads of `of`.
is_default_of_elements <- function(default, of) {
  !any(all.vars(default) %in% of) || all(names_called(default) %in% setdiff(elementwise_calls(), "ifelse"))
}

# 2, p[1] and p[["a"]].
is_written_number <- function(expr) {
  if (!is.call(expr)) return(!is.symbol(expr))
  is.symbol(without_numbers_of(expr, character()))
}

# A function without ifelse(), which is as long as the longest part of any.
without_choices <- function(expr) {
  if (!is.call(expr)) return(expr)
  for (k in seq_along(expr)) if (is.call(expr[[k]])) expr[k] <- list(without_choices(expr[[k]]))
  if (is_call_of(expr, "ifelse") && length(expr) == 4L) call("+", call("+", expr[[2L]], expr[[3L]]), expr[[4L]]) else expr
}

# The variables `of`, and those that an expression assigns from them, each time.
names_that_follow <- function(expr, of) {
  assigned <- list()
  collect <- function(expr) {
    if (!is.call(expr)) return()
    if (is_call_of(expr, c("<-", "=")) && length(expr) == 3L && is.symbol(expr[[2L]])) assigned[[length(assigned) + 1L]] <<- expr
    for (part in given_parts(expr)) collect(part)
  }
  collect(expr)
  names <- vapply(assigned, function(one) as.character(one[[2L]]), "")
  repeat {
    reads <- vapply(assigned, function(one) any(all.vars(one[[3L]]) %in% of), NA)
    more <- setdiff(names[reads], c(of, names[!reads]))
    if (length(more) == 0L) return(of)
    of <- c(of, more)
  }
}

# The parts of an expression that read none of the variables `of`, but for numbers; NULL: it assigns or chooses, or calls a function of one's own.
parts_besides <- function(expr, of) {
  if (is_empty_argument(expr) || !is.call(expr) && !is.symbol(expr)) return(list())
  if (!any(all.vars(expr) %in% of)) return(if (length(all.vars(expr)) > 0L) list(expr) else list())
  if (is.symbol(expr)) return(list())
  name <- call_name(expr)$name
  if (!name %in% setdiff(elementwise_calls(), c("<-", "=", "return"))) return(NULL)
  if (name == "{" && length(expr) != 2L) return(NULL)
  found <- lapply(as.list(expr)[-1L], parts_besides, of)
  if (!any(vapply(found, is.null, NA))) unique(unlist(found, recursive = FALSE) %||% list())
}

# Of a function that goes element by element; what it reads besides is one number, or as long as a column: others R recycles over all columns.
outer_call <- function(expr, f, walk) {
  given <- tryCatch(match.call(base::outer, expr), error = function(e) NULL)
  of <- given$FUN
  if (is.null(given) || length(given) != 4L || is.null(of)) return(NULL)
  known <- is.symbol(of) && as.character(of) %in% c(setdiff(names(library_functions()), drawing_functions()), "pmin", "pmax", "atan2")
  if (known) of <- made_function(alist(.a = , .b = ), call(as.character(of), quote(.a), quote(.b)))
  if (!is_call_of(of, "function") || length(of[[2L]]) != 2L) return(NULL)
  takes <- names(of[[2L]])
  if (any(of_all_elements %in% all.names(without_numbers_of(of[[3L]], takes))) || !is_elementwise(of[[3L]], takes, f)) return(NULL)
  draws <- function(part) any(drawing_functions() %in% all.names(part))
  if (draws(of)) return(NULL) # once for all elements
  X <- walk(given$X)
  besides <- parts_besides(of[[3L]], takes)
  whole <- is.null(besides) || "ifelse" %in% all.names(of[[3L]]) || !takes[1L] %in% all.vars(of[[3L]])
  made <- call(if (whole) ".outer_filled" else ".outer_of", X, walk(given$Y), walk(of))
  if (is.list(besides) && length(besides) == 0L) return(made)
  if (draws(given$X)) return(NULL)
  lengths <- if (is.list(besides)) {
    lapply(besides, function(part) {
      length <- call("length", walk(part))
      call("||", call("==", length, 1L), call("==", length, call("length", X)))
    })
  } else {
    list(call("==", call("length", call(".of_ones", walk(without_choices(of)))), 1L))
  }
  refused <- call(".refused", paste0(
    "`", shown_line(expr), "`: a vector that the function reads besides its arguments has several elements, which R recycles over all rows and columns. ",
    "Such vectors have one element, or as many as there are rows"
  ))
  call(".chosen", made, call("if", Reduce(function(a, b) call("&&", a, b), lengths), made, refused))
}
