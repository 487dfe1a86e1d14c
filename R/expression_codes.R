# Where factors stand as codes: u[g], also in functions that take g as an argument, eff(u, g), and by another name, k <- g.

# Whether `name` stands in an expression as the index of something only, x[name]. `env`: what functions of one's own are looked up in, whose
# arguments may be such an index; NULL: they are not looked at.
is_only_index <- function(expr, name, index = FALSE, env = NULL, depth = 8L) {
  if (is.symbol(expr)) return(index || as.character(expr) != name)
  if (!is.call(expr)) return(TRUE)
  head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
  codes <- if (!is.null(env) && nzchar(head) && depth > 0L) codes_taken(expr, env, depth - 1L)
  at <- vapply(seq_along(expr) - 1L, function(k) k > 0L && (k %in% codes || is_codes_place(expr, k, index)), NA)
  all(vapply(seq_along(expr), function(k) identical(expr[[k]], quote(expr = )) || is_only_index(expr[[k]], name, at[k], env, depth), NA))
}

# Whether argument k of a call is taken for its codes, where it is a factor: x[g], x[g[i]], as.integer(g). `index`: whether the call is.
is_codes_place <- function(expr, k, index) {
  switch(if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else "",
    "[" = k > 1L || index,
    "(" = index,
    as.integer = , as.numeric = , as.double = is_element(expr[[k + 1L]]),
    FALSE
  )
}

# g and g[i].
is_element <- function(expr) is.symbol(expr) || (is_part(expr) && length(expr) == 3L)

# Which arguments of a call, by number, a function of one's own takes as indices only.
codes_taken <- function(expr, env, depth = 8L) {
  f <- if (is.symbol(expr[[1L]])) get0(as.character(expr[[1L]]), env, mode = "function")
  f <- attr(f, "expression")$f %||% if (is_helper(f, env)) f
  if (is.null(f)) return(integer())
  numbered <- expr
  numbered[seq_along(expr)[-1L]] <- as.list(seq_len(length(expr) - 1L))
  given <- tryCatch(as.list(match.call(f, numbered, expand.dots = FALSE))[-1L], error = function(e) list())
  given$... <- NULL
  taken <- vapply(names(given), function(name) {
    aliases <- aliases_of_codes(body(f), environment(f), depth)
    is_only_index(without_aliases(body(f), aliases), name, FALSE, environment(f), depth)
  }, NA)
  as.integer(unlist(given[taken]))
}

# Names that a body assigns once, from a name alone, and takes as indices only: k of { k <- g; u[k] }.
aliases_of_codes <- function(body, env, depth = 8L) {
  targets <- unlist(lapply(statements_before(body), function(part) if (is_alias(part)) as.character(part[[2L]])))
  assigned <- assigned_names(body)
  targets <- Filter(function(name) sum(assigned == name) == 1L, targets)
  rest <- without_aliases(body, targets)
  Filter(function(name) is_only_index(rest, name, FALSE, env, depth), targets)
}

is_alias <- function(part) is.call(part) && as.character(part[[1L]])[1L] %in% c("<-", "=") && length(part) == 3L && is.symbol(part[[2L]]) && is.symbol(part[[3L]])

# All but the last one, which is the value.
statements_before <- function(body) if (is.call(body) && identical(body[[1L]], quote(`{`))) utils::head(as.list(body)[-1L], -1L)

without_aliases <- function(body, names) {
  drop <- vapply(statements_before(body), function(part) is_alias(part) && as.character(part[[2L]]) %in% names, NA)
  if (any(drop)) body[-(which(drop) + 1L)] else body
}
