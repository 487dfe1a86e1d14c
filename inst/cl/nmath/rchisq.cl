// @source_type: c
// @source_origin: rchisq.c
// @provides: rchisq, nmath_rchisq
// @depends: nmath, rgamma
// @method: a gamma draw
// @all_depends: Rmath, nmath, dpq, log1p, sunif, pnorm, sexp, qnorm, rgamma
// @all_depends_count: 9

// rchisq -- a draw from the chi-squared distribution: gamma with shape df/2 and scale 2.

#define rchisq(df) nmath_rchisq(nmath_generator, df)
NMATH_FN double nmath_rchisq(NMATH_GENERATOR, double df)
{
    if (!(isfinite(df) && df >= 0))
        ML_WARN_return_NAN;
    return rgamma(0.5 * df, 2.0);
}
