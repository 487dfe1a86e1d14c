# Pictures of a posterior: marginal densities and regions of pairs, in base graphics.

#' Pictures of a posterior
#'
#' Marginal densities of coefficients, and for each pair the regions of highest density that hold 50, 80 and 95 percent
#' of the posterior. For a grid the curves come from its lattice, for weighted draws they are kernel estimates.
#'
#' @param x,object an object that \code{\link{opencl_glm_grid}} made.
#' @param which coefficients, by name or number; the first six by default.
#' @param type \code{"pairs"}: regions of pairs, with the marginal densities; \code{"marginal"}: these alone. With one
#'   coefficient they are the same.
#' @param levels probabilities of the regions; the largest is that of the shaded interval in marginal densities, too.
#' @param col colour of the posterior.
#' @param ... graphical parameters for \code{\link[graphics]{par}}.
#' @return \code{plot} returns \code{x} invisibly. \code{autoplot}, for package \pkg{ggplot2} where it is installed, a
#'   plot object, with which it is one picture in facets.
#' @details A cross marks the mode.
#' @examples
#' fit <- opencl_glm_grid(case ~ spontaneous + induced, binomial, infert, device = "host")
#' plot(fit)
#' plot(fit, which = c("spontaneous", "induced"))
#' if (interactive() && requireNamespace("ggplot2", quietly = TRUE)) ggplot2::autoplot(fit)
#' @export
plot.opencl_glm_grid <- function(x, which = NULL, type = c("pairs", "marginal"), levels = c(0.5, 0.8, 0.95),
                                 col = "#0072B2", ...) {
  type <- one_of(type, c("pairs", "marginal"), "type")
  which <- coefficients_to_show(x, which)
  check_levels(levels)
  old <- graphics::par(no.readonly = TRUE)
  on.exit({
    graphics::layout(1)
    graphics::par(old)
  })
  graphics::par(las = 1, mgp = c(2.1, 0.6, 0), tcl = -0.3, ...)
  if (type == "marginal" || length(which) == 1L) {
    plot_marginals(x, which, levels, col)
  } else if (length(which) == 2L) {
    plot_pair_with_margins(x, which, levels, col)
  } else {
    plot_triangle(x, which, levels, col)
  }
  invisible(x)
}

coefficients_to_show <- function(fit, which) {
  names <- names(fit$coefficients)
  if (is.null(which)) return(seq_len(min(length(names), 6L)))
  index <- if (is.character(which)) match(which, names) else which
  if (!is.numeric(index) || length(index) == 0L || !all(index %in% seq_along(names)) || anyDuplicated(index)) {
    argument_error("`which` must name coefficients: ", toString(names))
  }
  as.integer(index)
}

check_levels <- function(levels) {
  if (!is.numeric(levels) || length(levels) == 0L || anyNA(levels) || any(levels <= 0 | levels >= 1)) {
    argument_error("`levels` must lie between 0 and 1")
  }
}

# A marginal density on 201 points between far quantiles, and the ends of its central interval of mass `level`.
marginal_curve <- function(fit, k, level) {
  law <- linear_law(fit, as.numeric(seq_along(fit$coefficients) == k))
  reach <- law$quantile(c(1e-3, 1 - 1e-3))
  x <- seq(reach[1L], reach[2L], length.out = 201L)
  ends <- law$quantile(c((1 - level) / 2, (1 + level) / 2))
  x <- sort(c(x, ends))
  density <- if (is.null(law$density)) Inf else law$density(x)
  if (!all(is.finite(density))) {
    argument_error("there is no picture of ", names(fit$coefficients)[k], ": its posterior is too narrow for doubles")
  }
  list(x = x, density = density, ends = ends)
}

# Shades from light to full, one for each level, the largest level first.
shades <- function(col, n) grDevices::adjustcolor(col, alpha.f = 0.22 + 0.2 / n)

draw_marginal <- function(curve, col, flip = FALSE, ...) {
  inner <- curve$x >= curve$ends[1L] & curve$x <= curve$ends[2L]
  reorder <- function(x, y) if (flip) list(x = y, y = x) else list(x = x, y = y)
  high <- c(0, 1.05 * max(curve$density))
  frame <- reorder(range(curve$x), high)
  graphics::plot.default(NA, xlim = frame$x, ylim = frame$y, bty = "n", ...)
  shape <- reorder(c(curve$ends[1L], curve$x[inner], curve$ends[2L]), c(0, curve$density[inner], 0))
  graphics::polygon(shape, col = grDevices::adjustcolor(col, alpha.f = 0.25), border = NA)
  graphics::lines(reorder(curve$x, curve$density), col = col, lwd = 1.8)
}

plot_marginals <- function(fit, which, levels, col) {
  rows <- floor(sqrt(length(which)))
  graphics::par(mfrow = c(rows, ceiling(length(which) / rows)), mar = c(3.4, 2.6, 0.8, 0.8))
  for (k in which) {
    draw_marginal(marginal_curve(fit, k, max(levels)), col, xlab = names(fit$coefficients)[k], ylab = "", yaxs = "i")
  }
}

# Axes reach as far as those of the marginal densities `curves`.
draw_pair <- function(fit, j, k, curves, levels, col, ...) {
  regions <- credible_regions(pair_density(fit, j, k), levels)
  graphics::plot.default(NA,
    xlim = range(curves[[1L]]$x, regions$x), ylim = range(curves[[2L]]$x, regions$y), ...
  )
  for (piece in split(regions, list(regions$piece, -regions$level), drop = TRUE)) {
    graphics::polygon(piece$x, piece$y, col = shades(col, length(levels)), border = col, lwd = 0.7)
  }
  graphics::points(fit$mode[j], fit$mode[k], pch = 3, cex = 0.9, lwd = 1.5)
}

# The regions of a pair, large, with the marginal densities above and to the right.
plot_pair_with_margins <- function(fit, which, levels, col) {
  names <- names(fit$coefficients)[which]
  curves <- lapply(which, function(k) marginal_curve(fit, k, max(levels)))
  graphics::layout(matrix(c(2, 1, 4, 3), 2L), widths = c(4, 1), heights = c(1, 4))
  graphics::par(mar = c(3.6, 3.8, 0.3, 0.3))
  draw_pair(fit, which[1L], which[2L], curves, levels, col, xlab = names[1L], ylab = names[2L], bty = "l")
  legend_of_levels(levels, col)
  graphics::par(mar = c(0, 3.8, 0.4, 0.3))
  draw_marginal(curves[[1L]], col, axes = FALSE, xlab = "", ylab = "", yaxs = "i")
  graphics::par(mar = c(3.6, 0, 0.3, 0.4))
  draw_marginal(curves[[2L]], col, flip = TRUE, axes = FALSE, xlab = "", ylab = "", xaxs = "i")
}

legend_of_levels <- function(levels, col) {
  levels <- sort(levels)
  alpha <- 1 - (1 - (0.22 + 0.2 / length(levels)))^rev(seq_along(levels)) # of regions on top of one another
  fill <- vapply(alpha, function(alpha) grDevices::adjustcolor(col, alpha.f = alpha), "")
  graphics::legend("topright", paste0(100 * levels, "%"), fill = fill, border = col, bty = "n", inset = 0.01)
}

# Marginal densities along the diagonal, pairs below it.
plot_triangle <- function(fit, which, levels, col) {
  n <- length(which)
  names <- names(fit$coefficients)[which]
  curves <- lapply(which, function(k) marginal_curve(fit, k, max(levels)))
  graphics::par(mfrow = c(n, n), mar = c(2, 2, 0.4, 0.4), oma = c(1.8, 1.8, 0.2, 0.2), mgp = c(2, 0.4, 0))
  for (row in seq_len(n)) {
    for (column in seq_len(n)) {
      if (column > row) {
        graphics::plot.new()
        if (row == 1L && column == n) legend_of_levels(levels, col)
        next
      }
      if (column == row) {
        draw_marginal(curves[[row]], col, xlab = "", ylab = "", yaxt = "n", yaxs = "i")
      } else {
        draw_pair(fit, which[column], which[row], curves[c(column, row)], levels, col, xlab = "", ylab = "")
      }
      if (row == n) graphics::mtext(names[column], 1L, 2, cex = 0.75)
      if (column == 1L && row > 1L) graphics::mtext(names[row], 2L, 2.2, las = 0, cex = 0.75)
    }
  }
}
