# Questions about expressions as R has them: parts, variables, assigned names.

# x[i] and x[i, j], whose x is a name.
is_part <- function(expr) is.call(expr) && identical(expr[[1L]], quote(`[`)) && length(expr) %in% 3:4 && is.symbol(expr[[2L]])

# stopifnot(all(x > 0)) asks what stopifnot(x > 0) asks.
within_all <- function(expr) {
  if (is.call(expr) && identical(expr[[1L]], quote(all)) && length(expr) == 2L && is.null(names(expr))) expr[[2L]] else expr
}

is_variable <- function(name, env) {
  value <- get0(name, envir = env)
  !is.null(value) && !is.function(value)
}

# The user's own line, for messages.
told_where <- function(expr) {
  line <- deparse(expr, width.cutoff = 80L)[1L]
  if (nchar(line) > 80L) line <- paste0(substr(line, 1L, 77L), "...")
  paste0(". It stands in `", line, "`; ?opencl_language has what can stand there")
}

# Every name that is assigned in an expression, however deep.
assigned_names <- function(expr) {
  if (!is.call(expr)) return(character())
  assigns <- is.symbol(expr[[1L]]) && as.character(expr[[1L]]) %in% c("<-", "=", "for")
  target <- if (assigns && is.symbol(expr[[2L]])) as.character(expr[[2L]]) else if (assigns && is_part(expr[[2L]])) as.character(expr[[2L]][[2L]])
  c(target, unlist(lapply(as.list(expr)[-1L], function(part) if (!identical(part, quote(expr = ))) assigned_names(part))))
}
