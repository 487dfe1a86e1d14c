# The mode of the posterior and the curvature there, from values and gradients.

# Newton's method. The Hessian is of differences of the gradient, in units in which the last Hessian was the identity, so
# that one step fits all coefficients: 1e-3 standard deviations, where rounding (eps sqrt(n) / step) and curvature of the
# gradient (step^2) are far below what matters. The log-density of every family here is concave, so that Newton steps,
# shortened where they do not lower qf, converge. A full step is taken from where the decrement says that it is safe.
# `unit`: p by p, its columns are steps of about one standard deviation. Returns list(mode, cov, decrement, converged).
newton_mode <- function(at, start, unit, tolerance = 1e-6, limit = 100L) {
  b <- start
  for (k in seq_len(limit)) {
    here <- curvature_at(at, b, unit)
    if (is.null(here)) break
    direction <- drop(unit %*% here$step)
    next_unit <- unit %*% here$unit
    if (!all(is.finite(direction), is.finite(b + direction), is.finite(tcrossprod(next_unit)))) break
    unit <- next_unit
    if (here$decrement < tolerance) {
      return(list(mode = b + direction, cov = tcrossprod(unit), decrement = here$decrement, converged = TRUE))
    }
    b <- b + direction * if (here$decrement < 0.05) 1 else best_step(at, b, direction)
  }
  list(mode = b, cov = tcrossprod(unit), decrement = if (is.null(here)) NA else here$decrement, converged = FALSE)
}

# Gradient and Hessian in coordinates z, b = centre + unit z; the Newton step there and the Newton decrement, which is the
# step's length in standard deviations; `unit` in which the Hessian is the identity. NULL where the density is not finite.
curvature_at <- function(at, centre, unit, step = 1e-3) {
  p <- length(centre)
  points <- centre + cbind(0, step * unit, -step * unit)
  value <- at(points)
  slopes <- value$grad %*% unit
  if (!all(is.finite(slopes), is.finite(value$qf[1L]))) return(NULL)
  hessian <- (slopes[1L + seq_len(p), , drop = FALSE] - slopes[1L + p + seq_len(p), , drop = FALSE]) / (2 * step)
  if (!all(is.finite(hessian))) return(NULL)
  root <- positive_root((hessian + t(hessian)) / 2)
  downhill <- -backsolve(root, slopes[1L, ], transpose = TRUE)
  list(step = backsolve(root, downhill), decrement = sqrt(sum(downhill^2)), unit = backsolve(root, diag(p)))
}

# The Cholesky factor of a matrix that is positive definite but for rounding.
positive_root <- function(matrix) {
  force(matrix) # errors of the argument are not chol()'s
  root <- tryCatch(chol(matrix), error = function(e) NULL)
  if (!is.null(root)) return(root)
  parts <- eigen(matrix, symmetric = TRUE)
  values <- pmax(parts$values, 1e-8 * max(abs(parts$values), 1e-8))
  qr.R(qr(sqrt(values) * t(parts$vectors)))
}

# The share of a step that lowers qf most, all shares in one call; 0 where none does.
best_step <- function(at, b, direction) {
  shares <- c(0, 2^(1:-24))
  qf <- at(b + outer(direction, shares))$qf
  shares[which.min(ifelse(is.finite(qf), qf, Inf))]
}

# Where Newton's method starts: the weighted least squares step of glm() from the family's own first fitted values, with
# the prior; list(start, unit).
first_step <- function(model, family, prior, dispersion) {
  eta <- family$linkfun(model$start)
  slope <- family$mu.eta(eta)
  used <- model$weights > 0
  weights <- (model$weights * slope^2 / family$variance(model$start))[used]
  x <- model$x[used, , drop = FALSE]
  refuse_flat_directions(x * sqrt(weights), prior)
  working <- (eta - model$offset)[used] + (model$y[used] - model$start[used]) / slope[used]
  if (!all(is.finite(crossprod(x, cbind(x, working) * weights)))) {
    argument_error("response, weights, offset or columns are too large for doubles: scale them")
  }
  solve_for <- function(dispersion) {
    root <- positive_root(crossprod(x, x * weights) / dispersion + prior$precision)
    right <- crossprod(x, weights * working) / dispersion + prior$precision %*% prior$mean
    list(start = drop(backsolve(root, backsolve(root, right, transpose = TRUE))), unit = backsolve(root, diag(ncol(x))))
  }
  solve_for(dispersion %||% pearson_dispersion(model, family, solve_for(1)$start))
}

# A flat prior leaves combinations of collinear columns undetermined.
refuse_flat_directions <- function(x, prior) {
  parts <- eigen(prior$precision, symmetric = TRUE)
  all <- rbind(x, sqrt(pmax(parts$values, 0)) * t(parts$vectors))
  size <- sqrt(colSums(all^2))
  decomposed <- qr(all / rep(ifelse(size > 0, size, 1), each = nrow(all)))
  if (decomposed$rank == ncol(x)) return(invisible())
  free <- colnames(x)[decomposed$pivot[seq(decomposed$rank + 1L, ncol(x))]]
  argument_error("neither data nor prior determine ", toString(free), ": a narrower `prior_sd` would")
}

# Pearson's estimate at coefficients b, as summary.glm() has it.
pearson_dispersion <- function(model, family, b) {
  mu <- family$linkinv(drop(model$x %*% b) + model$offset)
  used <- model$weights > 0
  squares <- (model$weights * (model$y - mu)^2 / family$variance(mu))[used]
  degrees <- sum(used) - qr(model$x[used, , drop = FALSE])$rank
  if (degrees <= 0) {
    argument_error("no degrees of freedom are left to estimate the dispersion: give `dispersion`")
  }
  estimate <- sum(squares) / degrees
  if (!is.finite(estimate) || estimate <= 1e-28 * mean(model$level^2 / family$variance(mu))) {
    argument_error("the dispersion is estimated as ", format(estimate), ": give `dispersion`")
  }
  estimate
}

# Mode, curvature and dispersion in the coordinates of a view, and that view: list(mode, cov, decrement, converged,
# dispersion, view, height, problem). The centre goes to the mode where that is many standard deviations away from it.
glm_grid_mode <- function(model, family, prior, target, dispersion, call) {
  scale <- glm_grid_scale(model, family, prior)
  view <- view_from(model, family, prior, first_centre(prior), scale)
  target$look(view)
  first <- first_step(view$model, family, view$prior, dispersion)
  found <- mode_in_view(view, family, target, first$start, first$unit, dispersion)
  for (k in seq_len(3L)) {
    away <- backsolve(positive_root(found$cov), found$mode, transpose = TRUE)
    centre <- view$centre + scale * found$mode
    if (isTRUE(sqrt(sum(away^2)) < 1e6) || !all(is.finite(centre)) || identical(centre, view$centre)) break
    next_view <- view_from(model, family, prior, centre, scale)
    start <- (view$centre - centre) / scale + found$mode
    view <- next_view
    target$look(view)
    found <- mode_in_view(view, family, target, start, t(positive_root(found$cov)), dispersion)
  }
  if (!found$converged) tell_no_mode(found, prior, call)
  at <- function(u) target$at(u, found$dispersion)
  height <- -at(cbind(found$mode))$qf
  if (!is.finite(height)) {
    argument_error("the posterior has no finite density: data, offset or prior are beyond what doubles hold")
  }
  rounding <- rounding_at(at, found, model, family, view, found$dispersion)
  if (rounding > 1e-2 && found$converged) tell_rounding(rounding, call)
  found$problem <- if (!found$converged) "the mode was not found" else if (rounding > 1e-2) "rounding hides the posterior"
  c(found, list(view = view, height = height))
}

# The dispersion is given, 1 for binomial and poisson, else Pearson's estimate at the mode that it leads to.
mode_in_view <- function(view, family, target, start, unit, dispersion) {
  model <- view$model
  phi <- dispersion %||% pearson_dispersion(model, family, start)
  mean <- view$prior$mean
  for (k in seq_len(100L)) {
    at <- function(u) target$at(u, phi)
    both <- at(cbind(start, mean))$qf
    if (!is.finite(both[1L]) || isTRUE(both[2L] < both[1L])) start <- mean
    found <- newton_mode(at, start, unit)
    if (!is.null(dispersion) || !found$converged) break
    next_phi <- pearson_dispersion(model, family, found$mode)
    if (abs(log(next_phi / phi)) < 1e-8) break
    phi <- next_phi
    start <- found$mode
    unit <- t(positive_root(found$cov))
  }
  names(found$mode) <- colnames(model$x)
  c(found, list(dispersion = phi))
}

tell_rounding <- function(rounding, call) {
  warning(simpleWarning(paste0(
    "rounding hides the posterior: its log-density has an error of ", format(rounding, digits = 2),
    " near the mode, where the posterior is too narrow for doubles; results may be wrong. Separated data need a finite `prior_sd`"
  ), call))
}

tell_no_mode <- function(found, prior, call) {
  text <- paste0("the mode was not found", if (!is.na(found$decrement)) {
    paste0(": the last step was ", format(found$decrement, digits = 2), " standard deviations")
  })
  if (!prior$proper) {
    argument_error(text, "; the data may determine no mode under a flat prior (separation): a finite `prior_sd` would")
  }
  warning(simpleWarning(text, call))
}
