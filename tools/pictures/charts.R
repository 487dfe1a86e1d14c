# charts.R -- the pictures: a function each, which draws into the open device.

draw_speed <- function(data) {
  rows <- data[!is.na(data$stats_ns), ]
  dot_chart(rows, list(
    list(column = "host_ratio", pch = 21, col = blue, label = "host device, one core"),
    list(column = "whole_ratio", pch = 2, col = orange, label = "H200, from R's memory to R's memory"),
    list(column = "kernel_ratio", pch = 24, col = orange, label = "H200, data and result on the card"),
    list(column = "peer_ratio", pch = 4, col = "black",
         label = "H200, fastest other library measured, data and result on the card")
  ), c(-1, 4.5), 3, "times as fast as stats (R 4.2.2) on one core; right is faster", marks = 1)
}

draw_accuracy <- function(data) {
  rows <- data[!is.na(data$host_error) & (!is.na(data$stats_error) | !is.na(data$scipy_error)), ]
  dot_chart(rows, list(
    list(column = "stats_error", pch = 22, col = grey, label = "stats (R 4.2.2)"),
    list(column = "scipy_error", pch = 4, col = "black", label = "SciPy 1.10.1, where it has the function"),
    list(column = "h200_error", pch = 2, col = orange, label = "nmathopencl, H200"),
    list(column = "host_error", pch = 21, col = blue, label = "nmathopencl, host device")
  ), c(-1, 16), 3, expression(
    "largest error over the function's table of exact values, in " * epsilon * "(1 + condition number), " *
      epsilon == 2^-52 * "; left is better",
    "dashed: 8, what our tests allow; at the left rim all rows are exact, at the right rim no digit is right"
  ), marks = 8)
}

# What a call costs by the length of its vector.
draw_lengths <- function() {
  costs <- read_results("lengths.tsv")
  costs$device <- factor(costs$device, c("stats", "host", setdiff(unique(costs$device), c("stats", "host"))))
  style <- data.frame(col = c("black", blue, green), pch = c(4, 21, 22))
  labels <- c("stats", "host device, 2 cores", "PoCL, an OpenCL driver for the processor")
  graphics::par(mfrow = c(1, 3), oma = c(0.5, 1.6, 2.6, 0.3), mar = c(3, 2.6, 1.5, 0.4), cex = 0.85, las = 1)
  for (name in unique(costs$`function`)) {
    mine <- costs[costs$`function` == name, ]
    limits <- log10(range(costs$least_us))
    graphics::plot(NULL, xlim = c(0, 6), ylim = limits, axes = FALSE, xlab = "", ylab = "",
                   main = paste0(name, "()"), font.main = 1, cex.main = 1.05)
    graphics::abline(h = decade_axis(limits, side = 2), v = decade_axis(c(0, 6), by = 2), col = "grey88")
    for (k in seq_along(levels(mine$device))) {
      line <- mine[mine$device == levels(mine$device)[k], ]
      graphics::lines(log10(line$elements), log10(line$least_us), type = "o", pch = style$pch[k], col = style$col[k],
                      bg = style$col[k])
    }
    graphics::mtext("elements", side = 1, line = 1.7, cex = 0.8)
  }
  graphics::mtext("microseconds of a call", side = 2, outer = TRUE, line = 0.4, cex = 0.8, las = 0)
  graphics::par(fig = c(0, 1, 0, 1), oma = c(0, 0, 0, 0), mar = c(0, 0, 0, 0), new = TRUE)
  graphics::plot(NULL, xlim = 0:1, ylim = 0:1, axes = FALSE, xlab = "", ylab = "")
  graphics::legend("top", labels, pch = style$pch, col = style$col, pt.bg = style$col, lty = 1, bty = "n", horiz = TRUE, cex = 0.9)
}

# One kernel against separate calls on the host, and sums of resident data.
draw_fused <- function() {
  host <- read_results("fused_vs_separate.tsv")
  card <- read_results("h200.expressions.tsv")
  card <- card[card$elements == max(card$elements) & !grepl("groups$", card$expression), ]
  graphics::par(mfrow = c(1, 2), mar = c(3.2, 0.6, 3.4, 0.6), oma = c(0, 0, 0, 0.4), cex = 0.85)
  bars <- function(values, labels, col, title, xlab, shown) {
    at <- graphics::barplot(rev(values), horiz = TRUE, col = rev(col), border = NA, axes = FALSE,
                            xlim = c(0, max(values) * 1.15), width = 0.42, space = 1.25, main = title, font.main = 1, cex.main = 1)
    graphics::text(0, at + 0.37, rev(labels), adj = 0, cex = 0.85, xpd = NA)
    graphics::text(rev(values), at, rev(shown), adj = -0.15, cex = 0.85, xpd = NA)
    graphics::axis(1, mgp = c(2, 0.4, 0), tcl = -0.25)
    graphics::mtext(xlab, side = 1, line = 1.6, cex = 0.85)
  }
  host <- host[host$result == "sum", ]
  values <- c(rbind(host$R_ns, host$separate_ns, host$fused_ns))
  labels <- c(rbind(paste0(host$expression, ": R's functions"), "three calls of ours", "one kernel (opencl_function)"))
  bars(values, labels, rep(c(grey, "#56B4E9", blue), nrow(host)), "Sum over three densities, processor, one core",
       "nanoseconds an element", format(values, digits = 3))
  bars(card$median_ms, card$expression, rep(orange, nrow(card)), "1e8 resident values on an H200: the whole call from R",
       "milliseconds", format(card$median_ms, digits = 2))
}
