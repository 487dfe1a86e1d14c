# What must hold for every distribution at any parameters: random sets, up to 1e5 per family, from 1e-300 to 1e300 where the
# parameter may range so far. Ranges, monotonicity, complements, log forms, quantiles that invert, densities that add up.

log_uniform <- function(n, from, to) 10^runif(n, from, to)

# Half of the values where data are, half anywhere.
anywhere <- function(n, from = -300, to = 300) {
  ifelse(runif(n) < 0.5, log_uniform(n, -2, 3), log_uniform(n, from, to))
}

either_sign <- function(x) x * sample(c(-1, 1), length(x), TRUE)

# parameters: n -> named list; x: (n, parameters) -> points where the distribution is neither all below nor all above.
continuous_families <- list(
  norm = list(
    parameters = function(n) list(mean = either_sign(anywhere(n)), sd = anywhere(n)),
    x = function(n, p) p$mean + p$sd * runif(n, -38, 38)
  ),
  unif = list(
    parameters = function(n) {
      min <- either_sign(anywhere(n, -150, 150))
      list(min = min, max = min + abs(min) * anywhere(n, -10, 100))
    },
    x = function(n, p) p$min + runif(n) * (p$max - p$min)
  ),
  lnorm = list(
    parameters = function(n) list(meanlog = runif(n, -300, 300), sdlog = log_uniform(n, -2, 1)),
    x = function(n, p) exp(p$meanlog + p$sdlog * runif(n, -9, 9))
  ),
  exp = list(parameters = function(n) list(rate = anywhere(n)), x = function(n, p) log_uniform(n, -6, 2) / p$rate),
  gamma = list(
    parameters = function(n) list(shape = anywhere(n), scale = anywhere(n, -100, 100)),
    x = function(n, p) pmin(p$shape * p$scale * ifelse(runif(n) < 0.5, runif(n, 0.2, 3), anywhere(n)), 1e308)
  ),
  chisq = list(
    parameters = function(n) list(df = anywhere(n)),
    x = function(n, p) pmin(p$df * ifelse(runif(n) < 0.5, runif(n, 0.2, 3), anywhere(n)), 1e308)
  ),
  nchisq = list(
    parameters = function(n) list(df = anywhere(n), ncp = anywhere(n)),
    x = function(n, p) pmin((p$df + p$ncp) * ifelse(runif(n) < 0.5, runif(n, 0.2, 3), anywhere(n)), 1e308)
  ),
  beta = list(
    parameters = function(n) list(shape1 = anywhere(n), shape2 = anywhere(n)),
    x = function(n, p) ifelse(runif(n) < 0.5, runif(n), log_uniform(n, -300, 0))
  ),
  f = list(
    parameters = function(n) list(df1 = anywhere(n), df2 = anywhere(n)),
    x = function(n, p) anywhere(n)
  ),
  nbeta = list(
    parameters = function(n) list(shape1 = anywhere(n), shape2 = anywhere(n), ncp = anywhere(n)),
    x = function(n, p) {
      m <- (p$shape1 + p$ncp / 2) / (p$shape1 + p$ncp / 2 + p$shape2)
      ifelse(runif(n) < 0.5, pmin(m * runif(n, 0.5, 1.5), 1 - eps), log_uniform(n, -300, 0))
    }
  ),
  nf = list(
    parameters = function(n) list(df1 = anywhere(n), df2 = anywhere(n), ncp = anywhere(n)),
    x = function(n, p) {
      ifelse(runif(n) < 0.5, pmin((1 + p$ncp / p$df1) * log_uniform(n, -1, 1), 1e308), anywhere(n))
    }
  ),
  t = list(parameters = function(n) list(df = anywhere(n)), x = function(n, p) either_sign(anywhere(n, -300, 150))),
  nt = list(
    parameters = function(n) list(df = anywhere(n), ncp = either_sign(anywhere(n))),
    x = function(n, p) ifelse(runif(n) < 0.3, p$ncp * exp(runif(n, -1, 1)), either_sign(anywhere(n)))
  ),
  weibull = list(
    parameters = function(n) list(shape = log_uniform(n, -2, 2), scale = anywhere(n, -100, 100)),
    x = function(n, p) p$scale * exp(runif(n, -5, 5) / p$shape)
  ),
  logis = list(
    parameters = function(n) list(location = either_sign(anywhere(n, -100, 100)), scale = anywhere(n, -100, 100)),
    x = function(n, p) p$location + p$scale * runif(n, -700, 700)
  ),
  cauchy = list(
    parameters = function(n) list(location = either_sign(anywhere(n, -100, 100)), scale = anywhere(n, -100, 100)),
    x = function(n, p) p$location + p$scale * either_sign(log_uniform(n, -10, 10))
  )
)

discrete_families <- list(
  binom = list(
    parameters = function(n) {
      list(size = floor(log_uniform(n, 0, 12)), prob = ifelse(runif(n) < 0.5, runif(n), log_uniform(n, -300, 0)))
    }
  ),
  pois = list(parameters = function(n) list(lambda = anywhere(n, -300, 12))),
  nbinom = list(parameters = function(n) list(size = anywhere(n, -5, 9), prob = runif(n, 1e-3, 1))),
  nbinom_mu = list(parameters = function(n) list(size = anywhere(n, -5, 9), mu = anywhere(n, -300, 9))),
  geom = list(parameters = function(n) list(prob = log_uniform(n, -12, 0))),
  hyper = list(
    parameters = function(n) {
      m <- floor(log_uniform(n, 0, 8))
      black <- floor(log_uniform(n, 0, 8))
      list(m = m, n = black, k = floor(runif(n) * (m + black + 1)))
    }
  ),
  wilcox = list(
    size = 4000,
    parameters = function(n) list(m = floor(log_uniform(n, 0, 2.3)), n = floor(log_uniform(n, 0, 2.7)))
  ),
  signrank = list(size = 4000, parameters = function(n) list(n = floor(log_uniform(n, 0, 2.7))))
)

eps <- .Machine$double.eps

# The functions of a family with their parameters bound: d(x), p(q, lower, log), q(p, lower, log).
bind_family <- function(name, parameters) {
  wrapper <- function(kind) get(paste0(kind, name, "_opencl"), envir = asNamespace("nmathopencl"))
  call <- function(kind, x, ...) do.call(wrapper(kind), c(list(x), parameters, list(..., device = "host")))
  list(
    d = function(x, ...) call("d", x, ...),
    p = function(q, lower = TRUE, log = FALSE) call("p", q, lower.tail = lower, log.p = log),
    q = function(p, lower = TRUE, log = FALSE) call("q", p, lower.tail = lower, log.p = log)
  )
}

# Fails naming the first offending parameter set.
expect_none <- function(bad, label, parameters, x) {
  row <- which(bad | is.na(bad))
  expect(length(row) == 0, sprintf("%s: %d of %d; first: x=%s %s", label, length(row), length(bad),
    if (length(row)) format(x[row[1]], digits = 17) else "",
    if (length(row)) paste(names(parameters), vapply(parameters, function(v) format(v[row[1]], digits = 17), ""), sep = "=", collapse = " ") else ""
  ))
}

check_probabilities <- function(name, f, x, parameters) {
  lower <- f$p(x)
  upper <- f$p(x, lower = FALSE)
  expect_none(!(lower >= 0 & lower <= 1 & upper >= 0 & upper <= 1), paste(name, "outside [0, 1]"), parameters, x)
  expect_none(!(abs(lower + upper - 1) <= 4 * eps), paste(name, "tails do not add to 1"), parameters, x)
  for (tail in c(TRUE, FALSE)) {
    p <- if (tail) lower else upper
    log_p <- f$p(x, tail, TRUE)
    expect_none(!(log_p <= 0), paste(name, "log of a probability above 0"), parameters, x)
    normal <- p > 1e-290
    off <- abs(exp(log_p) - p) > 64 * eps * (1 + abs(log_p)) * p
    expect_none(normal & off, paste(name, "log form differs"), parameters, x)
    expect_none(!normal & !(log_p < -600), paste(name, "log form too large"), parameters, x)
  }
}

# p(q(u)) is u but for the error of p and what some ulps of the quantile move p by. Where that is much, because the
# distribution is narrower than the spacing of doubles there, nothing can be said.
check_inversion <- function(name, parameters, u) {
  ulps <- if (name == "lnorm") 1024 else 64 # the log-normal's exponent, up to 300, has an ulp of its own
  for (tail in c(TRUE, FALSE)) {
    q <- bind_family(name, parameters)$q(u, tail)
    expect_none(is.nan(q), paste(name, "quantile is NaN"), parameters, u)
    use <- which(abs(q) > 1e-290 & abs(q) < 1e300)
    q <- q[use]
    f <- bind_family(name, lapply(parameters, `[`, use))
    width <- abs(f$p(q * (1 + ulps * eps), tail) - f$p(q * (1 - ulps * eps), tail))
    off <- abs(f$p(q, tail) - u[use]) > 64 * eps * u[use] + width
    expect_gt(mean(width < 1e-6), 0.1)
    expect_none(width < 1e-6 & off, paste(name, "quantile does not invert"), lapply(parameters, `[`, use), u[use])
  }
}

test_that("continuous distributions are distributions", {
  skip_on_cran() # a matter of seconds
  set.seed(1)
  n <- cases(1e5, 3e4, 1e4)
  for (name in names(continuous_families)) {
    family <- continuous_families[[name]]
    parameters <- family$parameters(n)
    x <- family$x(n, parameters)
    f <- bind_family(name, parameters)
    check_probabilities(name, f, x, parameters)
    beyond <- x + abs(x) * 1e-7
    p <- f$p(x)
    # The condition number of a mixture's tail is about its logarithm, also where it hardly depends on x.
    slack <- if ("ncp" %in% names(parameters)) pmin(pmax(1, -f$p(x, log = TRUE)), 1e4) else 1
    expect_none(!(f$p(beyond) >= p * (1 - 32 * eps * slack)), paste(name, "not monotone"), parameters, x)
    expect_none(!(f$d(x) >= 0), paste(name, "negative density"), parameters, x)

    check_inversion(name, parameters, runif(n))
  }
})

test_that("discrete distributions are distributions", {
  set.seed(2)
  n <- cases(1e5, 3e4)
  all <- n
  for (name in names(discrete_families)) {
    n <- discrete_families[[name]]$size %||% all
    parameters <- discrete_families[[name]]$parameters(n)
    f <- bind_family(name, parameters)
    u <- runif(n)
    x <- f$q(u)
    expect_none(is.nan(x) | x < 0 | x != floor(x), paste(name, "quantile is not a count"), parameters, u)
    check_probabilities(name, f, x, parameters)
    # The smallest count whose probability reaches u, up to R's fuzz.
    reached <- f$p(x)
    before <- f$p(x - 1)
    fuzz <- if (name == "hyper") 2000 * eps else if (name %in% c("wilcox", "signrank")) 20 * eps / pmin(u, 1 - u) else 64 * eps * (1 + sqrt(x))
    expect_none(!(reached >= u * (1 - fuzz)), paste(name, "quantile too small"), parameters, u)
    expect_none(!(before <= u * (1 + fuzz)), paste(name, "quantile too large"), parameters, u)
    mass <- f$d(x)
    off <- abs(mass - (reached - before)) > 64 * eps * (1 + sqrt(x)) + 1e-11 * mass
    expect_none(x < 1e6 & off, paste(name, "mass is not the step of the distribution function"), parameters, x)
  }
})

test_that("the non-central chi-squared distribution has its point mass, and normal tails at one degree of freedom", {
  ncp <- c(1e-300, 1e-3, 1, 90, 1400)
  mass <- exp(-ncp / 2)
  expect_identical(pnchisq_opencl(0, 0, ncp, device = "host"), mass)
  expect_identical(pnchisq_opencl(0, 0, ncp, log.p = TRUE, device = "host"), -ncp / 2)
  expect_equal(pnchisq_opencl(0, 0, ncp, FALSE, device = "host"), -expm1(-ncp / 2), tolerance = 4 * eps)
  expect_identical(qnchisq_opencl(mass * (1 - 1e-9), 0, ncp, device = "host"), numeric(5))
  expect_true(all(qnchisq_opencl(mass[3:5] * (1 + 1e-9), 0, ncp[3:5], device = "host") > 0))
  # (Z + delta)^2 > x: Z > sqrt(x) - delta or Z < -sqrt(x) - delta
  delta <- rep(c(0.25, 3, 40, 1000), each = 4)
  root <- delta + c(-0.125, 0.5, 4, 30)
  upper <- pnorm_opencl(root - delta, lower.tail = FALSE, device = "host") + pnorm_opencl(-root - delta, device = "host")
  expect_true(all(root > 0))
  off <- abs(pnchisq_opencl(root^2, 1, delta^2, FALSE, device = "host") / upper - 1)
  expect_true(all(off <= 4 * eps * (1 + root * (1 + abs(root - delta))))) # the condition number
})

test_that("the non-central chi-squared functions take any arguments at once", {
  skip_on_cran() # 6 s
  set.seed(3)
  n <- 2e5
  wide <- function() {
    sample(c(0, 5e-324, 1e-300, 1, .Machine$double.xmax), n, TRUE) * 10^ifelse(runif(n) < 0.5, 0, runif(n, -9, 0))
  }
  df <- ifelse(runif(n) < 0.5, wide(), anywhere(n))
  ncp <- ifelse(runif(n) < 0.5, wide(), anywhere(n))
  x <- ifelse(runif(n) < 0.5, wide(), anywhere(n))
  seconds <- system.time({
    lower <- pnchisq_opencl(x, df, ncp, device = "host")
    upper <- pnchisq_opencl(x, df, ncp, FALSE, device = "host")
    density <- dnchisq_opencl(x, df, ncp, device = "host")
    q <- suppressWarnings(qnchisq_opencl(-x, df, ncp, FALSE, TRUE, device = "host")) # NaN at df = ncp = 0
  })[["elapsed"]]
  expect_true(all(abs(lower + upper - 1) <= 4 * eps))
  expect_true(all(density >= 0))
  expect_true(all(q >= 0 | (df == 0 & ncp == 0 & x > 0)))
  expect_lt(seconds, 60)
})

test_that("the studentized range is a distribution", {
  set.seed(3)
  n <- 500
  parameters <- list(
    nmeans = ifelse(runif(n) < 0.7, floor(log_uniform(n, log10(2), 2)), log_uniform(n, log10(2.01), 3)),
    df = ifelse(runif(n) < 0.2, Inf, pmax(2, anywhere(n, log10(2), 300))),
    nranges = ifelse(runif(n) < 0.7, 1, floor(log_uniform(n, 0, 1)))
  )
  x <- ifelse(runif(n) < 0.7, runif(n, 0.5, 10), log_uniform(n, -3, 3))
  f <- bind_family("tukey", parameters)
  check_probabilities("tukey", f, x, parameters)
  expect_none(!(f$p(x * (1 + 1e-7)) >= f$p(x) * (1 - 32 * eps)), "tukey not monotone", parameters, x)
  check_inversion("tukey", parameters, runif(n))
  # the range of two is Student's t
  q <- runif(n, 0.1, 20)
  expect_equal(ptukey_opencl(q, 2, parameters$df, lower.tail = FALSE, device = "host"),
    2 * pt_opencl(q / sqrt(2), parameters$df, lower.tail = FALSE, device = "host"), tolerance = 1e-14)
})

test_that("the studentized range of 2 to 20 means, from polynomials, goes on into that of numbers between, from sums", {
  skip_on_cran() # a matter of seconds
  set.seed(5)
  n <- 2000
  nmeans <- sample(2:20, n, TRUE)
  q <- log_uniform(n, -1, 1.7)
  df <- pmax(2, log_uniform(n, log10(2), 12))
  nranges <- sample(c(1, 1, 3), n, TRUE)
  for (lower.tail in c(TRUE, FALSE)) {
    at <- function(d) ptukey_opencl(q, nmeans + d, df, nranges, lower.tail, log.p = TRUE, device = "host")
    between <- 3 * at(1e-6) - 3 * at(2e-6) + at(3e-6) # off by some cubes of 1e-6
    known <- at(0)
    expect_none(!(abs(known - between) <= 1e-11 * (abs(known) + abs(between))), "polynomials and sums differ",
      list(nmeans = nmeans, df = df, nranges = nranges), q)
  }
})

test_that("no argument makes a studentized range endless", {
  skip_on_cran() # 7 s
  set.seed(4)
  n <- 30
  nmeans <- log_uniform(n, log10(2), 307)
  df <- log_uniform(n, log10(2.01), 300)
  nranges <- log_uniform(n, 0, 300)
  each <- vapply(seq_len(n), function(i) {
    system.time({
      p <- ptukey_opencl(log_uniform(1, -300, 300), nmeans[i], df[i], nranges[i], device = "host")
      stopifnot(p >= 0, p <= 1)
    })[["elapsed"]]
  }, 0)
  expect_lt(max(each), 1)
})

test_that("a given ncp chooses the non-central t", {
  expect_identical(pt_opencl(1:3, 5, 1, device = "host"), pnt_opencl(1:3, 5, 1, device = "host"))
  expect_identical(dt_opencl(1:3, 5, ncp = 0, log = TRUE, device = "host"), dnt_opencl(1:3, 5, 0, TRUE, device = "host"))
  expect_identical(qt_opencl(0.3, 5, -1, FALSE, device = "host"), qnt_opencl(0.3, 5, -1, FALSE, device = "host"))
  expect_equal(pt_opencl(c(-2, 0, 3), 4, 0, device = "host"), pt_opencl(c(-2, 0, 3), 4, device = "host"), tolerance = 1e-14)
  call <- tryCatch(dt_opencl(0, -1, 2, device = "host"), warning = conditionCall)
  expect_identical(call, quote(dt_opencl(0, -1, 2, device = "host")))
})

test_that("rank statistics of any size are answered", {
  set.seed(3)
  n <- 300
  size <- function() ceiling(log_uniform(n, 0, ifelse(runif(n) < 0.5, 4, 300)))
  m <- size()
  k <- ifelse(runif(n) < 0.2, m, size())
  # points from the ends to the centre of the distributions
  point <- function(top) ifelse(runif(n) < 0.5, pmin(floor(log_uniform(n, -1, 300)), top), floor(pmin(top, 1e308) * runif(n)))
  expect_probability <- function(p, log) expect_true(if (log) all(p <= 0) else all(p >= 0 & p <= 1))
  for (log in c(FALSE, TRUE)) {
    for (lower in c(TRUE, FALSE)) {
      expect_probability(pwilcox_opencl(point(m * k), m, k, lower, log, device = "host"), log)
      expect_probability(psignrank_opencl(point(m * (m + 1) / 2), m, lower, log, device = "host"), log)
      p <- if (log) -log_uniform(n, -3, 300) else runif(n)
      expect_true(all(qwilcox_opencl(p, m, k, lower, log, device = "host") >= 0))
      expect_true(all(qsignrank_opencl(p, m, lower, log, device = "host") >= 0))
    }
    expect_probability(dwilcox_opencl(point(m * k), m, k, log, device = "host"), log)
    expect_probability(dsignrank_opencl(point(m * (m + 1) / 2), m, log, device = "host"), log)
  }
})

test_that("masses of rank statistics add up to 1, and are those of enumerated ranks", {
  skip_on_cran() # 5 s
  for (m in c(1, 2, 3, 7, 20)) {
    for (n in c(1, 5, 21)) {
      d <- dwilcox_opencl(0:(m * n), m, n, device = "host")
      expect_equal(sum(d), 1, tolerance = 1e-14)
      expect_equal(cumsum(d), pwilcox_opencl(0:(m * n), m, n, device = "host"), tolerance = 1e-13)
    }
  }
  sums <- colSums(utils::combn(9, 4)) - 10
  expect_equal(dwilcox_opencl(0:20, 4, 5, device = "host"), tabulate(sums + 1, 21) / choose(9, 4), tolerance = 1e-15)
  signed <- as.matrix(expand.grid(rep(list(0:1), 8))) %*% 1:8
  expect_equal(dsignrank_opencl(0:36, 8, device = "host"), tabulate(signed + 1, 37) / 256, tolerance = 1e-15)
  expect_equal(sum(dsignrank_opencl(0:80200, 400, device = "host")), 1, tolerance = 1e-13)
})

test_that("quantiles of the gamma distribution are right for log probabilities next to the largest doubles", {
  most <- .Machine$double.xmax
  cases <- expand.grid(log_p = -most / c(1, 1.5, 2, 2.5, 4, 1e3, 1e20), shape = c(1e-20, 0.1, 5, 1e11, 1e26, 1e100, 1e200, 1e280))
  for (device in c("host", opencl_test_devices())) {
    x <- qgamma_opencl(cases$log_p, cases$shape, scale = 1e-100, lower.tail = FALSE, log.p = TRUE, device = device)
    expect_equal(x / -cases$log_p, rep(1e-100, nrow(cases)), tolerance = 1e-7, label = device) # x ~ -log(p) by far
    expect_identical(qgamma_opencl(cases$log_p, cases$shape, log.p = TRUE, device = device), numeric(nrow(cases)))
  }
  expect_equal(qgamma_opencl(-most, 1, lower.tail = FALSE, log.p = TRUE, device = "host"), most)
})
