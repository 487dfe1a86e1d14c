# Reduce(f, x) over the elements of a vector, with `init`, `accumulate` and `right`, as the loop over data that R runs for it.

# NULL: of a list, or with other arguments.
reduced_over_elements <- function(expr, about) {
  given <- tryCatch(match.call(function(f, x, init, right = FALSE, accumulate = FALSE) NULL, expr), error = function(e) NULL)
  right <- given$right %||% FALSE
  accumulate <- given$accumulate %||% FALSE
  f <- if (is.character(given$f)) as.symbol(given$f) else given$f
  is_flag <- function(flag) isTRUE(flag) || isFALSE(flag)
  if (is.null(given$x) || is.null(f) || !is_flag(right) || !is_flag(accumulate) || !is_function_of_two(f)) return(NULL)
  is_range <- is_call_of(given$x, c(":", "seq_len")) && !is.null(given$init) && !accumulate
  if (!is_range && !is_vector_here(given$x, about, is.call(f) || accumulate)) return(NULL)
  name <- function(stem) fresh_name(stem, about)
  state <- name("state")
  k <- name("k")
  if (is_range) {
    values <- if (right) list(k, state) else list(state, k)
    applied <- applied_to_two(f, values, about, expr, name)
    loop <- call("for", k, if (right) call("rev", given$x) else given$x, call("<-", state, applied$value))
    return(as.call(c(quote(`{`), applied$made, call("<-", state, given$init), loop, state)))
  }
  by_number <- is_call_of(given$x, "seq_along") && length(given$x) == 2L
  x <- if (by_number) given$x[[2L]] else given$x
  made <- list(quote(`{`))
  if (!is.symbol(x) && !is_call_of(x, "$")) {
    x <- name("x")
    made <- c(made, call("<-", x, if (by_number) given$x[[2L]] else given$x))
  }
  element <- function(place) if (by_number) place else call("as.vector", call("[", x, place)) # Reduce() leaves names out
  n <- call("length", x)
  has_init <- !is.null(given$init)
  if (!has_init) {
    is_any <- as.call(list(quote(stopifnot), call(">", n, 0)))
    names(is_any) <- c("", paste0("`", shown_line(expr), "`: Reduce() of no elements is NULL in R: give it a start, as Reduce(f, x, 0)"))
    made <- c(made, is_any)
  }
  first <- if (has_init) given$init else element(if (right) n else 1L)
  made <- c(made, call("<-", state, first))
  all <- if (accumulate) name("all")
  is_one <- as.call(list(quote(stopifnot), call("==", call("length", state), 1L)))
  names(is_one) <- c("", paste0("`", shown_line(expr), "`: of states that are vectors R makes a list"))
  if (accumulate) made <- c(made, is_one, call("<-", all, call("rep", call("as.vector", state), if (has_init) call("+", n, 1L) else n)))
  # The state behind an element has its place, or the next one where the first of all is `init`.
  rounds <- if (has_init) call("seq_along", x) else call("seq_len", call("-", n, 1L))
  at <- if (has_init || right) k else call("+", k, 1L)
  kept_at <- if (right || !has_init) at else call("+", k, 1L)
  values <- if (right) list(element(at), state) else list(state, element(at))
  applied <- applied_to_two(f, values, about, expr, name)
  step <- call("<-", state, applied$value)
  if (accumulate) step <- call("{", step, call("<-", call("[", all, kept_at), state))
  made <- c(made, applied$made, call("for", k, if (right) call("rev", rounds) else rounds, step), if (accumulate) list(is_one, all) else state)
  as.call(made)
}

# A name that the function has nowhere else.
fresh_name <- function(stem, about) {
  free <- setdiff(paste0(stem, ".", seq_along(c(about$used$names, 1))), about$used$names)[1L]
  about$used$names <- c(about$used$names, free)
  as.symbol(free)
}

is_function_of_two <- function(f) {
  if (is.symbol(f)) return(TRUE)
  if (!is_call_of(f, "function") || length(f[[2L]]) != 2L || "..." %in% names(f[[2L]])) return(FALSE)
  is_empty_argument(f[[2L]][[1L]]) && is_empty_argument(f[[2L]][[2L]])
}

# Whether that is a vector of numbers, and no list. `known_apart`: a name that is assigned no list counts as one.
is_vector_here <- function(x, about, known_apart) {
  if (is.symbol(x)) return(known_apart && !is_assigned_list(about$body, as.character(x)))
  head <- if (is.call(x) && is.symbol(x[[1L]])) as.character(x[[1L]]) else ""
  head %in% c("$", "seq_along", "c", "rev", "diff", "cumsum", "[", "as.vector", "drop", "%*%", of_each_element())
}
is_assigned_list <- function(expr, name) {
  if (!is.call(expr)) return(FALSE)
  if (is_call_of(expr, c("<-", "=")) && length(expr) == 3L && identical(expr[[2L]], as.symbol(name)) && is_call_of(expr[[3L]], makers_of_lists)) return(TRUE)
  for (part in given_parts(expr)[-1L]) if (is_assigned_list(part, name)) return(TRUE)
  FALSE
}
makers_of_lists <- c("list", "lapply", "Map", "split", "as.list", "modifyList", "relist", "mapply", "sapply", "Filter", "setNames")

# list(value, made): f(a, b) of two values, the function's own code where it stands there and its variables are no others'; else `made` gives it a name.
applied_to_two <- function(f, values, about, shown, name) {
  if (is.symbol(f)) return(list(value = as.call(c(f, values))))
  names <- names(f[[2L]])
  inside <- c(assigned_names(f[[3L]]), inner_names(f[[3L]]))
  read <- unlist(lapply(values, all.vars))
  if ("return" %in% all.names(f[[3L]]) || any(c(names, read) %in% inside) || any(vapply(names, asked_of_data, NA, expr = f[[3L]]))) {
    own <- name("step")
    return(list(value = as.call(c(own, values)), made = call("<-", own, f)))
  }
  first <- as.symbol(setdiff(paste0(".first", seq_along(all.names(f[[3L]]))), c(all.names(f[[3L]]), read))[1L]) # a name of the second's may be that of the first
  body <- substituted(substituted(f[[3L]], names[1L], first), names[2L], values[[2L]])
  list(value = own_block(substituted(body, as.character(first), values[[1L]]), about, shown))
}

# filter(x, a, method = "recursive") of one lag: y[t] = x[t] + a * y[t - 1]. Its numbers alone, which are no time series.
recursive_filter <- function(expr, about) {
  given <- tryCatch(match.call(function(x, filter, method, init) NULL, expr), error = function(e) NULL)
  if (is.null(given$x) || is.null(given$filter) || !identical(given$method, "recursive")) return(NULL)
  name <- function(stem) fresh_name(stem, about)
  x <- name("x")
  a <- name("a")
  state <- name("state")
  all <- name("all")
  k <- name("k")
  one <- function(of) structure(as.call(list(quote(stopifnot), call("==", call("length", of), 1L))), names = c("", paste0("`", shown_line(expr), "`: a recursive filter has one lag. Write for (t in 3:length(x)) y[t] <- x[t] + a[1] * y[t - 1] + a[2] * y[t - 2]")))
  asked <- function(test, text) structure(as.call(list(quote(stopifnot), test)), names = c("", paste0("`", shown_line(expr), "`: ", text)))
  round <- call("{", call("<-", state, bquote(.(x)[.(k)] + .(a) * .(state))), call("<-", call("[", all, k), state))
  as.call(list(
    quote(`{`), call("<-", x, given$x), asked(call("==", call("length", x), call("NROW", x)), "each column of a matrix is a series of its own: give a vector"),
    asked(call(">", call("length", x), 0), "there are no elements"), call("<-", x, call("as.numeric", x)), call("<-", a, call("as.numeric", given$filter)), one(a), call("<-", state, call("as.numeric", given$init %||% 0)), one(state),
    call("<-", all, x), call("for", k, call("seq_along", x), round), all
  ))
}
