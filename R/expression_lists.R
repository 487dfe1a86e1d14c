# Elements of lists and data frames that are arguments or variables: data$y, data[["y"]] and with(data, ...). Each element is an argument of
# the program by itself, under a name like `data$y`, whose value R takes at each call.

# list(body, parts): the body with such names in it, and what each of them is, a call. `outer`: of the outermost function, whose arguments
# are those of the call; those of others are no lists.
without_lists <- function(f, outer) {
  taken <- without_taken(f, outer)
  expr <- taken$body
  if (!any(c("$", "[[", "with") %in% all.names(expr))) return(taken)
  parts <- taken$parts
  part <- function(name, value) {
    parts[[name]] <<- value
    as.symbol(name)
  }
  inner <- assigned_names(expr)
  hidden <- c(inner, if (!outer) names(formals(f)))
  is_list_name <- function(expr) is.symbol(expr) && !as.character(expr) %in% hidden
  element <- function(of, name) part(paste0(of, "$", name), call("[[", as.symbol(of), name))
  # `name` in with(of, ...): the list's, if it has one of that name, else what it is without the list.
  in_with <- function(of, name) {
    if (is.call(of)) {
      taken <- call("as.vector", call("[", of[[2L]], name))
      if (!name %in% c(inner, names(formals(f))) && !is_variable(name, environment(f))) return(taken)
      flag <- part(paste0(of[[2L]], " has ", name), call("%in%", name, call("names", of[[2L]])))
      return(call("if", flag, taken, as.symbol(name)))
    }
    if (!name %in% c(inner, names(formals(f)))) return(part(paste0(of, "$", name), call("with", of, as.symbol(name))))
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
      return(element(as.character(expr[[2L]]), as.character(expr[[3L]])))
    }
    if (head == "[[" && length(expr) == 3L && is_list_name(expr[[2L]]) && is.character(expr[[3L]])) {
      return(element(as.character(expr[[2L]]), expr[[3L]]))
    }
    if (head == "with" && length(expr) == 3L && is.null(names(expr))) return(walk_with(expr, of))
    if (head == "function") {
      if (!is.null(of)) argument_error("`", deparse1(expr), "`: a function is made outside of with()")
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
    if (!is.null(of)) argument_error(shown, "with() in with() is not supported: name the elements, data$y")
    if (!is_list_name(data) && !of_vector) argument_error(shown, "with() is for a list that is an argument or a variable, or for as.list() of such a vector")
    inside <- assigned_names(expr[[3L]])
    names <- all.names(expr[[3L]], functions = TRUE)
    if ("return" %in% names) argument_error(shown, "return() in with() leaves with() only: write the value")
    if (length(inside) > 0L) argument_error(shown, "with() keeps what is assigned in it: assign outside of it, ", inside[1L], " <- with(...)")
    walk(expr[[3L]], data)
  }
  list(body = walk(expr), parts = parts)
}
