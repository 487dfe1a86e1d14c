# loops.R -- what a loop over data costs: the likelihood of a GARCH(1,1) series, in which each round needs the one before.
#
#   Rscript bench/loops.R DEVICE [LENGTH [SERIES]]     one series of LENGTH (1e5) rounds; SERIES (1000) series, a hundredth as long
#
# Prints for R, for the kernel, and for the kernel with its gradient the least of 10 warm calls: nanoseconds a round. On a GPU the one
# series is computed on the host device, and the many on the GPU.
suppressPackageStartupMessages(library(nmathopencl))
arguments <- commandArgs(TRUE)
options(nmathopencl.device = arguments[1L])
sizes <- c(1e5, 1000)
sizes[seq_along(arguments[-1L])] <- as.numeric(arguments[-1L])

garch <- function(y, w, a, b) {
  h <- numeric(length(y))
  h[1] <- w / (1 - a - b)
  for (t in 2:length(y)) h[t] <- w + a * y[t - 1]^2 + b * h[t - 1]
  sum(dnorm(y, 0, sqrt(h), log = TRUE))
}
value <- opencl_function(garch)
gradient <- opencl_function(garch, reduce = "sum", gradient = c("w", "a", "b"))

timed <- function(what, rounds, series, call) {
  for (k in 1:2) call()
  ns <- replicate(10L, {
    begin <- Sys.time()
    call()
    1e9 * as.numeric(Sys.time() - begin, units = "secs")
  })
  device <- if (what == "R") "" else last_run()$device
  cat(what, format(rounds, scientific = FALSE), series, sprintf("%.2f", min(ns) / rounds), device, sep = "\t")
  cat("\n")
}

set.seed(1)
y <- stats::rnorm(sizes[1L])
cat("what\trounds\tseries\tns_a_round\tdevice\n")
timed("R", sizes[1L], 1, function() garch(y, 0.1, 0.1, 0.8))
timed("kernel", sizes[1L], 1, function() value(y, 0.1, 0.1, 0.8))
timed("kernel with gradient", sizes[1L], 1, function() gradient(y, 0.1, 0.1, 0.8))
many <- stats::rnorm(sizes[2L] * sizes[1L] / 100)
id <- opencl_vector(rep(seq_len(sizes[2L]), each = sizes[1L] / 100))
timed("kernel with gradient", length(many), sizes[2L], function() gradient(many, 0.1, 0.1, 0.8, by = id))
