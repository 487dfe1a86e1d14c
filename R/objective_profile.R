# Profiles of an objective: how well it can be where one parameter is held.

#' Profile likelihood of an objective
#'
#' Holds each parameter at values around the estimate, finds the others anew by \code{\link[stats]{nlminb}}, and says how far the
#' objective rises; \code{confint()} of it has the intervals of the likelihood ratio, which need not be symmetric.
#'
#' @param fitted an objective of \code{\link{as_objective}} or \code{\link{laplace}}: a negative log-likelihood.
#' @param par where it is least, as in \code{\link[=summary.nmathopencl_objective]{summary}()}.
#' @param which names or numbers of parameters, where \code{"b"} stands for all numbers of a vector \code{b}; all, if it is missing.
#' @param level the largest level that \code{confint()} is to be asked for: the profile goes as far.
#' @param steps how many steps lead there on either side, if the log-likelihood is a parabola.
#' @param lower,upper bounds of the search that found \code{par}, one number or one for each parameter, as \code{optim(method = "L-BFGS-B")} and
#'   \code{nlminb} take them: the profile stays inside.
#' @param object a profile; in the method of \code{confint()} for objectives the objective.
#' @param parm names or numbers of parameters; all that were profiled, if it is missing.
#' @param ... nothing.
#' @return \code{profile()}: a list of class \code{c("nmathopencl_profile", "profile")} with a data frame for each parameter, ordered by it: \code{z},
#'   the signed root of twice the rise of the objective, and the matrix \code{par.vals}, all parameters there.
#'   \code{confint()} of it: a matrix with a row for each parameter and columns of the lower and the upper limit, \code{NA} where the profile ends
#'   before. \code{confint()} of an objective: Wald's intervals, those of its summary. \code{confint(objective, fit)} has all parameters,
#'   \code{confint(objective, parm, par = fit)} those that are named.
#' @section Bounds: Of a fit with bounds give them, too, \code{profile(objective, fit, lower = lower)}: the profile ends there, and the other parameters
#'   stay inside. Where an estimate is on a bound, \code{z} has one side, and the limit on the other side is \code{NA}. Standard errors do not hold there.
#' @section Errors: Class \code{nmathopencl_error}: \code{par} is not a minimum, the Hessian there is not positive definite, or a profile has found a lower
#'   value.
#' @seealso \code{\link{as_objective}}; \code{\link{summary.nmathopencl_objective}} for Wald's intervals.
#' @examples
#' loglik <- function(count, dose, b) sum(dpois(count, exp(b[1] + b[2] * dose), log = TRUE))
#' doses <- data.frame(count = c(2, 1, 4, 7, 11), dose = 0:4)
#' ll <- opencl_function(loglik, gradient = "b", data = doses)
#' objective <- as_objective(ll, start = list(b = c(one = 0, dose = 0)))
#' fit <- nlminb(objective$par, objective$fn, objective$gr)
#' profiles <- profile(objective, fit)
#' confint(profiles)
#' plot(profiles)
#' confint(objective, fit)
#' @importFrom stats profile
#' @export
profile.nmathopencl_objective <- function(fitted, par, which, level = 0.99, steps = 6, lower = -Inf, upper = Inf, ...) {
  if (missing(par)) argument_error("`par` must be given, profile(objective, fit): where the objective is least")
  check_level(level)
  if (!is.numeric(steps) || length(steps) != 1L || is.na(steps) || steps < 1) argument_error("`steps` must be a number from 1 on")
  par <- estimates_of(fitted, par)
  which <- places_of_parameters(which, names(par), "which")
  bounds <- list(lower = bound_of(fitted, lower, "lower"), upper = bound_of(fitted, upper, "upper"))
  outside <- base::which(par < bounds$lower | par > bounds$upper)
  if (length(outside) > 0L) argument_error("`", names(par)[outside[1L]], "` is ", format(par[[outside[1L]]]), ", outside of `lower` and `upper`")
  errors <- scales_of_profile(fitted, par, bounds)
  far <- stats::qnorm((1 + level) / 2)
  made <- lapply(which, function(k) profile_of(fitted, par, k, far, steps, errors[[k]], bounds))
  structure(stats::setNames(made, names(par)[which]), class = c("nmathopencl_profile", "profile"), which = which)
}

# A bound of each parameter, of one number or of what an optimizer was given.
bound_of <- function(object, bound, what) {
  if (is.numeric(bound) && length(bound) == 1L && is.null(names(bound))) bound <- rep(bound, length(object$par))
  made <- tryCatch(estimates_of(object, bound), nmathopencl_error = function(e) {
    argument_error("`", what, "` must be one number, or one for each parameter, as `par` is: ", conditionMessage(e))
  })
  if (anyNA(made)) argument_error("`", what, "` has missing values")
  made
}

# What a step is measured by: standard errors, by the Hessian. Of a parameter on a bound of the search: how far inside the objective has risen by
# a half, by its slope and curvature there.
scales_of_profile <- function(object, par, bounds) {
  near <- function(bound) is.finite(bound) & abs(par - bound) <= 1e-6 * (1 + abs(bound))
  held <- near(bounds$lower) | near(bounds$upper)
  if (!any(held)) { # a profile of what is not a minimum finds a lower value, and says so
    made <- summary_at(object, par)
    errors <- made$coefficients[, "Std. Error"]
    if (anyNA(errors)) argument_error(made$note, if (!grepl("maximum", made$note)) ". Of a fit with bounds give them, profile(objective, fit, lower = ..., upper = ...)")
    return(errors)
  }
  hessian <- object$he(par)
  free <- hessian[!held, !held, drop = FALSE]
  fault <- if (anyNA(hessian)) fault_of_hessian(hessian) else if (!all(held)) fault_of_hessian(free)
  if (!is.null(fault)) argument_error(fault)
  errors <- rep(NA_real_, length(par))
  if (!all(held)) errors[!held] <- sqrt(diag(inverted_hessian(free)))
  slopes <- object$gr(par) * ifelse(near(bounds$upper), -1, 1)
  for (k in base::which(held)) {
    slope <- max(slopes[k], 0, na.rm = TRUE)
    curve <- max(hessian[k, k], 0)
    errors[k] <- if (curve > 0) 1 / (slope + sqrt(slope^2 + curve)) else 0.5 / slope
    if (!is.finite(errors[k])) argument_error("`", names(par)[k], "` is on a bound, where the objective has neither a slope nor a curvature: `par` is not a minimum")
  }
  errors
}

# Numbers of parameters that are named, or all. The name of a vector or matrix in `start` stands for all of its numbers, and that of an element
# for itself.
places_of_parameters <- function(parm, known, what) {
  if (missing(parm)) return(seq_along(known))
  found <- if (is.character(parm)) lapply(parm, places_of_name, known, what) else if (is.numeric(parm) || is.logical(parm)) as.list(seq_along(known)[parm])
  if (is.null(found)) argument_error("`", what, "` must name parameters, or be their numbers, and is of type ", typeof(parm), ": there are ", in_ticks(known))
  wrong <- which(lengths(found) == 0L | is.na(found))
  if (length(wrong) > 0L || length(found) == 0L) {
    near <- if (is.character(parm) && length(wrong) > 0L) did_you_mean(parm[wrong[1L]], known) else ""
    argument_error("`", what, "` must name parameters, or be their numbers: there are ", in_ticks(known), near)
  }
  unique(unlist(found))
}

places_of_name <- function(name, known, what) {
  name <- chartr("$", ".", name) # of an element of a list
  if (sum(known == name) > 1L) argument_error("`", name, "` in `", what, "` is the name of two parameters: give the number of the one that is meant")
  for (names in list(known, sub("^[^.]*[.]", "", known))) { # those of a list may be named without it
    if (name %in% names && !anyDuplicated(names)) return(match(name, names))
    behind <- substring(names, nchar(name) + 1L)
    of_vector <- which(startsWith(names, name) & grepl("^([0-9]+|[.].+)$", behind))
    if (length(of_vector) > 0L) return(of_vector)
  }
  of_element <- which(endsWith(known, paste0(".", name)))
  if (length(of_element) == 1L) of_element
}

# Of parameter number k: from the estimate in steps on either side, until the objective has risen by `far`^2 / 2 or there were `most` steps. z is
# to grow by far / steps in each: steps are shorter where it grows faster, or where the parameter's range ends, and longer where it grows slower.
profile_of <- function(objective, par, k, far, steps, error, bounds) {
  least <- objective$fn(par)
  refitted <- refitted_at(objective, par, k, bounds)
  growth <- far / steps
  side <- function(sign) {
    at <- before <- par
    z <- numeric()
    all <- list()
    distance <- height <- 0
    last <- stride <- error * growth
    end <- sign * ((if (sign > 0) bounds$upper else bounds$lower)[[k]] - par[[k]])
    halved <- 0L
    while (length(z) < ceiling(3 * steps) && distance < end) {
      to <- min(distance + stride, end)
      guess <- at + (at - before) * ((to - distance) / last) # straight on
      found <- refitted(par[[k]] + sign * to, guess)
      rise <- if (!is.null(found)) without_nan_warnings(objective$fn(found)) - least
      is_beyond <- is.null(found) || is.na(rise) || rise == Inf # of the parameter's range
      if (is_beyond && halved == 8L) break
      if (is_beyond || (sqrt(2 * max(rise, 0)) - height > 2 * growth && halved < 8L)) {
        halved <- halved + 1L
        stride <- stride / 2
        next
      }
      if (rise < -1e-6 * max(1, abs(least))) refuse_lower(names(par)[k], least, rise, found[[k]])
      before <- at
      at <- found
      last <- to - distance
      distance <- to
      grown <- sqrt(2 * max(rise, 0)) - height
      height <- height + grown
      if (halved == 0L && grown < 0.6 * growth) stride <- min(stride * growth / max(grown, growth / 2), 8 * error * growth)
      z[length(z) + 1L] <- sign * height
      all[[length(z)]] <- at
      if (height > far) break
    }
    list(z = z, all = all)
  }
  down <- side(-1)
  up <- side(1)
  values <- do.call(rbind, c(rev(down$all), list(par), up$all))
  colnames(values) <- names(par)
  made <- data.frame(z = c(rev(down$z), 0, up$z))
  made$par.vals <- values
  made
}

refuse_lower <- function(name, least, rise, at) {
  argument_error(
    "the profile of `", name, "` has found a lower value, ", format(least + rise, digits = 10L), " at ", format(at), ", than ",
    format(least, digits = 10L), " at `par`: `par` is not a minimum. Go on from there, nlminb(par, objective$fn, objective$gr); of a fit with bounds give ",
    "them, profile(objective, fit, lower = ..., upper = ...)"
  )
}

# Where the objective is least with parameter number k held: a function of its value and of where the search begins. NULL where that is
# beyond the range of the parameters.
refitted_at <- function(objective, par, k, bounds) {
  with_gradient <- !inherits(tryCatch(objective$gr(par), error = identity), "error")
  function(value, from) {
    from <- pmin(pmax(from, bounds$lower), bounds$upper)
    whole <- function(others) {
      from[k] <- value
      from[-k] <- others
      from
    }
    if (length(par) == 1L) return(whole(numeric()))
    slope <- if (with_gradient) function(others) objective$gr(whole(others))[-k]
    fit <- without_nan_warnings(tryCatch(
      stats::nlminb(from[-k], function(others) objective$fn(whole(others)), slope, lower = bounds$lower[-k], upper = bounds$upper[-k]),
      error = function(e) if (inherits(e, "nmathopencl_error")) stop(e)
    ))
    if (!is.null(fit)) whole(fit$par)
  }
}

# What is tried may be beyond the parameters' range, of which nothing has to be told.
without_nan_warnings <- function(code) {
  withCallingHandlers(code, warning = function(w) {
    if (inherits(w, "nmathopencl_once") || grepl("NaNs? (produced|function evaluation)", conditionMessage(w))) invokeRestart("muffleWarning")
  })
}

#' @export
print.nmathopencl_profile <- function(x, ...) {
  cat("profile of ", counted(length(x), "parameter"), ": ", paste(names(x), collapse = ", "), "\n", sep = "")
  steps <- vapply(x, function(one) nrow(one), 0L)
  cat("points of each: ", paste(unique(range(steps)), collapse = " to "), ". confint() has intervals, plot() draws them\n", sep = "")
  invisible(x)
}

#' @rdname profile.nmathopencl_objective
#' @export
confint.nmathopencl_profile <- function(object, parm, level = 0.95, ...) {
  check_level(level)
  places <- places_of_parameters(parm, names(object), "parm")
  tails <- c((1 - level) / 2, (1 + level) / 2)
  limits <- vapply(places, function(place) profile_curve(rising_part(object, place), stats::qnorm(tails))$value, c(0, 0))
  if (anyNA(limits)) {
    short <- names(object)[places][colSums(is.na(limits)) > 0]
    warning("the profile of ", in_ticks(short), " ends before the limits of level ", format(level), ": profile(..., level = ", format((3 + level) / 4), ") goes farther, if there are any before a bound", call. = FALSE)
  }
  structure(t(limits), dimnames = list(names(object)[places], percent_of(tails)))
}

#' @rdname profile.nmathopencl_objective
#' @export
confint.nmathopencl_objective <- function(object, parm, level = 0.95, par, ...) {
  if (missing(par)) {
    if (missing(parm) || !is_estimates(parm, object)) {
      argument_error("`par` must be given, confint(objective, par = fit): where the objective is least. Intervals of the likelihood ratio are confint(profile(objective, fit))")
    }
    if (!is.numeric(level)) argument_error("`level` must be one number between 0 and 1. To name parameters write confint(objective, ", if (is.character(level)) deparse1(level) else "parm", ", par = fit)")
    return(confint(summary(object, parm), level = level, ...))
  }
  confint(summary(object, par), parm, level, ...)
}

# Whether it is where the objective is least, and no choice of parameters.
is_estimates <- function(parm, object) {
  if (is.list(parm)) return(TRUE)
  is.numeric(parm) && length(parm) == length(object$par) && (!is.null(names(parm)) || !all(parm %in% seq_along(object$par)))
}

percent_of <- function(tails) paste(format(100 * tails, trim = TRUE, scientific = FALSE, digits = 3L), "%")
