# Predictions of a model on a grid.

#' Predictions of a model on a grid
#'
#' @param object an object of class \code{opencl_glm_grid}.
#' @param newdata a data frame to predict for; without it, the data of the fit.
#' @param type \code{"link"}: the linear predictor; \code{"response"}: the mean of the response.
#' @param interval \code{"credible"} adds equal-tailed credible intervals.
#' @param level probability of the interval.
#' @param na.action what to do with missing values in \code{newdata}; by default the prediction is \code{NA}.
#' @param ... not used.
#' @return Posterior means, one for each row, or, with \code{interval}, a matrix with columns \code{fit}, \code{lwr} and
#'   \code{upr}. On the scale of the response the mean is that of the inverse link, which is not the inverse link of the
#'   mean; where rows times weighted draws exceed 3e8 it is of the first draws. \code{fitted} gives the predictions of the
#'   response for the data of the fit.
#' @section Errors:
#' Class \code{nmathopencl_error}: variables that \code{newdata} lacks, and factor levels that the fit has not seen.
#' @examples
#' fit <- opencl_glm_grid(breaks ~ wool + tension, quasipoisson, warpbreaks, device = "host")
#' new <- expand.grid(wool = c("A", "B"), tension = c("L", "M", "H"))
#' cbind(new, predict(fit, new, type = "response", interval = "credible"))
#' @importFrom stats predict
#' @export
predict.opencl_glm_grid <- function(object, newdata = NULL, type = c("link", "response"),
                                    interval = c("none", "credible"), level = 0.95, na.action = stats::na.pass, ...) {
  type <- one_of(type, c("link", "response"), "type")
  interval <- one_of(interval, c("none", "credible"), "interval")
  check_level(level)
  rows <- if (is.null(newdata)) {
    list(x = stats::model.matrix(object), offset = object$offset)
  } else {
    r_errors(prediction_rows(object, newdata, na.action))
  }
  probs <- if (interval == "credible") c((1 - level) / 2, (1 + level) / 2)
  result <- predict_rows(object, rows, type, probs)
  if (is.null(newdata)) result <- stats::napredict(object$na.action, result)
  if (is.null(probs)) result[, 1L] else result
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

predict_rows <- function(object, rows, type, probs) {
  inverse <- if (type == "response") object$family$linkinv else identity
  fit <- if (type == "link") drop(rows$x %*% object$coefficients) + rows$offset else mean_response(object, rows)
  names(fit) <- rownames(rows$x)
  if (is.null(probs)) return(cbind(fit = fit))
  like <- do.call(paste, as.data.frame(rows$x)) # rows of a design with factors repeat
  first <- which(!duplicated(like))
  eta <- vapply(first, function(i) {
    if (anyNA(rows$x[i, ])) rep(NA_real_, 2L) else linear_law(object, rows$x[i, ])$quantile(probs)
  }, numeric(2L))[, match(like, like[first]), drop = FALSE]
  cbind(fit = fit, lwr = inverse(eta[1L, ] + rows$offset), upr = inverse(eta[2L, ] + rows$offset))
}

# Posterior means of the inverse link. A lattice is finer than a smooth mean needs: every so many of its slices will do, at
# most 0.8 standard deviations apart, or as far as they were before the lattice was found too coarse.
mean_response <- function(object, rows) {
  used <- if (object$method == "grid") {
    which(sparse_lattice(object) & object$weights > 1e-8 * max(object$weights))
  } else {
    seq_len(min(nrow(object$points), max(1000, 3e8 / nrow(rows$x))))
  }
  points <- object$points[used, , drop = FALSE]
  weights <- object$weights[used] / sum(object$weights[used])
  fit <- numeric(nrow(rows$x))
  for (block in split(seq_along(fit), (seq_along(fit) - 1) %/% max(1, floor(2e6 / length(weights))))) {
    eta <- tcrossprod(rows$x[block, , drop = FALSE], points) + rows$offset[block]
    mean <- eta
    mean[] <- object$family$linkinv(as.vector(eta))
    fit[block] <- mean %*% weights
  }
  fit
}

sparse_lattice <- function(object) {
  z <- solve(object$lattice$axes, t(object$points) - object$mode)
  index <- round(z / object$lattice$step)
  finer <- object$lattice$finer
  every <- ifelse(finer > 1, finer, pmax(1, floor(0.8 / object$lattice$step)))
  colSums(index %% every != 0) == 0
}

#' @rdname predict.opencl_glm_grid
#' @importFrom stats fitted
#' @export
fitted.opencl_glm_grid <- function(object, ...) stats::predict(object, type = "response")
