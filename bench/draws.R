# draws.R -- draws with parameters of length one, for which laws have tables (src/engine/draw_table.h), on one core of the host device.
#
#   Rscript bench/draws.R [N] > bench/results/draws.tsv
#
# N draws (1e6). Processor time in nanoseconds a draw, medians of 9 taken in turn: parameters as vectors, of length one, R's function;
# and what the first call with parameters that are new takes in microseconds, median of 99.
suppressMessages(library(nmathopencl))
n <- as.numeric(c(commandArgs(TRUE), "1e6")[1])
options(nmathopencl.threads = 1, nmathopencl.device = "host")
set.seed(1)
laws <- list(
  rgamma = list(3), rchisq = list(5), rbeta = list(2, 3), rf = list(5, 7), rt = list(5), rpois = list(20), rbinom = list(100, 0.4),
  rhyper = list(40, 50, 20), rnbinom = list(5, 0.4)
)
seconds <- function(f, ...) {
  time <- system.time(f(n, ...), gcFirst = FALSE)
  time[["user.self"]] + time[["sys.self"]] # other work on the machine does not count
}
first_call <- function(ours, p, k) {
  p[[length(p)]] <- p[[length(p)]] * (1 - k / 1e6)
  begin <- Sys.time()
  do.call(ours, c(1, p))
  1e6 * as.numeric(Sys.time() - begin, units = "secs")
}
cat("function\tvectors_ns\tscalars_ns\tR_ns\tfirst_call_us\n")
for (name in names(laws)) {
  p <- laws[[name]]
  ours <- get(paste0(name, "_opencl"))
  calls <- list(list(ours, lapply(p, rep, n)), list(ours, p), list(get(name, asNamespace("stats")), p))
  once <- function() vapply(calls, function(call) do.call(seconds, c(call[[1]], call[[2]])), 0)
  once()
  ns <- 1e9 * apply(replicate(9, once()), 1, stats::median) / n
  whole <- name == "rhyper"
  first <- if (whole) NA else stats::median(vapply(1:99, function(k) first_call(ours, p, k), 0))
  cat(sprintf("%s\t%.1f\t%.1f\t%.1f\t%.0f\n", name, ns[1], ns[2], ns[3], first))
}
