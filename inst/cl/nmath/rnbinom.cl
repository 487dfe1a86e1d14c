// @source_type: c
// @source_origin: rnbinom.c
// @provides: rnbinom, nmath_rnbinom, rnbinom_mu, nmath_rnbinom_mu, rnbinom_of
// @depends: nmath, sunif, rgamma, rpois
// @method: Poisson with a gamma mean
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, sunif, lgamma, pnorm, sexp, pgamma_utils, qnorm, rejection, rgamma, rpois
// @all_depends_count: 14

// rnbinom -- draws from the negative binomial distribution, as Poisson with a gamma mean: shape `size` and scale (1
// - prob)/prob, or mu/size. The quotient may overflow although the mean does not, so it is not formed where it
// could be large. A mean out of range gives Inf. By prob, an
// infinite size counts as half the largest double, as in R.

// The mean is a gamma draw of shape size, times a/b.
NMATH_FN double rnbinom_of(NMATH_GENERATOR, double size, double a, double b)
{
    double mean = b < 1.0 ? nmath_rgamma(nmath_generator, size, a) / b : nmath_rgamma(nmath_generator, size, a / b);
    return isinf(mean) ? mean : rpois_finite(nmath_generator, mean);
}

#define rnbinom(size, prob) nmath_rnbinom(nmath_generator, size, prob)
NMATH_FN double nmath_rnbinom(NMATH_GENERATOR, double size, double prob)
{
    if (!(size > 0 && prob > 0 && prob <= 1))
        ML_WARN_return_NAN;
    if (prob == 1)
        return 0.0;
    double x = rnbinom_of(nmath_generator, fmin(size, 0.5 * NMATH_DBL_MAX), 1.0 - prob, prob);
    return isinf(size) && isinf(x) ? ML_NAN : x;
}

#define rnbinom_mu(size, mu) nmath_rnbinom_mu(nmath_generator, size, mu)
NMATH_FN double nmath_rnbinom_mu(NMATH_GENERATOR, double size, double mu)
{
    if (!(size > 0 && mu >= 0) || isinf(mu))
        ML_WARN_return_NAN;
    if (mu == 0)
        return 0.0;
    if (isinf(size))
        return rpois_finite(nmath_generator, mu);
    return rnbinom_of(nmath_generator, size, mu, size);
}
