# many_devices -- one device against several: a GLM grid, reductions of resident vectors, resident draws, and elementwise
# calls of R's vectors.
#
#   Rscript bench/many_devices.R [DEVICE ...]      devices as indices or names; none: all GPUs with double precision
#
# Prints a table of tab-separated columns: what, elements, devices, seconds (the least of several warm calls), the speed
# as a multiple of that of the first device alone, and how far results differ from the first device's. Takes less than a
# minute.
suppressMessages(library(nmathopencl))

given <- commandArgs(TRUE)
all <- opencl_devices()
devices <- if (length(given)) given else all$index[all$type == "gpu" & all$fp64 %in% TRUE]
if (length(devices) < 2L) {
  message("there are fewer than two GPUs here: name devices, as in `Rscript bench/many_devices.R host opencl`")
  devices <- unique(c(devices, 0))
}
small <- !length(given) && !any(all$type == "gpu") || any(c("host", "0", "cpu") %in% given) # processors take their time
sizes <- if (small) {
  list(grids = list(c(500, 8, 20000)), resident = 1e7, draws = 1e7, vector = 2e6)
} else {
  list(grids = list(c(4e5, 8, 6e5), c(1.6e6, 8, 6e5)), resident = c(2e9, 4e9), draws = 2e9, vector = 1e8)
}
sets <- lapply(unique(c(1L, 2L, length(devices))), function(k) devices[seq_len(min(k, length(devices)))])
sets <- sets[!duplicated(lengths(sets))]

# Seconds of the fastest of up to `most` warm calls, within `budget` seconds of them.
seconds_of <- function(code, most = 7L, budget = 3) {
  call <- substitute(code)
  frame <- parent.frame()
  for (warm in 1:2) eval(call, frame) # builds, and shows how fast devices are
  times <- numeric()
  while (length(times) < most && sum(times) < budget) {
    began <- Sys.time()
    eval(call, frame)
    times <- c(times, as.numeric(Sys.time() - began, units = "secs"))
  }
  min(times)
}

alone <- list()
tell <- function(what, elements, set, seconds, value) {
  key <- paste(what, elements)
  if (length(set) == 1L) alone[[key]] <<- list(seconds = seconds, value = value)
  one <- alone[[key]]
  off <- if (is.null(value)) 0 else max(abs(value - one$value) / pmax(abs(one$value), 1e-300))
  row <- data.frame(
    what = what, elements = elements, devices = length(set), seconds = signif(seconds, 4),
    speed = round(one$seconds / seconds, 2), difference = signif(off, 2)
  )
  cat(unlist(lapply(row, format, scientific = 5)), sep = "\t")
  cat("\n")
}
# A measurement that fails leaves the others.
attempt <- function(what, code) {
  tryCatch(code, error = function(e) cat("# ", what, ": ", conditionMessage(e), "\n", sep = ""))
}

cat("# ", paste(vapply(devices, function(d) {
  dnorm_opencl(0, device = d)
  last_run()$device
}, ""), collapse = "; "), "\n", sep = "")
cat("what", "elements", "devices", "seconds", "speed", "difference", sep = "\t")
cat("\n")

set.seed(1)
for (grid in sizes$grids) {
  l1 <- grid[1]
  l2 <- grid[2]
  X <- cbind(1, matrix(rnorm(l1 * (l2 - 1)), l1))
  y <- rbinom(l1, 1, 0.4)
  b <- matrix(rnorm(l2 * grid[3], 0, 0.2), l2)
  for (set in sets) {
    attempt("GLM grid", {
      fit <- NULL
      seconds <- seconds_of({
        fit <- f2_f3_opencl("binomial", "logit", b, y, X, numeric(l2), diag(l2), numeric(l1), rep(1, l1), device = set)
      })
      tell(sprintf("GLM grid (logit, gradient, %g observations)", l1), grid[3], set, seconds, fit$qf)
    })
  }
  rm(b, fit)
}

log_density <- opencl_function(function(x, a, b) dgamma(x, a, rate = b, log = TRUE), reduce = "sum", gradient = c("a", "b"))
for (n in sizes$resident) {
  for (set in sets) {
    attempt("resident vectors", {
      x <- rgamma_opencl(n, 2, seed = 1, device = set, keep = TRUE)
      x <- if (inherits(x, "opencl_vector")) x else opencl_vector(x, device = set)
      value <- NULL
      seconds <- seconds_of(value <- sum(x))
      tell("sum of a resident vector", n, set, seconds, value)
      seconds <- seconds_of(value <- log_density(x, 2, 1))
      tell("log-likelihood and gradient of a resident vector", n, set, seconds, c(value))
      if (n <= sizes$draws) { # results need room beside it
        seconds <- seconds_of(opencl_free(sqrt(x)))
        tell("sqrt of a resident vector", n, set, seconds, NULL)
      }
      opencl_free(x)
    })
  }
}
for (set in sets) {
  attempt("draws", {
    n <- sizes$draws
    seconds <- seconds_of(opencl_free(rnorm_opencl(n, seed = 1, device = set, keep = TRUE)))
    tell("normal draws, resident", n, set, seconds, NULL)
  })
}

x <- rnorm_opencl(sizes$vector, seed = 2)
positive <- abs(x)
for (set in sets) {
  attempt("R's vectors", {
    seconds <- seconds_of(dnorm_opencl(x, device = set))
    tell("dnorm of R's vector", length(x), set, seconds, NULL)
    seconds <- seconds_of(pgamma_opencl(positive, 2.5, device = set), most = 3L)
    tell("pgamma of R's vector", length(x), set, seconds, NULL)
  })
}
