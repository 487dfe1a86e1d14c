# The normal prior of a model's coefficients.

# list(mean, sd, inverse, proper): `p` coefficients in the order of the model matrix. `inverse` is that of the correlations,
# so that no standard deviation is squared.
glm_grid_prior <- function(model, family, prior_mean, prior_sd, prior_cov) {
  names <- colnames(model$x)
  mean <- by_coefficient(prior_mean, "prior_mean", names, rep(0, length(names)))
  if (!all(is.finite(mean))) argument_error("`prior_mean` must be finite")
  if (!is.null(prior_cov)) {
    if (!is.null(prior_sd)) argument_error("give `prior_sd` or `prior_cov`, not both")
    return(c(list(mean = mean), joint_prior(prior_cov, names), proper = TRUE))
  }
  sd <- by_coefficient(prior_sd, "prior_sd", names, weak_prior_sd(model, family))
  bad <- anyNA(sd) || any(sd <= 0)
  if (bad && is.null(prior_sd)) argument_error("the columns' spread is beyond the doubles: give `prior_sd`, or scale them")
  if (bad) argument_error("`prior_sd` must be positive; Inf is a flat prior")
  list(mean = mean, sd = sd, inverse = diag(length(sd)), proper = all(is.finite(sd)))
}

# A number for all, one for each, or numbers by the names of some coefficients; the others have their default.
by_coefficient <- function(value, what, names, default) {
  value <- value %||% default
  if (!is.numeric(value) || is.matrix(value)) argument_error("`", what, "` must be a numeric vector")
  if (!is.null(names(value))) {
    unknown <- setdiff(names(value), names)
    if (length(unknown)) {
      argument_error("`", what, "` names ", toString(unknown), "; the coefficients are ", toString(names))
    }
    if (anyDuplicated(names(value))) argument_error("`", what, "` names a coefficient twice")
    default[match(names(value), names)] <- value
    value <- default
  }
  if (!length(value) %in% c(1L, length(names))) {
    argument_error(
      "`", what, "` has length ", length(value), ", but there are ", length(names), " coefficients: ", toString(names)
    )
  }
  stats::setNames(rep_len(as.double(value), length(names)), names)
}

joint_prior <- function(cov, names) {
  p <- length(names)
  if (!is.matrix(cov) || !is.numeric(cov) || !identical(dim(cov), c(p, p))) {
    argument_error("`prior_cov` must be a numeric matrix of ", p, " x ", p, ", for the coefficients ", toString(names))
  }
  if (!is.null(rownames(cov))) {
    if (!setequal(rownames(cov), names)) argument_error("`prior_cov` names other coefficients than ", toString(names))
    order <- match(names, rownames(cov))
    cov <- cov[order, order, drop = FALSE]
  }
  cov <- unname(cov)
  sd <- sqrt(abs(diag(cov)))
  correlation <- cov / sd / rep(sd, each = p)
  proper <- all(is.finite(cov), diag(cov) > 0) && isSymmetric(correlation)
  root <- if (proper) tryCatch(chol(correlation), error = function(e) NULL)
  if (is.null(root)) argument_error("`prior_cov` must be symmetric and positive definite")
  list(sd = stats::setNames(sd, names), inverse = chol2inv(root))
}

# Ten times the change of a coefficient that moves the linear predictor by one unit as its column moves by one standard
# deviation; the unit is 1, and the response's standard deviation where the link is the identity. The intercept's is what
# that makes of N(0, 10^2) where all columns are at their means.
weak_prior_sd <- function(model, family) {
  unit <- if (family$link == "identity" && length(model$y) > 1L) stats::sd(model$y) else 1
  if (!is.finite(unit) || unit == 0) unit <- 1
  mean <- colMeans(model$x)
  spread <- sqrt(pmax(colMeans(model$x^2) - mean^2, 0))
  constant <- spread <= 1e-10 * abs(mean)
  size <- ifelse(constant, abs(mean), spread)
  size[size == 0] <- 1 # a column of zeros
  sd <- 10 * unit / size
  constant <- constant & mean != 0
  if (any(constant)) {
    far <- sum((mean[!constant] * sd[!constant])^2)
    level <- if (family$link == "identity") 10 * mean(model$y) else 0
    sd[constant] <- sqrt(sd[constant]^2 + (far + level^2) / size[constant]^2)
  }
  sd
}

# log of the prior's density at its mean, for coefficients in units of `scale`.
prior_constant <- function(prior, scale) {
  if (!prior$proper) return(NA_real_)
  sum(log(scale) - log(prior$sd)) + as.numeric(determinant(prior$inverse)$modulus) / 2 - length(scale) / 2 * log(2 * pi)
}
