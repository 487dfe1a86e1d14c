# points.R -- sums of likelihoods at many points (`over =`), on resident data: whole calls, warm.
#
#   Rscript bench/points.R DEVICE [ROWS ...]      64 points of a gamma density and of a logistic regression with 10 columns, on
#                                                1e6 and 1e7 rows; of 1e6 rows with 20, 40, 60 and 100 columns,
#                                                512 points, too, and with 300; then 4,096 points of 1e4 rows and 5 columns
#
# Prints for each, without and with the gradient, the median and the least of 15 warm calls and the kernel's own time in
# milliseconds, and whether value and gradient of four points have the bits that calls at these points alone give.
# bench/points_jax.py does the same work with JAX's vmap.
suppressPackageStartupMessages(library(nmathopencl))
arguments <- commandArgs(TRUE)
options(nmathopencl.device = arguments[1L])
rows <- if (length(arguments) > 1L) as.numeric(arguments[-1L]) else c(1e6, 1e7)

# The points' results at four of them against calls of their own.
same_bits <- function(f, over, found) {
  count <- NROW(over[[1L]])
  alike <- vapply(unique(c(1, 2, count %/% 2, count)), function(i) {
    at <- lapply(over, function(x) if (is.null(dim(x))) x[i] else x[i, ])
    one <- do.call(f, at)
    gradient <- attr(found, "gradient")
    identical(as.vector(one), found[[i]]) && (is.null(gradient) || identical(unname(attr(one, "gradient")), unname(gradient[i, ])))
  }, NA)
  all(alike)
}

timed <- function(model, n, columns, gradient, f, over) {
  call <- function() f(over = over)
  for (k in 1:2) found <- call()
  ms <- replicate(15L, {
    begin <- Sys.time()
    call()
    1e3 * as.numeric(Sys.time() - begin, units = "secs")
  })
  numbers <- c(stats::median(ms), min(ms), 1e3 * last_run()$compute)
  cat(model, format(n, scientific = FALSE), columns, NROW(over[[1L]]), gradient, sprintf("%.3f", numbers), same_bits(f, over, found), sep = "\t")
  cat("\n")
}

both <- function(model, n, columns, f, data, over) {
  for (gradient in c(FALSE, TRUE)) {
    timed(model, n, columns, gradient, opencl_function(f, reduce = "sum", gradient = if (gradient) names(over), data = data), over)
  }
}

gamma_density <- function(x, a, b) dgamma(x, a, rate = b, log = TRUE)
logistic <- function(y, X, b) {
  e <- X %*% b
  y * e - log1p(exp(e))
}

cat("model\trows\tcolumns\tpoints\tgradient\tmedian_ms\tleast_ms\tkernel_ms\tsame_bits\n")
set.seed(1)
for (n in rows) {
  x <- opencl_vector(stats::rgamma(n, 2, 3))
  both("gamma", n, 1, gamma_density, list(x = x), list(a = stats::runif(64, 1.5, 4), b = stats::runif(64, 1, 3)))
  opencl_free(x)
  X <- opencl_vector(matrix(stats::rnorm(n * 10), n))
  y <- opencl_vector(as.double(stats::runif(n) < 0.4))
  both("logistic", n, 10, logistic, list(y = y, X = X), list(b = matrix(stats::rnorm(640) / 5, 64)))
  opencl_free(X)
  opencl_free(y)
}
y <- opencl_vector(as.double(stats::runif(1e6) < 0.4))
for (p in c(20, 40, 60, 100, 300)) {
  X <- opencl_vector(matrix(stats::rnorm(1e6 * p), 1e6))
  for (m in if (p < 300) c(64, 512) else 64) both("logistic", 1e6, p, logistic, list(y = y, X = X), list(b = matrix(stats::rnorm(m * p) / p, m)))
  opencl_free(X)
}
opencl_free(y)
X <- matrix(stats::rnorm(5e4), 1e4)
both("logistic", 1e4, 5, logistic, list(y = as.double(stats::runif(1e4) < 0.4), X = X), list(b = matrix(stats::rnorm(4096 * 5) / 5, 4096)))
