# arithmetic_fits.R -- fits of the gallery's models in pairs of floats and in single precision, against those in doubles.
#
#   Rscript bench/arithmetic_fits.R DEVICE [MODELS] > bench/results/NAME.arithmetic_fits.tsv
#
# MODELS of the gallery (10), evenly among those that compile quickly; each by its own optimizer from its start, in each arithmetic. A
# row for each: parameters; the largest difference of an estimate from that in doubles, in standard errors of those in doubles, of pairs and of
# single precision, as the optimizers stop; the same after three of Newton's steps in all three, by the gradient and doubles' Hessian, which
# leave out where an optimizer stops; and whether the estimates meet the aims, 1e-6 in pairs and 1e-2 in single precision, as the optimizers
# stop. NA: the fit failed, and standard error says why.
suppressMessages(library(nmathopencl))
arguments <- commandArgs(TRUE)
if (!length(arguments)) stop("usage: Rscript bench/arithmetic_fits.R DEVICE [MODELS]")
options(nmathopencl.device = if (grepl("^[0-9]+$", arguments[1])) as.integer(arguments[1]) else arguments[1], warn = -1)
count <- if (length(arguments) > 1) as.integer(arguments[2]) else 10L
folder <- system.file("gallery", package = "nmathopencl")
sys.source(file.path(folder, "gallery.R"), environment())
models <- Filter(function(model) !model$slow, gallery(folder))
models <- models[unique(round(seq(1, length(models), length.out = min(count, length(models)))))]

fit_in <- function(model, arithmetic, hessian = NULL) {
  old <- options(nmathopencl.arithmetic = arithmetic)
  on.exit(options(old))
  tryCatch({
    objective <- gallery_objective(model)
    fit <- gallery_fit(model, objective)
    fit$hessian <- if (is.null(hessian)) optimHess(fit$par, objective$fn, objective$gr) else hessian
    fit$zero <- tryCatch({
      at <- fit$par
      for (k in 1:3) at <- at - drop(solve(fit$hessian, objective$gr(at)))
      at
    }, error = function(e) rep(NA_real_, length(fit$par))) # a corner has no curvature
    fit
  }, error = function(e) {
    message(model$title, " in ", arithmetic, ": ", conditionMessage(e))
    NULL
  })
}

# In standard errors; a parameter without one (a corner) in units of its size.
distance <- function(found, double) {
  if (is.null(found) || is.null(double)) return(c(NA, NA))
  unit <- ifelse(is.finite(double$se) & double$se > 0, double$se, 1 + abs(double$par))
  c(max(abs(found$par - double$par) / unit), max(abs(found$zero - double$zero) / unit))
}

cat("model\tparameters\tpair\tsingle\tpair_zero\tsingle_zero\tpair_meets\tsingle_meets\n")
for (model in models) {
  double <- fit_in(model, "double")
  pair <- distance(fit_in(model, "pair", double$hessian), double)
  single <- distance(fit_in(model, "single", double$hessian), double)
  meets <- c(isTRUE(pair[1] <= 1e-6), isTRUE(single[1] <= 1e-2))
  row <- c(model$title, length(unlist(model$start)), signif(c(pair[1], single[1], pair[2], single[2]), 3), ifelse(meets, "yes", "no"))
  cat(paste(row, collapse = "\t"), "\n", sep = "")
}
