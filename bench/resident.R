# resident.R -- functions whose parameters have length one, on resident vectors.
#
#   Rscript bench/resident.R DEVICE [N ...] > bench/results/NAME.resident.tsv
#
# N elements (2^26, 2^22, 2^20, 2^18). For each function of inst/spec/fixed.tsv with its first setting of flags, and for rank
# statistics: seconds of the first call of the opencl_function() (its program is built), then 10^9 elements per second of
# warm calls, best of 7: parameters as vectors, of length one, the same as an opencl_function(); the largest relative
# difference of the latter two from the first.
suppressMessages(library(nmathopencl))
arguments <- commandArgs(TRUE)
options(nmathopencl.device = arguments[1])
sizes <- if (length(arguments) > 1) as.numeric(arguments[-1]) else 2^c(26, 22, 20, 18)
fixed <- read.delim(system.file("spec", "fixed.tsv", package = "nmathopencl"), colClasses = "character")
fixed <- fixed[!duplicated(fixed$name) & fixed$name != "log_quotient", ] # which no user calls
ranks <- c("pwilcox", "psignrank")
rows <- rbind(fixed[c("name", "flags")], data.frame(name = ranks, flags = "TRUE,FALSE"))
inputs <- function(name, n) {
  switch(name,
    dnorm = , pnorm = list(rnorm(n, 1, 2), 1, 2), dgamma = , pgamma = list(rgamma(n, 3, 2), 3, 2), dt = , pt = list(rt(n, 5), 5),
    dbeta = , pbeta = list(rbeta(n, 2, 3), 2, 3), dpois = list(rpois(n, 10), 10), dbinom = list(rbinom(n, 100, 0.2), 100, 0.2),
    dchisq = , pchisq = list(rchisq(n, 5), 5), dlnorm = list(rlnorm(n, 0.2, 1.5), 0.2, 1.5), dweibull = list(rweibull(n, 1.5, 2), 1.5, 2),
    pf = list(rf(n, 4, 6), 4, 6), besselJ = list(runif(n, 0, 50), 2), qgamma = list(runif(n), 3, 2), qchisq = list(runif(n), 5),
    qt = list(runif(n), 5), qbeta = list(runif(n), 2, 3), qf = list(runif(n), 4, 6),
    pwilcox = list(round(runif(n, 0, 2500)), 50, 50), psignrank = list(round(runif(n, 0, 20100)), 200)
  )
}
now <- function() as.numeric(Sys.time())
rate <- function(n, call) {
  times <- vapply(1:7, function(k) {
    begin <- now()
    value <- call()
    end <- now()
    opencl_free(value)
    end - begin
  }, 0)
  1e-9 * n / min(times)
}
cat("elements\tfunction\tfirst_s\tvectors_Gevals\tscalars_Gevals\tfused_Gevals\tscalars_difference\tfused_difference\n")
for (n in sizes) {
  for (k in seq_len(nrow(rows))) {
    name <- rows$name[k]
    flags <- as.list(as.logical(strsplit(rows$flags[k], ",")[[1]]))
    names(flags) <- list(NULL, "log", c("lower.tail", "log.p"))[[length(flags) + 1L]]
    set.seed(1)
    input <- inputs(name, min(n, 2^22))
    x <- opencl_vector(rep_len(input[[1]], n))
    vectors <- if (!name %in% ranks) lapply(input[-1], function(value) opencl_vector(rep(value, n)))
    ours <- get(paste0(name, "_opencl"))
    parameters <- paste0("p", seq_along(input)[-1] - 1L, collapse = ", ")
    settings <- if (length(flags)) paste0(", ", names(flags), " = ", flags, collapse = "") else ""
    text <- sprintf("function(x, %s) %s(x, %s%s)", parameters, name, parameters, settings)
    fused <- opencl_function(eval(parse(text = text)[[1]], new.env(parent = asNamespace("stats"))))
    calls <- list(function() do.call(ours, c(list(x), vectors, flags)), function() do.call(ours, c(list(x), input[-1], flags)),
                  function() do.call(fused, c(list(x), input[-1])))
    if (name %in% ranks) { # a table of the values, for sizes of length one
      if (n >= 2^20) cat(sprintf("%g\t%s\tNA\tNA\t%.3f\tNA\tNA\tNA\n", n, name, rate(n, calls[[2]])))
      opencl_free(x)
      next
    }
    begin <- now()
    opencl_free(calls[[3]]())
    first <- now() - begin
    rates <- vapply(calls, function(call) rate(n, call), 0)
    few <- min(n, 2^20)
    values <- lapply(calls, function(call) {
      result <- call()
      value <- as.vector(result)[seq_len(few)]
      opencl_free(result)
      value
    })
    error <- vapply(values[-1], function(value) max(abs(value / values[[1]] - 1), na.rm = TRUE), 0)
    cat(sprintf("%g\t%s\t%.2f\t%.3f\t%.3f\t%.3f\t%.1e\t%.1e\n", n, name, first, rates[1], rates[2], rates[3], error[1], error[2]))
    opencl_free(x)
    lapply(vectors, opencl_free)
    invisible(gc())
  }
}
