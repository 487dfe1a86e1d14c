# x[k] where k is a variable: only the call tells whether k is a logical vector or codes. A call with a logical k runs a second function, made
# with k as a test, as x[d == 1] is.

# list(name, of, anywhere) of an index that R knows, k, d$k and d[["k"]], `anywhere` in with(of, ...); NULL of others.
index_asked <- function(value, scopes, frames) {
  if (is.symbol(value)) {
    of <- if (length(scopes) > 0L) scopes[[length(scopes)]]
    if (length(scopes) > 1L || isTRUE(of$vector)) return(NULL)
    return(list(name = as.character(value), of = of$name, anywhere = !is.null(of)))
  }
  if (!is_call_of(value, c("$", "[[")) || length(value) != 3L || !is.symbol(value[[2L]]) || length(scopes) > 0L) return(NULL)
  of <- as.character(value[[2L]])
  named <- is.character(value[[3L]]) || (is.symbol(value[[3L]]) && identical(value[[1L]], quote(`$`)))
  if (named && !of %in% frames) list(name = as.character(value[[3L]]), of = of, anywhere = FALSE)
}

# The call that asks, as code of the function that users call; NULL where nothing is to be asked.
is_any_test <- function(expression) {
  f <- expression$f
  if (!is.null(attr(f, "takes_tests"))) return(NULL)
  asked <- questions_of_tests(expression)
  if (length(asked) > 0L) Reduce(function(a, b) call("||", a, b), asked)
}

questions_of_tests <- function(expression) {
  given <- formals(expression$f)
  around <- as.call(list(parent.env, as.call(list(environment)))) # the function that users call has further arguments
  value_of <- function(name) if (name %in% names(given)) as.symbol(name) else as.call(list(get0, name, around))
  lapply(expression$lists$tests, function(asked) {
    name <- asked$of %||% asked$name
    ask <- if (is.null(asked$of)) {
      as.call(list(is_logical_vector, value_of(name)))
    } else {
      as.call(list(is_logical_element, value_of(name), asked$name, if (asked$anywhere) value_of(asked$name)))
    }
    absent <- Filter(function(one) one %in% names(given) && is_empty_argument(given[[one]]), c(name, if (asked$anywhere) asked$name))
    for (one in absent) ask <- call("&&", call("!", call_of_missing(one)), ask)
    ask
  })
}

is_logical_vector <- function(x) is.logical(x) || (is.object(x) && is_resident(x) && identical(resident_fields(x)$type, "logical"))
is_logical_element <- function(of, name, variable) {
  if (is.list(of)) {
    value <- .subset2(of, name, exact = FALSE)
    if (!is.null(value)) return(is_logical_vector(value))
  }
  is_logical_vector(variable)
}

# `frame`: of the function that was called, by `call`.
run_with_tests <- function(expression, frame, call) {
  if (length(expression$called) > 0L) look_up_called(expression)
  are <- vapply(questions_of_tests(expression), eval, NA, frame)
  key <- paste(c("tests", which(are)), collapse = " ")
  f <- expression$with_tests[[key]]
  if (is.null(f)) {
    f <- expression$f
    attr(f, "takes_tests") <- names(expression$lists$tests)[are]
    f <- made_again(expression, f, expression$written)
    expression$with_tests[[key]] <- f
  }
  missing <- names(formals(expression$f))[eval(expression$missing, frame)]
  run_by(f, expression, missing, frame, call)
}
