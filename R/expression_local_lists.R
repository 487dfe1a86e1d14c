# Lists that a function makes of its own: p <- list(mean = a, sd = exp(b)), of which each element is a variable by itself, `p$mean`.

# A body without them. A list stays, and is refused later, where it is used in another way than by p$mean and p[["mean"]], is assigned again, or
# has elements without names.
without_local_lists <- function(f) {
  expr <- body(f)
  if (!is.call(expr) || !"list" %in% all.names(expr)) return(expr)
  lists_apart(expr, names(formals(f)))
}

# Those of functions that the body makes are theirs.
lists_apart <- function(expr, formals) {
  expr <- with_inner_lists_apart(expr)
  assigned <- assigned_names(expr)
  bound <- c(formals, inner_names(expr))
  for (name in unique(assigned)) {
    if (sum(assigned == name) != 1L || name %in% bound) next
    elements <- elements_of_local_list(expr, name)
    if (!is.null(elements)) expr <- with_elements(expr, name, elements)
  }
  expr
}

with_inner_lists_apart <- function(expr) {
  if (!is.call(expr)) return(expr)
  if (identical(expr[[1L]], quote(`function`))) {
    expr[3L] <- list(lists_apart(expr[[3L]], names(expr[[2L]])))
    return(expr)
  }
  for (k in seq_along(expr)) if (is.call(expr[[k]])) expr[[k]] <- with_inner_lists_apart(expr[[k]])
  expr
}

is_local_list <- function(expr, name) {
  is.call(expr) && length(expr) == 3L && as.character(expr[[1L]])[1L] %in% c("<-", "=") && identical(expr[[2L]], as.symbol(name)) &&
    is.call(expr[[3L]]) && identical(expr[[c(3L, 1L)]], quote(list))
}

# p$a and p[["a"]], of the list itself: its element's name; NULL of another expression.
element_of_local <- function(expr, name) {
  if (!is.call(expr) || length(expr) != 3L || !identical(expr[[2L]], as.symbol(name))) return(NULL)
  if (identical(expr[[1L]], quote(`$`)) && (is.symbol(expr[[3L]]) || is.character(expr[[3L]]))) return(as.character(expr[[3L]]))
  if (identical(expr[[1L]], quote(`[[`)) && is.character(expr[[3L]])) expr[[3L]]
}

# Names of the list's elements; NULL where it is none that can be taken apart.
elements_of_local_list <- function(expr, name) {
  found <- NULL
  whole <- TRUE
  look <- function(expr) {
    if (identical(expr, as.symbol(name))) whole <<- FALSE
    if (!is.call(expr) || !whole) return()
    if (is_local_list(expr, name)) {
      found <<- names(expr[[3L]])[-1L]
      if (is.null(found) || !all(nzchar(found)) || anyDuplicated(found)) whole <<- FALSE
      for (part in as.list(expr[[3L]])[-1L]) if (!identical(part, quote(expr = ))) look(part) else whole <<- FALSE
      return()
    }
    element <- element_of_local(expr, name)
    if (!is.null(element)) {
      if (is.null(found) || !element %in% found) whole <<- FALSE # another, or read before it is made
      return()
    }
    for (part in as.list(expr)) if (!identical(part, quote(expr = ))) look(part)
  }
  look(expr)
  if (whole) found
}

with_elements <- function(expr, name, elements) {
  variable <- function(element) as.symbol(paste0(name, "$", element))
  walk <- function(expr) {
    if (!is.call(expr)) return(expr)
    if (is_local_list(expr, name)) {
      values <- as.list(expr[[3L]])[-1L]
      made <- Map(function(element, value) call("<-", variable(element), walk(value)), elements, values)
      return(structure(as.call(c(quote(`{`), unname(made))), written = deparse1(expr)))
    }
    element <- element_of_local(expr, name)
    if (!is.null(element)) return(variable(element))
    for (k in seq_along(expr)) if (!identical(expr[[k]], quote(expr = ))) expr[k] <- list(walk(expr[[k]]))
    expr
  }
  walk(expr)
}
