// @source_type: c
// @source_origin: rnorm.c
// @provides: rnorm, nmath_rnorm
// @depends: nmath, snorm
// @method: mu + sigma times a standard normal draw
// @all_depends: Rmath, nmath, cospi, sunif, sexp, snorm
// @all_depends_count: 6

// rnorm -- a draw from the normal distribution with mean mu and standard deviation sigma. What is wrong with a parameter makes it
// no number, without a branch, so that a compiler can take several draws at a time.

#define rnorm(mu, sigma) nmath_rnorm(nmath_generator, mu, sigma)
NMATH_FN double nmath_rnorm(NMATH_GENERATOR, double mu, double sigma)
{
    double m = ISNAN(mu) ? ML_NAN : mu, s = isfinite(sigma) && sigma >= 0 ? sigma : ML_NAN;
    return m + s * norm_rand();
}
