# expressions.R -- opencl_function() on resident vectors: whole calls, warm.
#
#   Rscript bench/expressions.R DEVICE [N ...]      N elements: 1e8 and 1e5
#
# Prints for each expression the first call (with its build), the median and the least of 60 calls in milliseconds, and the
# kernel's own time as the device tells it. Values are compared with those of stats for N up to 1e6.
suppressPackageStartupMessages(library(nmathopencl))
arguments <- commandArgs(TRUE)
options(nmathopencl.device = arguments[1L])
sizes <- if (length(arguments) > 1L) as.numeric(arguments[-1L]) else c(1e8, 1e5)

mixture <- function(x, w, a, b) {
  u <- log(w) + dgamma(x, a, log = TRUE)
  v <- log1p(-w) + dgamma(x, b, log = TRUE)
  pmax(u, v) + log1p(exp(-abs(u - v)))
}
log_gamma <- function(x, a, b) dgamma(x, a, rate = b, log = TRUE)
normal <- opencl_function(function(x, m, s) dnorm(x, m, s, log = TRUE), reduce = "sum")
gamma_sum <- opencl_function(log_gamma, reduce = "sum")
with_gradient <- opencl_function(log_gamma, reduce = "sum", gradient = c("a", "b"))
two_gammas <- opencl_function(mixture, reduce = "sum")
product <- opencl_function(function(x) pnorm(1 + x / 2) * dnorm(x))

timed <- function(name, call, calls = 60L) {
  now <- function() proc.time()[[3L]]
  begin <- now()
  call()
  first <- now() - begin
  for (k in 1:3) call()
  ms <- replicate(calls, {
    begin <- Sys.time()
    call()
    1e3 * as.numeric(Sys.time() - begin, units = "secs")
  })
  cat(sprintf("%g\t%s\t%.2f\t%.4f\t%.4f\t%.4f\n", n, name, first, stats::median(ms), min(ms), 1e3 * last_run()$compute))
  invisible(gc())
}

cat("elements\texpression\tfirst_s\tmedian_ms\tleast_ms\tkernel_ms\n")
for (n in sizes) {
  set.seed(1)
  x <- rep_len(stats::rgamma(min(n, 1e7), 3), n)
  groups <- rep_len(sample.int(1000L, min(n, 1e7), TRUE), n)
  resident <- opencl_vector(x)
  timed("normal log-likelihood", function() normal(resident, 3, 2))
  timed("gamma log-likelihood", function() gamma_sum(resident, 3, 1))
  timed("two-component gamma mixture", function() two_gammas(resident, 0.3, 2, 5))
  timed("pnorm(1 + x/2) * dnorm(x), resident", function() opencl_free(product(resident)), 30L)
  timed("gamma log-likelihood and gradient", function() with_gradient(resident, 3, 1))
  timed("gamma log-likelihood in 1000 groups", function() gamma_sum(resident, 3, 1, by = groups), if (n > 1e6) 3L else 20L)
  codes <- opencl_vector(groups)
  timed("gamma log-likelihood in 1000 groups, resident codes", function() gamma_sum(resident, 3, 1, by = codes), 20L)
  opencl_free(codes)
  if (n <= 1e6) {
    stopifnot(
      all.equal(normal(resident, 3, 2), sum(stats::dnorm(x, 3, 2, log = TRUE)), tolerance = 1e-13),
      all.equal(two_gammas(resident, 0.3, 2, 5), sum(mixture(x, 0.3, 2, 5)), tolerance = 1e-13),
      all.equal(as.vector(product(resident)), stats::pnorm(1 + x / 2) * stats::dnorm(x), tolerance = 1e-13)
    )
  }
  opencl_free(resident)
}
