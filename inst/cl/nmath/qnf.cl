// @source_type: c
// @source_origin: qnf.c
// @provides: qnf
// @depends: nmath, dpq, ibeta_quantile, nbeta_quantile
// @method: inverse of the non-central beta distribution, nbeta_quantile.cl
// @accuracy: qnf.tsv 1.1 eps(1+cond) (host), 0.98 (PoCL), 1.2 (H200)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, tail_step, lgamma, pnorm, pgamma_utils, qnorm, dpois, lbeta, dgamma, ibeta_mass, ibeta, nbeta_mass, ibeta_quantile, nbeta_mix, nbeta_quantile
// @all_depends_count: 20

// qnf -- quantile of the non-central F distribution: the odds of the non-central beta quantile with shapes df1/2,
// df2/2, times df2/df1. The limit df2 = Inf, a non-central chi-squared quantile over df1, is that of the largest
// double.

NMATH_FN double qnf(double p, double df1, double df2, double ncp, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(df1) || ISNAN(df2) || ISNAN(ncp))
        return p + df1 + df2 + ncp;
    if (df1 <= 0 || df2 <= 0 || ncp < 0 || isinf(ncp) || (isinf(df1) && isinf(df2)))
        return ML_NAN;
    R_Q_P01_boundaries(p, 0.0, ML_POSINF);
    if (isinf(df1))
        return ML_NAN;
    df2 = fmin(df2, NMATH_DBL_MAX);
    ibeta_odd o = nbeta_solve(df1, df2, ncp, 0.5, ibeta_goal_of(p, lower_tail, log_p));
    int k1, k2;
    double m = frexp(df2, &k2) / frexp(df1, &k1);
    return ldexp(o.f * m, o.k + k2 - k1);
}
