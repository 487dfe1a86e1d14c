# regression.R -- a regression with 10 coefficients fitted by nlm() with gradient: data on a device, against plain R.
#
#   Rscript bench/regression.R DEVICE [N [N_R]]      N observations: 1e7; plain R is timed on N_R of them: 1e6
#
# A Weibull regression with censored times. Both fits go from the same start to the same tolerance by the same optimizer.
# R's function and gradient are written by hand as vector operations, which is faster than deriv() makes them, and it fits
# the first N_R observations only: its time for all N is its time for one evaluation of value and gradient on N_R, times
# N / N_R, times the evaluations that the fit on the device took. Rows are TSV; the last has the ratios.
suppressPackageStartupMessages(library(nmathopencl))
arguments <- commandArgs(TRUE)
options(nmathopencl.device = arguments[1L])
sizes <- as.numeric(c(arguments[-1L], c("1e7", "1e6")[seq_len(2L) > length(arguments) - 1L]))
n <- sizes[1L]
n_r <- min(sizes)
k <- 10L
now <- function() as.numeric(Sys.time())

set.seed(1)
true <- c(1, -0.4, 0.7, 0.2, -0.1, 0, 0.3, -0.2, 0.1, 0.05)
X <- cbind(1, matrix(stats::rnorm((k - 1L) * n), n))
time <- stats::rweibull(n, 1.5, exp(drop(X %*% true)))
limit <- stats::runif(n, 1, 20)
event <- time <= limit
time <- pmin(time, limit)

loglik <- opencl_function(function(X, b, log_shape, time, event) {
  shape <- exp(log_shape)
  scale <- exp(X %*% b)
  ifelse(event, dweibull(time, shape, scale, log = TRUE), pweibull(time, shape, scale, lower.tail = FALSE, log.p = TRUE))
}, reduce = "mean", gradient = c("b", "log_shape"))

# The same in R: z = (log t - Xb) shape, value event (log shape - log t + z) - e^z.
in_r <- function(X, time, event) {
  log_time <- log(time)
  function(par) {
    shape <- exp(par[k + 1L])
    z <- (log_time - drop(X %*% par[1:k])) * shape
    hazard <- exp(z)
    value <- -mean(event * (par[k + 1L] - log_time + z) - hazard)
    attr(value, "gradient") <- -c(
      drop(crossprod(X, (hazard - event) * shape)), sum(event * (1 + z) - hazard * z)
    ) / length(time)
    value
  }
}

fit <- function(f, start) {
  calls <- 0L
  counted <- function(par) {
    calls <<- calls + 1L
    f(par)
  }
  begin <- now()
  result <- stats::nlm(counted, start, gradtol = 1e-8, stepmax = 1, check.analyticals = FALSE)
  list(par = result$estimate, seconds = now() - begin, calls = calls, code = result$code)
}
row <- function(...) writeLines(paste(..., sep = "\t"))
start <- c(rep(0, k), 0)

begin <- now()
data <- list(X = opencl_matrix(X), time = opencl_vector(time), event = opencl_vector(event))
upload <- now() - begin
objective <- as_objective(loglik, list(b = rep(0, k), log_shape = 0), data)
begin <- now()
invisible(objective$f(start))
first <- now() - begin
ours <- fit(objective$f, start)
cat("where\tobservations\tevaluations\tseconds\tms_per_evaluation\tcode\n")
row(last_run()$device, n, ours$calls, signif(ours$seconds, 4), signif(1e3 * ours$seconds / ours$calls, 4), ours$code)
row("upload", n, 1, signif(upload, 4), signif(1e3 * upload, 4), "")
row(paste("first call, with its build"), n, 1, signif(first, 4), signif(1e3 * first, 4), "")

some <- seq_len(n_r)
r_function <- in_r(X[some, ], time[some], event[some])
theirs <- fit(r_function, start)
row("R, one core", n_r, theirs$calls, signif(theirs$seconds, 4), signif(1e3 * theirs$seconds / theirs$calls, 4), theirs$code)

# The two minimize the same function: gradients agree where the data do.
same <- as_objective(loglik, list(b = rep(0, k), log_shape = 0), list(X = X[some, ], time = time[some], event = event[some]))
at <- ours$par * 0.9
stopifnot(
  all.equal(as.vector(same$f(at)), as.vector(r_function(at)), tolerance = 1e-12),
  all.equal(attr(same$f(at), "gradient"), attr(r_function(at), "gradient"), tolerance = 1e-9),
  all(abs(ours$par - c(true, log(1.5))) < 12 / sqrt(n))
)
per_observation <- theirs$seconds / theirs$calls / n_r
for_all <- per_observation * n * ours$calls
row("R, one core, for all (computed)", n, ours$calls, signif(for_all, 4), signif(1e3 * for_all / ours$calls, 4), "")
row("ratio R / device", n, "", signif(for_all / ours$seconds, 4), "", "")
row("ratio R / device with upload and build", n, "", signif(for_all / (ours$seconds + upload + first), 4), "", "")
