# What second derivatives say of an objective: the Hessian, the covariance of estimates, a table of them.

# `ll` with second derivatives or without: the same data, which stay where they are.
with_hessian <- function(ll, hessian) {
  before <- attr(ll, "expression")
  if (identical(isTRUE(before$hessian), hessian)) return(ll)
  expression <- list2env(mget(c("f", "written", "data", "reduce", "gradient"), before), parent = emptyenv())
  note_inputs(expression)
  expression$hessian <- checked_hessian(hessian, expression)
  check_derivatives(expression)
  structure(expression_caller(expression$f, expression, reserved_arguments(expression$reduce)), class = class(ll), expression = expression)
}

# The Hessian at the minimum of a negative log-likelihood, inverted.
inverted_hessian <- function(hessian) {
  if (anyNA(hessian)) argument_error("the Hessian at `par` has missing values")
  root <- tryCatch(chol(hessian), error = function(e) NULL)
  if (is.null(root)) argument_error("the Hessian at `par` is not positive definite: `par` is no minimum of the objective, or what is estimated is not determined by the data")
  inverse <- chol2inv(root)
  dimnames(inverse) <- dimnames(hessian)
  inverse
}

#' Estimates and standard errors of an objective
#'
#' @param object an objective of \code{\link{as_objective}}: a negative log-likelihood (with \code{negative = TRUE}, of a log-likelihood).
#' @param par where it is least, as \code{optim} or \code{nlminb} found it.
#' @param ... nothing.
#' @return A list of class \code{summary.nmathopencl_objective}: \code{coefficients}, a matrix of estimates, standard errors by the inverse of the
#'   Hessian, z values and p values of the normal distribution; \code{vcov}; \code{logLik}, the negative of the objective.
#' @seealso \code{\link{as_objective}}, with an example.
#' @export
summary.nmathopencl_objective <- function(object, par, ...) {
  if (missing(par)) argument_error("`par` must be given: where the objective is least")
  if (is.list(par)) par <- unlist(par)
  covariance <- object$vcov(par)
  error <- sqrt(diag(covariance))
  z <- as.vector(par) / error
  table <- cbind(Estimate = as.vector(par), "Std. Error" = error, "z value" = z, "Pr(>|z|)" = 2 * stats::pnorm(-abs(z)))
  rownames(table) <- names(object$par)
  structure(class = "summary.nmathopencl_objective", list(coefficients = table, vcov = covariance, logLik = -object$fn(par)))
}

#' @export
print.summary.nmathopencl_objective <- function(x, ...) {
  stats::printCoefmat(x$coefficients, ...)
  cat("log-likelihood", format(x$logLik), "with", nrow(x$coefficients), if (nrow(x$coefficients) == 1L) "parameter\n" else "parameters\n")
  invisible(x)
}
