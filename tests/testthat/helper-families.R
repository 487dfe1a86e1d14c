# Expressions that between them call every function of inst/spec/functions.tsv that has a name in R, and the
# rest of the language. An argument's name says what it is: x real, y positive, p and q probabilities, k and i
# integers, l logical, all of length n; a and h of length 2, b and g of length 3, s and m of length 1 (h and g are
# probabilities).

family_values <- function(n) {
  long <- function(short, by) {
    if (n <= length(short)) return(short[seq_len(n)])
    c(short, by[rep_len(seq_along(by), n - length(short))])
  }
  grid <- (seq_len(min(max(n, 7), 1009)) - 0.5) / min(max(n, 7), 1009)
  list(
    x = long(c(0.5, -1.25, NA, 3, NaN, 2), 8 * grid - 3), y = long(c(0.5, 2.25, NA, 3, NaN, 7), 12 * grid + 0.01),
    p = long(c(0.25, 0.5, NA, 0.9, NaN, 0.75), grid), q = long(c(0.5, 0.125, 0.9, NaN, 0.01, NA), rev(grid)),
    k = long(c(3L, 0L, NA, 7L, 5L, 2L), as.integer(12 * grid)),
    i = long(c(-7L, .Machine$integer.max, NA, 3L, 0L, -.Machine$integer.max), as.integer(5e9 * (grid - 0.5) / 3)),
    l = long(c(TRUE, FALSE, NA, TRUE, TRUE, FALSE), c(FALSE, TRUE, TRUE)),
    a = c(2.5, 0.75), h = c(0.3, 0.6), b = c(4, 1.5, 9), g = c(0.25, 0.7, 0.5), s = 1.75, m = 0.5
  )
}

# name = list(f, most = the largest n, tolerance to R's function). Where the tolerance is not 1e-12, R's function is
# the less exact of the two, and what R evaluates with this package's functions tells the rest.
family_expressions <- function() {
  one <- function(f, most = 1e5, tolerance = 1e-12) list(f = f, most = most, tolerance = tolerance)
  list(
    uniform = one(function(x, a, b) punif(x, -a, b) * dunif(x, -a, b) + qunif(punif(x, -a, b), -a, b)),
    uniform_log = one(function(x, s) dunif(x, -1, s, log = TRUE) - punif(x, -1, s, FALSE, TRUE)),
    normal = one(function(x, a, b) dnorm(x, a, b) + pnorm(x, a, b, FALSE)),
    normal_log = one(function(p, m, s) qnorm(p, m, s) * pnorm(qnorm(p), log.p = TRUE)),
    normal_fixed = one(function(x, m, s) dnorm(x, mean = m, sd = s, log = TRUE)),
    normal_fixed_density = one(function(x, m, s) dnorm(x, m, s)),
    normal_fixed_tail = one(function(x, m, s) pnorm(x, m, sd = s) - pnorm(1 + x / 2) * dnorm(x)),
    lnorm = one(function(y, a, s) plnorm(y, log(a), s) / (dlnorm(y, log(a), s) + 1)),
    lnorm_quantile = one(function(p, b) log(qlnorm(p, 0, b)) + dlnorm(p, 0, b, log = TRUE)),
    exponential = one(function(y, b) dexp(y, b) / pexp(y, b, lower.tail = FALSE) - b),
    exponential_quantile = one(function(p, a) qexp(p, a) * pexp(-p, a)),
    gamma = one(function(y, a, b) dgamma(y, a, b) - pgamma(y, a, scale = b)),
    gamma_fixed = one(function(y, s) dgamma(y, s, scale = 2, log = TRUE)),
    gamma_quantile = one(function(p, b) qgamma(p, b, rate = 0.5) + pgamma(b, p, lower.tail = FALSE, log.p = TRUE), 2e3),
    chisq = one(function(y, b) dchisq(y, b, log = TRUE) + pchisq(y, b)),
    chisq_quantile = one(function(q, a) qchisq(q, a, lower.tail = FALSE), 2e3),
    chisq_noncentral = one(function(y, b, s) dchisq(y, b, ncp = s) + pchisq(y, b, s), 2e3, 1e-10),
    chisq_noncentral_quantile = one(function(p, a) qchisq(p, a, ncp = 1.5), 60, 1e-9),
    beta = one(function(p, a, b) pbeta(p, a, b) * dbeta(p, a, b, log = TRUE)),
    beta_quantile = one(function(p, b) qbeta(p, 2, b), 2e3),
    beta_noncentral = one(function(p, a, b, s) dbeta(p, a, b, ncp = s) + pbeta(p, a, b, s), 2e3, 1e-8),
    beta_noncentral_quantile = one(function(q, a) qbeta(q, a, 2, ncp = 1), 6, 1e-9),
    f = one(function(y, a, b) df(y, 2 * a, b) + pf(y, 2 * a, b, lower.tail = FALSE)),
    f_quantile = one(function(p, b) qf(p, 3, b), 2e3),
    f_noncentral = one(function(y, b, s) df(y, 3, b, ncp = s) - pf(y, 3, b, ncp = s), 2e3, 1e-8),
    f_noncentral_quantile = one(function(p, s) qf(p, 4, 5, ncp = s), 6, 1e-7),
    t = one(function(x, b) dt(x, b) * pt(x, b, log.p = TRUE)),
    t_quantile = one(function(p, b) qt(p, b) + dt(p, b, log = TRUE), 2e3),
    t_noncentral = one(function(x, b, m) dt(x, b, ncp = m) + pt(x, b, ncp = m), 2e3, 1e-9),
    t_noncentral_quantile = one(function(p, b) qt(p, b, ncp = 0.5), 6, 1e-9),
    tukey = one(function(y, b) ptukey(y, 3, 5 + b), 6, 1e-7),
    tukey_quantile = one(function(p, s) qtukey(p, 3, 10 * s), 6, 1e-3),
    binomial = one(function(k, h) dbinom(k, 12L, h) + pbinom(k, 12L, h)),
    binomial_quantile = one(function(p, g) qbinom(p, 20, g) - dbinom(3, 20, p, log = TRUE)),
    negative_binomial = one(function(k, b, h) dnbinom(k, b, h) + pnbinom(k, b, prob = h)),
    negative_binomial_mean = one(function(k, b, a) dnbinom(k, size = b, mu = a, log = TRUE) * pnbinom(k, b, mu = a)),
    negative_binomial_quantile = one(function(p, b, a) qnbinom(p, b, mu = a) + qnbinom(p, 3, 0.4), 2e3),
    poisson = one(function(k, b) dpois(k, b, log = TRUE) + ppois(k, b)),
    poisson_quantile = one(function(p, b) qpois(p, b) %% 3, 2e3),
    geometric = one(function(k, h) dgeom(k, h) / pgeom(k, h, FALSE) + qgeom(h, 0.2)),
    hypergeometric = one(function(k, b) dhyper(k, 10, 7, 8 + b %/% 4) + phyper(k, 10, 7, 8), 2e3),
    hypergeometric_quantile = one(function(q) qhyper(q, 10, 7, 8), 2e3),
    weibull = one(function(y, a, b) dweibull(y, a, b, log = TRUE) - pweibull(y, a, b, FALSE, TRUE)),
    weibull_quantile = one(function(p, a, s) qweibull(p, a, s)^2),
    logistic = one(function(x, m, s) dlogis(x, m, s) - plogis(x, m, s) * plogis(-x, -m, s)),
    logistic_quantile = one(function(p, a, b) qlogis(plogis(qlogis(p, a, b), a, b))),
    cauchy = one(function(x, a, b) dcauchy(x, a, b, log = TRUE) + pcauchy(x, a, b)),
    cauchy_quantile = one(function(q, m, s) atan(qcauchy(q, m, s))),
    wilcox = one(function(k, s) dwilcox(k, 4, 6) + pwilcox(k, 4, 6) * s, 2e3),
    signrank = one(function(k, p) psignrank(k, 9) - dsignrank(k, 9) + qsignrank(p, 9) / qwilcox(p, 5, 4), 2e3),
    gammas = one(function(x, y) gamma(y) + lgamma(x) * digamma(y) - trigamma(y)),
    betas = one(function(y, a, k) lbeta(y, a) + beta(y, a) + choose(12L, k) * lchoose(k, 2) + psigamma(y, 2L)),
    factorials = one(function(k) factorial(k) / exp(lfactorial(k))),
    bessel = one(function(y, a) besselJ(y, a) * besselY(y, a), 2e3),
    bessel_modified = one(function(y, a) besselI(y, a, TRUE) / besselK(y, a, expon.scaled = TRUE), 2e3),
    rounding = one(function(x, y) round(x, 1L) + signif(y, 2) - trunc(x) * sign(x) + floor(y) / ceiling(y)),
    pi_functions = one(function(x, m) cospi(x) + sinpi(x / 4) * tanpi(m / 2) + log1p(exp(x)) - expm1(-x)),
    elementary = one(function(x, y) {
      u <- sin(x) * cos(y) + tan(x) / cosh(x)
      v <- asinh(x) + acosh(1 + y) * atanh(x / 4) - tanh(x) * sinh(m <- x / 2)
      u + v * m + sqrt(y) * log(y, 3) - log2(y) * log10(y) + atan2(y, x) + asin(x / 4) - acos(x / 5)
    }),
    integers = one(function(i, k, b) (i + k) * 2L - i %/% 4L + ifelse(is.na(i), k, abs(i)) %% 7L),
    logic = one(function(x, l, k) xor(l, x > 0) | (!is.nan(x) & k >= 3L) | is.infinite(1 / k)),
    choices = one(function(x, l, a) ifelse(l, sqrt(x), log1p(x)) + pmax(x, -a, na.rm = TRUE) * pmin(a, 1L)),
    types = one(function(x, k, l) as.integer(x) + k %/% 2L * l - -l),
    recycled = one(function(a, b, x) (a + b) * x %/% 0.75)
  )
}

# Draws, several sites in each, types and missing values as R's.
draw_expressions <- function() {
  list(
    real = function(n, a, b) rnorm(n, a, b) + runif(n, -1, a) * rexp(n, b) + rlnorm(n),
    ratios = function(n, b, s) rgamma(n, b, scale = s) / rchisq(n, b) - rbeta(n, 2, b) + rt(n, b) * rf(n, 3, b),
    noncentral = function(n, s) rchisq(n, 3, ncp = s) + rcauchy(n, s) * rweibull(n, 2, s) - rlogis(n, 0, s),
    counts = function(n, h) rbinom(n, 12L, h) * rpois(n, 4) + rgeom(n, h) %/% 2L,
    tables = function(n, b) rhyper(n, 10, 7, b) + rnbinom(n, b, mu = 2) - rsignrank(n, 9) * rwilcox(n, 4, 6),
    missing = function(n, x) rnorm(n, x, -x), missing_counts = function(n, x) rpois(n, x)
  )
}
