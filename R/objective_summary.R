# What second derivatives say of an objective: the Hessian, the covariance of estimates, a table of them.

# `ll` with second derivatives or without: the same data, which stay where they are. `gradient`, where it is another one, by name; `diagonal`:
# names of arguments whose part of the Hessian has to be diagonal; `effects`: the name of those that are integrated out, and `sign`, what
# the value is of the log-likelihood.
with_hessian <- function(ll, hessian, gradient = NULL, diagonal = NULL, effects = NULL, sign = 1) {
  before <- attr(ll, "expression")
  if (identical(isTRUE(before$hessian), hessian) && is.null(c(gradient, diagonal, effects))) return(ll)
  expression <- list2env(mget(c("f", "written", "data", "reduce", "gradient"), before), parent = emptyenv())
  # What reads these is no value that R computes before a call.
  if (!is.null(gradient)) attr(expression$f, "differentiated") <- c(gradient, effects)
  note_inputs(expression)
  if (!is.null(expression$data) && !identical(expression$inputs, before$inputs)) { # where the data lie goes by the number of the input
    expression$data <- list2env(mget(setdiff(ls(before$data), c("sources", "placed", "keys")), before$data), parent = emptyenv())
  }
  if (!is.null(gradient)) expression$gradient <- gradient_inputs(expression, gradient)
  expression$hessian <- checked_hessian(hessian, expression)
  if (!is.null(diagonal)) expression$diagonal <- gradient_inputs(expression, diagonal)
  if (!is.null(effects)) expression$effects <- c(gradient_inputs(expression, effects), as.integer(sign))
  check_derivatives(expression)
  structure(expression_caller(expression$f, expression, reserved_arguments(expression$reduce)), class = class(ll), expression = expression)
}

# The Hessian at the minimum of a negative log-likelihood, inverted; `of_all`: an arrowhead matrix's inverse, which is dense, else that in
# its other parameters.
inverted_hessian <- function(hessian, of_all = TRUE) {
  fault <- fault_of_hessian(hessian)
  if (!is.null(fault)) argument_error(fault)
  if (inherits(hessian, "arrowhead")) {
    if (of_all) return(solve(hessian))
    rest <- eliminated(hessian)$rest
    return(structure(solved_block(rest, diag(nrow(rest))), dimnames = dimnames(hessian$dense)))
  }
  structure(chol2inv(chol(hessian)), dimnames = dimnames(hessian))
}

# Why the inverse of a Hessian is no covariance, as a text; NULL where it is one.
fault_of_hessian <- function(hessian) {
  parts <- if (inherits(hessian, "arrowhead")) c(hessian$dense, hessian$border, hessian$diagonal) else hessian
  if (anyNA(parts)) return("the Hessian at `par` has missing values")
  if (is_positive(hessian)) return(NULL)
  if (is_positive(-1 * hessian)) {
    return("the objective has a maximum at `par`, and no minimum: make it by as_objective(negative = FALSE) of a negative log-likelihood, and negative = TRUE of a log-likelihood")
  }
  "the Hessian at `par` is not positive definite: `par` is not a minimum of the objective, or what is estimated is not determined by the data"
}

# Whether a Hessian is positive definite by more than rounding: no pivot is lost beside what it is taken from.
is_positive <- function(x) {
  from <- x
  if (inherits(x, "arrowhead")) {
    if (!all(x$diagonal > 0)) return(FALSE)
    factors <- eliminated(x)
    from <- factors$of$dense
    x <- factors$rest
  }
  if (length(x) == 0L) return(TRUE)
  root <- tryCatch(chol(x), error = function(e) NULL)
  !is.null(root) && all(diag(root)^2 > 4 * nrow(x) * .Machine$double.eps * diag(from))
}

#' Estimates and standard errors of an objective
#'
#' Of an objective and what an optimizer has found: the table of estimates, and \code{coef()}, \code{vcov()} and \code{logLik()} alone.
#'
#' @param object an objective of \code{\link{as_objective}} or \code{\link{laplace}}: a negative log-likelihood (with \code{negative = TRUE}, of a
#'   log-likelihood); or its summary, in the methods for \code{summary.nmathopencl_objective}.
#' @param par where it is least: a vector, by the names of \code{start} if it has them, in any order; a list like \code{start}; or what \code{optim},
#'   \code{nlminb}, \code{nlm} or \code{optimize} returned, of which the estimates are taken.
#' @param parm names or numbers of parameters; all, if it is missing.
#' @param nobs the number of observations, for \code{BIC()}.
#' @param level the probability that an interval has, by the normal distribution.
#' @param ... nothing.
#' @return A list of class \code{summary.nmathopencl_objective}: \code{coefficients}, a matrix of estimates, standard errors by the inverse of the
#'   Hessian, z values and p values of the normal distribution; \code{vcov}, where the Hessian is an \code{\link{arrowhead}} matrix that of the
#'   parameters in its dense block; \code{logLik}, the negative of the objective; \code{note}, the text of the warning, if there was one. Rows are in
#'   the order of \code{start}. Of it \code{coef()} has the matrix, \code{vcov()} the covariance, \code{confint()} Wald's intervals, a matrix with a row
#'   for each parameter and columns of the lower and the upper limit, and \code{logLik()} the log-likelihood with its degrees of freedom.
#'
#'   Of the objective itself: \code{coef(objective, par)}, the estimates with their names, in the order of \code{start};
#'   \code{vcov(objective, par)}, the covariance of all estimates, those of an arrowhead matrix's levels
#'   among them, and \code{logLik(objective, par)}, that of the summary.
#'   For \code{AIC()} take either \code{logLik()}. A function does not say which of its arguments are observations, so there is no \code{nobs()}: with n of
#'   them, BIC is \code{BIC(logLik(objective, par, nobs = n))}.
#' @section Warnings: \code{summary()}, \code{vcov()} and \code{confint()} warn where \code{par} is not a minimum: where a Newton step moves a parameter
#'   by more than a tenth of its standard error, with the slope; and where the Hessian is not positive definite, or has missing values. Then
#'   standard errors and the covariance are \code{NA}. \code{objective$vcov(par)} is an error there.
#'
#'   The first summary of a function compiles its second derivatives, which may take longer than the fit. \code{\link{as_objective}} says what to write
#'   instead, \code{optimHess(fit$par, objective$fn, objective$gr)}.
#' @seealso \code{\link{as_objective}}; \code{\link[=profile.nmathopencl_objective]{profile}()} for intervals of the likelihood ratio.
#' @examples
#' loglik <- function(count, dose, b) sum(dpois(count, exp(b[1] + b[2] * dose), log = TRUE))
#' ll <- opencl_function(loglik, gradient = "b")
#' doses <- data.frame(count = c(2, 1, 4, 7, 11), dose = 0:4)
#' objective <- as_objective(ll, start = list(b = c(one = 0, dose = 0)), data = doses)
#' fit <- nlminb(objective$par, objective$fn, objective$gr, objective$he)
#' table <- summary(objective, fit)
#' table
#' confint(table)
#' coef(table)[, "Std. Error"]
#'
#' coef(objective, fit)
#' vcov(objective, fit)
#' AIC(logLik(objective, fit))
#' summary(objective, c(0, 0)) # warns: this is not a minimum
#' @export
summary.nmathopencl_objective <- function(object, par, ...) {
  made <- summary_at(object, least_at(object, par, "summary"))
  if (!is.null(made$note)) warning(simpleWarning(made$note, user_call()))
  made
}

# The summary, which warns of nothing itself.
summary_at <- function(object, par) {
  hessian <- object$curvature(par)
  note <- fault_of_hessian(hessian)
  slopes <- object$gr(par)
  if (is.null(note)) {
    covariance <- inverted_hessian(hessian, of_all = FALSE)
    error <- sqrt(if (inherits(hessian, "arrowhead")) inverse_diagonal(hessian) else diag(covariance))
    note <- far_from_minimum(names(par), slopes, (if (inherits(hessian, "arrowhead")) solve(hessian, slopes) else as.vector(covariance %*% slopes)) / error)
  } else {
    names <- dimnames(if (inherits(hessian, "arrowhead")) hessian$dense else hessian)
    covariance <- matrix(NA_real_, length(names[[1L]]), length(names[[1L]]), dimnames = names)
    error <- rep(NA_real_, length(par))
    steepest <- which.max(abs(slopes))
    if (length(steepest) > 0L) note <- paste0(note, " (the slope in `", names(par)[steepest], "` is ", format(slopes[steepest], digits = 3L), ")")
    note <- paste0(note, ". Standard errors are NA")
  }
  z <- as.vector(par) / error
  table <- cbind(Estimate = as.vector(par), "Std. Error" = error, "z value" = z, "Pr(>|z|)" = 2 * stats::pnorm(-abs(z)))
  rownames(table) <- names(par)
  structure(class = "summary.nmathopencl_objective", list(coefficients = table, vcov = covariance, logLik = -object$fn(par), note = note))
}

# The estimates that were given to such a method.
least_at <- function(object, par, method) {
  if (missing(par)) argument_error("`par` must be given, ", method, "(objective, fit): where the objective is least")
  estimates_of(object, par)
}

# `steps`: Newton's from there, in standard errors. What is not to be seen beside these is told of nowhere.
far_from_minimum <- function(names, slopes, steps) {
  if (anyNA(steps)) return(paste0("the slope in `", names[is.na(slopes)][1L], "` is missing at `par`: whether it is a minimum is not known"))
  far <- which.max(abs(steps))
  if (abs(steps[far]) <= 0.1) return(NULL)
  paste0(
    "`par` is not a minimum of the objective: the slope in `", names[far], "` is ", format(slopes[far], digits = 3L), ", and a Newton step moves it by ",
    format(abs(steps[far]), digits = 2L), " standard errors. Go on from there, nlminb(par, objective$fn, objective$gr); on a bound of the search standard errors do not hold"
  )
}

# Parameters in the order of `start`, of a vector, a list of them, or what an optimizer returned.
estimates_of <- function(object, par) stats::setNames(unlist(object$split(par), use.names = FALSE), names(object$par))

#' @export
print.summary.nmathopencl_objective <- function(x, ...) {
  stats::printCoefmat(x$coefficients, ...)
  cat("log-likelihood", format(x$logLik), "with", nrow(x$coefficients), if (nrow(x$coefficients) == 1L) "parameter\n" else "parameters\n")
  if (!is.null(x$note)) cat("warning: ", x$note, "\n", sep = "")
  invisible(x)
}

#' @rdname summary.nmathopencl_objective
#' @importFrom stats coef
#' @export
coef.nmathopencl_objective <- function(object, par, ...) least_at(object, par, "coef")

#' @rdname summary.nmathopencl_objective
#' @importFrom stats vcov
#' @export
vcov.nmathopencl_objective <- function(object, par, ...) {
  par <- least_at(object, par, "vcov")
  made <- summary(object, par)$vcov
  if (nrow(made) == length(par)) return(made)
  if (anyNA(made)) return(matrix(NA_real_, length(par), length(par), dimnames = list(names(par), names(par)))) # of an arrowhead matrix it is a part
  object$vcov(par)
}

#' @rdname summary.nmathopencl_objective
#' @importFrom stats logLik
#' @export
logLik.nmathopencl_objective <- function(object, par, nobs = NULL, ...) {
  if (missing(par)) argument_error("`par` must be given, logLik(objective, fit): where the objective is least. AIC() and BIC() are AIC(logLik(objective, fit)) and BIC(logLik(objective, fit, nobs = n))")
  par <- estimates_of(object, par)
  if (identical(attr(attr(object, "of")$ll, "expression")$reduce$op, "mean")) argument_error("`ll` is a mean: a log-likelihood is a sum, reduce = \"sum\"")
  log_likelihood(-object$fn(par), length(par), nobs)
}

# `nobs`: the number of observations, where the user gave it.
log_likelihood <- function(value, df, nobs) {
  if (is.null(nobs)) return(structure(value, df = df, class = c("nmathopencl_logLik", "logLik")))
  if (!is.numeric(nobs) || length(nobs) != 1L || !is.finite(nobs) || nobs <= 0) argument_error("`nobs` must be the number of observations")
  structure(value, df = df, nobs = nobs, class = "logLik")
}

#' @importFrom stats nobs
#' @export
nobs.nmathopencl_objective <- function(object, ...) {
  argument_error("an objective does not say which of its arguments are observations: with n of them, BIC is BIC(logLik(objective, fit, nobs = n))")
}

#' @export
nobs.nmathopencl_logLik <- nobs.nmathopencl_objective

#' @export
nobs.summary.nmathopencl_objective <- nobs.nmathopencl_objective

#' @rdname summary.nmathopencl_objective
#' @export
vcov.summary.nmathopencl_objective <- function(object, ...) object$vcov

#' @rdname summary.nmathopencl_objective
#' @importFrom stats confint
#' @export
confint.summary.nmathopencl_objective <- function(object, parm, level = 0.95, ...) {
  check_level(level)
  table <- object$coefficients
  rows <- places_of_parameters(parm, rownames(table), "parm")
  tails <- c((1 - level) / 2, (1 + level) / 2)
  limits <- table[rows, "Estimate"] + outer(table[rows, "Std. Error"], stats::qnorm(tails))
  dimnames(limits) <- list(rownames(table)[rows], percent_of(tails))
  limits
}

#' @rdname summary.nmathopencl_objective
#' @export
logLik.summary.nmathopencl_objective <- function(object, nobs = NULL, ...) log_likelihood(object$logLik, nrow(object$coefficients), nobs)
