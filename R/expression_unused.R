# Arguments of a call that the function does not have.

# `call`: the user's; `dots`: its arguments that are none of the function's, as list(by = g).
refuse_unused <- function(expression, call, dots) {
  dots <- as.list(dots)[-1L]
  names <- names(dots) %||% rep("", length(dots))
  shown <- function(k) paste0(if (nzchar(names[k])) paste(names[k], "= "), deparse1(dots[[k]]))
  if (is.null(expression$reduce) && "by" %in% names) argument_error("unused argument (", shown(match("by", names)), "): ", by_needs_reduce(expression, call))
  own <- names(formals(expression$f))
  further <- names(reserved_arguments(expression$reduce))
  named <- which(nzchar(names))
  argument_error(
    if (length(dots) > 1L) "unused arguments (" else "unused argument (", paste(vapply(seq_along(dots), shown, ""), collapse = ", "), "): the function has ",
    in_ticks(own), ", and ", in_ticks(further), if (length(named) > 0L) did_you_mean(names[named[1L]], c(own, further))
  )
}

# What to write for `by` of a function that was made without `reduce`.
by_needs_reduce <- function(expression, call) {
  f <- expression$written
  attributes(f) <- NULL
  reduce <- "sum"
  last <- body(f)
  while (is.call(last) && identical(last[[1L]], quote(`{`)) && length(last) == 2L) last <- last[[2L]]
  one <- is.call(last) && (identical(last[[1L]], quote(sum)) || identical(last[[1L]], quote(mean))) && length(last) == 2L && is.null(names(last))
  if (one) {
    reduce <- as.character(last[[1L]])
    body(f) <- last[[2L]]
  }
  head <- sub("^function [(]", "function(", sub(" *NULL$", "", deparse1(`body<-`(f, value = NULL), collapse = " ")))
  terms <- deparse1(body(f), collapse = " ")
  written <- paste(head, if (nchar(terms) > 70L) "..." else terms)
  slopes <- vapply(expression$inputs[expression$gradient], function(input) input$name, "")
  name <- if (is.symbol(call[[1L]])) as.character(call[[1L]]) else "f"
  call[[1L]] <- as.symbol(name)
  paste0(
    "`by` is for functions that are made with `reduce`, which gives a result for each level. Return the terms, and let `reduce` add them up:\n  ",
    name, " <- opencl_function(", written, ", reduce = \"", reduce, "\"", if (length(slopes) > 0L) paste0(", gradient = ", quoted_names(slopes)), ")\n  ", deparse1(call, collapse = " ")
  )
}
