# Pictures of profiles.

#' @rdname profile.nmathopencl_objective
#' @param x a profile.
#' @param levels of intervals that are drawn.
#' @section Plots: \code{plot()} of a profile draws the size of \code{z} over each parameter, two straight lines that meet at the estimate where the
#'   log-likelihood is a parabola. A horizontal line for each of \code{levels} ends where the interval of \code{confint()} does. There are up to
#'   twelve parameters on a page.
#' @importFrom graphics plot
#' @export
plot.nmathopencl_profile <- function(x, which, levels = c(0.5, 0.8, 0.95), ...) {
  check_levels(levels)
  shown <- places_of_parameters(which, names(x), "which")
  if (length(shown) > 1L) {
    old <- graphics::par(mfrow = grDevices::n2mfrow(min(length(shown), 12L)), mar = c(3.4, 3.2, 0.8, 2.4), mgp = c(2.1, 0.6, 0))
    on.exit(graphics::par(old))
    if (length(shown) > 12L && grDevices::dev.interactive()) {
      asked <- grDevices::devAskNewPage(TRUE)
      on.exit(grDevices::devAskNewPage(asked), add = TRUE)
    }
  }
  for (place in shown) plot_one_profile(x, place, sort(levels), ...)
  invisible(x)
}

# Further graphical parameters stand before the names that are the picture's own.
plot_one_profile <- function(profiles, place, levels, xlab = names(profiles)[place], ylab = "|z|", ylim = NULL, type = "n", ...) {
  one <- rising_part(profiles, place)
  heights <- stats::qnorm((1 + levels) / 2)
  fine <- profile_curve(one, sort(c(0, seq(min(one$z), max(one$z), length.out = 101L))))
  graphics::plot.default(fine$value, abs(fine$z), type = type, xlab = xlab, ylab = ylab, ylim = ylim %||% c(0, max(abs(one$z))), ...)
  graphics::lines(fine$value, abs(fine$z))
  graphics::points(one$value, abs(one$z), pch = 20, cex = 0.6)
  for (k in seq_along(levels)) {
    ends <- profile_curve(one, c(-heights[k], heights[k]))$value
    ends <- ifelse(is.na(ends), graphics::par("usr")[1:2], ends) # the profile ends before
    graphics::segments(ends[1L], heights[k], ends[2L], heights[k], lty = 2L, col = "grey40")
  }
  inside <- heights <= graphics::par("usr")[4L]
  if (any(inside)) graphics::axis(4L, heights[inside], paste0(100 * levels[inside], "%"), tick = FALSE, las = 1L, line = -0.8, cex.axis = 0.8)
}

# Of a profile that is not monotone the part that is.
rising_part <- function(profiles, place) {
  z <- profiles[[place]]$z
  up <- !duplicated(z) & cummax(z) == z
  list(z = z[up], value = profiles[[place]]$par.vals[up, attr(profiles, "which")[place]]) # names may be there twice
}

# The parameter where the profile has the values `z`; NA beyond its ends.
profile_curve <- function(one, z) {
  value <- rep(NA_real_, length(z))
  there <- z >= min(one$z) & z <= max(one$z)
  if (any(there)) value[there] <- if (length(one$z) == 1L) one$value else stats::spline(one$z, one$value, xout = z[there], method = "hyman")$y
  list(z = z, value = value)
}
