# Random arguments for derivatives from everywhere, for test-derivative-sweeps.R and test-derivative-sweeps-other.R.

# Tuples of all families: shapes from 1e-8 to 1e10, whole ones and halves, ncp to 1e4, and points at all distances.
sweep_tuples <- function(n) {
  spread <- function(from, to) exp(stats::runif(n, log(from), log(to)))
  mixed <- function(...) {
    all <- cbind(...)
    all[cbind(seq_len(n), sample(ncol(all), n, TRUE))]
  }
  shape <- function() mixed(spread(0.5, 50), spread(1e-8, 1e10), round(spread(1, 1e4)), round(spread(1, 200)) / 2)
  ncp <- function() mixed(spread(0.1, 50), spread(1e-8, 1e4), spread(1e2, 1e4))
  z <- function() mixed(stats::rnorm(n), stats::rnorm(n, 0, 3), stats::rnorm(n, 0, 10))
  moved <- function(from, by) pmin(pmax(from * exp(pmax(-600, pmin(600, by))), 1e-300), 1e300)
  anywhere <- function(x) ifelse(stats::runif(n) < 0.2, spread(1e-300, 1e300), x)
  a <- shape(); b <- shape(); l <- ncp()
  odds <- function(a) moved(a / b, z() / sqrt(pmin(1, a * b / (a + b)) + a * b / (a + b)))
  inside <- function(o) pmin(o / (1 + o), 1 - 2^-53)
  signs <- sample(c(-1, 1), n, TRUE)
  centre <- mixed(stats::rnorm(n, 0, 2), signs * l, stats::rnorm(n, 0, 30))
  list(
    pgamma = list(q = anywhere(moved(a, z() / sqrt(a))), shape = a), pchisq = list(q = anywhere(moved(a, z() / sqrt(a))), df = a),
    pbeta = list(q = inside(odds(a)), shape1 = a, shape2 = b), pf = list(q = anywhere(odds(a) * b / a), df1 = 2 * a, df2 = 2 * b),
    pt = list(q = signs * anywhere(moved(abs(z()), abs(z()) / sqrt(a))), df = a),
    pnchisq = list(q = anywhere(moved(a + l, z() * sqrt(2 * (a + 2 * l)) / (a + l))), df = a, ncp = l),
    pnbeta = list(q = inside(odds(a + l / 2)), shape1 = a, shape2 = b, ncp = l), pnf = list(q = anywhere(odds(a + l / 2) * b / a), df1 = 2 * a, df2 = 2 * b, ncp = l),
    pnt = list(q = ifelse(stats::runif(n) < 0.2, signs * spread(1e-300, 1e306), (centre + z()) * exp(pmax(-100, pmin(100, z() / sqrt(2 * a))))), df = a, ncp = centre)
  )
}

# The same of distributions of counts and of the studentized range.
sweep_counts <- function(n) {
  spread <- function(from, to) exp(stats::runif(n, log(from), log(to)))
  counts <- floor(ifelse(stats::runif(n) < 0.5, spread(0.5, 50), spread(0.5, 1e8)))
  near <- exp(stats::rnorm(n, 0, 3) / sqrt(1 + counts))
  size <- ifelse(stats::runif(n) < 0.5, spread(0.5, 50), spread(1e-8, 1e8))
  prob <- pmin(pmax(size / (size + counts * near + spread(1e-8, 1)), 1e-300), 1 - 2^-53)
  more <- counts + 1 + floor(spread(0.5, 1e6))
  list(
    binom = list(q = counts, size = more, prob = pmin(pmax(counts * near / pmax(more, 1), 1e-12), 1 - 2^-53)), pois = list(q = counts, lambda = pmax(counts * near, spread(1e-8, 10))),
    nbinom = list(q = counts, size = size, prob = prob), nbinom_mu = list(q = counts, size = size, mu = pmax(counts * near, spread(1e-8, 10))),
    tukey = list(q = spread(0.01, 60), nmeans = sample(2:20, n, TRUE), df = ifelse(stats::runif(n) < 0.5, spread(2, 100), spread(2, 1e8)))
  )
}

# f(arguments) and its gradient, of the function that `called` names, given by name, with the flags in `...`.
sweep_slopes <- function(called, arguments, wanted = names(arguments), ...) {
  call <- as.call(c(as.symbol(called), sapply(names(arguments), as.symbol), ...))
  f <- as.function(c(stats::setNames(rep(alist(x = ), length(arguments)), names(arguments)), call), envir = globalenv())
  slope <- suppressWarnings(attr(do.call(opencl_function(f, gradient = wanted), c(arguments, device = "host")), "gradient"))
  list(value = suppressWarnings(do.call(opencl_function(f), c(arguments, device = "host"))), slope = slope)
}
