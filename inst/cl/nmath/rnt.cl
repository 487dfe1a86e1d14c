// @source_type: c
// @source_origin: rnt.c
// @provides: rnt, nmath_rnt
// @depends: nmath, rnorm, rchisq
// @method: a normal draw over the root of a chi-squared one
// @all_depends: Rmath, nmath, cospi, dpq, log1p, sunif, pnorm, sexp, qnorm, snorm, rgamma, rnorm, rchisq
// @all_depends_count: 13

// rnt -- a draw from the non-central t distribution, as R composes it: no degrees of freedom give NaN.

#define rnt(df, ncp) nmath_rnt(nmath_generator, df, ncp)
NMATH_FN double nmath_rnt(NMATH_GENERATOR, double df, double ncp)
{
    double z = rnorm(ncp, 1.0);
    return z / sqrt(rchisq(df) / df);
}
