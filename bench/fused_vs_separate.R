# fused_vs_separate.R -- the host device on one core: an expression of three densities as one kernel, against plain R and
# against three calls of this package's host functions.
#
#   Rscript bench/fused_vs_separate.R [N] > bench/results/fused_vs_separate.tsv      N elements: 1e6
#
# Processor time, each in turn, 21 times: medians in nanoseconds an element, and the medians of the paired ratios to the
# fused call. `Rscript bench/fused_vs_separate.R 1e8 sum` instead gives the error of a sum of N terms, relative to the sum of
# their absolute values, and whether it is the same bits with two threads (1e8 takes some 5 GB).
suppressMessages(library(nmathopencl))
arguments <- commandArgs(TRUE)
n <- as.numeric(c(arguments, "1e6")[1L])
options(nmathopencl.threads = 1, nmathopencl.device = "host")
set.seed(1)
x <- stats::rgamma(n, 3)

seconds <- function(call) {
  gc(FALSE)
  time <- system.time(call(), gcFirst = FALSE)
  time[["user.self"]] + time[["sys.self"]]
}

expressions <- list(
  "dgamma, dlnorm, dweibull" = list(
    f = function(x, a, b, s) dgamma(x, a, b) + dlnorm(x, s) * dweibull(x, a, s),
    separate = function(x, a, b, s) dgamma_opencl(x, a, b) + dlnorm_opencl(x, s) * dweibull_opencl(x, a, s)
  ),
  "dnorm, dlogis, dcauchy" = list(
    f = function(x, a, b, s) dnorm(x, a, s) + dlogis(x, a, b) * dcauchy(x, b, s),
    separate = function(x, a, b, s) dnorm_opencl(x, a, s) + dlogis_opencl(x, a, b) * dcauchy_opencl(x, b, s)
  ),
  "dgamma, dt, dbeta, logs" = list(
    f = function(x, a, b, s) dgamma(x, a, b, log = TRUE) + dt(x, a, log = TRUE) - dbeta(x / 100, a, b, log = TRUE),
    separate = function(x, a, b, s) {
      dgamma_opencl(x, a, b, log = TRUE) + dt_opencl(x, a, log = TRUE) - dbeta_opencl(x / 100, a, b, log = TRUE)
    }
  )
)

if (!"sum" %in% arguments) {
  cat("expression\tresult\tfused_ns\tR_ns\tseparate_ns\tR/fused\tseparate/fused\n")
  for (name in names(expressions)) {
    for (result in c("values", "sum")) {
      reduce <- if (result == "sum") "sum"
      finish <- if (result == "sum") sum else identity
      f <- expressions[[name]]$f
      fused <- opencl_function(f, reduce = reduce)
      calls <- list(
        function() fused(x, 2.5, 1.5, 0.8), function() finish(f(x, 2.5, 1.5, 0.8)),
        function() finish(expressions[[name]]$separate(x, 2.5, 1.5, 0.8))
      )
      stopifnot(all.equal(calls[[1L]](), calls[[2L]](), tolerance = 1e-12))
      calls[[3L]]()
      times <- replicate(21L, vapply(calls, seconds, 0))
      ns <- 1e9 * apply(times, 1L, stats::median) / n
      ratio <- function(k) stats::median(times[k, ] / times[1L, ])
      cat(sprintf("%s\t%s\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f\n", name, result, ns[1L], ns[2L], ns[3L], ratio(2L), ratio(3L)))
    }
  }
} else {
  # Terms (high 2^26 + low) 2^-30: the sums of their parts are exact.
  high <- sample(c(-1, 1), n, TRUE) * floor(stats::runif(n, 0, 2^26))
  low <- floor(stats::runif(n, 0, 2^26))
  exact <- sum(high) * 2^-4 + sum(low) * 2^-30
  x <- (high * 2^26 + low) * 2^-30
  rm(high, low)
  sum_of <- opencl_function(function(x, s) x * s, reduce = "sum")
  ours <- sum_of(x, 1)
  cat("terms\terror / sum of absolute terms\tsame bits with 2 threads\n")
  options(nmathopencl.threads = 2)
  cat(sprintf("%g\t%.2g\t%s\n", n, abs(ours - exact) / sum(abs(x)), identical(ours, sum_of(x, 1))))
}
