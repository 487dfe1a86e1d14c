// @source_type: c
// @source_origin: rt.c
// @provides: rt, nmath_rt
// @depends: nmath, snorm, rgamma
// @method: a normal draw over the root of a chi-squared one
// @all_depends: Rmath, nmath, cospi, dpq, log1p, sunif, pnorm, sexp, qnorm, snorm, rgamma
// @all_depends_count: 11

// rt -- a draw from Student's t: Z/sqrt(V/df) with V chi-squared, V/2 = G exp(-e) as rgamma_boosted() gives it: below two
// degrees of freedom V may underflow where the quotient is a double.

#define rt(df) nmath_rt(nmath_generator, df)
NMATH_FN double nmath_rt(NMATH_GENERATOR, double df)
{
    if (!(df > 0))
        ML_WARN_return_NAN;
    double z = norm_rand();
    if (isinf(df))
        return z;
    double a = 0.5 * df, e, g = rgamma_boosted(nmath_generator, a, &e);
    return z * sqrt(a / g) * exp(0.5 * e);
}
