# Predictions of a model on a grid.

#' Predictions of a model on a grid
#'
#' @param object an object of class \code{opencl_glm_grid}.
#' @param newdata a data frame to predict for; without it, the data of the fit.
#' @param type \code{"link"}: the linear predictor; \code{"response"}: the mean of the response.
#' @param se.fit if \code{TRUE}, posterior standard deviations too.
#' @param interval \code{"credible"} adds equal-tailed credible intervals.
#' @param level probability of the interval.
#' @param na.action what to do with missing values in \code{newdata}; by default the prediction is \code{NA}.
#' @param ... of \code{predict}: anything here is an error; of \code{fitted}: not used.
#' @return Posterior means, one for each row, or, with \code{interval}, a matrix with columns \code{fit}, \code{lwr} and
#'   \code{upr}. With \code{se.fit} a list, as \code{\link[stats]{predict.glm}} has it: \code{fit}, \code{se.fit}
#'   (posterior standard deviations of the linear predictor or of the mean response) and \code{residual.scale}, the root of
#'   the dispersion. On the scale of the response the mean is that of the inverse link over all points of the posterior,
#'   which is not the inverse link of the mean; the time it takes goes with rows (those that are alike are computed once)
#'   times points. A warning names means that depend on the posterior tail beyond the points, as those of
#'   a log link may where the predictor is known badly. \code{fitted} gives the predictions of the response for the data
#'   of the fit.
#' @section Errors:
#' Class \code{nmathopencl_error}: variables that \code{newdata} lacks, factor levels that the fit has not seen, and
#' arguments of \code{predict.glm} that are not among these.
#' @examples
#' fit <- opencl_glm_grid(breaks ~ wool + tension, quasipoisson, warpbreaks, device = "host")
#' new <- expand.grid(wool = c("A", "B"), tension = c("L", "M", "H"))
#' cbind(new, predict(fit, new, type = "response", interval = "credible"))
#' @importFrom stats predict
#' @export
predict.opencl_glm_grid <- function(object, newdata = NULL, type = c("link", "response"), se.fit = FALSE,
                                    interval = c("none", "credible"), level = 0.95, na.action = stats::na.pass, ...) {
  no_more_arguments("predict", ...)
  type <- one_of(type, c("link", "response"), "type")
  interval <- one_of(interval, c("none", "credible"), "interval")
  if (!is_switch(se.fit)) argument_error("`se.fit` must be TRUE or FALSE")
  check_level(level)
  rows <- if (is.null(newdata)) {
    list(x = stats::model.matrix(object), offset = object$offset)
  } else {
    r_errors(prediction_rows(object, newdata, na.action))
  }
  probs <- if (interval == "credible") c((1 - level) / 2, (1 + level) / 2)
  result <- predict_rows(object, rows, type, se.fit, probs)
  if (is.null(newdata)) result <- stats::napredict(object$na.action, result)
  fit <- if (is.null(probs)) result[, "fit"] else result[, c("fit", "lwr", "upr"), drop = FALSE]
  if (!se.fit) return(fit)
  list(fit = fit, se.fit = result[, "se"], residual.scale = sqrt(object$dispersion))
}

no_more_arguments <- function(method, ...) {
  if (...length() == 0L) return(invisible())
  names <- ...names() %||% rep("", ...length())
  named <- names[!is.na(names) & nzchar(names)]
  which <- if (length(named)) toString(named) else "beyond those of its help page"
  argument_error(method, "() of a model on a grid has no argument ", which)
}

# Model matrix and offset of new data, as predict.glm() reads them.
prediction_rows <- function(object, newdata, na.action) {
  terms <- stats::delete.response(object$terms)
  frame <- stats::model.frame(terms, newdata, na.action = na.action, xlev = object$xlevels)
  classes <- attr(terms, "dataClasses")
  if (!is.null(classes)) stats::.checkMFClasses(classes, frame)
  offset <- as.vector(stats::model.offset(frame)) %||% rep(0, nrow(frame))
  if (!is.null(object$call$offset)) {
    offset <- offset + eval(object$call$offset, newdata, environment(object$terms))
  }
  list(x = stats::model.matrix(terms, frame, contrasts.arg = object$contrasts), offset = offset)
}

# A matrix with columns fit, and, where they are asked for, se, lwr and upr. Rows that are alike are computed once.
predict_rows <- function(object, rows, type, se, probs) {
  like <- do.call(paste, c(as.data.frame(rows$x), list(rows$offset))) # rows of a design with factors repeat
  first <- which(!duplicated(like))
  again <- match(like, like[first])
  x <- rows$x[first, , drop = FALSE]
  offset <- rows$offset[first]
  if (type == "link") {
    result <- cbind(fit = drop(x %*% object$coefficients) + offset, se = if (se) linear_sd(object, x))
  } else {
    result <- mean_response(object, x, offset, se)
  }
  if (!is.null(probs)) {
    inverse <- if (type == "response") object$family$linkinv else identity
    eta <- vapply(seq_along(first), function(i) {
      if (anyNA(x[i, ])) rep(NA_real_, 2L) else linear_law(object, x[i, ])$quantile(probs)
    }, numeric(2L))
    result <- cbind(result, lwr = inverse(eta[1L, ] + offset), upr = inverse(eta[2L, ] + offset))
  }
  result <- result[again, , drop = FALSE]
  rownames(result) <- rownames(rows$x)
  result
}

# Posterior standard deviations of rows of x times the coefficients; squares of what is tiny would be 0.
linear_sd <- function(object, x) {
  parts <- x * rep(object$sd, each = nrow(x))
  size <- pmax(apply(abs(parts), 1L, max), 1e-300)
  parts <- parts / size
  size * sqrt(pmax(0, rowSums((parts %*% object$correlation) * parts)))
}

# Posterior means of the inverse link over all points, and its standard deviations. Where a mean comes of points so far out
# that others beyond them may matter as much, there is a warning.
mean_response <- function(object, x, offset, se) {
  weights <- object$weights
  outer <- weights < 1e-7 * max(weights)
  centre <- drop(x %*% object$mode) + offset
  fit <- spread <- numeric(nrow(x))
  unsure <- logical(nrow(x))
  for (block in split(seq_along(fit), (seq_along(fit) - 1) %/% max(1, floor(2e6 / length(weights))))) {
    mean <- tcrossprod(x[block, , drop = FALSE], object$deviations) + centre[block]
    mean[] <- object$family$linkinv(as.vector(mean))
    fit[block] <- mean %*% weights
    unsure[block] <- if (object$method == "grid") {
      drop(mean %*% (weights * outer)) > 1e-3 * fit[block]
    } else {
      drop(mean^2 %*% weights^2) > 0.01 * fit[block]^2
    }
    if (se) spread[block] <- sqrt((mean - fit[block])^2 %*% weights)
  }
  unsure <- unsure & object$family$link == "log" # probabilities are wrong by no more than the mass that is left out
  if (any(unsure, na.rm = TRUE)) {
    warning(simpleWarning(paste0(
      "the mean response of ", sum(unsure, na.rm = TRUE), " of ", length(unsure),
      " different rows comes of the posterior tail, of which there are few points: it may be wrong"
    ), user_call()))
  }
  cbind(fit = fit, se = if (se) spread)
}

#' @rdname predict.opencl_glm_grid
#' @importFrom stats fitted
#' @export
fitted.opencl_glm_grid <- function(object, ...) stats::predict(object, type = "response")
