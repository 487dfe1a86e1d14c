# host_vs_stats.R -- the host device on one core against R's own functions, same inputs, in one run.
#
#   Rscript bench/host_vs_stats.R [N [FUNCTION ...]] > bench/results/host_vs_stats.tsv
#
# N elements (1e6), all functions. Each pair is timed in turn several times, in three runs over all functions; a row gives the
# median and the least of each side's times in nanoseconds an element, the median over the runs of the paired ratios R / host
# (above 1 the host device is faster) and the least and the largest of the runs' ratios, which is the machine's noise.
suppressMessages(library(nmathopencl))
n <- as.numeric(c(commandArgs(TRUE), "1e6")[1])
only <- commandArgs(TRUE)[-1]
options(nmathopencl.threads = 1, nmathopencl.device = "host")
set.seed(1)
spec <- read.delim(system.file("spec", "functions.tsv", package = "nmathopencl"), colClasses = "character", quote = "")
spec <- spec[nzchar(spec$mirrors) & (length(only) == 0 | spec$name %in% only), ]

uniform <- function(from, to) runif(n, from, to)
inputs <- list(
  dnorm = list(uniform(-5, 5)), pnorm = list(uniform(-5, 5)), qnorm = list(uniform(0, 1)),
  dgamma = list(uniform(0.1, 20), uniform(0.5, 10)), dbinom = list(rpois(n, 20), 100, 0.2),
  dpois = list(rpois(n, 10), uniform(5, 15)), gammafn = list(uniform(0.1, 50)), lgammafn = list(uniform(0.1, 100)),
  beta = list(uniform(0.1, 20), uniform(0.1, 20)), lbeta = list(uniform(0.1, 20), uniform(0.1, 20)),
  choose = list(rpois(n, 60) + 40, rpois(n, 20)), lchoose = list(rpois(n, 60) + 40, rpois(n, 20)),
  fprec = list(uniform(-100, 100), 4), fround = list(uniform(-100, 100), 2), r_pow = list(uniform(0.1, 10), uniform(-5, 5)),
  log1p = list(uniform(-0.9, 10)), psigamma = list(uniform(0.1, 20), 3),
  pgamma = list(uniform(0.1, 50), uniform(0.5, 50)), qgamma = list(uniform(0, 1), uniform(0.5, 50)),
  dchisq = list(uniform(0.1, 100), uniform(1, 100)), pchisq = list(uniform(0.1, 100), uniform(1, 100)),
  qchisq = list(uniform(0, 1), uniform(1, 100)), dbeta = list(uniform(0, 1), uniform(0.5, 50), 7),
  pbeta = list(uniform(0, 1), uniform(0.5, 50), 7), qbeta = list(uniform(0, 1), uniform(0.5, 50), 7),
  df = list(uniform(0.1, 5), uniform(1, 50), 20), pf = list(uniform(0.1, 5), uniform(1, 50), 20),
  qf = list(uniform(0, 1), uniform(1, 50), 20), dt = list(uniform(-5, 5), uniform(1, 50)),
  pt = list(uniform(-5, 5), uniform(1, 50)), qt = list(uniform(0, 1), uniform(1, 50)),
  pbinom = list(rbinom(n, 100, 0.4), 100, uniform(0.2, 0.6)), qbinom = list(uniform(0, 1), 100, uniform(0.05, 0.95)),
  dnbinom = list(rpois(n, 10), uniform(1, 20), 0.4), pnbinom = list(rpois(n, 10), uniform(1, 20), 0.4),
  qnbinom = list(uniform(0, 1), uniform(1, 20), 0.4), ppois = list(rpois(n, 20), uniform(10, 30)),
  qpois = list(uniform(0, 1), uniform(0.5, 50)), dgeom = list(rgeom(n, 0.2), 0.2), pgeom = list(rgeom(n, 0.2), 0.2),
  qgeom = list(uniform(0, 1), 0.2), dhyper = list(rpois(n, 8), 40, 50, 20), phyper = list(rpois(n, 8), 40, 50, 20),
  qhyper = list(uniform(0, 1), 40, 50, 20), dweibull = list(uniform(0, 5), 2), pweibull = list(uniform(0, 5), 2),
  qweibull = list(uniform(0, 1), 2), dlnorm = list(uniform(0.1, 10)), plnorm = list(uniform(0.1, 10)),
  qunif = list(uniform(0, 1)), qlnorm = list(uniform(0, 1)), qexp = list(uniform(0, 1)), qlogis = list(uniform(0, 1)),
  qcauchy = list(uniform(0, 1)),
  besselI = list(uniform(0.1, 50), uniform(0, 10)), besselJ = list(uniform(0.1, 50), uniform(0, 10)),
  besselK = list(uniform(0.1, 50), uniform(0, 10)), besselY = list(uniform(0.1, 50), uniform(0, 10)),
  dwilcox = list(rwilcox(n, 12, 10), 12, 10), pwilcox = list(rwilcox(n, 12, 10), 12, 10), qwilcox = list(uniform(0, 1), 12, 10),
  dsignrank = list(rsignrank(n, 20), 20), psignrank = list(rsignrank(n, 20), 20), qsignrank = list(uniform(0, 1), 20),
  # a hundred times the work of others: fewer elements
  ptukey = list(runif(ceiling(n / 2000), 1, 6), 4, 20), qtukey = list(runif(ceiling(n / 20000)), 4, 20)
)
default <- list(uniform(-10, 10))
# The parameters of the functions that draw.
draws <- list(
  rgamma = list(uniform(0.5, 10)), rchisq = list(uniform(1, 20)), rbeta = list(uniform(0.5, 10), 3), rt = list(uniform(1, 20)),
  rf = list(uniform(1, 20), 7), rweibull = list(2), rgeom = list(0.2), rbinom = list(100, 0.4), rpois = list(20),
  rhyper = list(40, 50, 20), rnbinom = list(uniform(1, 20), 0.4), rwilcox = list(10, 12), rsignrank = list(20),
  rmultinom = list(100, c(1, 2, 3, 4))
)

seconds <- function(f, arguments) {
  gc(FALSE)
  time <- system.time(suppressWarnings(do.call(f, arguments)))
  time[["user.self"]] + time[["sys.self"]] # processor time: other work on the machine does not count
}

# Without a name of their own in stats: the non-central families, ncp being the last of the parameters there too.
noncentral <- list(
  dnchisq = list(uniform(0.1, 100), uniform(1, 50), uniform(0, 20)), pnchisq = list(uniform(0.1, 100), uniform(1, 50), uniform(0, 20)),
  qnchisq = list(runif(n / 100), runif(n / 100, 1, 50), runif(n / 100, 0, 20)),
  rnchisq = list(n, uniform(1, 20), 3),
  dnbeta = list(uniform(0, 1), uniform(0.5, 20), 7, 3), pnbeta = list(uniform(0, 1), uniform(0.5, 20), 7, 3),
  qnbeta = list(runif(n / 100), runif(n / 100, 0.5, 20), 7, 3),
  dnf = list(uniform(0.1, 5), uniform(1, 50), 20, 3), pnf = list(uniform(0.1, 5), uniform(1, 50), 20, 3),
  qnf = list(runif(n / 100), runif(n / 100, 1, 50), 20, 3),
  dnt = list(uniform(-5, 5), uniform(1, 50), 2), pnt = list(uniform(-5, 5), uniform(1, 50), uniform(1, 3)),
  qnt = list(runif(n / 100), runif(n / 100, 1, 50), 2)
)

pairs <- lapply(seq_len(nrow(spec)), function(k) {
  name <- spec$name[k]
  arguments <- inputs[[name]]
  if (is.null(arguments)) arguments <- default
  if (spec$flags[k] %in% c("draws", "counts", "cells")) arguments <- c(list(n), draws[[name]])
  size <- if (spec$flags[k] %in% c("draws", "counts", "cells")) n else max(lengths(arguments))
  list(name = name, theirs = eval(parse(text = spec$mirrors[k])), arguments = arguments, size = size)
})
pairs <- c(pairs, lapply(setdiff(names(noncentral), if (length(only)) setdiff(names(noncentral), only)), function(name) {
  arguments <- noncentral[[name]]
  central <- sub("^(.)n", "\\1", name)
  list(name = name, theirs = get(central, asNamespace("stats")), arguments = arguments,
       size = if (startsWith(name, "r")) n else length(arguments[[1]]))
}))

run <- function(pair) {
  ours <- get(paste0(pair$name, "_opencl"))
  seconds(ours, pair$arguments)
  times <- replicate(5, c(seconds(ours, pair$arguments), seconds(pair$theirs, pair$arguments)))
  c(1e9 * c(apply(times, 1, median), apply(times, 1, min)) / pair$size, median(times[2, ] / times[1, ]))
}
runs <- replicate(3, vapply(pairs, run, numeric(5)))
cat("function\thost_ns\tR_ns\tratio\thost_min_ns\tR_min_ns\tratio_min\tratio_max\n")
for (k in seq_along(pairs)) {
  of <- matrix(runs[, k, ], 5)
  cat(sprintf("%s\t%.1f\t%.1f\t%.2f\t%.1f\t%.1f\t%.2f\t%.2f\n", pairs[[k]]$name, median(of[1, ]), median(of[2, ]), median(of[5, ]),
    min(of[3, ]), min(of[4, ]), min(of[5, ]), max(of[5, ])))
}
