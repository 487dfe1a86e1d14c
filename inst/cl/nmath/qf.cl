// @source_type: c
// @source_origin: qf.c
// @provides: qf
// @depends: nmath, dpq, ibeta_quantile, qgamma
// @method: inverse of the incomplete beta ratio, ibeta_quantile.cl
// @accuracy: qf.tsv 1.7 eps(1+cond) (host), 1.7 (PoCL), 2.1 (H200); 2.3 on fresh rows
// @all_depends: Rmath, nmath, dpq, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, tail_step, lgamma, pnorm, igamma, pgamma_utils, qnorm, dpois, lbeta, qgamma, dgamma, ibeta_mass, ibeta, ibeta_quantile
// @all_depends_count: 20

// qf -- quantile of the F distribution: (u/v) df2/df1, where u/v are the odds of the beta quantile with a = df1/2, b
// = df2/2. In the limit df2 = Inf it is the gamma quantile with shape a and scale 1/a; for df1 = Inf one over that
// with shape b and scale 1/b, the tails changing places; for both, 1.

#define QF_BACK NMATH_RANGE(0x1p-150, 0x1p-20)

NMATH_FN double qf(double p, double df1, double df2, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(df1) || ISNAN(df2))
        return p + df1 + df2;
    if (df1 <= 0 || df2 <= 0)
        return ML_NAN;
    R_Q_P01_boundaries(p, 0.0, ML_POSINF);
    int limit = ibeta_limit(df1, df2);
    if (limit == IBETA_AT_HALF)
        return 1.0;
    if (limit != IBETA_PROPER && fmin(df1, df2) > NMATH_RANGE(1e-290, 1e-28)) {
        int flip = limit == IBETA_AT_1, deep = log_p && p < -NMATH_RANGE(0x1p+250, 0x1p+60); // then p is proportional to shape and quantile
        double df = flip ? df2 : df1, a = 0.5 * df;
        p = deep ? p * QF_BACK : p;
        a = deep ? fmax(a * QF_BACK, NMATH_RANGE(1e-250, 1e-25)) : a;
        double g = qgamma(p, a, 2.0 / df, (lower_tail != 0) != flip, log_p);
        g = deep ? g / QF_BACK : g;
        return flip ? 1.0 / g : g;
    }
    df1 = isinf(df1) ? IBETA_LARGE : df1;
    df2 = isinf(df2) ? IBETA_LARGE : df2;
    ibeta_odd o = ibeta_solve_of(df1, df2, 0.5, ibeta_goal_of(p, lower_tail, log_p), ML_NAN);
    int k1, k2;
    double m = frexp(df2, &k2) / frexp(df1, &k1);
    return ldexp(o.f * m, o.k + k2 - k1);
}

#undef QF_BACK
