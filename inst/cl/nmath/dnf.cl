// @source_type: c
// @source_origin: dnf.c
// @provides: dnf
// @depends: nmath, dpq, df, ibeta_mass, nbeta_mass
// @method: Poisson mixture of nbeta_mass.cl
// @accuracy: dnf.tsv 2 eps(1+cond) (host), 2 (PoCL), 2 (H200)
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, dpois, dgamma, ibeta_mass, df, nbeta_mass
// @all_depends_count: 12

// dnf -- density of the non-central F distribution: x = (u/v) df2/df1, u the non-central beta variable with shapes
// df1/2, df2/2, v = 1 - u. The limit df2 = Inf, where df1 x is non-central chi-squared with df1 degrees of
// freedom, is that of the largest double; for df1 = Inf the numerator is 1, and ncp has no say.

NMATH_FN double dnf(double x, double df1, double df2, double ncp, int log_p)
{
    if (ISNAN(x) || ISNAN(df1) || ISNAN(df2) || ISNAN(ncp))
        return x + df1 + df2 + ncp;
    if (df1 <= 0 || df2 <= 0 || ncp < 0)
        return ML_NAN;
    if (x < 0)
        return R_D__0;
    if (isinf(ncp))
        return ML_NAN;
    if (isinf(df1)) // as in R, whose arithmetic has 0/0 at 0
        return x == 0 && !isinf(df2) ? ML_NAN : df(x, df1, df2, log_p);
    if (isinf(x))
        return isinf(df2) ? R_D__0 : ML_NAN;
    if (x == 0)
        return df1 > 2 ? R_D__0 : df1 < 2 ? ML_POSINF : R_D_exp(-0.5 * ncp);
    df2 = fmin(df2, NMATH_DBL_MAX);
    return nbeta_density(df1, df2, ncp, 0.5, ibeta_odds(df1, x, df2), 1.0, x, log_p);
}
