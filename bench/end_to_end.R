# end_to_end.R -- whole calls from R on one device: latency, the GLM grid, long vectors, memory.
#
#   Rscript bench/end_to_end.R DEVICE [N] > bench/results/NAME.end_to_end.tsv
#
# N elements (1e8). Prints a TSV of measurement, value and unit; every call's device is checked. Memory is the peak of
# this process (VmHWM, Linux) beyond what it had before the vectors were made, less input and output.
suppressMessages(library(nmathopencl))
args <- commandArgs(TRUE)
device <- args[1]
n <- as.numeric(c(args[-1], "1e8")[1])
report <- function(what, value, unit) cat(sprintf("%s\t%.6g\t%s\n", what, value, unit))
seconds <- function(code) {
  code <- substitute(code)
  frame <- parent.frame()
  begin <- Sys.time()
  eval(code, frame)
  as.numeric(Sys.time() - begin, units = "secs")
}
memory <- function(field) {
  line <- grep(paste0("^", field, ":"), readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}
device_memory <- function() {
  used <- suppressWarnings(tryCatch(
    system2("nvidia-smi", c("--query-gpu=memory.used", "--format=csv,noheader,nounits"), stdout = TRUE, stderr = FALSE),
    error = function(e) NA
  ))
  as.numeric(used[1])
}

cat("measurement\tvalue\tunit\n")
report("first call, one element", 1e3 * seconds(dnorm_opencl(0, device = device)), "ms")
message("device: ", last_run()$device, ", built ", last_run()$built)
invisible(replicate(200, dnorm_opencl(0, device = device)))
warm <- replicate(300, seconds(dnorm_opencl(0, device = device)))
report("warm call, one element, median of 300", 1e6 * stats::median(warm), "us")

set.seed(1)
l1 <- 300; l2 <- 5; m1 <- 20000
X <- cbind(1, matrix(stats::rnorm(l1 * (l2 - 1)), l1))
B <- matrix(stats::rnorm(l2 * m1, sd = 0.3), l2)
outcome <- stats::rbinom(l1, 1, 0.4)
grid <- function() {
  f2_f3_opencl("binomial", "logit", b = B, y = outcome, x = X, mu = rep(0, l2), P = diag(l2), alpha = rep(0, l1),
    wt = rep(1, l1), device = device)
}
report_grid <- function(when) {
  invisible(gc())
  invisible(replicate(100, grid()))
  times <- replicate(300, seconds(grid()))
  report(paste0("f2_f3 logit 300x5x20000, ", when, ", whole call, median of 300"), 1e3 * stats::median(times), "ms")
  report(paste0("f2_f3 logit 300x5x20000, ", when, ", whole call, best of 300"), 1e3 * min(times), "ms")
  report(paste0("f2_f3 logit 300x5x20000, ", when, ", last call, within the core"), 1e3 * last_run()$total, "ms")
}
report_grid("before long vectors")

before_device <- device_memory()
before <- memory("VmRSS")
x <- seq(-5, 5, length.out = n)
y <- NULL
invisible(gc(FALSE))
cat("5", file = "/proc/self/clear_refs") # the peak starts anew
runs <- vapply(1:6, function(k) {
  y <<- NULL
  invisible(gc(FALSE))
  seconds(y <<- dnorm_opencl(x, device = device))
}, 0)
report("memory beyond input and output", memory("VmHWM") - before - 16 * n / 2^20, "MiB")
report("device memory of the process beyond that of short calls", device_memory() - before_device, "MiB")
runs <- vapply(1:24, function(k) seconds(y <<- dnorm_opencl(x, device = device)), 0)
report(paste("dnorm,", format(n), "elements, median of the first 12"), 1e-9 * n / stats::median(runs[1:12]), "Geval/s")
runs <- runs[13:24] # by then memory of earlier results is used again
report(paste("dnorm,", format(n), "elements, best of 12 more"), 1e-9 * n / min(runs), "Geval/s")
report(paste("dnorm,", format(n), "elements, median of 12 more"), 1e-9 * n / stats::median(runs), "Geval/s")
report(paste("dnorm,", format(n), "elements, mean of 12 more"), 1e-9 * n / mean(runs), "Geval/s")
report("of the last call, within the core", 1e-9 * n / last_run()$total, "Geval/s")
r <- seconds(d <- dnorm(x))
report("speed-up over stats::dnorm (one core)", r / min(runs), "")
stopifnot(isTRUE(all.equal(y, d, tolerance = 1e-14)))
rm(d)
k <- rep_len(0:9, n)
invisible(dpois_opencl(k, 2.5, device = device))
report(paste("dpois of integers,", format(n), "elements"),
  1e-9 * n / min(replicate(3, seconds(dpois_opencl(k, 2.5, device = device)))), "Geval/s")
rm(k, x, y)
report_grid("after them")
