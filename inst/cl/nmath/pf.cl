// @source_type: c
// @source_origin: pf.c
// @provides: pf
// @depends: nmath, dpq, ibeta_mass, ibeta, pgamma
// @method: incomplete beta ratio of ibeta.cl
// @accuracy: pf.tsv 2.5 eps(1+cond) (host), 2.5 (PoCL), 2.3 (H200)
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, expsq, ibeta_asym, logdd, stirlerr_cycle_free, lgamma, pnorm, igamma, pgamma_utils, dpois, dgamma, pgamma, ibeta_mass, ibeta
// @all_depends_count: 19
// @load_order: 143

// pf -- cumulative probability of the F distribution, I_u(df1/2, df2/2) with u : 1 - u = df1 x : df2 (Abramowitz &
// Stegun 26.6.2). In the limit df2 = Inf, df1 x is chi-squared with df1 degrees of freedom; for df1 = Inf, df2/x is
// chi-squared with df2, the tails changing places; for both, x = 1.

NMATH_FN double pf(double x, double df1, double df2, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(df1) || ISNAN(df2))
        return x + df2 + df1;
    if (df1 <= 0 || df2 <= 0)
        return ML_NAN;
    R_P_bounds_01(x, 0.0, ML_POSINF);
    if (isinf(df1) || isinf(df2)) {
        if (isinf(df1) && isinf(df2))
            return x < 1 ? R_DT_0 : x == 1 ? R_D_half : R_DT_1;
        int flip = isinf(df1);
        double df = flip ? df2 : df1;
        return pgamma(flip ? 1.0 / x : x, 0.5 * df, 2.0 / df, flip ? !lower_tail : lower_tail, log_p);
    }
    ibeta_point o = ibeta_odds(df1, x, df2);
    return ibeta_value(ibeta(0.5 * df1, 0.5 * df2, o), !lower_tail, log_p);
}
