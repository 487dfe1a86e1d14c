// @source_type: c
// @source_origin: qnt.c
// @provides: qnt
// @depends: nmath, dpq, dd, pnorm, qnorm, pnt, ibeta, ibeta_quantile
// @method: Newton's method for the log of the smaller tail, inside a bracket
// @accuracy: qnt.tsv 1.5 eps(1+cond) (host), 1.5 (PoCL)
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, expsq, ibeta_asym, logdd, stirlerr_cycle_free, lgamma, pnorm, igamma, pgamma_utils, qnorm, dpois, dgamma, lbeta, ibeta_mass, ibeta, ibeta_quantile, nct, nct_series, pnt
// @all_depends_count: 24
// @load_order: 168

// qnt -- quantile of the non-central t distribution: t > 0 with the smaller of the tails P given (else all is reflected).
// Both log tails are concave. The upper one is taken as a function of log t, where its slope lies between 0 and -df: from
// the right of the root Newton's method falls monotonically to it, from the left the slope -df bounds the first step. The
// lower one is taken as a function of t, from the left. The start is the normal approximation of Jennett and Welch
// (1939), "The control of proportion defective as judged by a single quality characteristic varying on a continuous
// scale", Suppl. J. R. Statist. Soc. 6, 80-88.

// log(tail/goal) at t
NMATH_FN double qnt_gap(ibeta_tail r, ibeta_goal g)
{
    if (!r.upper != !g.upper) {
        double p = 1.0 - dd_exp(r.e) * r.m;
        return g.log_p ? log(p) - g.v : log1p((p - g.v) / g.v);
    }
    if (g.log_p)
        return (r.e.hi - g.v) + (r.e.lo + log(r.m));
    double v = g.v;
    if (v < 1e-200) { // 200 log 2 in two pieces
        v *= 0x1p+200;
        r.e = dd_add(r.e, dd_two_sum(138.62943611198907, -3.3555121496085278e-15));
    }
    double p = dd_exp(r.e) * r.m;
    return fabs(p - v) < 0.5 * v ? log1p((p - v) / v) : (r.e.hi + log(r.m)) - log(v);
}

NMATH_FN double qnt(double p, double df, double ncp, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(df) || ISNAN(ncp))
        return p + df + ncp;
    if (df <= 0)
        return ML_NAN;
    R_Q_P01_boundaries(p, ML_NEGINF, ML_POSINF);
    if (isinf(ncp))
        return ncp > 0 ? ML_NAN : ML_NEGINF;
    if (df > 1e250)
        return qnorm(p, ncp, 1.0, lower_tail, log_p);

    ibeta_goal g = ibeta_goal_of(p, lower_tail, log_p);
    double at0 = pnorm(0.0, ncp, 1.0, !g.upper, g.log_p), d = ncp;
    if (g.v == at0)
        return 0.0;
    int negative = (g.v < at0) != g.upper;
    if (negative) {
        d = -ncp;
        g.upper = !g.upper;
    }
    // few degrees of freedom make the lower tail flat in t: then the other one is the function of log t
    int other = !g.upper && !g.log_p && (g.v > 0.2 || df < 0.01);
    double z = qnorm(g.v, 0.0, 1.0, !g.upper, g.log_p), h = 0.5 / df, b2 = 1.0 - h, b = sqrt(fmax(b2, 0.0));
    double low = b2 - z * z * h;
    double t = low > 0.2 ? (d * b + z * nct_hypot(sqrt(low), d * sqrt(h))) / low : fmax(d, 1.0);
    if (!(t > 0.0))
        t = g.upper ? 1.0 / (1.0 + fabs(d)) : 0.1 * d;
    if (!(t > 1e-300))
        t = 1e-300;
    double lo = 0.0, hi = ML_POSINF;
    for (int i = 0; i < 80; ++i) {
        ibeta_tail r = nct_tails(t, df, d, df >= 1.0 ? t > d : g.upper, 1);
        double gap = qnt_gap(r, g), next, v = g.log_p ? g.v : log(g.v);
        if (other) {
            gap = log1p(-expm1(gap) * (g.v / (1.0 - g.v)));
            v = log1p(-g.v);
        }
        if (gap == 0.0)
            break;
        if ((gap > 0.0) == (g.upper || other))
            lo = t;
        else
            hi = t;
        // t times the density over the tail
        double slope = exp(r.h - v - gap);
        if (g.upper || other) {
            double step = gap / fmin(slope, df);
            if (gap > 0.0 && log(t) + gap / df > 709.79)
                return negative ? ML_NEGINF : ML_POSINF;
            if (gap > 1.0) // the slope steepens: not all of the way
                step = fmin(step, 2.0 * gap / df + 1.0);
            next = t * exp(step);
        } else {
            next = t * (1.0 - gap / slope);
        }
        // (Where the tail is too steep for a slope it falls between neighbouring doubles, and halving finds where.)
        if (!(next > lo && next < hi) && !(next == t && slope < ML_POSINF))
            next = hi > NMATH_DBL_MAX ? (t < 1e300 ? 16.0 * t : ML_POSINF) : lo > 0.0 && hi / lo > 4.0 ? sqrt(lo) * sqrt(hi) : lo > 0.0 ? 0.5 * (lo + hi) : 0.0625 * hi;
        double moved = fabs(next - t);
        t = next;
        if ((fabs(gap) < 1e-8 && moved < 1e-8 * t) || moved <= 2e-16 * t || t > NMATH_DBL_MAX || t < 1e-320)
            break;
    }
    return negative ? -t : t;
}
