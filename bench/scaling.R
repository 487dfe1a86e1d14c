# scaling.R -- the host device with one thread and with all of them, on functions bound by computation.
#
#   Rscript bench/scaling.R [N [THREADS]] > bench/results/scaling.tsv
#
# N elements (1e7), THREADS threads (all cores). Pairs of calls in turn, five of them; medians of wall times and of the
# paired ratios. The machine has to be idle: what else runs takes a core from the second of each pair.
suppressMessages(library(nmathopencl))
arguments <- as.numeric(commandArgs(TRUE))
n <- c(arguments, 1e7)[1]
threads <- if (length(arguments) > 1) arguments[2] else parallel::detectCores()
options(nmathopencl.device = "host")
set.seed(1)
uniform <- function(from, to) runif(n, from, to)
inputs <- list(
  pgamma = function() list(uniform(0.1, 50), uniform(0.5, 50)),
  qbeta = function() list(uniform(0, 1), uniform(0.5, 50), 7),
  pt = function() list(uniform(-5, 5), uniform(1, 50)),
  besselJ = function() list(uniform(0.1, 50), uniform(0, 10))
)

seconds <- function(f, arguments, threads) {
  old <- options(nmathopencl.threads = threads)
  on.exit(options(old))
  gc(FALSE)
  system.time(do.call(f, arguments))[["elapsed"]]
}

cat("function\tn\tthreads\tone_s\tall_s\tratio\n")
for (name in names(inputs)) {
  f <- get(paste0(name, "_opencl"))
  arguments <- inputs[[name]]()
  seconds(f, arguments, threads) # warms up
  times <- vapply(1:5, function(k) c(seconds(f, arguments, 1), seconds(f, arguments, threads)), numeric(2))
  cat(sprintf("%s\t%.0f\t%.0f\t%.3f\t%.3f\t%.2f\n", name, n, threads, median(times[1, ]), median(times[2, ]),
    median(times[1, ] / times[2, ])))
}
