# opencl_function -- an R function as one kernel: what users call.

#' An R function as one kernel
#'
#' Compiles an R function whose body is arithmetic on vectors. The whole body becomes one OpenCL kernel, which reads its arguments
#' once and writes its result, or only the sum of it, once. Values that depend on numbers of length one only are computed once, not for
#' every element. A body with sums, means, parts of vectors or running sums in it is computed in stages, one launch each. So a
#' log-likelihood can be written as a function that returns one number.
#'
#' @eval language_section()
#' @eval derivative_section()
#' @section Meaning: Results are those of R: recycling of every intermediate result, types (logical, integer, double), integer
#'   overflow, \code{NA} apart from \code{NaN}, attributes, warnings. The exceptions:
#'   \itemize{
#'     \item \code{ifelse} has the wider type of its two branches, whichever elements are taken.
#'     \item \code{x \%\% y} and \code{x \%/\% y} of doubles are exact. R 4.2 rounds the quotient first and may warn of a loss of accuracy:
#'       \code{1e-300 \%\% -3} is -3 here, the exact remainder rounded, and 0 there.
#'     \item Values that no result needs are computed for their warnings only where they are no longer than the result. So the part of a
#'       branch of \code{ifelse} beyond the length of the test, and elements whose \code{by} is \code{NA}, warn of nothing.
#'     \item A sum whose partial sums pass the largest double is infinite or \code{NaN}. R adds in longer numbers and may return a finite sum.
#'     \item Conditions of \code{if}, \code{&&} and \code{||} have length one.
#'     \item Arguments with a class for which R has methods of arithmetic and the like (dates, time series) are errors. Other classes, those of
#'       \code{poly()}, \code{splines::bs()} and \code{I()}, say nothing here, and results do not have them. Factors are codes in \code{u[g]} and
#'       \code{ave(x, g)}, and errors elsewhere.
#'     \item A code below 1 is an error; one beyond the end gives \code{NA}.
#'     \item \code{sum} and \code{mean} inside a body add doubles as exactly as R does, in another order.
#'     \item Equal elements share the gradient of \code{max} and \code{min}.
#'   }
#' @section Many points: \code{f(X = X, y = y, over = list(b = B, s = s))} calls the function at many points. \code{over} has the
#'   arguments that differ from point to point: of a number a vector with an element for each point, of a vector a matrix or data frame with a
#'   row for each point (its column names are the vector's names), of a matrix an array whose first dimension counts points. \code{over} may be a
#'   matrix or data frame alone, \code{over = P}: its columns are named as arguments, or its rows are the points of the one argument
#'   that is not given. An \code{\link{opencl_matrix}} may be \code{over}, too; it is read back for that.
#'
#'   The value is a vector with a number for each point, in R's memory. Its names are those of the points in the first part of \code{over}
#'   that names them. Its attribute \code{"gradient"} has a row for each point. With \code{by}, or where the function gives more than one number,
#'   the value is a matrix with a column for each point, and the gradient an array: elements or levels, points, slopes. With
#'   \code{hessian = TRUE} the attribute \code{"hessian"} is an ordinary array (points, rows, columns), also where one point has an
#'   \code{\link{arrowhead}} matrix; with \code{by} as well it is an error.
#'
#'   Every point's value is the value of a call at that point, to the last bit on the same device, whatever other points there are. A
#'   missing value or a warning at one point does not affect the others. Each warning is given once. Random numbers are those that calls at
#'   the points, one after the other, would draw. Weights with a row for each point give bootstrap replicates.
#'
#'   Arithmetic with the value keeps the attribute, which remains the gradient of the value, not of the result:
#'   \code{c(value)} drops all but the names, \code{as.vector(value)} the names, too.
#'
#'   Computed for all points together, in one launch or a few: sums and means, functions that are one number by sums in them, sums of all levels of
#'   \code{by}, and second derivatives. Gradients are among it, also those in \code{u} of \code{u[g]} and in \code{b} of a prior,
#'   \code{sum(dnorm(b, 0, 2, log = TRUE))}. A launch reads the data once for several points, and computes what does not depend on the
#'   point once a row.
#'
#'   Computed one point after the other:
#'   \itemize{
#'     \item calls on several devices;
#'     \item calls with \code{by} of functions of several steps, or with numbers for each row in \code{over};
#'     \item second derivatives in effects (\code{u} of \code{u[g]});
#'     \item loops in which a round needs the one before, loops that add up vectors over more than eight rounds, and functions that give
#'       elements;
#'     \item vectors of integers in \code{over} that are used as integers, matrices of integers there, and codes that differ from point to point;
#'     \item single points with a warning or a missing value.
#'   }
#' @section Without OpenCL: On the host device the C compiler that R was configured with compiles the kernel. Where there is none, R
#'   evaluates the body with this package's host functions. So it does, with one warning, where compiled code cannot be run. Results agree
#'   within the functions' accuracy.
#' @param f a function, or, with \code{text}, its arguments as one string, \code{"x, a, b"}.
#' @param text a C expression of the arguments with the library's C functions, \code{"dgamma(x, a, 1.0 / b, 1)"}.
#' @eval reduce_parameter()
#' @param na.rm whether a reduction leaves missing values out; their rows then have no part in the gradient either, and a mean
#'   divides by the number of rows that are left.
#' @param gradient names of arguments of \code{f}: the value then has the attribute \code{"gradient"}, as \code{\link[stats]{deriv}} gives
#'   it, a matrix with a row for each element and a column for each name (for each coefficient, where the argument is \code{b} in
#'   \code{X \%*\% b}). With \code{reduce = "sum"} or \code{"mean"} it is a vector of their sums or means; of a function that gives one number a
#'   vector with a slope for each element of the arguments (of matrices column by column). A call that depends on one of these arguments
#'   and has no derivative is an error when the function is made.
#' @param hessian if \code{TRUE}, the value of a function that gives one number has the attribute \code{"hessian"}, too: its second
#'   derivatives, a symmetric matrix with a row and a column for each number of the gradient, named as the gradient is. (\code{\link[stats]{deriv}}
#'   has them with a first dimension of 1.) There may be up to 1,000 numbers (any number where the values of rows are summed that depend on vectors by products \code{X \%*\% b} alone), none of them elements of an argument that is a matrix.
#'   Effects of levels come on top, any number of them: vectors that are taken by codes, \code{u[g]}, and whose elements do not meet each other. The
#'   Hessian is then an \code{\link{arrowhead}} matrix, of which \code{as.matrix()} makes an ordinary one.
#'   With \code{by} it is an array, levels first, of functions of each element that are summed or averaged and have no parts of vectors and no sums inside.
#'   Of a sum or mean of rows with nine coefficients or more in \code{X \%*\% b} it is \code{t(X) W X} with its blocks: one program for any number of
#'   columns computes the weights W, another one the products. Otherwise the matrix is computed column by column, by one program for any number of
#'   parameters, each call of which takes about as long as two or three of the gradient. Of up to eight numbers, and of up to 16 with 100,000 rows or
#'   more where the function is short, one program computes all columns at once.
#'   A call without a rule for its second derivative is an error when the function is made, or, in a branch that a condition
#'   chooses, at the call.
#' @param data a list or a data frame with values of arguments of \code{f} and of variables that it reads; they go before the environment's.
#'   Vectors and matrices are sent to a device when a call there first needs them, and are resident as long as the function exists: later calls
#'   send the other arguments only. Results come back. A call can give another value instead: a variable that is named in \code{data} becomes an
#'   argument after the others. The order of arguments does not change, so name those that follow data: an argument without a name that would replace
#'   data is an error. Elements that \code{f} does not read are an error in a list, and are left out of a data frame. A helper that \code{f} calls
#'   finds its variables where it was made, as in R, and not in \code{data}: give them to it as arguments. There is no gradient in data. A function with
#'   data can be saved; the session that reads it sends them again.
#' @return A function of class \code{opencl_function} with the arguments of \code{f} and these:
#'   \describe{
#'     \item{\code{by}}{if it was made with \code{reduce}: a factor or integer codes. There is one result for each level, named, and \code{NA} for
#'       levels without elements. Of a function with sums of its own or a loop over data it is the result for the rows of the level alone. The
#'       terms of other functions are those of all rows, \code{y - length(y)} too, and are added by level. Codes are sorted again where they differ from those of the
#'       call before. Resident codes, \code{opencl_vector(g)}, are sorted at their first use only, and keep their
#'       order, here and on the device.}
#'     \item{\code{over}}{many points, see there.}
#'     \item{\code{keep}}{if it was made without \code{reduce}: whether the result is resident (\code{\link{opencl_vector}}). Results of
#'       resident vectors are.}
#'     \item{\code{device}, \code{fallback}, \code{verbose}}{as the other functions of this package have them; several devices share a call, see
#'       \code{\link{many_devices}}.}
#'   }
#'   \code{print()} shows the R function, and where it was computed last; \code{as.character()} gives the program of the last call.
#' @section Errors: Class \code{nmathopencl_error}: operations that are not part of the language, by name; arguments of other types;
#'   failures of a device, see \code{fallback}.
#' @seealso \code{\link{last_run}} for what a call did; \code{\link{as_objective}} for optimizers, \code{\link{laplace}} for random effects.
#' @examples
#' density <- opencl_function(function(x, a, b) dgamma(x, a, rate = b, log = TRUE))
#' density(c(0.5, 1, 2), 2, 3)
#' loglik <- opencl_function(function(x, a, b) dgamma(x, a, rate = b, log = TRUE), reduce = "sum")
#' loglik(c(0.5, 1, 2), 2, 3)
#'
#' # One number, with effects of groups by their codes
#' negative <- function(y, g, u, par) {
#'   -sum(dnorm(y, par[1] + u[g], exp(par[2]), log = TRUE)) - sum(dnorm(u, 0, 1, log = TRUE))
#' }
#' f <- opencl_function(negative, gradient = c("u", "par"))
#' f(c(0.5, 1, 2), c(1, 2, 2), u = c(0.1, -0.2), par = c(1, 0))
#'
#' # Resident data: a function of the parameters alone
#' negative <- function(par) -sum(dpois(count, exp(par[1] + par[2] * dose), log = TRUE))
#' doses <- data.frame(count = c(2, 1, 4, 7), dose = 0:3)
#' f <- opencl_function(negative, gradient = "par", data = doses)
#' optim(c(0, 0), f)$par
#'
#' # Many points at once: a row for each
#' f(over = rbind(first = c(0, 0), second = c(0.3, 0.4)))
#' @export
opencl_function <- function(f, text = NULL, reduce = NULL, na.rm = FALSE, gradient = NULL, data = list(), hessian = FALSE) {
  if (!is.null(text)) f <- text_function(f, text)
  if (!is.function(f) || is.primitive(f)) argument_error("`f` must be a function written in R, as function(x) exp(x)")
  if (inherits(f, "opencl_function")) {
    before <- attr(f, "expression")
    f <- before$written
    data <- checked_data(data, f)
    if (!is.null(before$data)) data <- c(data, data_of(before$data)[setdiff(before$data$names, names(data))])
  }
  if (!is.null(reduce) && !(is.character(reduce) && length(reduce) == 1L && reduce %in% names(reduction_table()))) {
    argument_error(
      "`reduce` must be NULL or one of ", paste0("\"", names(reduction_table()), "\"", collapse = ", "),
      if (is.character(reduce) && length(reduce) == 1L) did_you_mean(reduce, names(reduction_table()))
    )
  }
  if (!is_switch(na.rm)) argument_error("`na.rm` must be TRUE or FALSE")
  reserved <- reserved_arguments(reduce)
  written <- f
  with_data <- function_of_data(f, data)
  f <- with_data$f
  taken <- intersect(c(names(reserved), "..."), names(formals(f)))
  if (length(taken) > 0L) {
    argument_error(
      "`f` must not have an argument `", taken[1L], "`", if (taken[1L] == "...") ": name its arguments" else
        ": the function that is made has one of that name"
    )
  }
  expression <- new.env(parent = emptyenv())
  if (is.character(gradient)) attr(f, "differentiated") <- gradient # which without_taken() asks for
  expression$f <- f
  expression$written <- written
  expression$data <- with_data$data
  expression$reduce <- if (!is.null(reduce)) list(op = reduce, na_rm = na.rm)
  note_inputs(expression)
  expression$gradient <- gradient_inputs(expression, gradient)
  expression$hessian <- checked_hessian(hessian, expression)
  check_derivatives(expression)
  structure(expression_caller(f, expression, reserved), class = c("opencl_function", "function"), expression = expression)
}

# The arguments that each such function has besides its own.
reserved_arguments <- function(reduce) {
  reserved <- alist(by = NULL, device = "auto", fallback = FALSE, verbose = FALSE, keep = FALSE, over = NULL)
  reserved[[if (is.null(reduce)) "by" else "keep"]] <- NULL
  reserved
}

# The function that `text` says, a C expression, with arguments "x, a, b".
text_function <- function(f, text) {
  if (!is.character(f) || length(f) != 1L || is.na(f)) argument_error("with `text`, `f` must name the arguments in one string. A reduction is named by `reduce`, reduce = \"sum\"")
  if (!is.character(text) || length(text) != 1L || is.na(text)) argument_error("`text` must be one string")
  names <- trimws(strsplit(f, ",", fixed = TRUE)[[1L]])
  if (length(names) == 0L || !all(grepl("^[A-Za-z][A-Za-z0-9_]*$", names))) argument_error("`f` must be names of C, as \"x, a, b\"")
  formals <- rep(alist(x = ), length(names))
  names(formals) <- names
  as.function(c(formals, as.call(c(quote(.c_text), text, lapply(names, as.symbol)))), envir = topenv())
}

# The function that users call: the same formals, whose used ones are evaluated, as R would.
expression_caller <- function(f, expression, reserved) {
  used <- Filter(function(input) input$formal, expression$inputs)
  expression$given <- given_inputs(expression)
  caller <- function() NULL
  formals(caller) <- c(formals(f), reserved, alist(... = )) # of which any is an error that says what there is
  known <- expression$data
  if (!is.null(known)) known$sources <- lapply(used, data_source, known)
  check_names <- function(call, frame) refuse_by_place(f, known$names, without_dots(call, frame))
  by_name <- as.call(list(check_names, as.call(list(sys.call)), as.call(list(parent.frame))))
  value_of <- function(input) {
    source <- data_source(input, known)
    if (!is.null(source)) {
      absent <- Reduce(function(a, b) call("&&", a, b), lapply(source$name, call_of_missing))
      return(call("if", absent, as.call(list(quote, data_mark)), call("{", by_name, input$value %||% as.symbol(input$name))))
    }
    if (!is.null(input$value)) return(input$value)
    name <- input$name
    if (expression$asks[["missing"]]) call("if", call_of_missing(name), absent_argument, as.symbol(name)) else as.symbol(name)
  }
  values <- as.call(c(list, lapply(used, value_of))) # functions themselves: an argument may have any name, and be missing
  switches <- list(
    if ("by" %in% names(reserved)) quote(by) else NULL, quote(device), quote(fallback), quote(verbose), as.call(list(sys.call)),
    if ("keep" %in% names(reserved)) quote(keep) else FALSE
  )
  at_one <- as.call(c( # forced before the call: what R says of a missing argument names the user's call
    quote(forceAndCall), 1L, expression_runner(expression), values, switches
  ))
  at_many <- as.call(c(points_runner(expression), as.call(list(sys.function)), as.call(list(environment)), quote(over), switches))
  at_one <- with_refusals(at_one, f, expression, used)
  if (!is.null(known)) at_many <- call("{", by_name, at_many)
  unread <- setdiff(known$names, unlist(lapply(known$sources, function(source) source$name))) # the others are looked at where their values are
  if (length(unread) > 0L) {
    given <- call("!", Reduce(function(a, b) call("&&", a, b), lapply(unread, call_of_missing)))
    at_one <- call("{", call("if", given, by_name), at_one)
  }
  at_any <- call("if", as.call(list(is.null, quote(over))), at_one, at_many)
  defaults <- defaults_in_body(expression)
  if (length(defaults$always) > 0L || (length(defaults$by) > 0L && "by" %in% names(reserved))) {
    at_any <- as.call(list(
      run_with_defaults, expression, defaults, as.call(list(environment)), quote(over), switches[[1L]], as.call(list(sys.call)), at_any
    ))
  }
  is_test <- is_any_test(expression)
  if (!is.null(is_test)) at_any <- call("if", is_test, as.call(list(run_with_tests, expression, as.call(list(environment)), as.call(list(sys.call)))), at_any)
  is_frame <- is_any_frame(expression)
  if (!is.null(is_frame)) at_any <- call("if", is_frame, as.call(list(run_with_frames, expression, as.call(list(environment)), as.call(list(sys.call)))), at_any)
  unused <- call("if", as.call(list(...length)), as.call(list(
    function(call, dots) refuse_unused(expression, call, dots), as.call(list(sys.call)), as.call(list(substitute, quote(list(...))))
  )))
  body(caller) <- as.call(c(quote(`{`), unused, lapply(expression$formals_called, no_function_given), at_any))
  environment(caller) <- environment(f)
  caller
}

# Most calls are over with the first line: .Call() itself, since a wrapper's call takes a sixth of their time.
expression_runner <- function(expression) {
  function(values, by, device, fallback, verbose, call, keep) {
    ran <- .Call(`_nmathopencl_expression_known_cpp`, expression, values, by, device, fallback, verbose, keep, environment())
    if (is.double(ran) || is_resident(ran)) ran else run_expression(expression, values, by, device, fallback, verbose, call, keep, ran)
  }
}

gradient_inputs <- function(expression, gradient) {
  if (is.null(gradient)) return(NULL)
  if (!is.null(expression$reduce) && !expression$reduce$op %in% c("sum", "mean")) {
    argument_error("`gradient` goes with `reduce` NULL, \"sum\" or \"mean\"")
  }
  formal <- Filter(function(input) input$formal, expression$inputs)
  known <- vapply(formal, function(input) input$name, "")
  if (!is.character(gradient) || length(gradient) == 0L || anyNA(gradient) || anyDuplicated(gradient)) {
    argument_error("`gradient` must be names of arguments of `f`")
  }
  fixed <- intersect(gradient, expression$data$names)
  if (length(fixed) > 0L) limit_error("`gradient` names `", fixed[1L], "`, which is in `data`: there is no gradient in data")
  gradient <- unlist(lapply(gradient, function(name) { # all elements of a list that `f` reads
    if (name %in% known || !name %in% names(formals(expression$f))) return(name)
    elements <- known[startsWith(known, paste0(name, "$"))]
    if (length(elements) > 0L) elements else name
  }))
  k <- match(gradient, known)
  if (anyNA(k)) refuse_gradient_in(gradient[is.na(k)][1L], known, expression)
  k
}

# `known`: arguments that `f` uses, and elements of lists.
refuse_gradient_in <- function(name, known, expression) {
  has <- names(formals(expression$f))
  read <- vapply(expression$outer, function(input) input$name, "")
  argument_error(
    "`gradient` names `", name, "`, ",
    if (name %in% has) {
      paste0("which `f` does not use. It uses ", if (length(known) > 0L) in_ticks(known) else "none of its arguments")
    } else if (name %in% read) {
      paste0("a variable that `f` reads: make it an argument, function(", paste(c(has, name), collapse = ", "), ")")
    } else {
      paste0("which is not an argument of `f`. It has ", in_ticks(has), did_you_mean(name, known))
    }
  )
}

# R would call what an argument is given, where it has the name of a function that `f` calls.
no_function_given <- function(name) {
  refuse <- function() argument_error("`", name, "` is given a function, and `f` calls ", name, "(): give the argument another name, and choose by a text which function is called")
  given <- call("&&", as.call(list(`!`, call_of_missing(name))), as.call(list(is.function, as.symbol(name))))
  call("if", given, as.call(list(refuse)))
}

call_of_missing <- function(name) as.call(list(missing, as.symbol(name)))

# What the body reads and calls, as it is now, of which nothing has been made.
note_inputs <- function(expression) {
  found <- expression_inputs(expression$f)
  expression$inputs <- found$inputs
  expression$lists <- found$lists
  expression$bodies <- found$bodies
  expression$called <- found$called
  expression$formals_called <- found$formals_called
  expression$staged <- found$staged
  expression$products <- found$products
  expression$loops <- found$loops
  expression$missing <- as.call(c(c, lapply(names(formals(expression$f)), call_of_missing)))
  expression$of_series <- list()
  expression$asks <- found$asks
  expression$outer <- Filter(function(input) !input$formal, expression$inputs)
  expression$variants <- list()
  expression$ready <- expression$moved <- expression$with_defaults <- expression$with_frames <- expression$with_tests <- NULL
  expression$plans <- expression$layouts <- expression$points <- expression$points_known <- NULL
}

#' @export
print.opencl_function <- function(x, ...) {
  expression <- attr(x, "expression")
  cat("opencl_function", if (!is.null(expression$reduce)) paste0(" with reduce = \"", expression$reduce$op, "\""), ":\n", sep = "")
  f <- expression$written
  attributes(f) <- NULL
  cat(deparse(f), sep = "\n")
  if (!is.null(expression$data)) describe_data(expression$data)
  names <- vapply(expression$inputs[expression$gradient], function(input) input$name, "")
  if (length(names) > 0L) cat("gradient", if (isTRUE(expression$hessian)) " and Hessian", " in ", paste(names, collapse = ", "), "\n", sep = "")
  if (is.null(expression$last)) {
    copied <- if (isTRUE(expression$has_objective)) "; an objective computes with a copy that has its data"
    cat("not computed yet: its kernel is written at the first call", copied, "\n", sep = "")
  } else {
    if (!is.null(expression$device)) cat("computed last on ", expression$device, "\n", sep = "")
    cat("as.character() gives the text of its program\n")
  }
  invisible(x)
}

#' @export
as.character.opencl_function <- function(x, ...) {
  variant <- attr(x, "expression")$last
  if (is.null(variant)) argument_error("the program is written at the first call, and the function has not been called")
  variant$text$text
}

# ---- arguments that the function does not have

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
