# lengths.R -- what a warm call costs by the length of its vector: stats, the host device, and each device that is named.
#
#   Rscript bench/lengths.R [DEVICE ...] > bench/results/lengths.tsv      DEVICE: as `device =` takes it; none: host alone
#
# Wall clock of a whole call from R's memory to R's memory, all threads: the least and the median of as many calls as half a
# second holds (9 to 1,001), in microseconds.
suppressPackageStartupMessages(library(nmathopencl))
set.seed(1)
now <- function() as.numeric(Sys.time())

microseconds <- function(call) {
  call()
  begin <- now()
  call()
  calls <- min(1001, max(9, 0.5 / (now() - begin)))
  1e6 * vapply(seq_len(calls), function(i) {
    begin <- now()
    call()
    now() - begin
  }, 0)
}

x <- runif(1e6, 0.1, 5)
functions <- list(
  dnorm = list(function(n, ...) dnorm_opencl(x[seq_len(n)], ...), function(n) dnorm(x[seq_len(n)])),
  pgamma = list(function(n, ...) pgamma_opencl(x[seq_len(n)], 2.5, ...), function(n) pgamma(x[seq_len(n)], 2.5)),
  qbeta = list(function(n, ...) qbeta_opencl(x[seq_len(n)] / 6, 2, 3, ...), function(n) qbeta(x[seq_len(n)] / 6, 2, 3))
)
devices <- unique(c("host", commandArgs(TRUE)))
cat("device\tfunction\telements\tleast_us\tmedian_us\n")
for (name in names(functions)) {
  for (n in 10^(0:6)) {
    line <- function(device, call) {
      us <- microseconds(call)
      cat(sprintf("%s\t%s\t%g\t%.2f\t%.2f\n", device, name, n, min(us), stats::median(us)))
    }
    line("stats", function() functions[[name]][[2L]](n))
    for (device in devices) line(device, function() functions[[name]][[1L]](n, device = device))
  }
}
