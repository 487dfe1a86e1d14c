# Objectives for optimizers.

#' An opencl_function as the objective of an optimizer
#'
#' Ties an \code{\link{opencl_function}} that gives one number to data, and gives what \code{\link[stats]{optim}} and
#' \code{\link[stats]{nlm}} ask for. Value and gradient of a point come of one evaluation, whichever is asked for first.
#'
#' @param ll an \code{opencl_function} with \code{reduce}; for gradients, with \code{gradient}.
#' @param start a named list, or named vector, of parameters where the search starts; a parameter may be a vector.
#' @param data a named list of the other arguments.
#' @param negative if \code{TRUE}, the objective is \code{-ll}, for optimizers that minimize.
#' @param ... \code{device} and its like, given to \code{ll} at each call.
#' @return A list: \code{par}, the start as one vector; \code{fn} and \code{gr} for \code{optim}; \code{f}, a function
#'   whose value has the attribute \code{"gradient"}, for \code{nlm}; \code{split}, which makes the list of parameters of a
#'   vector.
#' @examples
#' x <- c(0.4, 1.1, 1.3, 2.2, 0.7)
#' log_density <- function(x, a, b) dgamma(x, a, rate = b, log = TRUE)
#' ll <- opencl_function(log_density, reduce = "sum", gradient = c("a", "b"))
#' objective <- as_objective(ll, start = c(a = 1, b = 1), data = list(x = x))
#' optim(objective$par, objective$fn, objective$gr, method = "L-BFGS-B", lower = 1e-6)$par
#' @export
as_objective <- function(ll, start, data = list(), negative = TRUE, ...) {
  if (!inherits(ll, "opencl_function") || is.null(attr(ll, "expression")$reduce)) {
    argument_error("`ll` must be an opencl_function with `reduce`: an objective is one number")
  }
  start <- as.list(start)
  if (length(start) == 0L || is.null(names(start)) || !all(nzchar(names(start)))) argument_error("`start` must have names")
  sizes <- lengths(start)
  group <- factor(rep(names(start), sizes), levels = names(start))
  split_par <- function(par) {
    parts <- unname(split(unname(par), group))
    stats::setNames(parts, names(start))
  }
  further <- list(...)
  sign <- if (negative) -1 else 1
  last <- list(par = NULL)
  at <- function(par) {
    if (!identical(last$par, par)) {
      value <- do.call(ll, c(split_par(par), data, further))
      last <<- list(par = par, value = sign * as.vector(value), gradient = sign * unname(attr(value, "gradient")))
    }
    last
  }
  list(
    par = unlist(start),
    fn = function(par) at(par)$value,
    gr = function(par) {
      if (length(at(par)$gradient) == 0L) argument_error("`ll` was made without `gradient`")
      at(par)$gradient
    },
    f = function(par) {
      point <- at(par)
      value <- point$value
      if (length(point$gradient) > 0L) attr(value, "gradient") <- point$gradient
      value
    },
    split = split_par
  )
}
