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
  breaks <- sort(unique(quantile(seq_len(cells - 1) / cells)))
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
  rlogis = list(of = "logis", sets = list(list(), list(-3, 5), list(0, 1e300), list(0, 1e-300))),
  rgamma = list(of = "gamma", sets = list(
    list(1), list(0.01), list(0.3, 1e100), list(0.99), list(1.7, 3), list(10), list(1e4), list(1e10), list(3, 1e-250)
  )),
  rchisq = list(of = "chisq", sets = list(
    list(1), list(0.1), list(2), list(7), list(1e6), list(3, ncp = 2), list(0.5, ncp = 0.01), list(10, ncp = 1000)
  )),
  rbeta = list(of = "beta", sets = list(
    list(1, 1), list(0.2, 0.3), list(0.01, 5), list(30, 2), list(1e4, 1e5), list(1e8, 1e8), list(2, 3, ncp = 1),
    list(0.5, 4, ncp = 30)
  )),
  rt = list(of = "t", sets = list(list(1), list(0.1), list(2.5), list(30), list(1e6), list(Inf), list(4, ncp = 1.5))),
  rf = list(of = "f", sets = list(
    list(1, 1), list(0.1, 3), list(3, 0.1), list(3, 7), list(1e4, 20), list(Inf, 5), list(5, Inf), list(3, 7, ncp = 2)
  ))
)

discrete_draws <- list(
  rgeom = list(of = "geom", sets = list(list(0.5), list(0.999), list(1), list(0.01), list(1e-7), list(1e-12), list(1e-300))),
  rchisq = list(of = "chisq", sets = list(list(0, ncp = 3))), # a point of probability exp(-1.5) at 0
  rbinom = list(of = "binom", sets = list(
    list(1, 0.5), list(5, 1e-3), list(10, 0.3), list(20, 0.95), list(30, 0.5), list(1000, 1e-3), list(1e5, 0.4), list(1e9, 1e-8),
    list(2e9, 0.9), list(1e15, 0.5)
  )),
  rpois = list(of = "pois", sets = list(
    list(1e-3), list(1), list(9.9), list(10.1), list(30), list(1000), list(1e6), list(1e9), list(1e14)
  )),
  rhyper = list(of = "hyper", sets = list(
    list(5, 7, 4), list(1, 1000, 10), list(100, 200, 50), list(1e4, 1e5, 3e3), list(1e6, 1e6, 1e5), list(2, 1e6, 5e5),
    list(300, 20, 300), list(1e9, 2e9, 1000)
  )),
  rnbinom = list(of = "nbinom", sets = list(
    list(3, 0.3), list(0.1, 0.5), list(0.01, 0.9), list(1e4, 0.9), list(2, 1e-6), list(3, mu = 10), list(0.5, mu = 1e4), list(1e6, mu = 3),
    list(Inf, mu = 4)
  )),
  rwilcox = list(of = "wilcox", sets = list(list(1, 1), list(4, 6), list(10, 10), list(3, 40), list(30, 25))),
  rsignrank = list(of = "signrank", sets = list(list(1), list(5), list(20), list(64), list(150)))
)

# Generators that another one calls: rnt for rt with ncp.
called_draws <- c("rnchisq", "rnbeta", "rnt", "rnf", "rnbinom_mu")
