# What R's generics give for an opencl_glm_grid.

#' Methods for models on a grid
#'
#' @param x,object an object of class \code{opencl_glm_grid}.
#' @param digits number of significant digits.
#' @param probs probabilities of the quantiles.
#' @param parm coefficients, by name or number; all by default.
#' @param level probability of the interval.
#' @param marginal if \code{TRUE}, the log marginal likelihood instead of the log-likelihood at the mode.
#' @param ... not used.
#' @return \code{coef}: posterior means. \code{vcov}: posterior covariance. \code{confint}: equal-tailed credible intervals.
#'   \code{quantile}: a matrix of the quantiles of each coefficient's marginal posterior, a row for each coefficient.
#'   \code{summary}: an object whose \code{coefficients} are a matrix of mean, standard deviation, quantiles and mode, for
#'   draws with the Monte Carlo standard error of the mean. \code{logLik}: the log-likelihood at the mode (an estimated
#'   dispersion counts as a parameter; \code{AIC} and \code{BIC} take it from there), or, with
#'   \code{marginal = TRUE}, the logarithm of the integral of likelihood times prior, given the dispersion; \code{NA} for
#'   quasi families and for binomial responses that are not whole numbers of successes, which have no likelihood. The
#'   marginal likelihood is \code{NA} under a flat prior, too. \code{nobs}: number of observations whose weight is not 0.
#' @examples
#' fit <- opencl_glm_grid(case ~ spontaneous + induced, binomial, infert, device = "host")
#' fit
#' confint(fit, "induced", level = 0.9)
#' quantile(fit, c(0.1, 0.5, 0.9))
#' # The Bayes factor of a term
#' null <- update(fit, . ~ . - induced)
#' exp(logLik(fit, marginal = TRUE) - logLik(null, marginal = TRUE))
#' @name opencl_glm_grid-methods
NULL

#' @rdname opencl_glm_grid-methods
#' @export
print.opencl_glm_grid <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_heading(x)
  table <- cbind(Mean = x$coefficients, SD = x$sd)
  print_table(table, digits)
  print_footing(x, digits)
  invisible(x)
}

print_heading <- function(x) {
  cat("\nCall:  ", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  cat("Posterior of a ", x$family$family, " model with link ", x$family$link, ", ", sep = "")
  count <- function(n) format(n, big.mark = thousands_mark())
  if (x$method == "grid") {
    cat("on a grid of", count(x$laid), if (x$widened) "points, laid wider or finer than at first:\n" else "points:\n")
  } else {
    cat("by", count(x$laid), "weighted draws of effective size", paste0(count(round(x$ess)), ":\n"))
  }
}

# Columns in the units of the coefficients; what is but rounding next to the standard deviation is 0.
print_table <- function(table, digits) {
  table[abs(table) < 1e-9 * table[, "SD"]] <- 0
  print(table, digits = digits)
}

print_footing <- function(x, digits) {
  cat("\n")
  if (!x$converged) cat("Not converged: ", x$problem, ".\n", sep = "")
  if (!fixed_dispersion(x$family)) {
    cat("Dispersion:", format(x$dispersion, digits = digits), if (x$dispersion_estimated) "(estimated)" else "(given)", "\n")
  }
  cat("Log marginal likelihood:", format(x$log_evidence, digits = max(digits, 5L)))
  cat("    Log-likelihood at the mode:", format(x$log_likelihood, digits = max(digits, 5L)), "\n")
  if (length(x$na.action)) cat("  (", stats::naprint(x$na.action), ")\n", sep = "")
  cat("\n")
}

#' @rdname opencl_glm_grid-methods
#' @export
summary.opencl_glm_grid <- function(object, probs = c(0.025, 0.5, 0.975), ...) {
  check_probs(probs)
  table <- cbind(Mean = object$coefficients, SD = object$sd, coefficient_quantiles(object, probs), Mode = object$mode)
  if (object$method == "draws") table <- cbind(table, MCSE = mean_error(object))
  kept <- c(
    "call", "family", "method", "laid", "widened", "ess", "converged", "problem", "dispersion", "dispersion_estimated",
    "log_evidence", "log_likelihood", "na.action"
  )
  prior <- cbind(Mean = object$prior$mean, SD = object$prior$sd)
  structure(c(unclass(object)[intersect(kept, names(object))], list(coefficients = table, prior = prior)),
    class = "summary.opencl_glm_grid"
  )
}

check_probs <- function(probs) {
  if (!is.numeric(probs) || anyNA(probs) || any(probs <= 0 | probs >= 1)) argument_error("`probs` must lie between 0 and 1")
}

# The standard error of a mean of weighted draws.
mean_error <- function(fit) {
  centred <- (t(fit$deviations) - (fit$coefficients - fit$mode)) / fit$sd
  fit$sd * sqrt(drop(centred^2 %*% fit$weights^2))
}

coefficient_quantiles <- function(fit, probs) {
  names <- names(fit$coefficients)
  values <- vapply(seq_along(names), function(k) {
    linear_law(fit, as.numeric(seq_along(names) == k))$quantile(probs)
  }, numeric(length(probs)))
  labels <- paste0(vapply(100 * probs, format, "", digits = 3), "%")
  matrix(values, length(names), length(probs), byrow = TRUE, dimnames = list(names, labels))
}

#' @rdname opencl_glm_grid-methods
#' @export
print.summary.opencl_glm_grid <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_heading(x)
  print_table(x$coefficients, digits)
  cat("\nPrior:\n")
  print(t(x$prior), digits = digits)
  print_footing(x, digits)
  invisible(x)
}

#' @rdname opencl_glm_grid-methods
#' @importFrom stats vcov
#' @export
vcov.opencl_glm_grid <- function(object, ...) object$cov

#' @rdname opencl_glm_grid-methods
#' @importFrom stats confint
#' @export
confint.opencl_glm_grid <- function(object, parm, level = 0.95, ...) {
  check_level(level)
  names <- names(object$coefficients)
  if (missing(parm)) parm <- names
  if (is.numeric(parm)) parm <- names[parm]
  if (!is.character(parm) || !all(parm %in% names)) {
    argument_error("`parm` must name coefficients: ", toString(names))
  }
  coefficient_quantiles(object, c((1 - level) / 2, (1 + level) / 2))[parm, , drop = FALSE]
}

#' @rdname opencl_glm_grid-methods
#' @importFrom stats quantile
#' @export
quantile.opencl_glm_grid <- function(x, probs = c(0.025, 0.25, 0.5, 0.75, 0.975), ...) {
  check_probs(probs)
  coefficient_quantiles(x, probs)
}

check_level <- function(level) {
  if (!is.numeric(level) || length(level) != 1L || !isTRUE(level > 0 && level < 1)) {
    argument_error("`level` must be one number between 0 and 1")
  }
}

#' @rdname opencl_glm_grid-methods
#' @importFrom stats logLik
#' @export
logLik.opencl_glm_grid <- function(object, marginal = FALSE, ...) {
  if (!is_switch(marginal)) argument_error("`marginal` must be TRUE or FALSE")
  if (marginal) return(object$log_evidence)
  df <- length(object$mode) + object$dispersion_estimated # a parameter, as glm() counts it
  structure(object$log_likelihood, df = df, nobs = stats::nobs(object), class = "logLik")
}

#' @rdname opencl_glm_grid-methods
#' @importFrom stats nobs
#' @export
nobs.opencl_glm_grid <- function(object, ...) sum(object$prior.weights > 0)

#' @rdname opencl_glm_grid-methods
#' @importFrom stats formula
#' @export
formula.opencl_glm_grid <- function(x, ...) stats::formula(x$terms)

#' @rdname opencl_glm_grid-methods
#' @importFrom stats family
#' @export
family.opencl_glm_grid <- function(object, ...) object$family

#' @rdname opencl_glm_grid-methods
#' @importFrom stats model.matrix
#' @export
model.matrix.opencl_glm_grid <- function(object, ...) {
  stats::model.matrix(object$terms, object$model, object$contrasts)
}

#' Draws from the posterior of a model on a grid
#'
#' For a grid, a cell is drawn by its mass, and a point in it from the density that value, gradient and curvature at
#' its centre give: draws are continuous, and their moments those of the posterior. For weighted draws, these are drawn
#' again with probabilities by their weights (sampling importance resampling): as many draws as the effective size are
#' worth having. \code{set.seed()} reproduces them.
#'
#' @param fit an object that \code{\link{opencl_glm_grid}} made.
#' @param n number of draws.
#' @return A matrix with \code{n} rows and a column for each coefficient.
#' @examples
#' fit <- opencl_glm_grid(case ~ spontaneous + induced, binomial, infert, device = "host")
#' set.seed(1)
#' b <- rgrid(fit, 1000)
#' # The odds ratio of two abortions against none
#' quantile(exp(2 * b[, "spontaneous"]), c(0.025, 0.5, 0.975))
#' @export
rgrid <- function(fit, n) {
  if (!inherits(fit, "opencl_glm_grid")) argument_error("`fit` must be a model that opencl_glm_grid() made")
  if (!is.numeric(n) || length(n) != 1L || !isTRUE(n >= 0 && is.finite(n))) argument_error("`n` must be a number of draws")
  if (fit$method == "draws") {
    return(fit$points[sample.int(nrow(fit$points), n, TRUE, fit$weights), , drop = FALSE])
  }
  inside <- cell_draws(fit$lattice$slope, fit$lattice$step, fit$weights, n)
  fit$points[inside$cells, , drop = FALSE] + inside$d %*% t(fit$lattice$axes)
}

# Cells, and where in them (in units of the axes, from the centre). In a cell the density goes as exp(-slope d - d^2/2) along
# each axis: a truncated normal, whose probabilities are taken of the tail that does not round to 1.
cell_draws <- function(slope, step, weights, n) {
  steep <- pmin(abs(slope), 30)
  half <- rep(step / 2, each = nrow(slope))
  beyond <- stats::pnorm(-steep - half)
  mass <- stats::pnorm(half - steep) - beyond
  cells <- sample.int(nrow(slope), n, TRUE, weights * exp(rowSums(log(mass) + steep^2 / 2)))
  drawn <- function(matrix) matrix[cells, , drop = FALSE]
  tail <- drawn(beyond) + stats::runif(n * ncol(slope)) * drawn(mass)
  list(cells = cells, d = (-stats::qnorm(tail) - drawn(steep)) * ifelse(drawn(slope) < 0, -1, 1))
}
