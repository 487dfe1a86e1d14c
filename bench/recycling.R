# recycling.R -- warm calls with results in memory that is used again (options(nmathopencl.recycle = )) and in fresh memory.
#
#   Rscript bench/recycling.R [DEVICE] > bench/results/recycling.tsv      DEVICE: host
#
# For each function and length: median microseconds of a whole call, fresh and used again, in turn in five rounds of up to
# 200 calls each, after as many as make 200 MB of results; and the ratio of the two.
suppressMessages(library(nmathopencl))
device <- c(commandArgs(TRUE), "host")[1]
set.seed(1)
functions <- list(
  dnorm = function(x) dnorm_opencl(x, device = device), pgamma = function(x) pgamma_opencl(x, 2.5, device = device),
  rnorm = function(x) rnorm_opencl(length(x), device = device)
)
microseconds <- function(call, x, calls) {
  vapply(seq_len(calls), function(i) {
    begin <- as.numeric(Sys.time())
    call(x)
    1e6 * (as.numeric(Sys.time()) - begin)
  }, 0)
}
cat("function\telements\tfresh_us\tagain_us\tratio\n")
for (name in names(functions)) {
  for (n in c(1e4, 1e5, 1e6, 1e7)) {
    x <- runif(n)
    calls <- max(20, min(200, 2e7 / n))
    times <- list(fresh = NULL, again = NULL)
    for (round in 1:5) {
      for (way in names(times)) {
        options(nmathopencl.recycle = if (way == "fresh") 0)
        microseconds(functions[[name]], x, max(20, 25e6 / n)) # R has collected: blocks wait
        times[[way]] <- c(times[[way]], microseconds(functions[[name]], x, calls))
      }
    }
    m <- vapply(times, stats::median, 0)
    cat(sprintf("%s\t%g\t%.1f\t%.1f\t%.2f\n", name, n, m[1], m[2], m[1] / m[2]))
  }
}
