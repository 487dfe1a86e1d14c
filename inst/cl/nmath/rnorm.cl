// @source_type: c
// @source_origin: rnorm.c
// @provides: rnorm, nmath_rnorm
// @depends: nmath, snorm
// @method: mu + sigma times a standard normal draw
// @all_depends: Rmath, nmath, dpq, sunif, pnorm, qnorm, snorm
// @all_depends_count: 7
// @load_order: 106

// rnorm -- a draw from the normal distribution with mean mu and standard deviation sigma.

#define rnorm(mu, sigma) nmath_rnorm(nmath_generator, mu, sigma)
NMATH_FN double nmath_rnorm(NMATH_GENERATOR, double mu, double sigma)
{
    if (ISNAN(mu) || !isfinite(sigma) || sigma < 0)
        ML_WARN_return_NAN;
    return isfinite(mu) ? mu + sigma * norm_rand() : mu;
}
