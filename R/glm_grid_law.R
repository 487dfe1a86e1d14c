# Distributions of coefficients, and of their linear combinations, under weighted points.

# The law of sum(direction * b): list(mean, sd, density(q), quantile(p)). A law without spread has neither function.
linear_law <- function(fit, direction) {
  t <- drop(fit$deviations %*% direction)
  size <- max(abs(t)) # squares of what is tiny would be 0
  mean <- if (size > 0) sum(t / size * fit$weights) else 0
  spread <- if (size > 0) sqrt(sum((t / size - mean)^2 * fit$weights)) else 0
  sd <- size * spread
  z <- (t / size - mean) / spread
  mean <- sum(fit$mode * direction) + size * mean
  law <- list(mean = mean, sd = sd)
  if (sd <= 1e-12 * sum(fit$sd * abs(direction))) {
    return(c(law, list(density = NULL, quantile = function(p) rep(mean, length(p)))))
  }
  standard <- if (fit$method == "grid") {
    reach <- abs(drop(crossprod(fit$lattice$axes, direction))) / sd
    lattice_law(z, fit$weights, pi / max(reach * fit$lattice$step))
  } else {
    drawn_law(z, fit$weights, fit$ess)
  }
  density <- function(q) standard$density((q - mean) / sd) / sd
  quantile <- function(p) mean + sd * standard$quantile(p)
  c(law, list(density = density, quantile = quantile, from = mean + sd * standard$from, to = mean + sd * standard$to))
}

# Points z of a lattice are no sample: projected on a line they lie unevenly, and their histogram is ragged. But the sum
# over a lattice gives the characteristic function phi(u) of a smooth density to many digits for all frequencies whose
# aliases are further away from 0 than they are themselves, |u| < highest. So the density is the Fourier series of
# those, with a period beyond its support:
#     f(z) = (1 + 2 sum_k Re(phi(u_k) exp(-i u_k z))) / T,    u_k = 2 pi k / T.
lattice_law <- function(z, weights, highest) {
  period <- 1.05 * diff(range(z)) + 1
  centre <- mean(range(z))
  turn <- exp(2i * pi / period * (z - centre))
  most <- max(1, min(floor(highest * period / (2 * pi)), 400))
  phi <- complex(most)
  power <- weights + 0i
  for (k in seq_len(most)) {
    power <- power * turn
    phi[k] <- sum(power)
    if (k > 3L && all(Mod(phi[k - 0:3]) < 1e-8)) break
  }
  u <- 2 * pi * seq_len(k) / period
  phi <- phi[seq_len(k)]
  waves <- function(z, coefficient) 2 * Re(exp(-1i * outer(z - centre, u)) %*% coefficient)[, 1L] / period
  from <- centre - period / 2
  nodes <- seq(from, from + period, length.out = 4001L)
  cumulative <- (nodes - from) / period + waves(nodes, phi / (-1i * u))
  cumulative <- cummax(cumulative - cumulative[1L])
  list(
    density = function(z) ifelse(abs(z - centre) > period / 2, 0, pmax(0, 1 / period + waves(z, phi))),
    quantile = function(p) quantile_of(nodes, cumulative / cumulative[length(nodes)], p), from = min(z), to = max(z)
  )
}

# A weighted sample: its own quantiles, and a kernel estimate of the density. (The sample is drawn together by as much as
# the kernel spreads it, so that the estimate has the sample's variance.)
drawn_law <- function(z, weights, ess) {
  order <- order(z)
  z <- z[order]
  weights <- weights[order]
  width <- 0.9 * ess^-0.2
  shrunk <- sqrt(1 - min(width, 0.9)^2)
  cumulative <- cumsum(weights) - weights / 2
  list(
    density = function(q) drop(stats::dnorm(outer(q, shrunk * z, "-") / width) %*% weights) / width,
    quantile = function(p) quantile_of(z, cumulative, p),
    from = quantile_of(z, cumulative, 1e-4) - width, to = quantile_of(z, cumulative, 1 - 1e-4) + width
  )
}

quantile_of <- function(x, cumulative, p) {
  inner <- c(TRUE, diff(cumulative) > 0)
  if (sum(inner) < 2L) return(rep(x[1L], length(p)))
  stats::approx(cumulative[inner], x[inner], p, rule = 2)$y
}

# ---- two coefficients ---------------------------------------------------------------------------------------------

# The joint density of coefficients j and k on a square lattice of `nodes` in principal axes y, (b_j, b_k) = mean +
# root y, in which correlation does not narrow it: list(y, density, mean, root).
pair_density <- function(fit, j, k, nodes = if (fit$method == "grid") 121L else 61L) {
  pair <- c(j, k)
  mean <- fit$coefficients[pair]
  sd <- fit$sd[pair]
  axes <- principal_axes(fit$correlation[pair, pair])
  root <- sd * axes
  y <- t(solve(axes, (t(fit$deviations[, pair]) - (mean - fit$mode[pair])) / sd))
  side <- max(abs(y[fit$weights > 1e-5 * max(fit$weights), ]))
  at <- seq(-side, side, length.out = nodes)
  density <- if (fit$method == "grid") {
    reach <- fit$lattice$step * t(fit$lattice$axes[pair, , drop = FALSE] / sd) %*% t(solve(axes))
    seen <- fit$weights > 1e-7 * max(fit$weights)
    lattice_pair(y[seen, ], fit$weights[seen], reach, at)
  } else {
    width <- min(fit$ess^(-1 / 6), 0.9)
    kernel <- function(y) stats::dnorm(outer(y * sqrt(1 - width^2), at, "-") / width) / width
    crossprod(kernel(y[, 1L]) * fit$weights, kernel(y[, 2L]))
  }
  list(y = at, density = density, mean = mean, root = root)
}

# lattice_law() for two: frequencies (u, v) whose phase turns by less than pi from a point of the lattice to the next one
# along each axis; `reach` has a row for each axis, the two coordinates of that step.
lattice_pair <- function(y, weights, reach, at) {
  period <- 2.1 * max(abs(y)) + 1
  most <- floor(min(12 * period / (2 * pi), max(12, sqrt(1e7 / length(weights))))) # what takes a fraction of a second
  u <- 2 * pi * seq(-most, most) / period
  v <- u[u >= 0]
  phi <- matrix(0i, length(u), length(v))
  for (rows in split(seq_along(weights), (seq_along(weights) - 1) %/% 20000)) {
    waves <- function(y, u) exp(1i * outer(y, u))
    phi <- phi + t(waves(y[rows, 1L], u) * weights[rows]) %*% waves(y[rows, 2L], v)
  }
  for (axis in seq_len(nrow(reach))) {
    phi[abs(outer(reach[axis, 1L] * u, reach[axis, 2L] * v, "+")) > pi] <- 0
  }
  double <- rep(c(1, 2), c(1, length(v) - 1L)) # v and -v
  value <- exp(-1i * outer(at, u)) %*% (phi * rep(double, each = length(u))) %*% exp(-1i * outer(v, at))
  pmax(Re(value), 0) / period^2
}

# Regions of highest density that hold `levels` of the mass: a data frame of polygons with columns level, piece, x and y,
# the largest level first.
credible_regions <- function(pair, levels) {
  # Nodes of a lattice that lie alike have one density: half of their mass is above it.
  density <- pair$density[pair$density > 1e-6 * max(pair$density)]
  groups <- rle(sort(signif(density, 6), decreasing = TRUE))
  share <- groups$values * groups$lengths
  mass <- (cumsum(share) - share / 2) / sum(share)
  regions <- lapply(sort(levels, decreasing = TRUE), function(level) {
    height <- stats::approx(mass, groups$values, level, rule = 2)$y
    lines <- grDevices::contourLines(pair$y, pair$y, pair$density, levels = height)
    pieces <- lapply(seq_along(lines), function(piece) {
      b <- pair$mean + pair$root %*% rbind(lines[[piece]]$x, lines[[piece]]$y)
      data.frame(level = level, piece = piece, x = b[1L, ], y = b[2L, ])
    })
    do.call(rbind, pieces)
  })
  do.call(rbind, regions)
}
