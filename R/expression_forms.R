# Ways of R users to write what the language has: local(), Reduce() of a few items, a %o% b, dim(b) <- c(2, 1), functions of texts.

# A body without them. What is no R's own is left alone.
with_forms_written <- function(f, outer) {
  is_rs <- rs_seen_from(f)
  expr <- body(f)
  formals <- names(formals(f))
  own <- assigned_names(expr)
  are_rs <- function(names) !any(names %in% c(own, formals)) && all(vapply(names, is_rs, NA))
  heads <- all.names(expr, unique = TRUE)
  if (any(c("for", "sapply", "vapply", "lapply", "by", "aggregate") %in% heads) && are_rs(functions_of_subjects)) {
    expr <- with_functions_in_place(expr, formals)
    if (are_rs(c("with", "subset", "by"))) expr <- with_columns_of_rows(expr, f, outer)
    expr <- with_subject_frames(with_summaries_in_place(with_arguments_of_subjects(expr), formals, environment(f)), formals, outer)
  }
  if ("while" %in% heads && are_rs(functions_of_counts)) expr <- with_counted_rounds(expr, formals)
  wanted <- c(setdiff(names(written_forms), c("<-", "=", "sum", "if", "{", "is.null")), "dim", "by", "for", calls_that_show) # dim(b) <- c(2, 1), sum(unlist(by())), loops over texts
  if (!any(wanted %in% all.names(expr))) return(expr)
  about <- list(f = f, outer = outer, body = expr, used = new.env())
  about$used$names <- all.names(expr)
  walk <- function(expr) {
    if (!is.call(expr)) return(expr)
    is_filter <- identical(expr[[1L]], quote(stats::filter)) # others have functions of this name
    head <- if (is_filter) "filter" else if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
    if (head == "quote") return(expr)
    if (head == "for" && !is.null(texts_of(expr[[3L]], about) %||% numbers_of_texts(expr[[3L]], expr[[4L]], as.character(expr[[2L]])))) return(rounds_of_texts(expr, about, walk))
    write <- written_forms[[head]]
    if (!is.null(write) && (head %in% c("<-", "=") || is_filter || is_rs(head))) {
      made <- write(expr, about)
      if (!is.null(made)) {
        made <- walk(made)
        if (is.call(made) && is.null(attr(made, "written"))) attr(made, "written") <- shown_code(expr)
        return(made)
      }
    }
    for (k in seq_along(expr)) if (k > 1L && !is_empty_argument(expr[[k]])) expr[k] <- list(walk(expr[[k]]))
    expr
  }
  walk(expr)
}

# By the call's head; NULL: the call stays as it is.
written_forms <- list(
  local = function(expr, about) {
    if (length(expr) == 2L && is.null(names(expr))) own_block(expr[[2L]], about, expr)
  },
  tryCatch = function(expr, about) tried_flag(expr, about) %||% tried_block(expr, about) %||% tried_value(expr, about),
  try = function(expr, about) tried_value(expr, about),
  "{" = function(expr, about) with_tried_factors(expr, about),
  is.null = function(expr, about) if (length(expr) == 2L) failed_factor(tried_factor(expr[[2L]], about), "tryCatch"),
  inherits = function(expr, about) {
    if (length(expr) != 3L || !identical(expr[[3L]], "try-error")) return(NULL)
    if (is.call(expr[[2L]])) return(failed_factor(tried_factor(expr[[2L]], about), "try"))
    if (!is.symbol(expr[[2L]])) return(NULL)
    if (is_assigned_try(about$body, expr[[2L]])) FALSE
  },
  "%o%" = function(expr, about) call("outer", expr[[2L]], expr[[3L]]),
  anyNA = function(expr, about) if (length(expr) == 2L && is.null(names(expr)) && all(vapply(c("any", "is.na"), rs_seen_from(about$f), NA))) call("any", call("is.na", expr[[2L]])),
  append = function(expr, about) if (length(expr) == 3L && is.null(names(expr))) call("c", expr[[2L]], expr[[3L]]),
  sum = function(expr, about) sum_of_by(expr),
  "if" = function(expr, about) branches_that_show(expr, about),
  replace = function(expr, about) replaced(expr, about),
  "<-" = function(expr, about) dimensions_assigned(expr),
  "=" = function(expr, about) dimensions_assigned(expr),
  sapply = function(expr, about) applied_to_texts(expr, about) %||% with_further_arguments(expr, about$used$names),
  vapply = function(expr, about) applied_to_texts(expr, about) %||% with_further_arguments(expr, about$used$names),
  lapply = function(expr, about) applied_to_texts(expr, about) %||% with_further_arguments(expr, about$used$names),
  apply = function(expr, about) with_further_arguments(expr, about$used$names),
  mapply = function(expr, about) mapped_over_splits(expr) %||% mapped_by_operator(expr, about),
  Map = function(expr, about) mapped_over_splits(expr) %||% mapped_by_operator(expr, about),
  outer = function(expr, about) outer_written(expr, about),
  sweep = function(expr, about) swept_by_operator(expr, about),
  Reduce = function(expr, about) reduced_over_elements(expr, about),
  filter = function(expr, about) recursive_filter(expr, about),
  match.arg = function(expr, about) if (!about$outer) matched_in_helper(expr, about)
)

# sum(unlist(by(d, d$g, f))) as sum(by(d, d$g, f)).
sum_of_by <- function(expr) {
  inner <- if (length(expr) == 2L && is.null(names(expr))) expr[[2L]]
  if (is_call_of(inner, c("unlist", "c", "as.numeric", "as.vector")) && length(inner) == 2L && is.null(names(inner)) && is_call_of(inner[[2L]], "by")) call("sum", inner[[2L]])
}

# if (trace) cat(...): the branch is refused where it is reached. A condition that the call says runs it as R does, where that is FALSE.
calls_that_show <- c("cat", "print", "message", "writeLines")
branches_that_show <- function(expr, about) {
  is_rs <- rs_seen_from(about$f)
  shown_by <- function(branch) {
    parts <- if (is_call_of(branch, "{")) as.list(branch)[-1L] else list(branch)
    Find(function(part) is_call_of(part, calls_that_show) && is_rs(as.character(part[[1L]])) && !as.character(part[[1L]]) %in% names(formals(about$f)), parts)
  }
  found <- lapply(as.list(expr)[-(1:2)], shown_by)
  shows <- which(!vapply(found, is.null, NA))
  for (k in shows) {
    expr[[k + 2L]] <- call(".refused", paste0(
      "`", shown_line(found[[k]]), "` would show something here, and an expression computes only. It may stand where the call says that it is not reached, as if (trace) ",
      "of an argument that is FALSE. Else leave it out, or trace around the call, function(par) { cat(par, \"\\n\"); f(par) }, where f <- opencl_function(...)"
    ))
  }
  if (length(shows) > 0L) expr
}

# replace(x, test, value) as x[test] <- value of a copy.
replaced <- function(expr, about) {
  given <- tryCatch(match.call(function(x, list, values) NULL, expr), error = function(e) NULL)
  if (is.null(given$x) || is.null(given$list) || is.null(given$values) || ".replaced" %in% all.names(expr)) return(NULL)
  own_block(call("{", call("<-", quote(.replaced), given$x), call("<-", call("[", quote(.replaced), given$list), given$values), quote(.replaced)), about, expr)
}

# The block of local(), or of a function that is written where it is called: what it assigns is its own.
own_block <- function(block, about, shown) {
  made <- block_with_values(block, list(), about$used$names, shown)
  about$used$names <- c(about$used$names, all.names(made))
  made
}

# dim(b) <- c(2, 1) as b <- matrix(b, 2, 1), dim(b) <- NULL as b <- as.vector(b).
dimensions_assigned <- function(expr) {
  target <- if (length(expr) == 3L) expr[[2L]]
  if (!is_call_of(target, "dim") || length(target) != 2L || !is.symbol(target[[2L]])) return(NULL)
  of <- target[[2L]]
  sides <- expr[[3L]]
  if (is.null(sides)) return(call("<-", of, call("as.vector", of)))
  if (!is_call_of(sides, "c") || length(sides) != 3L || !is.null(names(sides))) return(NULL)
  fits <- as.call(list(quote(stopifnot), call("==", call("length", of), call("*", sides[[2L]], sides[[3L]]))))
  names(fits) <- c("", paste0("dims of `", shown_line(expr), "` do not match the length of object"))
  call("{", fits, call("<-", of, call("matrix", of, sides[[2L]], sides[[3L]])))
}

# The functions that an expression assigns to a name.
functions_made <- function(expr, name) {
  if (!is.call(expr)) return(list())
  own <- if (is_call_of(expr, c("<-", "=")) && length(expr) == 3L && identical(expr[[2L]], as.symbol(name)) && is_call_of(expr[[3L]], "function")) list(expr[[3L]])
  c(own, unlist(lapply(given_parts(expr), functions_made, name), recursive = FALSE))
}

# ---- texts

# c("a", "b") and c(x = "a", y = "b"), or a variable of the body that is assigned these once; NULL of others.
texts_of <- function(expr, about) {
  if (is.symbol(expr) && sum(assigned_names(about$body) == as.character(expr)) == 1L && !as.character(expr) %in% c(names(formals(about$f)), inner_names(about$body))) {
    value <- value_assigned(about$body, as.character(expr))
    if (!is.null(value)) return(texts_of(value, about))
  }
  if (is.character(expr)) return(expr)
  texts <- if (is_call_of(expr, "c") && (is.null(names(expr)) || all(nzchar(names(expr)[-1L])))) as.list(expr)[-1L]
  if (length(texts) %in% 1:64 && all(vapply(texts, is.character, NA))) unlist(texts)
}

# sapply(c("a", "b"), function(k) par[[k]]^2) as c(a = par[["a"]]^2, b = par[["b"]]^2).
applied_to_texts <- function(expr, about) {
  head <- as.character(expr[[1L]])
  takes <- if (head == "vapply") function(X, FUN, FUN.VALUE, USE.NAMES) NULL else if (head == "sapply") function(X, FUN, USE.NAMES) NULL else function(X, FUN) NULL
  given <- tryCatch(match.call(takes, expr), error = function(e) NULL)
  texts <- if (!is.null(given$FUN)) texts_of(given$X, about)
  with_names <- given$USE.NAMES %||% TRUE
  f <- given$FUN
  made <- if (is.symbol(f) && sum(assigned_names(about$body) == as.character(f)) == 1L) Find(is.call, functions_made(about$body, as.character(f)))
  f <- made %||% f
  if (is.null(texts) && is_call_of(f, "function") && length(f[[2L]]) == 1L) {
    texts <- numbers_of_texts(given$X, f[[3L]], names(f[[2L]]))
    if (!is.null(texts)) with_names <- FALSE # numbers give none
  }
  if (is.null(texts) || anyNA(texts) || !(isTRUE(with_names) || isFALSE(with_names))) return(NULL)
  if (head == "vapply" && !(identical(given$FUN.VALUE, 0) || is_call_of(given$FUN.VALUE, c("numeric", "double")) && identical(given$FUN.VALUE[[2L]], 1))) return(NULL)
  if (!is.symbol(f) && !(is_call_of(f, "function") && length(f[[2L]]) == 1L && !"return" %in% all.names(f[[3L]]))) return(NULL)
  if (!is.symbol(f) && names(f[[2L]]) %in% assigned_names(f[[3L]])) return(NULL)
  values <- lapply(texts, function(text) {
    value <- if (is.symbol(f)) as.call(list(f, text)) else own_block(substituted(f[[3L]], names(f[[2L]]), text), about, expr)
    if (head == "lapply") value else structure(call(".one_number", value), written = shown_code(value))
  })
  if (head == "lapply") return(as.call(c(quote(list), values)))
  if (head == "vapply" && !with_names) values <- unname(values)
  as.call(c(quote(c), if (with_names && is.null(names(texts))) stats::setNames(values, texts) else values)) # names that the texts have stay
}

one_number <- function(x) {
  if (length(x) != 1) stop("the function of sapply() gives one number for each subject or text")
  x
}

# for (k in c("a", "b")) s <- s + par[[k]], round by round.
rounds_of_texts <- function(expr, about, walk) {
  body <- expr[[4L]]
  name <- as.character(expr[[2L]])
  if (any(c("next", "break") %in% all.names(body)) || name %in% assigned_names(body) || sum(about$used$names == name) != sum(all.names(expr) == name)) {
    for (k in 3:4) expr[[k]] <- walk(expr[[k]])
    return(expr)
  }
  walk(as.call(c(quote(`{`), lapply(unname(texts_of(expr[[3L]], about) %||% numbers_of_texts(expr[[3L]], body, name)), function(text) substituted(body, name, text)))))
}

# ---- match.arg()

# match.arg(fam) of an argument with its texts as the default: what R makes of it, as base::match.arg() has it with the texts.
matched_argument <- function(expr, f, outer) {
  name <- if (outer && length(expr) == 2L && is.symbol(expr[[2L]])) as.character(expr[[2L]]) else ""
  choices <- choices_of(f, name)
  if (!is.null(choices)) as.call(list(text_of_choices, expr[[2L]], as.call(c(quote(c), as.list(choices)))))
}
choices_of <- function(f, name) {
  if (!name %in% names(formals(f))) return(NULL)
  default <- formals(f)[[name]]
  if (identical(default, as.symbol(data_name(name)))) default <- attr(f, "defaults")[[name]]
  if (is_call_of(default, "c") && is_said_text(default)) unlist(as.list(default)[-1L])
}
text_of_choices <- function(arg, choices) match.arg(arg, choices)

# In a function that the body calls texts are whole ones: R completes others.
matched_in_helper <- function(expr, about) {
  if (length(expr) != 2L || !is.symbol(expr[[2L]])) return(NULL)
  choices <- choices_of(about$f, as.character(expr[[2L]]))
  if (is.null(choices)) return(NULL)
  one_of <- Reduce(function(a, b) call("||", a, b), lapply(choices, function(text) call("==", expr[[2L]], text)))
  fits <- as.call(list(quote(stopifnot), one_of))
  names(fits) <- c("", paste0("`", expr[[2L]], "` of a function that the body calls has to be one of ", quoted_names(choices), ", written in full"))
  # Not missing(): what it is given may be an argument that is missing where it is called, and has a default there.
  call("if", call("identical", expr[[2L]], as.call(c(quote(c), as.list(choices)))), choices[1L], call("{", fits, expr[[2L]]))
}
