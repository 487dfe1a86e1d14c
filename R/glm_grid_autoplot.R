# The pictures of plot.opencl_glm_grid() as one of ggplot2, where that is installed: it then asks for the method.

#' @rdname plot.opencl_glm_grid
#' @exportS3Method ggplot2::autoplot
autoplot.opencl_glm_grid <- function(object, which = NULL, type = c("pairs", "marginal"), levels = c(0.5, 0.8, 0.95),
                                     col = "#0072B2", ...) {
  type <- one_of(type, c("pairs", "marginal"), "type")
  which <- coefficients_to_show(object, which)
  check_levels(levels)
  names <- names(object$coefficients)
  as_facet <- function(k) factor(names[k], names[which])
  curves <- lapply(which, function(k) {
    curve <- marginal_curve(object, k, max(levels))
    inner <- curve$x >= curve$ends[1L] & curve$x <= curve$ends[2L]
    data.frame(column = as_facet(k), row = as_facet(k), x = curve$x, density = curve$density, inner = inner)
  })
  marginal <- type == "marginal" || length(which) == 1L
  if (marginal) return(gg_marginals(do.call(rbind, curves), col))
  pairs <- utils::combn(which, 2L, simplify = FALSE)
  regions <- lapply(pairs, function(pair) {
    shape <- credible_regions(pair_density(object, pair[1L], pair[2L]), levels)
    cbind(column = as_facet(pair[1L]), row = as_facet(pair[2L]), shape)
  })
  modes <- lapply(pairs, function(pair) {
    data.frame(column = as_facet(pair[1L]), row = as_facet(pair[2L]), x = object$mode[pair[1L]], y = object$mode[pair[2L]])
  })
  gg_pairs(curves, do.call(rbind, regions), do.call(rbind, modes), col)
}

gg_marginals <- function(curves, col) {
  x <- density <- column <- NULL # columns of the data
  ggplot2::ggplot(curves, ggplot2::aes(x, density)) +
    ggplot2::geom_area(data = curves[curves$inner, ], fill = col, alpha = 0.25) +
    ggplot2::geom_line(colour = col) +
    ggplot2::facet_wrap(ggplot2::vars(column), scales = "free") +
    ggplot2::labs(x = NULL, y = "density")
}

# Facets share the axis of a row: densities are scaled to the range that the row's coefficient has there.
gg_pairs <- function(curves, regions, modes, col) {
  x <- y <- base <- level <- piece <- column <- NULL # columns of the data
  curves <- lapply(curves, function(curve) {
    beside <- regions$y[as.character(regions$row) == as.character(curve$row[1L])]
    range <- range(if (length(beside)) beside else curve$x)
    cbind(curve, base = range[1L], y = range[1L] + diff(range) * curve$density / max(curve$density))
  })
  curves <- do.call(rbind, curves)
  regions$level <- factor(regions$level, sort(unique(regions$level), decreasing = TRUE))
  ggplot2::ggplot(regions, ggplot2::aes(x, y)) +
    ggplot2::geom_polygon(ggplot2::aes(alpha = level, group = interaction(level, piece)), fill = col, colour = col) +
    ggplot2::geom_ribbon(ggplot2::aes(ymin = base, ymax = y), data = curves[curves$inner, ], fill = col, alpha = 0.25) +
    ggplot2::geom_line(data = curves, colour = col) +
    ggplot2::geom_point(data = modes, shape = 3) +
    ggplot2::facet_grid(ggplot2::vars(row), ggplot2::vars(column), scales = "free") +
    ggplot2::scale_alpha_manual(values = seq(0.2, 0.45, length.out = nlevels(regions$level)), name = "mass") +
    ggplot2::labs(x = NULL, y = NULL)
}
