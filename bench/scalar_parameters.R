# scalar_parameters.R -- what the forms for parameters of length one (inst/spec/fixed.tsv) gain on one core of the host device.
#
#   Rscript bench/scalar_parameters.R [N] > bench/results/scalar_parameters.tsv
#
# N elements (1e6). For each function and each setting of its flags, processor time in nanoseconds an element, medians of 9 taken
# in turn: parameters as vectors, parameters of length one, the same as an opencl_function(), R's function; then the ratios of
# vectors to each of the two, medians of the paired ones.
suppressMessages(library(nmathopencl))
n <- as.numeric(c(commandArgs(TRUE), "1e6")[1])
options(nmathopencl.threads = 1, nmathopencl.device = "host")
set.seed(1)
fixed <- read.delim(system.file("spec", "fixed.tsv", package = "nmathopencl"), colClasses = "character")
inputs <- list(
  dnorm = list(rnorm(n, 1, 2), 1, 2), pnorm = list(rnorm(n, 1, 2), 1, 2), dgamma = list(rgamma(n, 3, 2), 3, 2),
  pgamma = list(rgamma(n, 3, 2), 3, 2), dt = list(rt(n, 5), 5), pt = list(rt(n, 5), 5), dbeta = list(rbeta(n, 2, 3), 2, 3),
  dpois = list(rpois(n, 10), 10), dbinom = list(rbinom(n, 100, 0.2), 100, 0.2), dchisq = list(rchisq(n, 5), 5),
  pchisq = list(rchisq(n, 5), 5), dlnorm = list(rlnorm(n, 0.2, 1.5), 0.2, 1.5), dweibull = list(rweibull(n, 1.5, 2), 1.5, 2),
  pbeta = list(rbeta(n, 2, 3), 2, 3), pf = list(rf(n, 4, 6), 4, 6), besselJ = list(runif(n, 0, 50), 0),
  qgamma = list(runif(n), 3, 2), qchisq = list(runif(n), 5), qt = list(runif(n), 5), qbeta = list(runif(n), 2, 3), qf = list(runif(n), 4, 6)
)
seconds <- function(f, arguments) {
  time <- system.time(do.call(f, arguments), gcFirst = FALSE)
  time[["user.self"]] + time[["sys.self"]] # other work on the machine does not count
}
cat("function\tflags\tvectors_ns\tscalars_ns\tfused_ns\tR_ns\tvectors_scalars\tvectors_fused\n")
for (k in seq_len(nrow(fixed))) {
  name <- fixed$name[k]
  flags <- as.list(as.logical(strsplit(fixed$flags[k], ",")[[1]]))
  names(flags) <- list(NULL, "log", c("lower.tail", "log.p"))[[length(flags) + 1L]]
  scalars <- inputs[[name]]
  vectors <- c(scalars[1], lapply(scalars[-1], rep, n))
  parameters <- paste0("p", seq_along(scalars)[-1] - 1L, collapse = ", ")
  settings <- if (length(flags)) paste0(", ", names(flags), " = ", flags, collapse = "") else ""
  text <- sprintf("function(x, %s) %s(x, %s%s)", parameters, name, parameters, settings)
  fused <- opencl_function(eval(parse(text = text)[[1]], new.env(parent = asNamespace("stats"))))
  ours <- get(paste0(name, "_opencl"))
  calls <- list(list(ours, c(vectors, flags)), list(ours, c(scalars, flags)), list(fused, scalars),
                list(get(name, asNamespace(if (name == "besselJ") "base" else "stats")), c(scalars, flags)))
  for (call in calls) do.call(seconds, call)
  times <- replicate(9, vapply(calls, function(call) do.call(seconds, call), 0))
  cat(sprintf("%s\t%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\n", name, fixed$flags[k], 1e9 * median(times[1, ]) / n, 1e9 * median(times[2, ]) / n,
    1e9 * median(times[3, ]) / n, 1e9 * median(times[4, ]) / n, median(times[1, ] / times[2, ]), median(times[1, ] / times[3, ])))
}
