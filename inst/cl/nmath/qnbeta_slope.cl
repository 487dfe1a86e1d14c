// @source_type: shim
// @source_origin: qnbeta_slope.c
// @provides: qnbeta_slope, qnf_slope
// @depends: nmath, dpq, ibeta_mass, ibeta_quantile, nbeta_mix, nbeta_quantile, pnbeta_hazard, pnbeta_dshape, qgamma_slope, qbeta_slope
// @method: the odds of the quantile, exponents apart
// @accuracy: derivatives 3.6 eps(1+cond) (host), 4.7 (PoCL)
// @all_depends: Rmath, nmath, cospi, dpq, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, tail_step, lgamma, pgamma_dshape_table, pnorm, polygamma, digamma_rise, igamma, pgamma_utils, qnorm, bessel_scaled_slope, dpois, lbeta, pgamma_hazard, qgamma, dgamma, qgamma_slope, ibeta_mass, ibeta, nbeta_mass, ibeta_dshape, ibeta_quantile, nbeta_mix, nbeta_quantile, pbeta_dshape, pnbeta_hazard, nbeta_dshape, qbeta_slope, pnbeta_dshape
// @all_depends_count: 36

// qnbeta_slope, qnf_slope -- as in qbeta_slope.cl, for the non-central distributions: with h = x y density/tail of nbeta_hazard().
// part 3: the derivative in ncp, x y/(2 K) with the K of pnbeta_hazard.cl.

// f 2^k over h and the tail that g has, times the probability in whose logarithm the derivative is taken
NMATH_FN double qnbeta_slope_of(double f, int k, double h, ibeta_goal g, double p, int log_p)
{
    if (log_p && p <= -M_LN2)
        return quantile_slope_of(f, k, 1.0, h, 1.0);
    return quantile_slope_of(f, k, log_p ? exp(p) : 1.0, h, g.v);
}

NMATH_HEAVY double qnbeta_slope(double p, double a, double b, double ncp, double part, double lower_tail, double log_p)
{
    if (ISNAN(p) || ISNAN(a) || ISNAN(b) || ISNAN(ncp))
        return p + a + b + ncp;
    if (nbeta_dshape_bad(a, b, ncp))
        return ML_NAN;
    int logs = log_p != 0.0;
    if (logs ? !(p < 0 && p > ML_NEGINF) : !(p > 0 && p < 1))
        return 0.0;
    ibeta_goal g = ibeta_goal_of(p, lower_tail != 0.0, logs);
    ibeta_point w = ibeta_odd_point(nbeta_solve(a, b, 0.5 * ncp, 1.0, g));
    double f = qbeta_slope_both(w);
    if (part == 0.0)
        return qnbeta_slope_of(f, w.k, nbeta_hazard(a, b, 0.5 * ncp, 1.0, w, g.upper, 1.0), g, p, logs);
    if (part == 3.0)
        return quantile_slope_of(f, w.k, 0.5, a + nbeta_mean_index(a, b, 0.5 * ncp, 1.0, w), 1.0);
    if (f == 0.0 || w.k < -4000) // as in qbeta_slope()
        return 0.0;
    nbeta_dshape_parts d = nbeta_dshape_of(a, b, 0.5 * ncp, w, part == 1.0);
    return quantile_slope_of(f, w.k, -d.up, d.over, d.by);
}

NMATH_HEAVY double qnf_slope(double p, double df1, double df2, double ncp, double lower_tail, double log_p)
{
    if (ISNAN(p) || ISNAN(df1) || ISNAN(df2) || ISNAN(ncp))
        return p + df1 + df2 + ncp;
    if (df1 <= 0 || df2 <= 0 || ncp < 0 || isinf(ncp) || isinf(df1))
        return ML_NAN;
    df2 = fmin(df2, NMATH_DBL_MAX);
    ibeta_goal g = ibeta_goal_of(p, lower_tail != 0.0, log_p != 0.0);
    ibeta_odd o = nbeta_solve(df1, df2, ncp, 0.5, g);
    int k1, k2;
    double m = frexp(df2, &k2) / frexp(df1, &k1);
    double h = nbeta_hazard(df1, df2, ncp, 0.5, ibeta_odd_point(o), g.upper, 1.0);
    return qnbeta_slope_of(o.f * m, o.k + k2 - k1, h, g, p, log_p != 0.0);
}
