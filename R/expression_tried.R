# tryCatch() and try(): the value, where nothing in it can stop, and factors and inverses of small matrices, of which a function asks whether
# there is one.

# NULL: it catches something else than errors.
tried <- function(expr) {
  if (is_call_of(expr, "try")) {
    given <- tryCatch(match.call(function(expr, silent) NULL, expr), error = function(e) NULL)
    return(if (!is.null(given$expr)) list(value = given$expr))
  }
  if (!is_call_of(expr, "tryCatch")) return(NULL)
  given <- tryCatch(match.call(function(expr, ..., finally) NULL, expr, expand.dots = FALSE), error = function(e) NULL)
  if (!is.null(given$expr) && is.null(given$finally) && identical(names(given$...), "error")) list(value = given$expr, handler = given$...[[1L]])
}

tried_value <- function(expr, about) {
  value <- tried(expr)$value
  if (is.null(value)) return(NULL)
  check_cannot_stop(value, about, expr)
  call("(", with_places_there(value, about, expr))
}

# ---- factors

# Of try(chol(S)) and tryCatch(chol(S), error = function(e) NULL), also of solve() and chol2inv(chol(S)): list(value, test, by), where `test`
# says whether R would go on. NULL: it is another call.
tried_factor <- function(expr, about) {
  of <- tried(expr)
  if (is.null(of) || (!is.null(of$handler) && !gives_only(of$handler, NULL))) return(NULL)
  test <- test_of_factor(of$value, about, expr)
  if (!is.null(test)) list(value = of$value, test = test, by = as.character(expr[[1L]]), written = expr)
}

test_of_factor <- function(value, about, shown, allowed = NULL) {
  factor <- if (is_call_of(value, "chol2inv") && length(value) == 2L) value[[2L]] else value
  if (!is_call_of(factor, c("chol", "solve")) || length(factor) < 2L || !is.null(names(factor)) || !rs_seen_from(about$f)(as.character(factor[[1L]]))) return(NULL)
  if (length(factor) > (if (is_call_of(factor, "chol")) 2L else 3L) || any(names_that_do %in% all.names(factor))) return(NULL)
  for (part in as.list(factor)[-1L]) check_cannot_stop(part, about, shown, allowed)
  structure(call(if (is_call_of(factor, "chol")) ".has_factor" else ".has_inverse", factor[[2L]]), written = shown_code(factor))
}

# tryCatch({ chol(S); TRUE }, error = function(e) FALSE); what the block assigns is read nowhere else.
tried_flag <- function(expr, about) {
  of <- tried(expr)
  if (is.null(of$handler) || !gives_only(of$handler, FALSE) || !is_call_of(of$value, "{") || length(of$value) != 3L || !isTRUE(of$value[[3L]])) return(NULL)
  value <- of$value[[2L]]
  if (is_call_of(value, c("<-", "=")) && is.symbol(value[[2L]])) {
    if (times_named(about$body, value[[2L]]) > 1L) return(NULL)
    value <- value[[3L]]
  }
  test_of_factor(value, about, expr)
}

times_named <- function(expr, name) sum(all.names(expr) == as.character(name))

# What a test in front of a statement, or a handler's value in the place of another, would do at another time than R.
names_that_do <- c("<-", "=", "<<-", "for", "while", "repeat", "function", "{", "local")

# tryCatch({ ...; L <- chol(S); ... }, error = function(e) 1e10): around each statement with a factor or an inverse in it, and those behind,
# if (!.has_factor(S)) 1e10 else { ... }.
tried_block <- function(expr, about) {
  of <- tried(expr)
  if (!is_call_of(of$handler, "function") || !any(c("chol", "solve") %in% all.names(of$value))) return(NULL)
  other <- handler_value(of$handler)
  if (is.null(other) || any(c(names(of$handler[[2L]]), names_that_do) %in% all.names(other))) return(NULL)
  check_cannot_stop(other, about, expr)
  check_cannot_stop(of$value, about, expr, stops_at_factors)
  statements <- if (is_call_of(of$value, "{")) as.list(of$value)[-1L] else list(of$value)
  block <- list()
  for (statement in rev(statements)) {
    block <- c(list(statement), block)
    for (test in rev(tests_of_factors(statement, about, expr))) block <- list(call("if", call("!", test), other, as.call(c(quote(`{`), block))))
  }
  as.call(c(quote(`{`), block))
}

# Calls that a block may have where factors and inverses are asked for before.
stops_at_factors <- c("chol", "chol2inv", "solve", "backsolve", "forwardsolve")

# In the order in which R computes them. Where that may be never, or often, there is no place to ask.
tests_of_factors <- function(expr, about, shown) {
  if (!is.call(expr) || !any(c("chol", "solve") %in% all.names(expr))) return(list())
  if (is_call_of(expr, c("<-", "=")) && length(expr) == 3L && is.symbol(expr[[2L]])) expr <- expr[[3L]]
  if (!is.call(expr)) return(list())
  is_own <- !is.symbol(expr[[1L]]) || !rs_seen_from(about$f)(as.character(expr[[1L]])) || as.character(expr[[1L]]) %in% functions_assigned(about$body)
  if (is_own || is_call_of(expr, c("if", "ifelse", "switch", "&&", "||", names_that_do, callers_of_functions))) {
    limit_error(
      "`", shown_line(shown), "`: chol() and solve() in `", shown_line(expr), "` may stop in R, and an expression goes on by no other way. Compute them in a ",
      "statement of their own before, or ask there, L <- tryCatch(chol(S), error = function(e) NULL); if (is.null(L)) return(1e10)"
    )
  }
  tests <- unlist(lapply(given_parts(expr)[-1L], tests_of_factors, about, shown), recursive = FALSE)
  own <- if (is_call_of(expr, c("chol", "solve"))) test_of_factor(expr, about, shown, stops_at_factors)
  c(tests, if (!is.null(own)) list(own))
}

failed_factor <- function(of, by) if (!is.null(of) && of$by == by) call("!", of$test)

# function(e) NULL and its like.
gives_only <- function(f, what) {
  is_call_of(f, "function") && identical(handler_value(f), what)
}

handler_value <- function(f) {
  value <- f[[3L]]
  while (is_call_of(value, c("{", "return", "(")) && length(value) == 2L) value <- value[[2L]]
  value
}

# L <- tryCatch(chol(S), error = function(e) NULL); if (is.null(L)) return(1e10) as if (!.has_factor(S)) return(1e10); L <- chol(S).
with_tried_factors <- function(expr, about) {
  statements <- as.list(expr)
  k <- 1L
  changed <- FALSE
  while (k < length(statements)) {
    k <- k + 1L
    statement <- statements[[k]]
    if (!is_call_of(statement, c("<-", "=")) || length(statement) != 3L || !is.symbol(statement[[2L]])) next
    of <- tried_factor(statement[[3L]], about)
    if (is.null(of)) next
    after <- statements[-seq_len(k)]
    made <- if (length(after) > 0L) asked_and_assigned(after[[1L]], statement[[2L]], of, after[-1L], times_named(about$body, statement[[2L]]))
    if (is.null(made)) {
      asks <- if (of$by == "try") paste0("inherits(", statement[[2L]], ", \"try-error\")") else paste0("is.null(", statement[[2L]], ")")
      limit_error(
        "`", shown_line(statement), "`: an expression goes on by the answer to if (", asks, ") return(...) right behind it, or to if (", asks, ") ... else ..., where `",
        statement[[2L]], "` is read in one branch only"
      )
    }
    statements <- c(statements[seq_len(k - 1L)], made, after[-1L])
    changed <- TRUE
  }
  if (changed) as.call(statements)
}

# `asked`: the statement behind; `after`: those that follow; `named`: how often the whole body has the name. The statements that say the same,
# or NULL: somewhere else the name may be read where R has NULL.
asked_and_assigned <- function(asked, name, of, after, named) {
  if (!is_call_of(asked, "if")) return(NULL)
  question <- if (of$by == "try") call("inherits", name, "try-error") else call("is.null", name)
  reads <- function(part) times_named(part, name) > 0L
  here <- 1L + times_named(of$written, name) + times_named(asked, name) # with the assignment's
  assigns <- call("<-", name, of$value)
  goes_on <- identical(asked[[2L]], call("!", question))
  test <- if (goes_on) of$test else with_first_question(asked[[2L]], question, call("!", of$test), of$by, name)
  if (is.null(test) || (!goes_on && is_call_of(test, "||") && reads_beyond_first(asked[[2L]], name))) return(NULL)
  asked[[2L]] <- test
  failed <- if (!goes_on) asked[[3L]] else if (length(asked) == 4L) asked[[4L]]
  if (reads(failed)) return(NULL)
  if (!goes_on && length(asked) == 3L) {
    if (!leaves_body(failed)) return(NULL)
    ends <- is_call_of(last_of(failed), c("return", "stop"))
    if (!ends && named != here + sum(vapply(after, times_named, 0L, name))) return(NULL)
    return(list(asked, assigns))
  }
  if (named != here) return(NULL)
  branch <- if (goes_on) 3L else 4L
  asked[[branch]] <- call("{", assigns, asked[[branch]])
  list(asked)
}

last_of <- function(expr) {
  while (is_call_of(expr, c("{", "(")) && length(expr) > 1L) expr <- expr[[length(expr)]]
  expr
}

# is.null(L) || a || b, of which R asks the first one first; NULL: it asks something else.
with_first_question <- function(test, question, instead, by, name) {
  if (identical(test, question)) return(instead)
  if (by == "try" && identical(test, call("==", call("[", call("class", name), 1), "try-error"))) return(instead)
  if (!is_call_of(test, "||")) return(NULL)
  first <- with_first_question(test[[2L]], question, instead, by, name)
  if (!is.null(first)) call("||", first, test[[3L]])
}
reads_beyond_first <- function(test, name) {
  is_call_of(test, "||") && (times_named(test[[3L]], name) > 0L || reads_beyond_first(test[[2L]], name))
}

# ---- what cannot stop

# Calls that stop nowhere, whatever numbers they take.
never_stops <- c(
  "{", "<-", "=", "for", "function", "[", "[[", "$", ":", "&", "|", "!", "==", "!=", "<", ">", "<=", ">=", "%%", "%/%", "%*%", "xor", "ifelse", "c", "sum", "mean", "prod",
  "min", "max", "pmin", "pmax", "length", "nrow", "ncol", "is.na", "is.nan", "is.finite", "is.infinite", "rep", "rep_len", "numeric", "seq_len", "seq_along",
  "rev", "det", "cumsum", "t", "crossprod", "tcrossprod", "outer", "sweep", "cbind", "rbind", "rowSums", "colSums", "rowMeans", "colMeans", "diag", "as.vector", "drop", "var", "sd",
  "matrix", "sapply", "lapply", "unlist", "with", "as.list", "list", "suppressWarnings", "head", "tail", "names", "tapply", "split", "%o%", "round", "local"
)

# Of an expression that R may leave by an error at run time there is no value to go on with. Functions of one's own are looked into.
check_cannot_stop <- function(expr, about, shown, besides = NULL) {
  allowed <- c(never_stops, of_each_element())
  seen <- list()
  look <- function(expr, f, besides = NULL) { # not within functions
    if (!is.call(expr)) return()
    for (part in given_parts(expr)) if (is.call(part)) look(part, f, besides)
    name <- call_name(expr)$name
    helper <- if (is.symbol(expr[[1L]])) get0(name, environment(f), mode = "function")
    bodies <- if (name %in% functions_assigned(body(f))) lapply(functions_made(body(f), name), function(made) made[[3L]]) else if (is_helper(helper, environment(f))) list(body(helper))
    for (one in bodies) if (!any(vapply(seen, identical, NA, one))) {
      seen[[length(seen) + 1L]] <<- one
      look(one, if (name %in% functions_assigned(body(f))) f else helper)
    }
    if (length(bodies) > 0L || name %in% c(allowed, besides)) return()
    limit_error(
      "`", shown_line(shown), "`: `", shown_line(expr), "` may stop in R, and an expression goes on by no other way. Ask in the function for what would ",
      "stop it, if (...) 1e10 else ..., or do this around the call"
    )
  }
  look(expr, about$f, besides)
}

# x[[k]] beyond the end is NA elsewhere. R stops there, so that what catches that has another value.
with_places_there <- function(expr, about, shown) {
  vectors <- setdiff(names(formals(about$f)), c(assigned_names(about$body), inner_names(about$body), unlist(lists_in(about$body))))
  aliases <- aliases_of_vectors(about$body)
  vector_of <- function(part) {
    if (is_call_of(part, "as.list") && length(part) == 2L) part <- part[[2L]]
    if (is.symbol(part)) part <- aliases[[as.character(part)]] %||% part
    if (is.symbol(part) && as.character(part) %in% vectors) part
  }
  walk <- function(expr) {
    if (!is.call(expr) || is_call_of(expr, "quote")) return(expr)
    for (k in seq_along(expr)[-1L]) {
      is_target <- k == 2L && is_call_of(expr, c("<-", "="))
      if (!is_target && !is_empty_argument(expr[[k]])) expr[k] <- list(walk(expr[[k]]))
    }
    of <- if (is_call_of(expr, "[[") && length(expr) == 3L && !is.character(expr[[3L]])) vector_of(expr[[2L]])
    if (is.null(of)) return(expr)
    there <- as.call(list(quote(stopifnot), call("<=", expr[[3L]], call("length", of))))
    names(there) <- c("", paste0("`", shown_line(expr), "` is beyond the end, where R stops, and an expression goes on by no other way: `", shown_line(shown), "`"))
    structure(call("{", there, expr), written = shown_code(expr))
  }
  walk(expr)
}

is_assigned_try <- function(expr, name) {
  if (!is.call(expr)) return(FALSE)
  if (is_call_of(expr, c("<-", "=")) && identical(expr[[2L]], name) && is_call_of(expr[[3L]], "try")) return(TRUE)
  any(vapply(as.list(expr), function(part) !is_empty_argument(part) && is_assigned_try(part, name), NA))
}
