// @source_type: c
// @source_origin: pchisq.c
// @provides: pchisq
// @depends: nmath, dpq, pgamma
// @method: the gamma distribution with shape df/2 and scale 2
// @accuracy: pchisq.tsv 0.59 eps(1+cond) (host), 0.57 (PoCL), 0.72 (H200)
// @all_depends: Rmath, nmath, dpq, igamma_table, log1p, stirlerr_cycle_free, lgamma, pnorm, igamma, pgamma_utils, dpois, pgamma
// @all_depends_count: 12

// pchisq -- cumulative probability of the chi-squared distribution, pgamma(x, df/2, 2).

NMATH_FN double pchisq(double x, double df, int lower_tail, int log_p)
{
    return pgamma_shape(x, df, 0.5, 2.0, lower_tail, log_p); // half of a subnormal df may be none
}
