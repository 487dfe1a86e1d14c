// @source_type: c
// @source_origin: dchisq.c
// @provides: dchisq
// @depends: nmath, dgamma
// @method: the gamma density with shape df/2 and scale 2
// @accuracy: dchisq.tsv 0.86 eps(1+cond) (host), 0.86 (PoCL), 0.86 (H200)
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, dpois, dgamma
// @all_depends_count: 9

// dchisq -- density of the chi-squared distribution, dgamma(x, df/2, 2).

NMATH_FN double dchisq(double x, double df, int log_p)
{
    return dgamma_shape(x, df, 0.5, 2.0, log_p);
}
