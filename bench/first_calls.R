# first_calls.R -- seconds of the first call of regressions, value and gradient, from empty caches.
#
#   Rscript bench/first_calls.R DEVICE [HESSIAN]      HESSIAN: TRUE for second derivatives besides
#
# Each call is that of a new process with a cache folder of its own, with 2 and with 300 columns; a first dnorm_opencl() has started
# the driver. Rows are TSV: model, columns, seconds of the first call and of the fastest of three later ones.
arguments <- commandArgs(TRUE)
models <- list(
  logistic = function(b, X, y) sum(dbinom(y, 1, plogis(X %*% b), log = TRUE)),
  poisson = function(b, X, y) sum(dpois(y, exp(X %*% b), log = TRUE)),
  negative_binomial = function(b, s, X, y) sum(dnbinom(y, size = exp(s), mu = exp(X %*% b), log = TRUE)),
  gamma = function(b, s, X, y) sum(dgamma(y + 1, shape = exp(s), scale = exp(X %*% b), log = TRUE)),
  weibull = function(b, s, X, y) sum(dweibull(y + 1, exp(s), exp(X %*% b), log = TRUE)),
  t = function(b, s, X, y) sum(dt(y - X %*% b, exp(s), log = TRUE)),
  beta = function(b, s, X, y) sum(dbeta((y + 1) / 8, exp(s) * plogis(X %*% b), exp(s) * (1 - plogis(X %*% b)), log = TRUE))
)
if (length(arguments) < 4L) {
  cat("model\tcolumns\tfirst\tlater\n")
  for (name in names(models)) for (p in c(2L, 300L)) {
    folder <- tempfile("cache")
    dir.create(folder)
    environment <- paste0(c("NMATHOPENCL_CACHE_DIR=", "POCL_CACHE_DIR=", "R_USER_CACHE_DIR="), folder)
    script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
    system2(file.path(R.home("bin"), "Rscript"), c(script, arguments[1L], if (length(arguments) > 1L) arguments[2L] else "FALSE", name, p), env = environment)
    unlink(folder, recursive = TRUE)
  }
  quit()
}
suppressPackageStartupMessages(library(nmathopencl))
options(nmathopencl.device = arguments[1L], nmathopencl.verbose = FALSE)
invisible(dnorm_opencl(1))
name <- arguments[3L]
p <- as.integer(arguments[4L])
set.seed(1)
n <- 1000L
X <- cbind(1, matrix(stats::rnorm((p - 1L) * n, sd = 1 / sqrt(p)), n))
y <- if (name == "logistic") stats::rbinom(n, 1, 0.5) else pmin(stats::rpois(n, 2), 6)
f <- opencl_function(models[[name]], gradient = intersect(c("b", "s"), names(formals(models[[name]]))), hessian = identical(arguments[2L], "TRUE") && p <= 60L)
given <- c(list(b = rep(0.1, p)), if ("s" %in% names(formals(models[[name]]))) list(s = 0.3), list(X = X, y = y))
seconds <- vapply(1:4, function(k) {
  begin <- as.numeric(Sys.time())
  do.call(f, given)
  as.numeric(Sys.time()) - begin
}, 0)
writeLines(paste(name, p, format(seconds[1L], digits = 3), format(min(seconds[-1L]), digits = 2), sep = "\t"))
