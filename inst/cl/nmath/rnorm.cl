// @source_type: c
// @source_origin: rnorm.c
// @provides: rnorm, nmath_rnorm
// @depends: nmath, snorm
// @method: mu + sigma times a standard normal draw
// @all_depends: Rmath, nmath, cospi, sunif, sexp, snorm
// @all_depends_count: 6
// @load_order: 112

// rnorm -- a draw from the normal distribution with mean mu and standard deviation sigma.

#define rnorm(mu, sigma) nmath_rnorm(nmath_generator, mu, sigma)
NMATH_FN double nmath_rnorm(NMATH_GENERATOR, double mu, double sigma)
{
    double z = norm_rand();
    if (ISNAN(mu) || !isfinite(sigma) || sigma < 0)
        ML_WARN_return_NAN;
    return isfinite(mu) ? mu + sigma * z : mu;
}
