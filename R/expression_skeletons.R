# relist(par, skel) of a skeleton that is a variable or in `data`, and lists in lists that are given, dat$d$y.

# The list(...) that relist() makes by a skeleton that is there when the function is made. Each element asks at each call whether the skeleton has the
# same names and sizes. `bound`: names that are no variables of the environment. NULL: the skeleton is not known.
list_of_known_skeleton <- function(flesh, name, env, bound) {
  value <- get0(data_name(name), env, inherits = FALSE)
  if (is.null(value)) value <- if (!name %in% bound) get0(name, env)
  shape <- shape_of_skeleton(value)
  if (is.null(shape) || inherits(shape, "numbers")) return(NULL)
  at <- 0
  asked <- call("==", call("length", call(".skeleton", as.symbol(name), shape)), 1L)
  refused <- call(".refused", paste0("`", name, "` has changed"))
  part_of <- function(shape) {
    if (!inherits(shape, "numbers")) return(as.call(c(quote(list), lapply(shape, part_of))))
    shape <- unclass(shape)
    places <- at + seq_len(shape$size)
    at <<- at + shape$size
    numbers <- function(k) call("as.vector", call("[", flesh, if (length(k) == 1L) k else call(":", k[1L], k[length(k)])))
    made <- if (!is.null(shape$names)) {
      as.call(c(quote(c), stats::setNames(lapply(places, numbers), shape$names)))
    } else if (!is.null(shape$dim)) {
      call("matrix", numbers(places), shape$dim[1L], shape$dim[2L])
    } else {
      numbers(places)
    }
    call("if", asked, made, refused)
  }
  part_of(shape)
}

# Names and sizes of a list of numbers, vectors, matrices and such lists; NULL of others, of which relist() makes what an expression does not have.
shape_of_skeleton <- function(value) {
  if (is.list(value)) {
    if (length(value) == 0L || !all(class(value) %in% c("list", "relistable"))) return(NULL)
    shapes <- lapply(unclass(value), shape_of_skeleton)
    if (any(vapply(shapes, is.null, NA)) || anyDuplicated(names(value)[nzchar(names(value))])) return(NULL)
    return(stats::setNames(shapes, names(value)))
  }
  plain <- (is.numeric(value) || is.logical(value)) && !is.object(value) && length(value) > 0L
  if (!plain || !all(names(attributes(value)) %in% c("names", "dim")) || !length(dim(value)) %in% c(0L, 2L)) return(NULL)
  names <- names(value)
  if (!is.null(names) && (length(names) > 64L || anyDuplicated(names) || !all(nzchar(names)))) return(NULL)
  structure(list(size = length(value), names = names, dim = dim(value)), class = "numbers")
}

# What R evaluates at each call.
checked_skeleton <- function(value, shape) {
  if (identical(if (is.character(shape)) names(value) else shape_of_skeleton(value), shape)) return(TRUE)
  if (is.character(shape)) argument_error("`", deparse1(substitute(value)), "` has other names now than when the function was made: make it again by opencl_function()")
  argument_error("`", deparse1(substitute(value)), "`, the skeleton of relist(), has other names or lengths now than when the function was made: make it again by opencl_function()")
}

# ---- modifyList()

# modifyList(x, val) of lists that are written there, and of variables that are assigned such a list once.
list_modified <- function(expr, scope, again) {
  given <- tryCatch(match.call(function(x, val) NULL, expr), error = function(e) NULL)
  if (is.null(given$val) || !identical(get0("modifyList", scope$env, mode = "function") %||% utils::modifyList, utils::modifyList)) return(NULL)
  x <- elements_of_list(given$x, scope, again)
  val <- elements_of_list(given$val, scope, again)
  if (is.null(x) || is.null(val) || any(vapply(val, is.null, NA))) return(NULL) # NULL takes an element out
  modified <- function(x, val) {
    for (name in names(val)[nzchar(names(val))]) {
      inner <- is_call_of(x[[name]], "list") && is_call_of(val[[name]], "list")
      x[[name]] <- if (inner) as.call(c(quote(list), modified(as.list(x[[name]])[-1L], as.list(val[[name]])[-1L]))) else not_null(val[[name]])
    }
    x
  }
  # NULL would take the element out.
  not_null <- function(value) {
    if (!is.symbol(value) && !is_call_of(value, c("$", "[["))) return(value)
    call("if", call("is.null", value), call(".refused", paste0("`", shown_line(expr), "`: `", shown_line(value), "` is NULL, which takes an element out of a list")), value)
  }
  as.call(c(quote(list), modified(x, val)))
}

# The elements of list(...), and of a variable with such a list, as a list of expressions; NULL of other expressions.
elements_of_list <- function(expr, scope, again) {
  if (is.call(expr)) {
    made <- again(expr)
    return(if (!is.null(made)) as.list(made)[-1L])
  }
  name <- if (is.symbol(expr)) as.character(expr) else return(NULL)
  given <- elements_of_variable(name, scope)
  if (!is.null(given)) return(given)
  if (is.null(scope$body) || sum(targets_in(scope$body) == name) != 1L || name %in% inner_names(scope$body)) return(NULL)
  made <- value_assigned(scope$body, name)
  keys <- if (is.call(made)) names(as.list(again(made))[-1L])
  if (is.null(keys) || !all(nzchar(keys))) return(NULL)
  if (any(vapply(as.list(again(made))[-1L], is_call_of, NA, "list"))) return(NULL) # whose elements are variables
  lapply(stats::setNames(nm = keys), function(key) call("$", expr, as.symbol(key)))
}

# The same of a variable of the environment, or in `data`, whose names are asked for at each call.
elements_of_variable <- function(name, scope) {
  value <- get0(data_name(name), scope$env, inherits = FALSE)
  if (is.null(value)) value <- if (!name %in% scope$bound) get0(name, scope$env)
  keys <- names(value)
  if (!is.list(value) || is.object(value) || is.null(keys) || anyDuplicated(keys) || !all(nzchar(keys)) || any(vapply(value, is.list, NA))) return(NULL)
  asked <- call("==", call("length", call(".skeleton", as.symbol(name), keys)), 1L)
  lapply(stats::setNames(nm = keys), function(key) call("if", asked, call("[[", as.symbol(name), key), call(".refused", paste0("`", name, "` has changed"))))
}

# What a body's own statements assign to a name.
value_assigned <- function(expr, name) {
  for (part in statements_before(expr)) if (is_call_of(part, c("<-", "=")) && identical(part[[2L]], as.symbol(name))) return(part[[3L]])
}

# ---- lists in lists

# A body in which dat$d, where its elements are read, dat$d$y and with(dat$d, y), is a variable of that name, whose value R takes at each call.
# `roots`: names of lists, if not all that are given.
with_nested_lists <- function(expr, f, outer, roots = NULL) {
  if (!any(c("$", "[[") %in% all.names(expr))) return(expr)
  never <- c(assigned_names(expr), inner_names(expr), if (!outer) names(formals(f)))
  hidden <- c(names(formals(f)), functions_assigned(expr))
  in_gradient <- lists_of_gradient(attr(f, "differentiated"))
  named <- function(of, shown) {
    root <- root_of_chain(of)
    if (root %in% in_gradient) {
      limit_error("`", shown_line(shown), "`: a list in `", root, "`, which has a gradient, is given as an argument of its own")
    }
    as.symbol(deparse1(of))
  }
  is_nested <- function(of) {
    root <- root_of_chain(of)
    is.call(of) && !is.null(root) && !root %in% never && (is.null(roots) || root %in% roots)
  }
  walk <- function(expr) {
    if (!is.call(expr) || is_call_of(expr, "quote")) return(expr)
    head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
    reads <- length(expr) == 3L && (head == "$" || (head == "with" && is.null(names(expr))) || (head == "[[" && is.character(expr[[3L]])))
    if (reads && is_nested(expr[[2L]])) {
      expr[[2L]] <- named(expr[[2L]], expr)
      if (head == "with") expr[3L] <- list(walk(expr[[3L]]))
      return(expr)
    }
    if (any(vapply(given_parts(expr)[-1L], is_nested, NA))) {
      numbered <- expr
      numbered[seq_along(expr)[-1L]] <- as.list(seq_along(expr)[-1L])
      matched <- matched_helper(numbered, environment(f), hidden)
      for (formal in names(matched$given)) {
        k <- matched$given[[formal]]
        if (is_nested(expr[[k]]) && reads_elements(matched$f, formal)) expr[[k]] <- named(expr[[k]], expr)
      }
    }
    for (k in seq_along(expr)[-1L]) if (!is_empty_argument(expr[[k]])) expr[k] <- list(walk(expr[[k]]))
    expr
  }
  walk(expr)
}

# The chain of names that such a variable is, whose list is another expression.
chain_of_name <- function(name, list) {
  replaced <- function(of) if (is.symbol(of)) list else `[[<-`(of, 2L, replaced(of[[2L]]))
  replaced(str2lang(name))
}

# The list at the beginning of dat$d$y and dat[["d"]]; NULL of another expression.
root_of_chain <- function(expr) {
  if (is.symbol(expr)) return(as.character(expr))
  by_name <- is_call_of(expr, c("$", "[[")) && length(expr) == 3L && (is.character(expr[[3L]]) || (is.symbol(expr[[3L]]) && identical(expr[[1L]], quote(`$`))))
  if (by_name) root_of_chain(expr[[2L]])
}

# What these variables are, by name.
nested_lists_in <- function(expr) {
  names <- grep("[$]|[[][[]", all.names(expr, unique = TRUE), value = TRUE)
  if (length(names) == 0L) return(list())
  names <- setdiff(names, c("$", "[[", assigned_names(expr)))
  chains <- lapply(stats::setNames(nm = names), function(name) {
    of <- tryCatch(str2lang(name), error = function(e) NULL)
    if (is.call(of) && !is.null(root_of_chain(of))) of
  })
  chains[vapply(names(chains), function(name) !is.null(chains[[name]]) && name %in% names_read(expr), NA)]
}
