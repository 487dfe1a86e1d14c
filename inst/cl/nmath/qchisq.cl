// @source_type: c
// @source_origin: qchisq.c
// @provides: qchisq
// @depends: nmath, qgamma
// @method: the gamma quantile with shape df/2 and scale 2
// @accuracy: qchisq.tsv 0.91 eps(1+cond) (host), 0.91 (PoCL), 0.89 (H200)
// @all_depends: Rmath, nmath, dpq, igamma_table, tail_step, pnorm, igamma, qnorm, qgamma
// @all_depends_count: 9

// qchisq -- quantile of the chi-squared distribution, qgamma(p, df/2, 2).

NMATH_FN double qchisq(double p, double df, int lower_tail, int log_p)
{
    return qgamma_shape(p, df, 0.5, 2.0, lower_tail, log_p); // half of a subnormal df may be none
}
