# models.R -- the picture of bench/models: what an evaluation and a fit take, by tool and size of the data.

# A GPU's rows are of another machine, and of JAX there.
models_files <- function() {
  files <- paste0(c("host", "h100", "h200"), ".models.tsv")
  files[file.exists(results_file(files))]
}

read_models <- function() {
  rows <- do.call(rbind, lapply(models_files(), function(file) {
    rows <- read_results(file)
    rows$tool[rows$tool == "gpu"] <- toupper(sub("[.].*", "", file))
    rows
  }))
  rows$whole_s <- rowSums(rows[c("setup_s", "fit_s")], na.rm = TRUE)
  rows$whole_s[is.na(rows$fit_s)] <- NA
  rows
}

# For the vignette "Speed".
models_lines <- function() {
  rows <- read_models()[c("model", "observations", "tool", "session", "setup_s", "evaluation_ms", "fit_s")]
  rows[is.na(rows)] <- ""
  rows$observations <- format(rows$observations, scientific = FALSE, trim = TRUE)
  c(paste(names(rows), collapse = "\t"), do.call(paste, c(unname(rows), sep = "\t")))
}

# How many times as long as this package on one core another tool takes for value and gradient of the largest data: least, most.
models_ratio <- function(tool) {
  rows <- read_results("host.models.tsv")
  rows <- rows[rows$observations == max(rows$observations), ]
  of <- function(tool) {
    mine <- rows[rows$tool == tool & rows$session == "first", ]
    stats::setNames(mine$evaluation_ms, mine$model)
  }
  ours <- of("host1")
  range(of(tool)[names(ours)] / ours)
}

# README's sentence of the picture.
models_sentence <- function() {
  rows <- read_results("host.models.tsv")
  two <- function(x) paste(trimws(format(signif(x, 2), digits = 2, big.mark = ",", scientific = FALSE)), collapse = " to ")
  each <- function(x) paste(vapply(x, two, ""), collapse = " to ")
  first <- rows[rows$tool == "host1" & rows$session == "first", ]
  c(
    sprintf("With %s observations, on one core, RTMB takes %s times as long for value and gradient, plain R by differences %s times.",
            two(max(rows$observations)), each(models_ratio("RTMB")), each(models_ratio("R"))),
    sprintf("The first fit of a model compiles it, %s seconds in all", each(range(first$setup_s + first$fit_s)))
  )
}

models_style <- function() {
  style <- function(label, col, pch, lty = 1) data.frame(label = label, col = col, pch = pch, lty = lty)
  list(
    host = style("nmathopencl, all cores", "#56B4E9", 21), host1 = style("nmathopencl, one core", blue, 21),
    H100 = style("nmathopencl, H100", orange, 24), H200 = style("nmathopencl, H200", orange, 24),
    "JAX (gpu)" = style("JAX, the same card", "black", 2), RTMB = style("RTMB", green, 22), R = style("plain R, differences", "black", 4, 3),
    glmmTMB = style("glmmTMB", "#CC79A7", 23), MASS = style("MASS, survival, lme4", grey, 25), survival = style("MASS, survival, lme4", grey, 25),
    lme4 = style("MASS, survival, lme4", grey, 25)
  )
}

draw_models <- function() {
  rows <- read_models()
  style <- models_style()[unique(rows$tool)]
  titles <- c(
    negative_binomial = "negative binomial\nregression", censored_weibull = "Weibull regression,\ncensored",
    zero_inflated_poisson = "zero-inflated\nPoisson regression", normal_mixture = "mixture of two\nnormal distributions",
    random_intercepts = "logistic, random\nintercepts (Laplace)"
  )
  graphics::par(mfcol = c(2, length(titles)), oma = c(2.6, 1.8, 4.6, 0.3), mar = c(1.8, 2.4, 0.6, 0.3), cex = 0.8, las = 1)
  panel <- function(part, column, session, title) {
    part <- part[!is.na(part[[column]]) & (part$session == session | !part$tool %in% rows$tool[rows$session == "later"]), ]
    x <- log10(part$observations)
    limits <- log10(range(rows[[column]][!is.na(rows[[column]])]))
    graphics::plot(NULL, xlim = log10(range(rows$observations)) + c(-0.15, 0.15), ylim = limits, axes = FALSE, xlab = "", ylab = "")
    graphics::abline(h = decade_axis(limits, side = 2), v = decade_axis(log10(range(rows$observations))), col = "grey88")
    if (title != "") graphics::mtext(title, side = 3, line = 0.4, cex = 0.75)
    for (tool in unique(part$tool)) {
      mine <- part$tool == tool
      how <- style[[tool]]
      graphics::lines(x[mine], log10(part[[column]][mine]), type = "o", pch = how$pch, col = how$col, bg = how$col, lty = how$lty, lwd = 1.3)
    }
  }
  for (name in names(titles)) {
    part <- rows[rows$model == name, ]
    panel(part, "evaluation_ms", "first", titles[[name]])
    panel(part, "whole_s", "later", "")
  }
  graphics::mtext("observations", side = 1, outer = TRUE, line = 0.4, cex = 0.8)
  graphics::mtext(c("seconds, whole fit", "ms, value and gradient"), side = 2, outer = TRUE, line = 0.4, at = c(0.27, 0.74), cex = 0.8, las = 0)
  graphics::par(fig = c(0, 1, 0, 1), oma = c(0, 0, 0, 0), mar = c(0, 0, 0, 0), new = TRUE)
  graphics::plot(NULL, xlim = 0:1, ylim = 0:1, axes = FALSE, xlab = "", ylab = "")
  legend <- unique(do.call(rbind, style))
  graphics::legend("top", legend$label, pch = legend$pch, col = legend$col, pt.bg = legend$col, lty = legend$lty, bty = "n",
                   ncol = min(nrow(legend), 5), cex = 0.9, text.width = max(graphics::strwidth(legend$label, cex = 0.9)) + 0.01)
}
