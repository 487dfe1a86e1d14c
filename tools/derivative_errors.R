#!/usr/bin/env Rscript
# derivative_errors.R -- writes inst/spec/derivative_errors.tsv, which ?opencl_derivatives shows: for each function and argument
# with a table of certified derivatives (tests/testthat/ref-derivatives) the number of derivatives there and the worst error of
# the host device in eps (1 + cond), cond the condition number of the derivative.
#
#   Rscript tools/derivative_errors.R [NAME ...]      all functions, or those named; their rows are replaced
#
# Run from the repository root with the package installed.
suppressMessages(library(nmathopencl))
options(nmathopencl.compiler = FALSE) # R computes nodes by the functions that kernels call
path <- "inst/spec/derivative_errors.tsv"
tables <- new.env(parent = asNamespace("nmathopencl"))
sys.source("tests/testthat/helper-derivative-tables.R", tables)
read <- function(path) utils::read.delim(path, colClasses = "character", quote = "", na.strings = character())
rules <- read("inst/spec/derivatives.tsv")
files <- list.files("tests/testthat/ref-derivatives", "[.]tsv[.]bz2$", full.names = TRUE)
of <- sub("[.](log|scaled|far)$", "", sub("[.]tsv[.]bz2$", "", basename(files)))
wanted <- commandArgs(TRUE)
keep <- of %in% rules$name & (length(wanted) == 0L | of %in% wanted)
scores <- do.call(rbind, Map(function(file, name) {
  cbind(name = name, tables$derivative_scores(file, "0")[c("argument", "n", "worst")])
}, files[keep], of[keep]))

# Two significant digits, rounded up.
shown <- function(x) {
  digits <- 10^(floor(log10(x)) - 1)
  ifelse(x > 0, format(ceiling(x / digits - 1e-9) * digits, digits = 2, scientific = FALSE, trim = TRUE), "0")
}

made <- stats::aggregate(cbind(n, worst) ~ argument + name, scores, function(x) c(sum(x), max(x)))
made <- data.frame(name = made$name, argument = made$argument, n = made$n[, 1], worst = vapply(made$worst[, 2], shown, ""))
if (length(wanted)) {
  old <- read(path)
  made <- rbind(old[!old$name %in% wanted, ], made)
}
first <- match(paste(made$name, made$argument), paste(rules$name, rules$argument)) # the order of the rules
made <- made[order(first), ]
utils::write.table(made, path, sep = "\t", quote = FALSE, row.names = FALSE)
