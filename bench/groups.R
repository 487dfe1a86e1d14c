# groups.R -- likelihoods with a coefficient for each group, u[g], and of many series: value and whole gradient on resident data
# on a device, whole calls, warm.
#
#   Rscript bench/groups.R DEVICE [ROWS [POISSON_ROWS [SERIES]]]      Bernoulli rows with 8 to 15,000 groups, 1e5; Poisson rows
#                                                                    with 10,000 groups, 1e7; GARCH(1,1) series, as long, 1,000
#
# Prints for each the median and the least of 100 calls, after 20, in milliseconds, and whether they all gave the same bits.
# bench/groups_jax.py does the same work with JAX (not the series).
suppressPackageStartupMessages(library(nmathopencl))
arguments <- commandArgs(TRUE)
options(nmathopencl.device = arguments[1L])
sizes <- c(1e5, 1e7, 1000)
sizes[seq_along(arguments[-1L])] <- as.numeric(arguments[-1L])

timed <- function(model, n, groups, call) {
  for (k in 1:20) first <- call()
  same <- TRUE
  ms <- replicate(100L, {
    begin <- Sys.time()
    value <- call()
    end <- Sys.time()
    same <<- same && identical(value, first)
    1e3 * as.numeric(end - begin, units = "secs")
  })
  cat(model, format(n, scientific = FALSE), groups, sprintf("%.3f", c(stats::median(ms), min(ms))), same, sep = "\t")
  cat("\n")
}

cat("model\trows\tgroups\tmedian_ms\tleast_ms\tsame_bits\n")
set.seed(1)
bernoulli <- opencl_function(function(y, g, u, s) {
  sum(dbinom(y, 1, plogis(u[g]), log = TRUE)) + sum(dnorm(u, 0, exp(s), log = TRUE))
}, gradient = c("u", "s"))
for (groups in c(8, 48, 900, 15000)) {
  g <- opencl_vector(sample.int(groups, sizes[1L], TRUE))
  y <- opencl_vector(as.double(stats::runif(sizes[1L]) < 0.5))
  u <- stats::rnorm(groups) / 3
  timed("Bernoulli", sizes[1L], groups, function() bernoulli(y, g, u, 0.1))
}
poisson <- opencl_function(function(y, X, g, b, u, s) {
  sum(dpois(y, exp(X %*% b + u[g]), log = TRUE)) + sum(dnorm(u, 0, exp(s), log = TRUE))
}, gradient = c("b", "u", "s"))
n <- sizes[2L]
X <- opencl_vector(matrix(rep_len(stats::rnorm(1e6 + 7), n * 10), n))
g <- opencl_vector(sample.int(10000L, n, TRUE))
y <- opencl_vector(as.double(stats::rpois(n, 1)))
b <- stats::rnorm(10) / 10
u <- stats::rnorm(10000) / 3
timed("Poisson", n, 10000, function() poisson(y, X, g, b, u, 0.1))
for (one in list(X, g, y)) opencl_free(one)

garch <- opencl_function(function(y, w, a, b) {
  h <- w / (1 - a - b)
  total <- 0
  for (t in seq_along(y)) {
    total <- total + dnorm(y[t], 0, sqrt(h), log = TRUE)
    h <- w + a * y[t]^2 + b * h
  }
  total
}, reduce = "sum", gradient = c("w", "a", "b"))
length <- sizes[3L]
y <- opencl_vector(stats::rnorm(length^2))
id <- gl(length, length)
timed("GARCH", length^2, length, function() garch(y, 0.1, 0.1, 0.8, by = id))
