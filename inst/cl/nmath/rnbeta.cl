// @source_type: c
// @source_origin: rnbeta.c
// @provides: rnbeta, nmath_rnbeta
// @depends: nmath, rnchisq, rchisq
// @method: X/(X + Y), X and Y chi-squared
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, sunif, lgamma, pnorm, sexp, pgamma_utils, qnorm, rejection, rgamma, rchisq, rpois, rnchisq
// @all_depends_count: 16

// rnbeta -- a draw from the non-central beta distribution, as R composes it: X/(X + Y), X non-central chi-squared with 2 a
// degrees of freedom, Y chi-squared with 2 b.

#define rnbeta(a, b, ncp) nmath_rnbeta(nmath_generator, a, b, ncp)
NMATH_FN double nmath_rnbeta(NMATH_GENERATOR, double a, double b, double ncp)
{
    double x = rnchisq(2.0 * a, ncp);
    return x / (x + rchisq(2.0 * b));
}
