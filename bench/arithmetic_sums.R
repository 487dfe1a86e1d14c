# arithmetic_sums.R -- the error of a sum of many terms in doubles, in pairs of floats and in single precision.
#
#   Rscript bench/arithmetic_sums.R DEVICE [N] > bench/results/NAME.arithmetic_sums.tsv
#
# N terms (1e8), multiples of 2^-20 that floats stand for, whose sum doubles know exactly: of one sign, and of both, where all but a trace
# cancels. A row for each kind and arithmetic: the terms, their sum, the error, and that over the sum of the terms' sizes as a power of 2.
suppressMessages(library(nmathopencl))
arguments <- commandArgs(TRUE)
if (!length(arguments)) stop("usage: Rscript bench/arithmetic_sums.R DEVICE [N]")
options(nmathopencl.device = if (grepl("^[0-9]+$", arguments[1])) as.integer(arguments[1]) else arguments[1])
n <- if (length(arguments) > 1) as.numeric(arguments[2]) else 1e8
set.seed(1)
total <- opencl_function(function(x) sum(x))

cat("terms\tkind\tarithmetic\tsum\terror\tlog2_of_sizes\n")
for (kind in c("one sign", "both signs")) {
  x <- floor(runif(n, if (kind == "one sign") 0 else -2^23, 2^23)) # whole numbers: any order of their sum is exact below 2^53
  exact <- sum(x) * 2^-20
  sizes <- sum(abs(x)) * 2^-20
  x <- x * 2^-20
  for (arithmetic in c("double", "pair", "single")) {
    options(nmathopencl.arithmetic = arithmetic)
    error <- total(x) - exact
    row <- c(format(n, scientific = FALSE), kind, arithmetic, format(exact, digits = 17), signif(error, 3), signif(log2(abs(error) / sizes), 4))
    cat(paste(row, collapse = "\t"), "\n", sep = "")
  }
}
