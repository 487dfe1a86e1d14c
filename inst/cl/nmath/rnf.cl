// @source_type: c
// @source_origin: rnf.c
// @provides: rnf, nmath_rnf
// @depends: nmath, rnchisq, rchisq
// @method: ratio of two chi-squared draws
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, sunif, lgamma, pnorm, sexp, pgamma_utils, qnorm, rejection, rgamma, rchisq, rpois, rnchisq
// @all_depends_count: 16

// rnf -- a draw from the non-central F distribution, as R composes it: no degrees of freedom, or infinite ones of the
// numerator, give NaN.

#define rnf(n1, n2, ncp) nmath_rnf(nmath_generator, n1, n2, ncp)
NMATH_FN double nmath_rnf(NMATH_GENERATOR, double n1, double n2, double ncp)
{
    double x = rnchisq(n1, ncp);
    return (x / n1) / (rchisq(n2) / n2);
}
