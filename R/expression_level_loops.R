# Loops and functions of the levels of a factor or of different texts, for (lev in levels(g)) and sapply(unique(s), function(lev) ...), that ask
# g == lev: over the numbers of the levels, of which a kernel knows. And of names(par), that read par[[nm]].

# NULL: another call, or one that reads the level itself. `about`: list(f, known, part).
rounds_of_levels <- function(expr, whole, about, walk) {
  name <- as.character(expr[[2L]])
  if (sum(all.names(whole) == name) != sum(all.names(expr) == name)) return(NULL)
  of <- levels_gone_over(expr[[3L]], about) %||% names_gone_over(expr[[3L]], about)
  block <- if (!is.null(of)) with_level_numbers(expr[[4L]], of, name)
  if (!is.null(block)) structure(walk(call("for", expr[[2L]], call("seq_along", of$count()), block)), written = shown_code(expr))
}

# The numbers have the names of the levels, where R's have: of sapply() of texts.
applied_to_levels <- function(expr, about, walk) {
  given <- tryCatch(match.call(get(as.character(expr[[1L]]), baseenv()), expr), error = function(e) NULL)
  f <- given$FUN
  with_names <- given$USE.NAMES %||% TRUE
  if (!is_call_of(f, "function") || length(f[[2L]]) != 1L || !all(names(given) %in% c("", "X", "FUN", "FUN.VALUE", "USE.NAMES")) || !(isTRUE(with_names) || isFALSE(with_names))) return(NULL)
  of <- levels_gone_over(given$X, about) %||% names_gone_over(given$X, about, TRUE)
  block <- if (!is.null(of)) with_level_numbers(f[[3L]], of, names(f[[2L]]))
  if (is.null(block)) return(NULL)
  count <- of$count()
  given$X <- call("seq_along", count)
  given$FUN <- made_function(f[[2L]], block)
  given$USE.NAMES <- NULL
  made <- walk(given)
  structure(if (with_names && of$is_text && !isTRUE(attr(expr, "of_lapply"))) call(".as_apply", made, count, 0) else made, written = deparse1(expr))
}

# list(x, codes(), count(), is_text) of levels(x), and of unique(x) of texts and factors that are there when the function is made.
levels_gone_over <- function(over, about) {
  if (!is_call_of(over, c("levels", "unique")) || length(over) != 2L) return(NULL)
  value <- about$known(over[[2L]])
  if (is.null(value)) return(NULL)
  way <- as.character(over[[1L]])
  there <- if (way == "unique") value_there(value, about$f)
  if (way == "unique" && !is.character(there) && !is.factor(there)) return(NULL)
  kind <- if (way == "unique") if (is.factor(there)) "factor" else "text"
  list(
    x = over[[2L]], over = over, is_text = !is.factor(there),
    codes = function() about$part(as.call(list(level_numbers, value, way, kind)), call("level", over)),
    count = function() about$part(as.call(list(names_of_levels, value, way, kind)), call("number", over))
  )
}

# The same of names(par), for (nm in names(par)) s <- s + par[[nm]]: the numbers of the elements. `some`: there have to be names.
names_gone_over <- function(over, about, some = FALSE) {
  if (!is_call_of(over, "names") || length(over) != 2L || !is.symbol(over[[2L]])) return(NULL)
  value <- about$known(over[[2L]])
  if (!is.symbol(value)) return(NULL)
  list(x = over[[2L]], over = over, is_text = TRUE, of_names = TRUE, count = function() about$part(as.call(list(distinct_names_of, value, some)), call("number", over)))
}
distinct_names_of <- function(x, some) {
  names <- names(x)
  if ((some && is.null(names)) || anyNA(names) || anyDuplicated(names) || !all(nzchar(names))) limit_error("names(", deparse1(substitute(x)), "), over which a function goes: elements without a name, or with the name of another one")
  stats::setNames(logical(length(names)), names)
}

# `kind`: what the values of unique() were when the function was made, which says how it is written.
levels_of <- function(x, way, kind) {
  if (!is.null(kind) && !identical(kind, if (is.factor(x)) "factor" else if (is.character(x)) "text")) {
    limit_error("unique(): its data are ", typeof(x), ", and were ", if (kind == "text") "texts" else "a factor", " when the function was made: make it again")
  }
  made <- if (way == "levels") levels(x) else as.character(unique(x))
  if (anyNA(made)) limit_error(way, "(): a level is missing, which is equal to none in R")
  made
}
level_numbers <- function(x, way, kind) match(x, levels_of(x, way, kind))
names_of_levels <- function(x, way, kind) stats::setNames(logical(length(levels_of(x, way, kind))), levels_of(x, way, kind))

# A block with the number of a level for each g == lev; NULL: it reads the level elsewhere, or gives a name in it another value.
with_level_numbers <- function(block, of, name) {
  assigned <- c(assigned_names(block), inner_names(block))
  if (name %in% c(assigned, all.vars(of$x)) || any(all.vars(of$x) %in% assigned) || asked_of_data(block, name)) return(NULL)
  level <- as.symbol(name)
  codes <- NULL
  left <- FALSE
  walk <- function(expr) {
    if (identical(expr, level)) left <<- TRUE
    if (!is.call(expr)) return(expr)
    if (isTRUE(of$of_names) && is_call_of(expr, c("[", "[[")) && length(expr) == 3L && identical(as.list(expr)[-1L], list(of$x, level))) {
      return(if (is_call_of(expr, "[")) expr else structure(call("as.vector", call("[", of$x, level)), written = deparse1(expr)))
    }
    if (is.null(of$of_names) && is_call_of(expr, c("==", "!=")) && length(expr) == 3L && (identical(as.list(expr)[-1L], list(of$x, level)) || identical(as.list(expr)[-1L], list(level, of$x)))) {
      codes <<- codes %||% of$codes()
      return(call(as.character(expr[[1L]]), codes, level))
    }
    for (k in seq_along(expr)[-1L]) if (!is_empty_argument(expr[[k]])) expr[k] <- list(walk(expr[[k]]))
    expr
  }
  block <- walk(block)
  if (!left) block
}
