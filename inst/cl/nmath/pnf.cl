// @source_type: c
// @source_origin: pnf.c
// @provides: pnf
// @depends: nmath, dpq, ibeta_mass, nbeta_mix
// @method: Poisson mixture of nbeta_mix.cl
// @accuracy: pnf.tsv 1.7 eps(1+cond) (host), 2.3 (PoCL), 1.7 (H200)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta, nbeta_mass, nbeta_mix
// @all_depends_count: 15

// pnf -- cumulative probability of the non-central F distribution, that of the non-central beta distribution with
// shapes df1/2, df2/2 at odds df1 x : df2. The limit df2 = Inf, where df1 x is non-central chi-squared with df1 degrees
// of freedom, is that of the largest double.

NMATH_FN double pnf(double x, double df1, double df2, double ncp, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(df1) || ISNAN(df2) || ISNAN(ncp))
        return x + df1 + df2 + ncp;
    if (df1 <= 0 || df2 <= 0 || ncp < 0 || isinf(ncp) || (isinf(df1) && isinf(df2)))
        return ML_NAN;
    R_P_bounds_01(x, 0.0, ML_POSINF);
    if (isinf(df1))
        return ML_NAN;
    df2 = fmin(df2, NMATH_DBL_MAX);
    return nbeta_both(df1, df2, ncp, 0.5, ibeta_odds(df1, x, df2), lower_tail, log_p);
}
