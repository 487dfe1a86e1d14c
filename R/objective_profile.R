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
#' @param object a profile; in the method of \code{confint()} for objectives the objective.
#' @param parm names or numbers of parameters; all that were profiled, if it is missing.
#' @param ... nothing.
#' @return \code{profile()}: a list of class \code{c("nmathopencl_profile", "profile")} with a data frame for each parameter, ordered by it: \code{z},
#'   the signed root of twice the rise of the objective, and the matrix \code{par.vals}, all parameters there.
#'   \code{confint()} of it: a matrix with a row for each parameter and columns of the lower and the upper limit, \code{NA} where the profile ends
#'   before. \code{confint()} of an objective, with \code{par}: Wald's intervals, those of its summary.
#' @section Errors: Class \code{nmathopencl_error}: \code{par} is not a minimum, or a profile has found a lower value.
#' @seealso \code{\link{as_objective}}; \code{\link{summary.nmathopencl_objective}} for Wald's intervals.
#' @examples
#' loglik <- function(count, dose, b) sum(dpois(count, exp(b[1] + b[2] * dose), log = TRUE))
#' doses <- data.frame(count = c(2, 1, 4, 7, 11), dose = 0:4)
#' ll <- opencl_function(loglik, gradient = "b", data = doses)
#' objective <- as_objective(ll, start = list(b = c(one = 0, dose = 0)))
#' fit <- nlminb(objective$par, objective$fn, objective$gr)
#' confint(profile(objective, fit))
#' confint(objective, par = fit)
#' @importFrom stats profile
#' @export
profile.nmathopencl_objective <- function(fitted, par, which, level = 0.99, steps = 6, ...) {
  if (missing(par)) argument_error("`par` must be given: where the objective is least")
  check_level(level)
  if (!is.numeric(steps) || length(steps) != 1L || is.na(steps) || steps < 1) argument_error("`steps` must be a number from 1 on")
  made <- summary_at(fitted, estimates_of(fitted, par)) # a profile of what is not a minimum finds a lower value, and says so
  if (anyNA(made$coefficients[, "Std. Error"])) argument_error(made$note)
  table <- made$coefficients
  par <- stats::setNames(table[, "Estimate"], rownames(table))
  which <- places_of_parameters(which, names(par), "which")
  least <- fitted$fn(par)
  far <- stats::qnorm((1 + level) / 2)
  made <- lapply(which, function(k) profile_of(fitted, par, k, least, far, table[k, "Std. Error"] * far / steps, ceiling(3 * steps)))
  structure(stats::setNames(made, names(par)[which]), class = c("nmathopencl_profile", "profile"))
}

# Numbers of parameters that are named, or all. The name of a vector or matrix in `start` stands for all of its numbers, and that of an element
# for itself.
places_of_parameters <- function(parm, known, what) {
  if (missing(parm)) return(seq_along(known))
  found <- if (is.character(parm)) lapply(parm, places_of_name, known) else as.list(seq_along(known)[parm])
  wrong <- which(lengths(found) == 0L | is.na(found))
  if (length(wrong) > 0L) {
    near <- if (is.character(parm)) did_you_mean(parm[wrong[1L]], known) else ""
    argument_error("`", what, "` must name parameters, or be their numbers: there are ", in_ticks(known), near)
  }
  unique(unlist(found))
}

places_of_name <- function(name, known) {
  if (name %in% known) return(match(name, known))
  behind <- substring(known, nchar(name) + 1L)
  of_vector <- which(startsWith(known, name) & grepl("^([0-9]+|[.].+)$", behind))
  if (length(of_vector) > 0L) return(of_vector)
  of_element <- which(endsWith(known, paste0(".", name)))
  if (length(of_element) == 1L) of_element
}

# Of parameter number k: from the estimate in steps on either side, until the objective has risen by `far`^2 / 2 or there were `most` steps.
profile_of <- function(objective, par, k, least, far, step, most) {
  with_gradient <- !inherits(tryCatch(objective$gr(par), error = identity), "error")
  refitted <- function(value, from) {
    whole <- function(others) {
      from[k] <- value
      from[-k] <- others
      from
    }
    if (length(par) == 1L) return(whole(numeric()))
    slope <- if (with_gradient) function(others) objective$gr(whole(others))[-k]
    fit <- stats::nlminb(from[-k], function(others) objective$fn(whole(others)), slope)
    whole(fit$par)
  }
  side <- function(sign) {
    at <- before <- par
    z <- numeric()
    all <- list()
    for (n in seq_len(most)) {
      guess <- if (n == 1L) par else at + (at - before) # straight on
      before <- at
      at <- tryCatch(refitted(par[[k]] + sign * n * step, guess), error = function(e) if (inherits(e, "nmathopencl_error")) stop(e))
      rise <- if (!is.null(at)) objective$fn(at) - least
      if (is.null(at) || is.na(rise) || rise == Inf) break # beyond the parameter's range
      if (rise < -1e-6 * max(1, abs(least))) {
        argument_error("the profile of `", names(par)[k], "` has found a lower value, ", format(least + rise), " at ", format(at[[k]]), ": `par` is not a minimum")
      }
      z[n] <- sign * sqrt(2 * max(rise, 0))
      all[[n]] <- at
      if (abs(z[n]) > far) break
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

#' @rdname profile.nmathopencl_objective
#' @export
confint.nmathopencl_profile <- function(object, parm, level = 0.95, ...) {
  check_level(level)
  places <- places_of_parameters(parm, names(object), "parm")
  tails <- c((1 - level) / 2, (1 + level) / 2)
  limits <- vapply(names(object)[places], function(name) {
    z <- object[[name]]$z
    value <- object[[name]]$par.vals[, name]
    up <- !duplicated(z) & cummax(z) == z # of a profile that is not monotone the part that is
    found <- stats::spline(z[up], value[up], xout = stats::qnorm(tails), method = if (sum(up) > 1L) "hyman" else "natural")$y
    ifelse(stats::qnorm(tails) < min(z) | stats::qnorm(tails) > max(z), NA, found)
  }, c(0, 0))
  if (anyNA(limits)) {
    short <- names(object)[places][colSums(is.na(limits)) > 0]
    warning("the profile of ", in_ticks(short), " ends before the limits of level ", format(level), ": profile(..., level = ", format((3 + level) / 4), ") goes farther, if there are any", call. = FALSE)
  }
  structure(t(limits), dimnames = list(names(object)[places], percent_of(tails)))
}

#' @rdname profile.nmathopencl_objective
#' @export
confint.nmathopencl_objective <- function(object, parm, level = 0.95, par, ...) {
  if (missing(par)) argument_error("`par` must be given, confint(objective, par = fit): where the objective is least. Intervals of the likelihood ratio are confint(profile(objective, fit))")
  confint(summary(object, par), parm, level, ...)
}

percent_of <- function(tails) paste(format(100 * tails, trim = TRUE, scientific = FALSE, digits = 3L), "%")
