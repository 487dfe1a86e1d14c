# The coordinates in which a posterior is computed: b = centre + scale u.
#
# A posterior that is narrow next to its distance from 0 would fall between the doubles if it were computed in b: the
# linear predictor is that of the centre, computed once, plus that of u. Prior standard deviations may have any size,
# and their squares leave the range of doubles: `scale` makes them about 1, or smaller numbers in the units of the data
# where the prior is wide. Scales are powers of 2, which round nothing.

glm_grid_scale <- function(model, family, prior) {
  unit <- if (family$link == "identity") max(abs(model$y - model$offset)) else 1
  if (!is.finite(unit) || unit == 0) unit <- 1
  natural <- unit / apply(abs(model$x), 2L, max) # columns of zeros have none
  natural <- pmin(pmax(natural, 2^-1000), ifelse(is.finite(prior$sd), Inf, 2^1000))
  2^floor(log2(pmin(natural, prior$sd)))
}

# The prior's mean where the prior alone says where the coefficient is; elsewhere 0, and the mode when it is found.
first_centre <- function(prior) ifelse(prior$sd < 1e-3 * abs(prior$mean), prior$mean, 0)

# Model and prior in u. Gaussian residuals from the centre are computed once, for all points alike, and but for their own
# last bit exactly.
view_from <- function(model, family, prior, centre, scale) {
  shift <- model$offset + drop(model$x %*% centre)
  mean <- unname((prior$mean - centre) / scale)
  x <- model$x * rep(scale, each = nrow(model$x))
  if (!all(is.finite(shift), is.finite(mean), is.finite(x))) {
    argument_error("the linear predictor at `prior_mean` is beyond the doubles: scale the columns, or give another prior")
  }
  inner <- model
  inner$x <- x
  inner$offset <- shift
  if (family$family == "gaussian") {
    exact <- exact_residual(model, centre)
    inner$y <- ifelse(is.finite(exact), exact, model$y - shift)
    inner$start <- model$start - shift
    inner$offset <- rep(0, length(shift))
  }
  ratio <- scale / prior$sd
  own <- list(mean = mean, precision = prior$inverse * tcrossprod(ratio), proper = prior$proper)
  list(model = inner, prior = own, centre = centre, scale = scale)
}

# y - offset - x centre in twice the precision: products and sums with their rounding errors.
# T. J. Dekker (1971) A floating-point technique for extending the available precision, Numerische Mathematik 18, 224-242;
# T. Ogita, S. M. Rump, S. Oishi (2005) Accurate sum and dot product, SIAM Journal on Scientific Computing 26, 1955-1988.
exact_residual <- function(model, centre) {
  halves <- function(x) {
    high <- 134217729 * x # 2^27 + 1
    high <- high - (high - x)
    list(high = high, low = x - high)
  }
  sum <- model$y
  error <- 0
  add <- function(term) {
    next_sum <- sum + term
    part <- next_sum - sum
    error <<- error + ((sum - (next_sum - part)) + (term - part))
    sum <<- next_sum
  }
  add(-model$offset)
  for (k in which(centre != 0)) {
    x <- -model$x[, k]
    a <- halves(x)
    b <- halves(centre[[k]])
    product <- x * centre[[k]]
    add(product)
    error <- error + (((a$high * b$high - product) + a$high * b$low + a$low * b$high) + a$low * b$low)
  }
  unname(sum + error)
}

# What the log-density is worth near the mode: how far neighbouring values are from a cubic, on the scale on which they are
# least so, as a density may have edges; and what one rounding of each linear predictor changes. Infinite where it has no
# value.
rounding_at <- function(at, found, model, family, view, dispersion) {
  unit <- t(positive_root(found$cov))
  roughness <- vapply(c(0.1, 0.01, 0.001), function(step) {
    near <- lapply(seq_along(found$mode), function(k) found$mode + outer(unit[, k], (-3:3) * step))
    qf <- at(do.call(cbind, near))$qf
    if (!all(is.finite(qf))) return(Inf)
    max(abs(qr.resid(qr(outer(-3:3, 0:3, "^")), matrix(qf - qf[4L], 7L))))
  }, 0)
  eta <- drop(view$model$x %*% found$mode) + view$model$offset
  mu <- family$linkinv(eta)
  score <- view$model$weights / dispersion * (view$model$y - mu) * family$mu.eta(eta) / family$variance(mu)
  level <- if (family$family == "gaussian") model$y * 1e-9 else eta # centred responses are exact
  term <- abs(score * level)
  largest <- max(term, 0, na.rm = TRUE)
  systematic <- if (largest > 0) .Machine$double.eps / 2 * largest * sqrt(sum((term / largest)^2, na.rm = TRUE)) else 0
  max(min(roughness), systematic)
}
