# hessians.R -- value, gradient and Hessian of regressions on resident data: whole calls.
#
#   Rscript bench/hessians.R DEVICE [ROWS ...]    logistic and negative binomial, 10 to 200 columns, of 1e4 and 1e6 rows
#
# Prints for each the seconds of the first call, which may build programs, and of 15 warm calls the median and the device's time in
# milliseconds. bench/hessians_jax.py does the same work with JAX.
suppressPackageStartupMessages(library(nmathopencl))
arguments <- commandArgs(TRUE)
options(nmathopencl.device = arguments[1L])
rows <- if (length(arguments) > 1L) as.numeric(arguments[-1L]) else c(1e4, 1e6)

seconds <- function(code) {
  begin <- Sys.time()
  force(code)
  as.numeric(Sys.time() - begin, units = "secs")
}

timed <- function(model, n, p, call) {
  first <- seconds(call())
  call()
  ms <- replicate(15L, 1e3 * seconds(call()))
  cat(model, format(n, scientific = FALSE), p, sprintf("%.2f", first), sprintf("%.3f", c(stats::median(ms), 1e3 * last_run()$compute)), sep = "\t")
  cat("\n")
}

logistic <- function(y, X, b) {
  e <- X %*% b
  y * e - log1p(exp(e))
}
negative_binomial <- function(y, X, b, s) dnbinom(y, size = s, mu = exp(X %*% b), log = TRUE)

cat("model\trows\tcolumns\tfirst_s\tmedian_ms\tdevice_ms\n")
set.seed(1)
for (p in c(10, 20, 40, 80, 200)) for (n in rows) {
  X <- opencl_vector(matrix(stats::rnorm(n * p), n))
  y <- opencl_vector(as.double(stats::runif(n) < 0.4))
  b <- stats::rnorm(p) / p
  f <- opencl_function(logistic, reduce = "sum", gradient = "b", hessian = TRUE, data = list(y = y, X = X))
  timed("logistic", n, p, function() f(b = b))
  f <- opencl_function(negative_binomial, reduce = "sum", gradient = c("b", "s"), hessian = TRUE, data = list(y = y, X = X))
  timed("negative binomial", n, p, function() f(b = b, s = 1.5))
  opencl_free(X)
  opencl_free(y)
}
