# Defaults that read other arguments.
#
# R computes an argument's default before the kernel runs. Where it depends on an argument that the gradient is in, or where `by` asks for the
# function of each level's rows, it is a part of the function: the call is then one of a function whose body computes it.

# Names of arguments that `f` reads, whose default is such a part: list(always, by), `by` only where a call has `by`.
defaults_in_body <- function(expression) {
  f <- expression$f
  none <- list(always = character(), by = character())
  if (expression$asks[["missing"]] || all(vapply(formals(f), is_empty_argument, NA))) return(none) # the compiler knows which arguments are absent
  differentiated <- unique(sub("[$].*", "", vapply(expression$inputs[differentiated_inputs(expression)], function(input) input$name, "")))
  read <- unlist(lapply(expression$inputs, function(input) names_read(input$value %||% as.symbol(input$name))))
  names <- setdiff(intersect(names(formals(f)), read), c(expression$data$names, differentiated))
  reads <- lapply(stats::setNames(nm = names), function(name) read_by_default(formals(f), name))
  list(
    always = names[vapply(reads, function(read) any(read %in% differentiated), NA)],
    by = names[lengths(reads) > 0L]
  )
}

# The last number of `effects` is a sign.
differentiated_inputs <- function(expression) c(expression$gradient, utils::head(expression$effects, -1L))

# The call of an opencl_function: `otherwise` where no such default is in it. `frame`: of the function that was called.
run_with_defaults <- function(expression, defaults, frame, over, by, call, otherwise) {
  given <- if (is.list(over)) names(over) else colnames(over)
  missing <- names(formals(expression$f))[eval(expression$missing, frame)]
  absent <- setdiff(intersect(if (is.null(by)) defaults$always else defaults$by, missing), given)
  if (length(absent) == 0L) return(otherwise)
  # What these defaults read by others is computed behind those.
  read <- unlist(lapply(absent, function(name) read_by_default(formals(expression$f), name)))
  absent <- setdiff(intersect(union(absent, read), intersect(defaults$by, missing)), given)
  key <- paste(absent, collapse = " ")
  f <- expression$with_defaults[[key]]
  if (is.null(f)) {
    f <- function_with_defaults(expression, absent)
    if (is.null(f)) return(otherwise) # they read one another, of which R says so
    expression$with_defaults[[key]] <- f
  }
  run_by(f, expression, missing, frame, call)
}

# The call as one of `f`, which is made of the same function: the arguments that are not `missing` are those of `frame`.
run_by <- function(f, expression, missing, frame, call) {
  names <- c(setdiff(names(formals(expression$f)), missing), names(reserved_arguments(expression$reduce)))
  value <- as_call_of(f, call, eval(as.call(c(f, lapply(stats::setNames(nm = names), as.symbol))), frame))
  own <- attr(f, "expression")
  expression$last <- own$last
  expression$device <- own$device
  value
}

# The function of an expression without the arguments `absent`, which its body computes.
function_with_defaults <- function(expression, absent) {
  f <- body_with_defaults(expression$f, absent)
  if (!is.null(f)) made_again(expression, f, body_with_defaults(expression$written, absent))
}

# The same of another function, whose gradient is in the same arguments.
made_again <- function(expression, f, written) {
  made <- list2env(mget(c("reduce", "hessian"), envir = expression), parent = emptyenv())
  if (!is.null(expression$data)) { # where the data lie goes by the number of the input
    made$data <- list2env(mget(setdiff(ls(expression$data), c("sources", "placed", "keys")), expression$data), parent = emptyenv())
  }
  made$f <- f
  made$written <- written
  note_inputs(made)
  known <- vapply(made$inputs, function(input) input$name, "")
  again <- function(inputs) match(vapply(expression$inputs[inputs], function(input) input$name, ""), known)
  for (part in c("gradient", "diagonal")) assign(part, if (!is.null(expression[[part]])) again(expression[[part]]), made)
  if (!is.null(expression$effects)) made$effects <- c(again(utils::head(expression$effects, -1L)), utils::tail(expression$effects, 1L))
  check_derivatives(made)
  structure(expression_caller(f, made, reserved_arguments(made$reduce)), class = c("opencl_function", "function"), expression = made)
}

# NULL where defaults read one another in a circle.
body_with_defaults <- function(f, absent) {
  defaults <- lapply(stats::setNames(nm = absent), function(name) default_of(formals(f), name))
  order <- character()
  while (length(order) < length(absent)) {
    left <- setdiff(absent, order)
    ready <- Filter(function(name) !any(all.vars(defaults[[name]]) %in% left), left)
    if (length(ready) == 0L) return(NULL)
    order <- c(order, ready)
  }
  assigned <- lapply(order, function(name) call("<-", as.symbol(name), defaults[[name]]))
  made <- as.function(c(formals(f)[setdiff(names(formals(f)), absent)], as.call(c(quote(`{`), assigned, body(f)))), envir = environment(f))
  attr(made, "differentiated") <- attr(f, "differentiated")
  made
}

# `code` calls `f`, for a user who called otherwise, by `call`, which conditions name.
as_call_of <- function(f, call, code) {
  is_of_f <- function(condition) is.call(conditionCall(condition)) && identical(conditionCall(condition)[[1L]], f)
  withCallingHandlers(
    tryCatch(code, error = function(e) {
      if (is_of_f(e)) e$call <- call
      stop(e)
    }),
    warning = function(w) {
      if (!is_of_f(w)) return()
      w$call <- call
      warning(w)
      invokeRestart("muffleWarning")
    }
  )
}
