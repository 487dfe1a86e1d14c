# What second derivatives say of an objective: the Hessian, the covariance of estimates, a table of them.

# `ll` with second derivatives or without: the same data, which stay where they are. `gradient`, where it is another one, by name; `diagonal`:
# names of arguments whose part of the Hessian has to be diagonal; `effects`: the name of those that are integrated out, and `sign`, what
# the value is of the log-likelihood.
with_hessian <- function(ll, hessian, gradient = NULL, diagonal = NULL, effects = NULL, sign = 1) {
  before <- attr(ll, "expression")
  if (identical(isTRUE(before$hessian), hessian) && is.null(c(gradient, diagonal, effects))) return(ll)
  expression <- list2env(mget(c("f", "written", "data", "reduce", "gradient"), before), parent = emptyenv())
  note_inputs(expression)
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
  bad <- if (inherits(hessian, "arrowhead")) anyNA(c(hessian$dense, hessian$border, hessian$diagonal)) else anyNA(hessian)
  if (bad) argument_error("the Hessian at `par` has missing values")
  if (inherits(hessian, "arrowhead")) {
    rest <- eliminated(hessian)$rest
    if (!all(hessian$diagonal > 0) || !is_positive(rest)) refuse_minimum()
    return(if (of_all) solve(hessian) else structure(solved_block(rest, diag(nrow(rest))), dimnames = dimnames(hessian$dense)))
  }
  root <- tryCatch(chol(hessian), error = function(e) NULL)
  if (is.null(root)) refuse_minimum()
  inverse <- chol2inv(root)
  dimnames(inverse) <- dimnames(hessian)
  inverse
}

is_positive <- function(x) length(x) == 0L || !is.null(tryCatch(chol(x), error = function(e) NULL))

refuse_minimum <- function() {
  argument_error("the Hessian at `par` is not positive definite: `par` is no minimum of the objective, or what is estimated is not determined by the data")
}

#' Estimates and standard errors of an objective
#'
#' @param object an objective of \code{\link{as_objective}}: a negative log-likelihood (with \code{negative = TRUE}, of a log-likelihood); a
#'   summary of one in the methods of \code{vcov}, \code{confint} and \code{logLik}.
#' @param par where it is least: a vector, by the names of \code{start} if it has them, in any order; a list of parameters; or what \code{optim},
#'   \code{nlminb} or \code{nlm} returned, whose element \code{par} or \code{estimate} is taken.
#' @param parm names or numbers of parameters; all, if it is missing.
#' @param level the probability that an interval has, by the normal distribution.
#' @param ... nothing.
#' @return A list of class \code{summary.nmathopencl_objective}: \code{coefficients}, a matrix of estimates, standard errors by the inverse of the
#'   Hessian, z values and p values of the normal distribution; \code{vcov}, where the Hessian is an \code{\link{arrowhead}} matrix that of the
#'   parameters in its dense block; \code{logLik}, the negative of the objective. Rows are in the order of \code{start}. Of it \code{coef()} has the
#'   matrix, \code{vcov()} the covariance, \code{confint()} Wald's intervals, a matrix with a row for each parameter and columns of the lower and the
#'   upper limit, and \code{logLik()} the log-likelihood with its degrees of freedom, for \code{AIC()}.
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
#' @export
summary.nmathopencl_objective <- function(object, par, ...) {
  if (missing(par)) argument_error("`par` must be given: where the objective is least")
  par <- estimates_of(object, par)
  hessian <- object$curvature(par)
  covariance <- inverted_hessian(hessian, of_all = FALSE)
  error <- sqrt(if (inherits(hessian, "arrowhead")) inverse_diagonal(hessian) else diag(covariance))
  z <- as.vector(par) / error
  table <- cbind(Estimate = as.vector(par), "Std. Error" = error, "z value" = z, "Pr(>|z|)" = 2 * stats::pnorm(-abs(z)))
  rownames(table) <- names(par)
  structure(class = "summary.nmathopencl_objective", list(coefficients = table, vcov = covariance, logLik = -object$fn(par)))
}

# Parameters in the order of `start`, of a vector, a list of them, or what an optimizer returned.
estimates_of <- function(object, par) {
  if (is.list(par)) {
    parameters <- names(object$split(object$par))
    fitted <- Filter(function(name) is.numeric(par[[name]]), intersect(c("par", "estimate"), names(par)))
    par <- if (length(fitted) > 0L && !setequal(names(par), parameters)) par[[fitted[1L]]] else unlist(par)
  }
  unlist(object$split(par))
}

#' @export
print.summary.nmathopencl_objective <- function(x, ...) {
  stats::printCoefmat(x$coefficients, ...)
  cat("log-likelihood", format(x$logLik), "with", nrow(x$coefficients), if (nrow(x$coefficients) == 1L) "parameter\n" else "parameters\n")
  invisible(x)
}

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
logLik.summary.nmathopencl_objective <- function(object, ...) structure(object$logLik, df = nrow(object$coefficients), class = "logLik")
