# dots.R -- the chart that the pictures of all functions share: a line of symbols per function on a logarithmic axis.

blue <- "#0072B2"
orange <- "#D55E00"
green <- "#009E73"
grey <- "grey45"

# That of the README is installed for help pages; vignettes have theirs within.
picture_file <- function(name) {
  if (name == "sheet") return(sheet_file)
  file.path(if (name == "models") "man" else "vignettes", "figures", paste0(name, ".png"))
}

open_picture <- function(name, width, height) {
  if (name == "sheet") return(grDevices::pdf(picture_file(name), width, height, title = "nmathopencl"))
  grDevices::png(picture_file(name), width = width, height = height, units = "in", res = 92, pointsize = 11, type = "cairo")
}

decade_axis <- function(limits, by = 1, side = 1, ...) {
  powers <- seq(ceiling(limits[1]), floor(limits[2]), by = by)
  labels <- as.expression(lapply(powers, function(k) if (k %in% -1:3) format(10^k, big.mark = ",") else bquote(10^.(k))))
  graphics::axis(side, at = powers, labels = labels, lwd = 0, lwd.ticks = 1, tcl = -0.25, mgp = c(2, 0.35, 0), las = 1, ...)
  powers
}

# rows: a data frame with the columns shown and group, and one column for each entry of series; a series has column, pch, col
# and label. limits: of the axis, as powers of ten; what lies beyond stands at the rim. xlab: its lines. marks: values with a
# line.
dot_chart <- function(rows, series, limits, columns, xlab, marks = NULL, legend_columns = 2) {
  lines <- do.call(rbind, lapply(split(seq_len(nrow(rows)), factor(rows$group, unique(rows$group))), function(k) {
    data.frame(row = c(NA, k), text = c(rows$group[k[1]], rows$shown[k]))
  }))
  per_column <- ceiling(nrow(lines) / columns)
  graphics::par(mfrow = c(1, columns), oma = c(1.4 + length(xlab), 0, 3.6, 0.4), mar = c(1.5, 6.2, 0.2, 0.5), cex = 0.85)
  for (part in split(lines, (seq_len(nrow(lines)) - 1) %/% per_column)) {
    height <- seq(per_column, length.out = nrow(part), by = -1)
    graphics::plot(NULL, xlim = limits, ylim = c(0.6, per_column + 0.4), axes = FALSE, xlab = "", ylab = "", yaxs = "i")
    graphics::abline(h = height[!is.na(part$row)], col = "grey92")
    powers <- decade_axis(limits, by = if (diff(limits) > 8) 4 else 1)
    graphics::abline(v = powers, col = "grey85")
    graphics::abline(v = log10(marks), col = "grey30", lty = 2)
    for (one in series) {
      value <- rows[[one$column]][part$row]
      at <- pmin(pmax(log10(value), limits[1]), limits[2])
      graphics::points(at, height, pch = one$pch, col = one$col, bg = one$col, cex = 0.95, lwd = 1.4, xpd = NA)
    }
    heading <- is.na(part$row)
    graphics::text(limits[1] - 0.03 * diff(limits), height[!heading], part$text[!heading], adj = 1, xpd = NA, cex = 0.9)
    left <- graphics::grconvertX(0.01, "nfc", "user")
    graphics::text(left, height[heading], part$text[heading], adj = 0, xpd = NA, font = 2, cex = 0.9)
  }
  for (k in seq_along(xlab)) graphics::mtext(xlab[[k]], side = 1, outer = TRUE, line = k - 0.4, cex = 0.85)
  # The legend goes into the outer margin, over the whole width.
  graphics::par(fig = c(0, 1, 0, 1), oma = c(0, 0, 0, 0), mar = c(0, 0, 0, 0), new = TRUE)
  graphics::plot(NULL, xlim = 0:1, ylim = 0:1, axes = FALSE, xlab = "", ylab = "")
  pick <- function(field) unlist(lapply(series, `[[`, field))
  graphics::legend("top", pick("label"), pch = pick("pch"), col = pick("col"), pt.bg = pick("col"), bty = "n", pt.lwd = 1.4,
                   ncol = legend_columns, x.intersp = 0.8, cex = 0.9)
}
