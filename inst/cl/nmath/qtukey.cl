// @source_type: c
// @source_origin: qtukey.c
// @provides: qtukey
// @depends: nmath, dpq, qnorm, ibeta, ibeta_quantile, tukey, ptukey
// @method: secant method for the log of the smaller tail in log q, inside a bracket
// @accuracy: qtukey.tsv 1.1 eps(1+cond) (host), 1.6 (PoCL)
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, expsq, ibeta_asym, logdd, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, qnorm, dpois, tukey, dgamma, lbeta, ibeta_mass, ibeta, ibeta_quantile, ptukey
// @all_depends_count: 22
// @load_order: 161

// qtukey -- quantile of the studentized range: the smaller tail T is matched as log(T/goal) = 0 in v = log q, where both log
// tails are concave, by the secant method inside a bracket. The start takes one pair of means, as Student's t (Abramowitz & Stegun 26.7.5), for each of
// the cc (cc - 1)/2 (Bonferroni; Miller 1981, Simultaneous Statistical Inference, 2.2), rr times, and for the lower tail
// w ~ q^(cc - 1).

// log(T/goal) at q, times 1 for the lower tail, -1 for the upper one
NMATH_FN double qtukey_gap(double q, double rr, double cc, double df, double edge, ibeta_goal g)
{
    ibeta_tail t = tukey_tail(q, rr, cc, df, edge, g.upper);
    double r = t.e.hi + (t.e.lo + log(t.m));
    if (g.log_p) {
        r = (t.e.hi - g.v) + (t.e.lo + log(t.m));
    } else {
        double p = ibeta_value(t, g.upper, 0);
        r = g.v > 1e-290 && fabs(p - g.v) < 0.5 * g.v ? log1p((p - g.v) / g.v) : r - log(g.v);
    }
    return g.upper ? -r : r;
}

NMATH_FN double qtukey(double p, double rr, double cc, double df, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(rr) || ISNAN(cc) || ISNAN(df))
        return p + rr + cc + df;
    if (df < 2 || rr < 1 || cc < 2)
        return ML_NAN;
    R_Q_P01_boundaries(p, 0.0, ML_POSINF);
    if (isinf(cc) || isinf(rr))
        return ML_NAN;
    ibeta_goal g = ibeta_goal_of(p, lower_tail, log_p);
    double edge = tukey_edge(cc), l = g.log_p ? g.v : log(g.v), v;
    if (g.upper) {
        double u = fmin(l - log(0.5 * rr * cc) - log(cc - 1.0), -1.0);
        double z = qnorm(u - M_LN2, 0.0, 1.0, 0, 1);
        v = fmax(log(M_SQRT2 * z) + fmin(0.25 * (z * z + 1.0) / df, 300.0), log(0.5 * edge));
    } else {
        v = log(edge) + fmax(l + 0.7, -1e6) / ((cc - 1.0) * rr) * 0.8;
    }
    v = fmax(fmin(v, 709.0), -744.0);
    double lo = -745.0, hi = 709.78, f0 = 0.0, v0 = 0.0, slope = g.upper ? fmin(df, 4.0) : fmin((cc - 1.0) * rr, 4.0);
    for (int n = 0; n < 80; ++n) {
        double f = qtukey_gap(exp(v), rr, cc, df, edge, g);
        if (f < 0.0)
            lo = v;
        else
            hi = v;
        if (n > 0 && v != v0 && (f - f0) / (v - v0) > 0.0)
            slope = (f - f0) / (v - v0);
        f0 = f;
        v0 = v;
        double d = -f / slope;
        if (fabs(d) < 1e-9)
            return exp(v) * (1.0 + d);
        v += fmax(-20.0, fmin(20.0, d));
        if (!(v > lo && v < hi))
            v = 0.5 * (lo + hi);
        if (hi - lo < 1e-15 * fabs(v))
            break;
    }
    return v >= 709.78 ? ML_POSINF : exp(v);
}
