# products.R -- regressions as opencl_function()s on resident vectors: value and gradient, whole calls, warm.
#
#   Rscript bench/products.R DEVICE [ROWS [MODEL_ROWS]]      rows of logistic regressions with 2 to 300 columns, 5e5; and of six
#                                                           models with 10 columns, 1e7
#
# Prints for each the first call in seconds, the median and the least of 25 warm calls and the kernel's own time in milliseconds,
# and the relative error of value and gradient. bench/products_jax.py does the same work with JAX.
suppressPackageStartupMessages(library(nmathopencl))
arguments <- commandArgs(TRUE)
options(nmathopencl.device = arguments[1L])
rows <- if (length(arguments) > 1L) as.numeric(arguments[2L]) else 5e5
model_rows <- if (length(arguments) > 2L) as.numeric(arguments[3L]) else 1e7

timed <- function(name, n, columns, call, error = function() NA) {
  seconds <- function() system.time(call())[[3L]]
  first <- seconds()
  for (k in 1:2) call()
  ms <- replicate(25L, {
    begin <- Sys.time()
    call()
    1e3 * as.numeric(Sys.time() - begin, units = "secs")
  })
  numbers <- c(first, stats::median(ms), min(ms), 1e3 * last_run()$compute)
  cat(name, format(n, scientific = FALSE), columns, sprintf("%.3f", numbers), format(error(), digits = 2), sep = "\t")
  cat("\n")
}

log_logistic <- function(y, X, b) {
  e <- X %*% b
  y * e - pmax(e, 0) - log1p(exp(-abs(e)))
}
logistic <- opencl_function(log_logistic, reduce = "sum", gradient = "b")
cat("model\trows\tcolumns\tfirst_s\tmedian_ms\tleast_ms\tkernel_ms\terror\n")
set.seed(1)
for (p in c(2, 10, 20, 40, 55, 80, 300)) {
  n <- if (p == 55) round(rows * 1.162024) else rows
  X <- matrix(stats::rnorm(n * p), n)
  b <- stats::rnorm(p) / 10
  y <- as.double(stats::runif(n) < 0.5)
  e <- drop(X %*% b)
  exact <- c(sum(stats::plogis((2 * y - 1) * e, log.p = TRUE)), crossprod(X, y - stats::plogis(e)))
  data <- list(opencl_vector(y), opencl_vector(X))
  error <- function() {
    r <- logistic(data[[1L]], data[[2L]], b)
    found <- c(r, attr(r, "gradient"))
    max(abs(found - exact)[1L] / abs(exact[1L]), max(abs(found - exact)[-1L]) / max(abs(exact[-1L])))
  }
  timed("logistic", n, p, function() logistic(data[[1L]], data[[2L]], b), error)
  for (one in data) opencl_free(one)
}

k <- 10L
X <- matrix(rep_len(stats::rnorm(min(model_rows, 1e6) + 7), model_rows * k), model_rows)
b <- stats::rnorm(k) / 10
eta <- drop(X %*% b)
n <- model_rows
models <- list(
  logistic = list(log_logistic, as.double(stats::runif(n) < 0.5)),
  Poisson = list(function(y, X, b) {
    e <- X %*% b
    y * e - exp(e) - lgamma(y + 1)
  }, as.double(stats::rpois(n, exp(eta)))),
  "negative binomial" = list(function(y, X, b, s) dnbinom(y, exp(s), mu = exp(X %*% b), log = TRUE), as.double(stats::rnbinom(n, 2, mu = exp(eta)))),
  Weibull = list(function(y, X, b, s) dweibull(y, exp(s), exp(X %*% b), log = TRUE), stats::rweibull(n, 1.5) * exp(eta)),
  t = list(function(y, X, b, s, d) dt((y - X %*% b) / exp(s), exp(d), log = TRUE) - s, eta + stats::rt(n, 4)),
  beta = list(function(y, X, b, s) {
    m <- plogis(X %*% b)
    dbeta(y, m * exp(s), (1 - m) * exp(s), log = TRUE)
  }, pmin(pmax(stats::rbeta(n, 2, 3), 1e-6), 1 - 1e-6))
)
stays <- opencl_vector(X)
for (name in names(models)) {
  y <- opencl_vector(models[[name]][[2L]])
  own <- intersect(c("s", "d"), names(formals(models[[name]][[1L]])))
  f <- opencl_function(models[[name]][[1L]], reduce = "mean", gradient = c("b", own))
  timed(name, n, k, function() do.call(f, c(list(y, stays, b), list(0.4, 1.4)[seq_along(own)])))
  opencl_free(y)
}
