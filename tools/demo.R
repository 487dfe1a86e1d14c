# demo.R -- `make demo`: distribution functions and the GLM grid on every kind of device there is, against 'stats'.
#
# Prints a table (device, time, ratio to 'stats', largest relative difference) and a verdict, and writes demo/posterior_grid.png.
# Fails if a device cannot be used or differs from 'stats' by more than `tolerance`.

library(nmathopencl)

n <- 1e6
repeats <- 3
tolerance <- 1e-9

seconds <- function(call) {
  begin <- Sys.time()
  call()
  as.numeric(Sys.time() - begin, units = "secs")
}

best_seconds <- function(call) min(vapply(seq_len(repeats), function(i) seconds(call), 0))

# A gradient passes through 0, where R's own rounding errors are relatively large: it is measured by its largest entry.
largest_difference <- function(value, reference) {
  if (is.list(reference)) {
    scale <- max(abs(reference$grad))
    return(max(largest_difference(value$qf, reference$qf), abs(value$grad - reference$grad) / scale))
  }
  if (!identical(is.nan(value), is.nan(reference))) return(Inf)
  same <- is.nan(reference) | value == reference
  max(0, (abs(value - reference) / abs(reference))[!same])
}

# The host device, and each usable OpenCL device; a GPU first.
demo_devices <- function() {
  devices <- opencl_devices()
  devices <- devices[devices$index == 0 | devices$fp64, ]
  devices[order(match(devices$type, c("gpu", "accelerator", "cpu"), nomatch = 9), devices$index), ]
}

# The lines of the table for one computation, which `ours(device)` and `theirs()` do alike. The first call on a device
# builds the program and is timed by itself; the others are warm.
compare <- function(label, devices, ours, theirs) {
  reference <- theirs()
  reference_seconds <- best_seconds(theirs)
  lines <- lapply(devices$index, function(device) {
    value <- NULL
    first <- seconds(function() value <<- ours(device))
    run <- last_run()
    warm <- best_seconds(function() ours(device))
    data.frame(
      "function" = label, device = run$device, type = run$device_type, first_ms = 1000 * first, warm_ms = 1000 * warm,
      times_stats = reference_seconds / warm, largest_rel_diff = largest_difference(value, reference),
      check.names = FALSE
    )
  })
  do.call(rbind, lines)
}

distribution_cases <- function() {
  set.seed(1)
  x <- rnorm(n)
  p <- runif(n)
  g <- rgamma(n, 2.5)
  k <- rbinom(n, 40, 0.3)
  counts <- rpois(n, 12)
  list(
    dnorm = list(function(d) dnorm_opencl(x, 0.5, 2, device = d), function() dnorm(x, 0.5, 2)),
    pnorm = list(function(d) pnorm_opencl(x, 0.5, 2, device = d), function() pnorm(x, 0.5, 2)),
    qnorm = list(function(d) qnorm_opencl(p, 0, 2, device = d), function() qnorm(p, 0, 2)),
    dgamma = list(function(d) dgamma_opencl(g, 2.5, device = d), function() dgamma(g, 2.5)),
    dbinom = list(function(d) dbinom_opencl(k, 40, 0.3, device = d), function() dbinom(k, 40, 0.3)),
    dpois = list(function(d) dpois_opencl(counts, 12, device = d), function() dpois(counts, 12))
  )
}

# A logistic regression with a normal prior, evaluated on a grid over its two coefficients.
glm_problem <- function(observations = 300, steps = 150) {
  set.seed(2)
  x <- cbind(1, rnorm(observations))
  trials <- rpois(observations, 4) + 1
  successes <- rbinom(observations, trials, plogis(drop(x %*% c(-0.5, 0.8))))
  axes <- list(intercept = seq(-0.75, -0.2, length.out = steps), slope = seq(0.45, 1, length.out = steps))
  list(
    x = x, y = successes / trials, wt = trials, alpha = numeric(observations), axes = axes,
    b = t(as.matrix(expand.grid(axes))), mu = c(0, 0), P = diag(c(0.1, 0.1))
  )
}

glm_opencl <- function(problem, device) {
  f2_f3_opencl("binomial", "logit", problem$b, problem$y, problem$x, problem$mu, problem$P, problem$alpha, problem$wt,
    device = device
  )
}

glm_stats <- function(problem) {
  successes <- round(problem$y * problem$wt)
  eta <- problem$x %*% problem$b + problem$alpha
  log_likelihood <- dbinom(successes, problem$wt, plogis(eta), log = TRUE)
  residual <- successes - problem$wt * plogis(eta)
  centred <- problem$b - problem$mu
  prior <- problem$P %*% centred
  list(
    qf = 0.5 * colSums(centred * prior) - colSums(matrix(log_likelihood, nrow = nrow(eta))),
    grad = t(prior - crossprod(problem$x, residual))
  )
}

# The posterior density on its grid, with contours, into the open device.
draw_posterior <- function(problem, qf, device) {
  density <- matrix(exp(-(qf - min(qf))), nrow = length(problem$axes$intercept))
  # Heights whose contours enclose these shares of the grid's probability.
  shares <- c(0.5, 0.9, 0.99)
  heights <- sort(density, decreasing = TRUE)
  enclosing <- vapply(shares, function(s) which(cumsum(heights) >= s * sum(heights))[1], 0L)
  levels <- (heights[enclosing] + heights[enclosing + 1]) / 2
  image(problem$axes$intercept, problem$axes$slope, density,
    col = hcl.colors(64, "YlGnBu", rev = TRUE), xlab = "intercept", ylab = "slope",
    main = sprintf("Posterior of a logistic regression, %d grid points", length(qf))
  )
  contour(problem$axes$intercept, problem$axes$slope, density,
    levels = levels, labels = paste0(100 * shares, "%"), add = TRUE
  )
  points(-0.5, 0.8, pch = 3, lwd = 2)
  legend("topright", legend = "values the data came from", pch = 3, pt.lwd = 2, bty = "n")
  mtext(paste("computed on", device), side = 3, line = 0.3, cex = 0.8)
}

picture <- function(problem, qf, device, file) {
  dir.create(dirname(file), showWarnings = FALSE)
  png(file, width = 1400, height = 1200, res = 180)
  on.exit(dev.off())
  draw_posterior(problem, qf, device)
}

print_table <- function(table) {
  table$device <- substr(table$device, 1, 28)
  for (column in c("first_ms", "warm_ms", "times_stats")) table[[column]] <- sprintf("%.1f", table[[column]])
  table$largest_rel_diff <- sprintf("%.1e", table$largest_rel_diff)
  print(table, row.names = FALSE)
}

main <- function() {
  options(width = 120)
  devices <- demo_devices()
  cat("Devices\n")
  print(devices[c("index", "name", "type", "platform", "fp64", "selected")], row.names = FALSE)

  cases <- distribution_cases()
  rows <- lapply(names(cases), function(label) compare(label, devices, cases[[label]][[1]], cases[[label]][[2]]))
  problem <- glm_problem()
  grid <- compare("GLM grid", devices, function(d) glm_opencl(problem, d), function() glm_stats(problem))
  table <- rbind(do.call(rbind, rows), grid)

  cat(sprintf(
    "\nDistribution functions: %s elements. GLM grid: binomial logit, %d observations x %d coefficients x %d points,\n",
    format(n, big.mark = ",", scientific = FALSE), nrow(problem$x), ncol(problem$x), ncol(problem$b)
  ))
  cat("value and gradient. first_ms includes building the program; times_stats = time of R's own code / warm_ms.\n\n")
  print_table(table)

  best <- devices$index[order(!devices$selected)][1]
  result <- glm_opencl(problem, best)
  file <- file.path("demo", "posterior_grid.png")
  picture(problem, result$qf, last_run()$device, file)
  cat("\nPicture of the posterior grid:", normalizePath(file), "\n")

  worst <- max(table$largest_rel_diff)
  if (worst > tolerance) {
    stop(sprintf("largest relative difference %.2g is above %.0g", worst, tolerance))
  }
  cat(sprintf(
    "All %d computations on %d device%s agree with 'stats': the largest relative difference is %.1g.\n",
    nrow(table), nrow(devices), if (nrow(devices) == 1) "" else "s", worst
  ))
}

if (sys.nframe() == 0) main()
