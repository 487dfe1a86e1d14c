# Arguments and variables that are no numbers, of which the program holds for what they are: texts, NULL, missing arguments. A
# placeholder of one element stands for each among the inputs.

# What a missing argument is among the values of a call: it has no class, which only vectors on a device have.
absent_argument <- structure(list(), absent = TRUE)

is_absent <- function(x) is.list(x) && length(x) == 0L && isTRUE(attr(x, "absent", exact = TRUE))

# list(inputs, key), where all that are no numbers are known so; `key`: NULL where others are.
known_inputs <- function(expression, inputs) {
  asks <- expression$asks
  told <- character()
  for (k in seq_along(inputs)) {
    x <- inputs[[k]]
    known <- if (is_absent(x)) {
      list(kind = "missing")
    } else if (is.null(x) && asks[["null"]]) {
      list(kind = "null")
    } else if (is.character(x) && is.null(attributes(x)) && !anyNA(x) && length(x) %in% 1:100 && (asks[["texts"]] || asks[["null"]])) {
      list(kind = "texts", texts = enc2utf8(x))
    }
    if (is.null(known)) next
    told <- c(told, paste0(k, known$kind, paste0(encodeString(known$texts, quote = "\""), collapse = ",")))
    inputs[[k]] <- structure(TRUE, known = known)
  }
  key <- expression_key_cpp(inputs)
  if (is.null(key)) {
    inputs <- plain_inputs(expression, inputs)
    key <- expression_key_cpp(inputs)
  }
  if (key != "" && length(told) > 0L) key <- paste0("<", paste(told, collapse = " "), ">", key)
  list(inputs = inputs, key = key)
}

input_known <- function(x) if (!is.object(x)) attr(x, "known", exact = TRUE)

# The values that arguments stand for, for R's own evaluation. `none`: which of them are NULL, of which R says other things than of vectors
# of no elements.
restored_inputs <- function(inputs, none = logical(length(inputs))) {
  lapply(seq_along(inputs), function(k) {
    x <- inputs[[k]]
    known <- input_known(x)
    if (none[k]) NULL else if (is.null(known)) x else switch(known$kind, texts = known$texts, missing = absent_argument)
  })
}

# What the body asks of this call by stopifnot(), and what it warns of by warning(). `call`: the user's.
check_told <- function(variant, inputs, call) {
  tree <- variant$tree
  if (length(tree$assertions) == 0L && length(tree$told) == 0L) return(invisible())
  guards <- unlist(lapply(c(tree$assertions, tree$told), function(one) lapply(one$guards, function(guard) guard$test)))
  nodes <- unique(c(unlist(lapply(tree$assertions, function(one) one$node)), guards))
  known <- if (length(nodes) > 0L) node_values_under(tree, nodes, lapply(inputs, in_r))
  for (one in tree$assertions) {
    value <- known[[one$node]]
    if (!guards_of_values(known, one$guards) || (!anyNA(value) && all(value))) next
    text <- paste0(one$text, if (!one$is_message) if (one$whole || length(value) == 1L) " is not TRUE" else " are not all TRUE")
    stop(simpleError(text, one$call %||% call))
  }
  for (one in tree$told) {
    if (guards_of_values(known, one$guards)) warning(simpleWarning(one$text, if (one$is_shown) one$call %||% call))
  }
}

# What R says of the body itself, said of the user's call, and what it says of calls in it of those as the user has them.
said_of_user <- function(code, call, names = character()) {
  ours <- function(condition) identical(conditionCall(condition), quote(body_of())) || identical(conditionCall(condition)[[1L]], quote(body_of))
  tryCatch(
    withCallingHandlers(code, warning = function(w) {
      shown <- if (ours(w)) call else if (length(names) > 0L && is.call(conditionCall(w))) as_written(conditionCall(w), names)
      if (is.null(shown) || identical(shown, conditionCall(w))) return()
      warning(simpleWarning(conditionMessage(w), shown))
      invokeRestart("muffleWarning")
    }),
    simpleError = function(e) {
      if (ours(e)) e$call <- call else if (length(names) > 0L && is.call(e$call)) e$call <- as_written(e$call, names)
      stop(e)
    }
  )
}
