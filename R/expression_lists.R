# Elements of lists and data frames that are arguments or variables: data$y, data[["y"]] and with(data, ...). Each element is an argument of
# the program by itself, under a name like `data$y`, whose value R takes at each call: by $, which completes names where R does, or by [[.

# list(body, parts): the body with such names in it, and what each of them is, a call. `outer`: of the outermost function, whose arguments
# are those of the call; those of others are no lists.
without_lists <- function(f, outer) {
  taken <- without_taken(f, outer)
  expr <- without_list_aliases(taken$body)
  if (!any(c("$", "[[", "with") %in% all.names(expr))) return(list(body = expr, parts = taken$parts))
  parts <- taken$parts
  part <- function(name, value) {
    parts[[name]] <<- value
    as.symbol(name)
  }
  inner <- assigned_names(expr)
  hidden <- c(inner, if (!outer) names(formals(f)))
  in_gradient <- if (outer) lists_of_gradient(attr(f, "differentiated"))
  is_list_name <- function(expr) is.symbol(expr) && !as.character(expr) %in% hidden
  element <- function(of, name, way) {
    value <- if (of %in% in_gradient) {
      as.call(list(element_of_whole_name, as.symbol(of), name, way))
    } else {
      call(way, as.symbol(of), if (way == "$") as.symbol(name) else name)
    }
    shown <- paste0(of, "$", name)
    before <- parts[[shown]]
    if (!is.null(before) && !identical(before, value)) value <- as.call(list(element_of_whole_name, as.symbol(of), name, "both"))
    part(shown, value)
  }
  # `name` in with(of, ...): the list's, if it has one of that name, else what it is without the list.
  in_with <- function(of, name) {
    if (is.call(of)) {
      taken <- call("as.vector", call("[", of[[2L]], name))
      if (!name %in% c(inner, names(formals(f))) && !is_number_there(name, environment(f))) return(taken)
      flag <- part(paste0(of[[2L]], " has ", name), call("%in%", name, call("names", of[[2L]])))
      return(call("if", flag, taken, as.symbol(name)))
    }
    either <- as.character(of) %in% in_gradient && is_number_there(name, environment(f)) # what is no element has no slope: gradient_of()
    if (!either && !name %in% c(inner, names(formals(f)))) return(part(paste0(of, "$", name), call("with", of, as.symbol(name))))
    flag <- part(paste0(of, " has ", name), call("%in%", name, call("names", of)))
    value <- part(paste0(of, "$", name), call("if", call("%in%", name, call("names", of)), call("[[", of, name), 0))
    call("if", flag, value, as.symbol(name))
  }
  walk <- function(expr, of = NULL) {
    if (is.symbol(expr)) {
      name <- as.character(expr)
      return(if (is.null(of) || !nzchar(name)) expr else in_with(of, name))
    }
    if (!is.call(expr)) return(expr)
    head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
    if (head == "$" && is_list_name(expr[[2L]]) && (is.symbol(expr[[3L]]) || is.character(expr[[3L]]))) {
      return(element(as.character(expr[[2L]]), as.character(expr[[3L]]), "$"))
    }
    if (head == "[[" && length(expr) == 3L && is_list_name(expr[[2L]]) && is.character(expr[[3L]])) {
      return(element(as.character(expr[[2L]]), expr[[3L]], "[["))
    }
    if (head == "with" && length(expr) == 3L && is.null(names(expr))) return(walk_with(expr, of))
    if (head == "function") {
      if (!is.null(of)) limit_error("`", deparse1(expr), "`: a function is made outside of with()")
      expr[[3L]] <- walk(expr[[3L]])
      return(expr)
    }
    from <- if (head %in% c("<-", "=")) 3L else 2L
    for (k in seq_along(expr)) if (k >= from && !identical(expr[[k]], quote(expr = ))) expr[k] <- list(walk(expr[[k]], of))
    expr
  }
  walk_with <- function(expr, of) {
    data <- expr[[2L]]
    of_vector <- is.call(data) && identical(data[[1L]], quote(as.list)) && length(data) == 2L && is_list_name(data[[2L]])
    shown <- paste0("`", deparse(expr, width.cutoff = 80L)[1L], "`: ")
    if (!is.null(of)) limit_error(shown, "with() in with() is not supported: name the elements, data$y")
    if (!is_list_name(data) && !of_vector) limit_error(shown, "with() is for a list that is an argument or a variable, or for as.list() of such a vector")
    inside <- assigned_names(expr[[3L]])
    names <- all.names(expr[[3L]], functions = TRUE)
    if ("return" %in% names) limit_error(shown, "return() in with() leaves with() only: write the value")
    if (length(inside) > 0L) limit_error(shown, "with() keeps what is assigned in it: assign outside of it, ", inside[1L], " <- with(...)")
    walk(expr[[3L]], data)
  }
  list(body = walk(expr), parts = parts)
}

# p <- as.list(par), then p$a: as.vector(par["a"]). Where `p` and `par` stand for nothing else.
without_list_aliases <- function(expr) {
  if (!is.call(expr) || !identical(expr[[1L]], quote(`{`)) || !"as.list" %in% all.names(expr)) return(expr)
  assigned <- assigned_names(expr)
  is_alias <- function(part) {
    is.call(part) && as.character(part[[1L]])[1L] %in% c("<-", "=") && is.symbol(part[[2L]]) && is.call(part[[3L]]) && identical(part[[3L]][[1L]], quote(as.list)) &&
      length(part[[3L]]) == 2L && is.symbol(part[[3L]][[2L]]) && sum(assigned == as.character(part[[2L]])) == 1L && !as.character(part[[3L]][[2L]]) %in% assigned
  }
  for (alias in Filter(is_alias, as.list(expr)[-1L])) {
    vector <- alias[[3L]][[2L]]
    walk <- function(part) {
      if (!is.call(part)) return(part)
      element <- as.character(part[[1L]])[1L] %in% c("$", "[[") && length(part) == 3L && identical(part[[2L]], alias[[2L]])
      if (element && (is.symbol(part[[3L]]) || is.character(part[[3L]]))) return(call("as.vector", call("[", vector, as.character(part[[3L]]))))
      if (identical(part[[1L]], quote(with)) && length(part) == 3L && identical(part[[2L]], alias[[2L]])) part[[2L]] <- alias[[3L]]
      for (k in seq_along(part)) if (!identical(part[[k]], quote(expr = ))) part[k] <- list(walk(part[[k]]))
      part
    }
    changed <- walk(as.call(Filter(function(part) !identical(part, alias), as.list(expr))))
    if (!as.character(alias[[2L]]) %in% all.names(changed)) expr <- changed # else the list itself is used
  }
  expr
}

# The lists whose elements a gradient is in: `par` of "par" and "par$m".
lists_of_gradient <- function(gradient) sub("[$].*", "", gradient)

# An element that is to be no other one's by a name that R completes: of a list of the gradient, of which each element has its own slope, and
# of one that the body reads both ways, of which [[ completes no name. NULL: there is none, as in R.
element_of_whole_name <- function(of, name, way) {
  found <- if (way == "[[") of[[name]] else eval(call("$", of, as.symbol(name)))
  if (is.null(found) || way == "[[" || !is.list(of) || name %in% names(of)) return(found)
  whole <- names(of)[startsWith(names(of), name)]
  if (length(whole) != 1L) return(found)
  of <- deparse1(substitute(of))
  argument_error("`", of, "$", name, "` is `", of, "$", whole, "` by a part of its name: write the whole name, as the function reads it by this name too, or has a gradient in it")
}

# Whether an expression reads what a gradient is in; `gradient`: names as "b" and "par$m". A name in it may be completed to one of those.
reads_differentiated <- function(expr, gradient) {
  if (is.symbol(expr)) return(as.character(expr) %in% c(gradient, lists_of_gradient(gradient)))
  if (!is.call(expr)) return(FALSE)
  head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
  is_name <- function(part) is.character(part) || (head == "$" && is.symbol(part))
  if (head %in% c("$", "[[") && length(expr) == 3L && is.symbol(expr[[2L]]) && is_name(expr[[3L]])) {
    of <- as.character(expr[[2L]])
    shown <- paste0(of, "$", as.character(expr[[3L]]))
    return(of %in% gradient || shown %in% gradient || (head == "$" && any(startsWith(gradient, shown))))
  }
  any(vapply(as.list(expr)[-1L], function(part) !identical(part, quote(expr = )) && reads_differentiated(part, gradient), NA))
}
