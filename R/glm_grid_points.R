# Points with weights that stand for the posterior: a lattice for few coefficients, weighted draws for more.

# Axes of the posterior: b = mode + axes z, where the curvature is the identity in z. The axes are the principal ones of the
# correlations, so that they do not depend on the units of the coefficients.
principal_axes <- function(cov) {
  sd <- sqrt(diag(cov))
  parts <- eigen(cov / tcrossprod(sd), symmetric = TRUE)
  sd * parts$vectors %*% diag(sqrt(pmax(parts$values, 1e-14)), length(sd))
}

# Weights of log weights, and the logarithm of their sum.
normalized <- function(log_weight) {
  log_weight[is.na(log_weight)] <- -Inf
  top <- max(log_weight)
  weight <- exp(log_weight - top)
  list(weight = weight / sum(weight), log_sum = top + log(sum(weight)))
}

# ---- lattice ------------------------------------------------------------------------------------------------------

lattice_limit <- 2e6 # points

# Lays a lattice and lays it anew until next to nothing of the mass is at its border, every second slice along each axis
# has half of the mass, and two identities hold that integration by parts gives of any density that vanishes at its
# borders: with the slope g of minus its logarithm, E(g) = 0 and E((z - E(z)) g) = 1. They fail first where the spacing does
# not resolve an edge of the density, on which means of the response depend. For smooth densities errors of sums over
# a lattice fall faster than any power of the spacing.
lay_lattice <- function(at, mode, cov, points, width) {
  axes <- principal_axes(cov)
  p <- length(mode)
  step <- rep(2 * width / (points - 1), p)
  from <- rep(-(points - 1) / 2, p) # in steps, so that the mode stays a point of an odd number of points
  to <- -from
  rounds <- 0L
  repeat {
    z <- unname(as.matrix(expand.grid(Map(function(from, to, step) step * seq(from, to), from, to, step))))
    value <- at(mode + axes %*% t(z))
    mass <- normalized(-value$qf)
    sides <- lattice_sides(mass$weight, as.integer(to - from + 1), step)
    low <- sides$low > 1e-7
    high <- sides$high > 1e-7
    slope <- value$grad %*% axes
    off <- if (any(low, high)) 0 else slope_identities(z, slope, mass$weight)
    coarse <- sides$uneven > 1e-3 | off > 2e-5
    if (rounds == 0L) narrow <- max(sides$low, sides$high) > 1e-5
    wanted <- lattice_size(from, to, low, high, coarse)
    if (!any(low, high, coarse) || rounds == 20L || wanted > lattice_limit) break
    from <- from - ifelse(low, ceiling((to - from) / 4), 0)
    to <- to + ifelse(high, ceiling((to - from) / 4), 0)
    from[coarse] <- 2 * from[coarse]
    to[coarse] <- 2 * to[coarse]
    step[coarse] <- step[coarse] / 2
    rounds <- rounds + 1L
  }
  keep <- mass$weight > 1e-9 * max(mass$weight) # all but some 1e-8 of the mass, and a third of the points of 4 coefficients
  list(
    deviations = z[keep, , drop = FALSE] %*% t(axes), weights = mass$weight[keep] / sum(mass$weight[keep]),
    slope = slope[keep, , drop = FALSE], axes = axes, step = step, laid = nrow(z),
    log_sum = mass$log_sum + sum(log(step)) + as.numeric(determinant(axes)$modulus),
    border = max(sides$low, sides$high), uneven = max(sides$uneven, off), widened = rounds > 0L, narrow = narrow,
    problem = if (max(sides$low, sides$high) > 1e-5) {
      "the grid does not hold the whole posterior"
    } else if (max(sides$uneven, off) > 1e-3) {
      "the grid is too coarse"
    }
  )
}

# For each axis how far the identities are from holding.
slope_identities <- function(z, slope, weight) {
  seen <- weight > 1e-14 * max(weight)
  weight <- weight[seen]
  z <- z[seen, , drop = FALSE]
  weighted <- slope[seen, , drop = FALSE] * weight
  off <- pmax(abs(colSums(weighted)), abs(colSums(z * weighted) - colSums(z * weight) * colSums(weighted) - 1))
  ifelse(is.finite(off), off, Inf)
}

lattice_size <- function(from, to, low, high, coarse) {
  sides <- (to - from) * (1 + (low + high) / 4)
  prod(ifelse(coarse, 2, 1) * sides + 1)
}

# For each axis: mass per standard deviation at its two ends, and how unevenly even and odd slices share the mass.
lattice_sides <- function(weight, sizes, step) {
  p <- length(sizes)
  before <- cumprod(c(1L, sizes))[seq_len(p)]
  slices <- lapply(seq_len(p), function(k) {
    as.vector(rowsum(weight, (seq_along(weight) - 1) %/% before[k] %% sizes[k]))
  })
  list(
    low = vapply(slices, `[`, 0, 1L) / step,
    high = vapply(slices, function(slice) slice[length(slice)], 0) / step,
    uneven = vapply(slices, function(slice) abs(2 * sum(slice[c(TRUE, FALSE)]) - 1), 0)
  )
}

# Points per axis for p coefficients: odd numbers.
lattice_points <- function(points, p) {
  points <- points %||% c(201, 61, 31, 21)[p]
  if (!is.numeric(points) || length(points) != 1L || !isTRUE(points >= 5)) {
    argument_error("`points` must be one number of at least 5, the points along each axis")
  }
  points <- 2 * (points %/% 2) + 1
  if (points^p > lattice_limit) {
    argument_error("`points` asks for ", points, "^", p, " points; ", format(lattice_limit, big.mark = thousands_mark()), " is the limit")
  }
  points
}

tell_lattice <- function(lattice, width_given, call) {
  share <- function(x) format(x, digits = 2)
  if (lattice$border > 1e-5) {
    warning(simpleWarning(paste0(
      lattice$problem, ": its density at the border is ", share(lattice$border),
      " per standard deviation; a narrower prior or `method = \"draws\"` may help. Separated data need a finite `prior_sd`"
    ), call))
  } else if (lattice$uneven > 1e-3) {
    warning(simpleWarning(paste0(
      lattice$problem, ": parts of it differ by ", share(lattice$uneven),
      "; more `points` or `method = \"draws\"` may help"
    ), call))
  } else if (lattice$narrow && width_given) {
    warning(simpleWarning("the posterior reaches beyond `width`: the grid was widened", call))
  }
}

# ---- weighted draws -----------------------------------------------------------------------------------------------

# Draws of a multivariate t distribution about the mode, weighted by posterior over t density. Where few of them matter,
# location and scale are taken of the weighted draws, and new ones are made: up to three times, as long as that helps.
weigh_draws <- function(at, mode, cov, draws, df) {
  p <- length(mode)
  centre <- mode
  best <- NULL
  for (k in seq_len(4L)) {
    root <- t(positive_root(cov))
    normal <- matrix(stats::rnorm(p * draws), p)
    stretch <- if (is.finite(df)) sqrt(df / stats::rchisq(draws, df)) else rep(1, draws)
    z <- normal * rep(stretch, each = p)
    b <- centre + root %*% z
    mass <- normalized(-at(b)$qf - log_t_density(colSums(z^2), p, df) + sum(log(diag(root))))
    ess <- 1 / sum(mass$weight^2)
    better <- is.null(best) || ess > 1.2 * best$ess
    if (is.null(best) || ess > best$ess) {
      best <- list(
        deviations = t(b - mode), weights = mass$weight, ess = ess, log_sum = mass$log_sum - log(draws), laid = draws
      )
    }
    if (!better || best$ess > 0.3 * draws || best$ess < 10 * p) break
    centre <- mode + colSums(best$deviations * best$weights)
    cov <- weighted_cov(best$deviations, best$weights)
  }
  best
}

# log of the standard p-variate t density (normal for df = Inf) where the squared distance is r.
log_t_density <- function(r, p, df) {
  if (!is.finite(df)) return(-p / 2 * log(2 * pi) - r / 2)
  lgamma((df + p) / 2) - lgamma(df / 2) - p / 2 * log(pi * df) - (df + p) / 2 * log1p(r / df)
}

weighted_cov <- function(points, weights) {
  mean <- colSums(points * weights)
  centred <- sweep(points, 2L, mean)
  crossprod(centred, centred * weights)
}

tell_draws <- function(drawn, call) {
  if (drawn$ess >= 400) return(invisible())
  warning(simpleWarning(paste0(
    "the ", format(drawn$laid, big.mark = thousands_mark()), " draws are worth ", format(drawn$ess, digits = 2),
    " independent ones: more `draws` are needed, or the posterior is far from the approximation at its mode"
  ), call))
}
