# Distribution tests of the generators: a fixed seed, and a threshold that a right generator misses once in a million.

random_type_1 <- 1e-6

draw <- function(name, n, arguments, device = "host") {
  f <- get(paste0(name, "_opencl"), envir = asNamespace("nmathopencl"))
  do.call(f, c(list(n), arguments, device = device))
}

draw_seeded <- function(seed, ...) {
  set.seed(seed)
  draw(...)
}

# Kolmogorov-Smirnov, by the limit of its distribution.
ks_p_value <- function(x, cdf) {
  x <- sort(x)
  n <- length(x)
  f <- cdf(x)
  d <- max(seq_len(n) / n - f, f - (seq_len(n) - 1) / n)
  z <- sqrt(n) * d
  if (z < 0.2) 1 else min(1, 2 * sum((-1)^(0:99) * exp(-2 * (1:100)^2 * z^2)))
}

# Chi-squared over cells between quantiles, so that points of positive probability do no harm. `quantile` may err: the
# cells are whatever it gives, their probabilities come from `cdf`.
cells_p_value <- function(x, cdf, quantile, cells = 60) {
  breaks <- unique(quantile(seq_len(cells - 1) / cells))
  below <- cdf(breaks)
  probability <- diff(c(0, below, 1))
  observed <- tabulate(findInterval(x, breaks, left.open = TRUE) + 1, length(breaks) + 1)
  expected <- length(x) * probability
  if (any(observed > 0 & expected == 0)) return(0)
  few <- expected < 10
  observed <- c(observed[!few], sum(observed[few]))
  expected <- c(expected[!few], sum(expected[few]))
  if (expected[length(expected)] == 0) {
    observed <- observed[-length(observed)]
    expected <- expected[-length(expected)]
  }
  if (length(expected) < 2) return(if (all(observed == expected)) 1 else 0)
  pchisq(sum((observed - expected)^2 / expected), length(expected) - 1, lower.tail = FALSE)
}

# Generators with the parameters they are tested at: small, moderate, extreme. `of` names the p and q functions of stats.
continuous_draws <- list(
  unif_rand = list(of = "unif", sets = list(list())),
  norm_rand = list(of = "norm", sets = list(list())),
  exp_rand = list(of = "exp", sets = list(list())),
  runif = list(of = "unif", sets = list(list(), list(-3, 5), list(1, 1 + 1e-9), list(-1e307, 1e307), list(0, 1e-300))),
  rnorm = list(of = "norm", sets = list(list(), list(-3, 5), list(1e10, 0.01), list(0, 1e300), list(0, 1e-300))),
  rexp = list(of = "exp", sets = list(list(), list(7), list(1e-300), list(1e300))),
  rlnorm = list(of = "lnorm", sets = list(list(), list(3, 0.01), list(-600, 20))),
  rcauchy = list(of = "cauchy", sets = list(list(), list(-3, 5), list(0, 1e250), list(0, 1e-250))),
  rweibull = list(of = "weibull", sets = list(list(1), list(2, 3), list(0.05, 1e-20), list(1e4, 1e200))),
  rlogis = list(of = "logis", sets = list(list(), list(-3, 5), list(0, 1e300), list(0, 1e-300)))
)

discrete_draws <- list(
  rgeom = list(of = "geom", sets = list(list(0.5), list(0.999), list(1), list(0.01), list(1e-7), list(1e-12), list(1e-300)))
)
