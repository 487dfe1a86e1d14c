// @source_type: c
// @source_origin: rnchisq.c
// @provides: rnchisq, nmath_rnchisq
// @depends: nmath, rgamma, rpois
// @method: a gamma draw, its shape df/2 and a Poisson draw
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, sunif, lgamma, pnorm, sexp, pgamma_utils, qnorm, rejection, rgamma, rpois
// @all_depends_count: 14

// rnchisq -- a draw from the non-central chi-squared distribution: central with df + 2 N degrees of freedom, N Poisson with
// mean lambda/2 (Johnson, Kotz and Balakrishnan 1995, "Continuous univariate distributions" 2, 29.3). Infinite degrees of
// freedom give Inf here, as in R.

#define rnchisq(df, lambda) nmath_rnchisq(nmath_generator, df, lambda)
NMATH_FN double nmath_rnchisq(NMATH_GENERATOR, double df, double lambda)
{
    if (!(df >= 0 && lambda >= 0 && isfinite(lambda)))
        ML_WARN_return_NAN;
    return rgamma(0.5 * df + rpois(0.5 * lambda), 2.0);
}
