// @source_type: shim
// @source_origin: qbeta_slope.c
// @provides: qbeta_slope, qf_slope
// @depends: nmath, dpq, ibeta_mass, ibeta, ibeta_quantile, ibeta_dshape, pbeta_dshape, qgamma_slope
// @method: the odds of the quantile, exponents apart, and ibeta.cl and ibeta_dshape.cl there
// @accuracy: derivatives 1.9 eps(1+cond) (host), 1.9 (PoCL)
// @all_depends: Rmath, nmath, cospi, dpq, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, tail_step, lgamma, pgamma_dshape_table, pnorm, polygamma, digamma_rise, igamma, pgamma_utils, qnorm, dpois, lbeta, pgamma_hazard, qgamma, dgamma, qgamma_slope, ibeta_mass, ibeta, ibeta_dshape, ibeta_quantile, pbeta_dshape
// @all_depends_count: 28

// qbeta_slope, qf_slope -- derivatives of quantiles where these are so near 0 or 1 that what is left is below the doubles or has
// few digits. The quantile is computed again as the odds x/y, which have all digits (ibeta_quantile.cl). There h = x y density/tail,
// and with x y, or x, as f 2^k
//     dx/dp = x y/(h p),   of the F distribution x/(h p).
// part 0: in p, or its logarithm if `log_p` is not 0, as a size; 1, 2: in the first or second shape.

// f 2^k over h and the smaller tail, times the probability in whose logarithm the derivative is taken
NMATH_FN double qbeta_slope_of(double f, int k, ibeta_tail t, ibeta_goal g, double p, int log_p)
{
    double asked = log_p ? exp(p) : 1.0;
    if (!t.upper == !g.upper) // of the tail that is asked for the logarithm needs no tail
        return log_p && p <= -M_LN2 ? quantile_slope_of(f, k, 1.0, t.h, 1.0) : quantile_slope_of(f, k, asked, t.h, g.v);
    return quantile_slope_of(f, k, asked, t.h, ibeta_value(t, t.upper, 0));
}

// x y of a point as f 2^k
NMATH_FN double qbeta_slope_both(ibeta_point w) { return w.k != 0 ? fmin(w.x, w.y) : w.x * w.y; }

NMATH_HEAVY double qbeta_slope(double p, double a, double b, double part, double lower_tail, double log_p)
{
    if (ISNAN(p) || ISNAN(a) || ISNAN(b))
        return p + a + b;
    if (a < 0 || b < 0)
        return ML_NAN;
    int logs = log_p != 0.0;
    if (ibeta_limit(a, b) != IBETA_PROPER || (logs ? !(p < 0 && p > ML_NEGINF) : !(p > 0 && p < 1)))
        return 0.0;
    ibeta_goal g = ibeta_goal_of(p, lower_tail != 0.0, logs);
    ibeta_point w = ibeta_odd_point(ibeta_solve_of(a, b, 1.0, g, ML_NAN));
    double f = qbeta_slope_both(w);
    if (part == 0.0)
        return qbeta_slope_of(f, w.k, ibeta(a, b, w), g, p, logs);
    if (f == 0.0 || w.k < -4000) // beyond what any shape has over x y
        return 0.0;
    if (pbeta_dshape_tiny(a, b))
        return quantile_slope_of(f, w.k, part == 1.0 ? 1.0 : -1.0, a + b, part == 1.0 ? a : b);
    if (pbeta_dshape_far(a, b))
        return ML_NAN;
    double by = pbeta_dshape_lowered(a, b, part == 1.0, 3.0);
    a = pbeta_dshape_raised(a);
    b = pbeta_dshape_raised(b);
    return quantile_slope_of(f, w.k, -pbeta_dshape_over(a, b, w, ibeta(a, b, w), part == 1.0, 0), 1.0 / by, 1.0);
}

NMATH_HEAVY double qf_slope(double p, double df1, double df2, double lower_tail, double log_p)
{
    if (ISNAN(p) || ISNAN(df1) || ISNAN(df2))
        return p + df1 + df2;
    if (df1 <= 0 || df2 <= 0)
        return ML_NAN;
    int logs = log_p != 0.0;
    if (isinf(df2))
        return qgamma_slope(p, 0.5 * df1, 2.0 / df1, lower_tail, log_p);
    ibeta_goal g = ibeta_goal_of(p, lower_tail != 0.0, logs);
    ibeta_odd o = ibeta_solve_of(df1, df2, 0.5, g, ML_NAN);
    int k1, k2;
    double m = frexp(df2, &k2) / frexp(df1, &k1);
    return qbeta_slope_of(o.f * m, o.k + k2 - k1, ibeta_of(df1, df2, ibeta_odd_point(o), 0.5), g, p, logs);
}
