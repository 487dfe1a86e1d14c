// @source_type: c
// @source_origin: pf.c
// @provides: pf
// @depends: nmath, dpq, ibeta_mass, ibeta, pgamma
// @method: incomplete beta ratio of ibeta.cl
// @accuracy: pf.tsv 2.5 eps(1+cond) (host), 2.5 (PoCL), 2.5 (H200)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, lgamma, pnorm, igamma, pgamma_utils, dpois, dgamma, pgamma, ibeta_mass, ibeta
// @all_depends_count: 16

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
    int limit = ibeta_limit(df1, df2);
    if (limit == IBETA_AT_HALF)
        return x < 1 ? R_DT_0 : x == 1 ? R_D_half : R_DT_1;
    if (limit != IBETA_PROPER && fmin(df1, df2) > NMATH_RANGE(1e-290, 1e-28)) {
        int flip = limit == IBETA_AT_1, times = df1 > 1.0 && x > NMATH_RANGE(1e-290, 1e-28); // else the product may underflow
        double a = 0.5 * (flip ? df2 : df1);
        return pgamma(flip ? a : times ? x * a : x, a, flip ? x : times ? 1.0 : 1.0 / a, (lower_tail != 0) != flip, log_p);
    }
    df1 = isinf(df1) ? IBETA_LARGE : df1;
    df2 = isinf(df2) ? IBETA_LARGE : df2;
    ibeta_point o = ibeta_near(ibeta_odds(df1, x, df2), 1.0 - x);
    return ibeta_value(ibeta_of(df1, df2, o, 0.5), !lower_tail, log_p);
}
