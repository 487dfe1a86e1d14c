# Where the search of an objective starts: parameters that are numbers, vectors, matrices, or lists of those.

# list(start, labels): the parameters, elements of lists among them as p$a, and the names of their numbers.
checked_start <- function(start) {
  start <- as.list(start)
  if (length(start) == 0L || is.null(names(start)) || anyNA(names(start)) || !all(nzchar(names(start)))) {
    argument_error("`start` must have names, those of arguments of `ll`, as c(mean = 0, sd = 1) or list(b = c(0, 0))")
  }
  labels <- names(unlist(start))
  start <- start_without_lists(start)
  if (anyDuplicated(names(start))) argument_error("`start` has `", names(start)[duplicated(names(start))][1L], "` twice: give the numbers of a vector as one, list(b = c(0, 0))")
  for (name in names(start)) {
    x <- start[[name]]
    if (!is.object(x) && typeof(x) %in% c("double", "integer", "logical")) next
    instead <- if (!is.list(x) || is.object(x)) {
      "a parameter is numbers"
    } else if (grepl("$", name, fixed = TRUE)) {
      "elements of a list are numbers, and lists in it are not supported: give it an argument of its own"
    } else {
      paste0("all elements of a list must have names, list(", name, " = list(a = 0, b = c(0, 0)))")
    }
    argument_error("`", name, "` in `start` is of ", if (is.object(x)) "class " else "type ", if (is.object(x)) class(x)[1L] else typeof(x), ": ", instead)
  }
  start <- lapply(start, function(x) if (length(dim(x)) == 2L && ncol(x) == 1L) as.vector(x) else x) # one column is coefficients
  list(start = start, labels = labels)
}

# A list of numbers is an argument whose elements are parameters: `par$a`.
start_without_lists <- function(start) {
  is_list <- vapply(start, function(x) is.list(x) && !is.object(x) && length(x) > 0L && !is.null(names(x)) && all(nzchar(names(x))), NA)
  if (!any(is_list)) return(start)
  do.call(c, lapply(seq_along(start), function(k) {
    if (is_list[k]) stats::setNames(start[[k]], paste0(names(start)[k], "$", names(start[[k]]))) else start[k]
  }))
}

arguments_of_start <- function(start) unique(sub("[$].*", "", names(start)))

with_lists <- function(parts) {
  of <- sub("[$].*", "", names(parts))
  if (identical(of, names(parts))) return(parts)
  lapply(split(seq_along(parts), factor(of, unique(of))), function(k) {
    if (of[k[1L]] == names(parts)[k[1L]]) parts[[k]] else stats::setNames(parts[k], substring(names(parts)[k], nchar(of[k]) + 2L))
  })
}

# What `ll` reads as p$a is there, and in a list. R's $ completes names, and what asks is.null() takes an absent one for NULL.
check_elements_of_start <- function(expression, start) {
  for (input in expression$inputs) {
    value <- input$value
    is_element <- is.call(value) && length(value) >= 3L && is.symbol(value[[2L]]) && any(vapply(c(quote(`$`), quote(`[[`), list(element_of_whole_name)), identical, NA, value[[1L]]))
    if (!is_element || (length(value) == 4L && identical(value[[4L]], "with"))) next # a variable, where the list has no such element
    of <- as.character(value[[2L]])
    element <- as.character(value[[3L]])
    by_dollar <- identical(value[[1L]], quote(`$`)) || (length(value) == 4L && value[[4L]] %in% c("$", "both")) # a vector has elements by [[, too
    if (of %in% names(start) && !by_dollar) next
    if (of %in% names(start)) {
      argument_error("`ll` reads `", of, "$", element, "`, and `", of, "` in `start` is no list: write list(", of, " = list(", element, " = ...))")
    }
    elements <- substring(names(start)[startsWith(names(start), paste0(of, "$"))], nchar(of) + 2L)
    if (length(elements) == 0L || any(startsWith(elements, element)) || expression$asks[["null"]]) next
    argument_error("`ll` reads `", of, "$", element, "`, and `", of, "` in `start` has ", in_ticks(elements), did_you_mean(element, elements))
  }
}

refuse_without_slope <- function(expression, name) {
  of <- sub("[$].*", "", name)
  read <- vapply(expression$inputs, function(input) input$name, "")
  if (of != name && !name %in% read && any(startsWith(read, paste0(of, "$")))) argument_error("`ll` does not read `", name, "`: leave it out of `start`")
  argument_error("`ll` was made without the gradient in `", name, "`: name it in `gradient`, or give it in `data`, where it does not change")
}
