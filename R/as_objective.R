# Objectives for optimizers.

#' An opencl_function as the objective of an optimizer
#'
#' Ties an \code{\link{opencl_function}} that gives one number to data, and gives what \code{\link[stats]{optim}} and
#' \code{\link[stats]{nlm}} ask for. The value and gradient at a point come from one evaluation, whichever is asked for first, as long as
#' the variables and functions that \code{ll} reads stay as they are.
#'
#' @param ll an \code{opencl_function} that gives one number: with \code{reduce}, or with sums inside; for gradients, with \code{gradient}.
#' @param start a named list, or named vector, of parameters where the search starts; a parameter may be a vector, a matrix, or a list of those, whose
#'   elements \code{ll} reads as \code{par$a}. Gradients are in the order of \code{start}, those in matrices column by column, unless the vector that they are asked for with has its names in another.
#' @param data a list or a data frame of the other arguments, and of variables that \code{ll} reads, besides the data that \code{ll} was made
#'   with: they are resident, as a function's data are (\code{\link{opencl_function}}).
#' @param negative if \code{TRUE}, the objective is \code{-ll}, for optimizers that minimize; \code{FALSE} for a function that is
#'   a negative log-likelihood itself.
#' @param ... \code{device} and its like, given to \code{ll} at each call. With \code{by}, a factor or codes of rows, of an \code{ll} that takes it, the
#'   objective is the sum of the values of all levels, as log-likelihoods of independent series are.
#' @return A list of class \code{nmathopencl_objective}. Functions take the parameters as one vector, by the names of \code{start}, or by place where it has
#'   none, or names that count places, \code{V1} and \code{V2}. Other names are an error, and \code{unname(par)} goes by place. They also take a list like
#'   \code{start}, in any order of names, and what an optimizer returned. Values and derivatives are those of the objective, \code{-ll} with
#'   \code{negative = TRUE}.
#'   \describe{
#'     \item{\code{par}}{The start as one vector, for optimizers to begin with.}
#'     \item{\code{fn}, \code{gr}}{Value and gradient, for \code{optim} and \code{\link[stats]{nlminb}}.}
#'     \item{\code{f}}{The value with the attribute \code{"gradient"}, for \code{nlm}.}
#'     \item{\code{he}}{The Hessian as a matrix, for \code{nlminb}.}
#'     \item{\code{curvature}}{The same as an \code{\link{arrowhead}} matrix where it is one; of a sum, not of a mean.}
#'     \item{\code{vcov}}{The inverse of the Hessian, the covariance of estimates at a minimum of a negative log-likelihood; of a sum, not of a mean.}
#'     \item{\code{split}}{Makes the list of parameters of a vector.}
#'     \item{\code{over}}{The values at many points, a matrix with a row for each, whose columns go by name or place; with the attribute
#'       \code{"gradient"}, a row for each point, but with \code{over(P, gradient = FALSE)}, which a sampler that takes no gradient needs. Where \code{ll} reads
#'       a list in another way than by \code{par$a} and \code{par[["a"]]}, as by \code{with()}, each point is a call. Data that differ from point to point, as weights, are for the function itself, \code{ll(over = list(b = B, w = W))}.}
#'   }
#'   Of the objective and a fit \code{\link[=summary.nmathopencl_objective]{summary}()} has estimates and standard errors, \code{coef()}, \code{vcov()} and
#'   \code{logLik()} what their names say, and \code{\link[=profile.nmathopencl_objective]{profile}()} intervals of the likelihood ratio.
#' @section Derivatives: \code{gr} and \code{he} need \code{ll} to be made with \code{gradient}; second derivatives need no \code{hessian = TRUE}. Where there is no
#'   rule for one (\code{\link{opencl_derivatives}}), the Hessian is made of differences of the gradient, of fourth order: ten digits, four gradients for each
#'   parameter.
#' @section Time of the first Hessian: \code{he}, \code{curvature}, \code{vcov} and \code{summary()} compile programs of their own at their first call: some
#'   seconds, and longer where a loop is written out round by round (\code{\link{opencl_language}}), or where an OpenCL device's compiler is
#'   slow. Models of nine parameters and more share these programs, whatever their number, and other sessions find them. In an interactive session a message tells of a
#'   wait of two seconds. Differences of the gradient need no more programs than the fit does: fit by \code{fn} and \code{gr} alone, and take
#'   \code{optimHess(fit$par, objective$fn, objective$gr)} for the Hessian and \code{solve()} of it for the covariance, to some six digits.
#' @section Names: Numbers are named as in \code{unlist(start)}: \code{b.x1} and \code{b.x2} of \code{b = c(x1 = 0, x2 = 0)}, \code{B1}, \code{B2}, ... of a
#'   matrix, and \code{par.a1}, \code{par.a2} of \code{par = list(a = c(0, 0))}. These names are those of \code{par}, of the columns of gradients of \code{over}, of rows and columns of \code{he}, \code{curvature} and \code{vcov}, and
#'   of the rows of \code{summary()}; \code{gr} and \code{f} give slopes without names. \code{ll} itself names slopes as \code{\link{opencl_function}} does,
#'   \code{x1} and \code{x2}.
#'
#'   Slopes, and rows and columns of \code{he} and \code{vcov}, are in the order of the vector that they are asked for with, as optimizers take them. All else is in
#'   the order of \code{start}.
#' @section Errors and warnings: Names of \code{start} and of a list \code{data} that are no arguments of \code{ll}, and arguments that have no value, are errors
#'   here. A value that is missing is \code{NA} or \code{NaN}, as \code{ll} gives it; where the first one is, a warning names the likely cause: data that
#'   are missing, codes beyond the end of a vector, an argument out of its range.
#' @examples
#' x <- c(0.4, 1.1, 1.3, 2.2, 0.7)
#' log_density <- function(x, a, b) dgamma(x, a, rate = b, log = TRUE)
#' ll <- opencl_function(log_density, reduce = "sum", gradient = c("a", "b"))
#' objective <- as_objective(ll, start = c(a = 1, b = 1), data = list(x = x))
#' optim(objective$par, objective$fn, objective$gr, method = "L-BFGS-B", lower = 1e-6)$par
#'
#' negative <- function(x, par) -sum(dnorm(x, par["mean"], exp(par["log_sd"]), log = TRUE))
#' objective <- as_objective(
#'   opencl_function(negative, gradient = "par"), start = list(par = c(mean = 0, log_sd = 0)),
#'   data = list(x = x), negative = FALSE
#' )
#' optim(objective$par, objective$fn, objective$gr, method = "BFGS")$par
#' fit <- nlminb(objective$par, objective$fn, objective$gr, objective$he)
#' summary(objective, fit$par)
#' @export
as_objective <- function(ll, start, data = list(), negative = TRUE, ...) {
  if (!inherits(ll, "opencl_function")) argument_error("`ll` must be an opencl_function: make it by opencl_function(f, gradient = ...)")
  if (is.null(attr(ll, "expression")$reduce) && !attr(ll, "expression")$staged) {
    argument_error("`ll` gives a number for each element, and an objective is one number: make it with reduce = \"sum\", or end it with sum(...)")
  }
  checked <- checked_start(start)
  start <- checked$start
  labels <- checked$labels
  data <- checked_data(data, attr(ll, "expression")$written, "ll")
  arguments <- arguments_of_start(start)
  both <- intersect(arguments, names(data))
  if (length(both) > 0L) argument_error("`", both[1L], "` is in `start` and in `data`: it is searched for, or it is known. To search for it, leave it out, data[names(data) != \"", both[1L], "\"]")
  further <- further_of_objective(list(...), attr(ll, "expression"))
  attr(ll, "expression")$has_objective <- TRUE # which print() tells of
  ll <- with_hessian(with_more_data(ll, data), FALSE) # values and gradients need none
  expression <- attr(ll, "expression")
  check_objective_names(expression, arguments, further)
  check_elements_of_start(expression, start)
  sizes <- lengths(start)
  slopes <- objective_slopes(expression, sizes)
  numbers <- numbers_of_start(start, labels = labels)
  split_par <- function(par) with_lists(numbers$split(par))
  given <- c(arguments, names(further))
  call <- as.call(c(quote(ll), stats::setNames(lapply(given, as.symbol), given))) # of symbols: errors show it
  sign <- if (negative) -1 else 1
  reads <- reads_of(ll, given)
  reported <- slopes_reported <- FALSE
  at <- remembered(function(par) reads(c(split_par(par), further)), function(par) {
    value <- eval(call, c(split_par(par), further))
    if (!is.null(further$by)) value <- sum_of_levels(value)
    if (length(value) != 1L) argument_error("`ll` gives ", counted(length(value), "number"), ", and an objective is one number: end it with sum(...)")
    gradient <- unname(attr(value, "gradient"))
    if (!reported && is.na(value)) warn_once(missing_text(ll, start, split_par(par), negative))
    reported <<- TRUE
    lost <- if (!slopes_reported && is.finite(value) && !anyNA(slopes)) is.na(gradient[slopes])
    if (any(lost)) {
      slopes_reported <<- TRUE
      warn_once(missing_slopes_text(labels[lost]))
    }
    list(value = sign * as.vector(value), gradient = if (length(slopes) > 0L) (sign * gradient[slopes])[numbers$order(par)])
  })
  need_slopes <- function() {
    if (length(slopes) == 0L) argument_error("`ll` was made without `gradient`: make it by opencl_function(f, gradient = ", quoted_names(unique(names(start))), ")")
    if (anyNA(slopes)) refuse_without_slope(expression, rep(names(start), sizes)[is.na(slopes)][1L])
  }
  curved <- NULL
  curvature <- function(par) {
    need_slopes()
    if (identical(expression$reduce$op, "mean")) argument_error("`ll` is a mean: standard errors are those of a sum, reduce = \"sum\"")
    hessian_at(par)
  }
  lacks_rule <- !is.null(further$by) # of the sum of levels differences of the gradient stand for it
  hessian_at <- function(par) {
    value <- if (!lacks_rule) {
      where_there_is_a_rule({
        if (is.null(curved)) curved <<- with_hessian(ll, TRUE)
        eval(call, c(split_par(par), further), list2env(list(ll = curved))) # a parameter may be `ll`, too
      })
    }
    if (!is.null(value)) return(ordered_hessian(attr(value, "hessian"), slopes, labels, sign))
    lacks_rule <<- TRUE
    made <- slopes_of_slopes(function(par) at(par, FALSE)$gradient, unlist(split_par(par), use.names = FALSE), least = 0.01)
    `dimnames<-`(made, list(labels, labels))
  }
  of <- list(ll = ll, start = start, further = further, sign = sign, slopes = slopes)
  structure(class = "nmathopencl_objective", of = of, list(
    par = stats::setNames(unlist(start, use.names = FALSE), labels),
    fn = function(par) at(par)$value,
    gr = function(par) {
      need_slopes()
      at(par, FALSE)$gradient
    },
    he = function(par) {
      need_slopes()
      in_order(as.matrix(hessian_at(par)), numbers$order(par))
    },
    curvature = curvature,
    vcov = function(par) in_order(inverted_hessian(curvature(par)), numbers$order(par)),
    f = function(par) {
      point <- at(par)
      value <- point$value
      if (length(slopes) > 0L && !anyNA(slopes)) attr(value, "gradient") <- point$gradient
      value
    },
    split = split_par,
    over = over_of_objective(of, numbers)
  ))
}

# The value of `code`, or NULL where a second derivative is refused for which differences of the gradient can stand (with_advice()).
where_there_is_a_rule <- function(code) {
  tryCatch(code, nmathopencl_error = function(e) if (!grepl("Instead take differences of the gradient", conditionMessage(e), fixed = TRUE)) stop(e))
}

# `ll` with data besides its own; its gradient is in what is left.
with_more_data <- function(ll, data) {
  if (length(data) == 0L) return(ll)
  expression <- attr(ll, "expression")
  own <- if (!is.null(expression$data)) data_of(expression$data)
  kept <- c(data, own[setdiff(names(own), names(data))])
  slopes <- setdiff(vapply(expression$inputs[expression$gradient], function(input) input$name, ""), names(kept))
  remade(ll, gradient = if (length(slopes) > 0L) slopes, data = kept)
}

# `ll` made anew, of another function, gradient or data.
remade <- function(ll, f = attr(ll, "expression")$written, gradient = NULL, data = NULL) {
  expression <- attr(ll, "expression")
  if (is.null(data) && !is.null(expression$data)) data <- data_of(expression$data)
  opencl_function(f, reduce = expression$reduce$op, na.rm = isTRUE(expression$reduce$na_rm), gradient = gradient, data = data)
}

# Each name is one that `ll` takes, and all of its arguments without a default are given.
check_objective_names <- function(expression, arguments, further) {
  takes <- formals(expression$f)
  unknown <- setdiff(arguments, names(takes))
  if (length(unknown) > 0L) argument_error("`", unknown[1L], "` in `start` is not an argument of `ll`, which has ", in_ticks(names(takes)), did_you_mean(unknown[1L], names(takes)))
  known <- c("device", "fallback", "verbose", "by", names(takes))
  if (length(further) > 0L && (is.null(names(further)) || !all(names(further) %in% known))) {
    wrong <- setdiff(names(further), c(known, ""))
    argument_error(
      if (length(wrong) > 0L) paste0("there is no argument `", wrong[1L], "`: "),
      "`...` may name `device`, `fallback`, `verbose` and `by`; arguments of `ll` go to `data`", if (length(wrong) > 0L) did_you_mean(wrong[1L], known)
    )
  }
  needed <- names(takes)[vapply(takes, is_empty_argument, NA)]
  missing <- setdiff(needed, c(arguments, names(further)))
  if (length(missing) > 0L) argument_error("`", missing[1L], "` of `ll` is neither in `start` nor in `data`: a parameter goes to `start`, all else to `data`")
}

#' @export
print.nmathopencl_objective <- function(x, ...) {
  cat("objective of ", length(x$par), " parameter", if (length(x$par) != 1L) "s", ": ", paste(names(x$par), collapse = ", "), "\n", sep = "")
  cat("$par starts the search, $fn and $gr are for optim(), $f for nlm(), $he for nlminb(), $split makes parameters of a vector", if (!is.null(x$over)) ", $over takes a matrix of points", if (!is.null(x$modes)) ", $modes has the effects", "\n", sep = "")
  invisible(x)
}

# A parameter with the names, or the sides, that it has in `start`.
shaped_as <- function(values, like) {
  if (is.null(dim(like))) return(stats::setNames(values, names(like)))
  array(values, dim(like), dimnames(like))
}

# A matrix with the sides that an objective has, in another order.
in_order <- function(x, order) if (is.unsorted(order)) x[order, order, drop = FALSE] else x

# The Hessian of `ll` in the order of an objective's parameters.
ordered_hessian <- function(hessian, slopes, labels, sign) {
  if (!inherits(hessian, "arrowhead")) {
    hessian <- sign * hessian[slopes, slopes, drop = FALSE]
    dimnames(hessian) <- list(labels, labels)
    return(hessian)
  }
  if (length(slopes) < length(hessian$labels)) return(ordered_hessian(as.matrix(hessian), slopes, labels, sign)) # some have defaults
  place <- order(slopes) # of each number of the gradient, where the objective has it
  rest <- place[dense_places(hessian)]
  where <- place[hessian$where]
  of_rest <- order(rest)
  of_level <- order(where)
  made <- new_arrowhead(
    hessian$dense[of_rest, of_rest, drop = FALSE], hessian$border[of_level, of_rest, drop = FALSE], hessian$diagonal[of_level], where[of_level], labels
  )
  dimnames(made$dense) <- list(labels[rest[of_rest]], labels[rest[of_rest]])
  dimnames(made$border) <- list(labels[where[of_level]], labels[rest[of_rest]])
  sign * made
}

# Where the gradient of `ll`, which is in the order of its own argument `gradient`, has the slope in each number of `start`; NA where
# it has none, nothing where there is no gradient.
objective_slopes <- function(expression, sizes) {
  if (is.null(expression$gradient)) return(integer())
  names <- vapply(expression$inputs[expression$gradient], function(input) input$name, "")
  of_lists <- sub("[$].*", "$", grep("$", names(sizes), fixed = TRUE, value = TRUE))
  names <- names[names %in% names(sizes) | !sub("[$].*", "$", names) %in% of_lists] # others are no elements of the list
  known <- sizes[names]
  known[is.na(known)] <- 1 # a default
  first <- cumsum(known) - known
  unlist(lapply(names(sizes), function(name) {
    k <- match(name, names)
    if (is.na(k)) rep(NA_integer_, sizes[[name]]) else as.integer(first[k]) + seq_len(sizes[[name]])
  }))
}

# Told once, where the first value that is asked for is missing: what `start` or the data have that explains it.
missing_text <- function(ll, start, parameters, negative = TRUE) {
  at_start <- identical(unname(unlist(parameters)), unname(unlist(start)))
  paste0("the ", if (negative) "log-likelihood" else "objective", " is missing at ", if (at_start) "`start`" else "the first parameters", ": ", cause_of_missing(ll, parameters))
}

# Told once, where a slope is missing and the value is not: optim() stops there as if it had converged.
missing_slopes_text <- function(labels) {
  paste0(
    "the slope in ", in_ticks(labels), " is NaN though the value is not: a part of the function leaves the range of doubles, as log(p), 1/p and p^-k do at p = 0: ",
    "write ifelse(p > 0, ..., the value at 0) for what is there (see ?nmathopencl_limits)"
  )
}

# Missing parameters, missing data, codes beyond the end of what they choose from, or a value out of range.
cause_of_missing <- function(ll, parameters) {
  expression <- attr(ll, "expression")
  values <- values_read(expression, parameters)
  values <- lapply(values, function(x) if (is_resident(x)) in_r(x) else x)
  for (name in names(values)) {
    found <- sum(is.na(unlist(values[[name]])))
    if (found > 0L) return(paste0("`", name, "` has ", found, " missing value", if (found > 1L) "s"))
  }
  for (pair in parts_by_code(body(expression$written))) {
    x <- values[[pair[1L]]]
    code <- values[[pair[2L]]]
    at <- strsplit(pair[2L], "$", fixed = TRUE)[[1L]] # `d$g`
    if (is.null(code) && length(at) == 2L && is.list(values[[at[1L]]])) code <- values[[at[1L]]][[at[2L]]]
    if (is.factor(code)) code <- as.integer(code)
    if (is.numeric(code) && length(x) > 0L && is.atomic(x) && max(code, 0) > length(x)) {
      return(paste0("`", pair[2L], "` has codes up to ", max(code), ", and `", pair[1L], "` has ", length(x), " element", if (length(x) > 1L) "s"))
    }
  }
  for (part in parts_by_number(body(expression$written))) {
    size <- length(values[[part$name]])
    if (is.atomic(values[[part$name]]) && is.null(dim(values[[part$name]])) && size > 0L && part$number > size) {
      return(paste0("`", part$shown, "` is beyond the end of `", part$name, "`, which has ", size, " element", if (size > 1L) "s"))
    }
  }
  "no parameter and no data are missing, so a function has an argument out of its range there, as log() and a standard deviation below 0"
}

# `values`, data, and variables that are read, by name.
values_read <- function(expression, values = list()) {
  values <- c(values, if (!is.null(expression$data)) data_of(expression$data))
  for (input in expression$outer) if (!input$name %in% names(values)) values[[input$name]] <- tryCatch(outer_value(input), error = function(e) NULL)
  values
}

# What is read by a number, x[2], wherever it stands: list(name, number, shown).
parts_by_number <- function(expr) {
  if (!is.call(expr)) return(list())
  taken <- length(expr) == 3L && (identical(expr[[1L]], quote(`[`)) || identical(expr[[1L]], quote(`[[`))) && is.symbol(expr[[2L]]) && is.numeric(expr[[3L]])
  own <- if (taken) list(list(name = as.character(expr[[2L]]), number = expr[[3L]], shown = deparse1(expr)))
  if (is.call(expr[[1L]]) || !as.character(expr[[1L]]) %in% c("<-", "=")) first <- 2L else first <- 3L # an element that is assigned may be new
  c(own, unlist(lapply(as.list(expr)[-seq_len(first - 1L)], function(part) if (!is_empty_argument(part)) parts_by_number(part)), recursive = FALSE))
}

# The names in x[g] and x[d$g], wherever it stands.
parts_by_code <- function(expr) {
  if (!is.call(expr)) return(list())
  by_code <- is_part(expr) && length(expr) == 3L && (is.symbol(expr[[3L]]) || is_call_of(expr[[3L]], "$"))
  own <- if (by_code) list(c(as.character(expr[[2L]]), deparse1(expr[[3L]])))
  c(own, unlist(lapply(as.list(expr)[-1L], function(part) if (!is_empty_argument(part)) parts_by_code(part)), recursive = FALSE))
}
