// @source_type: c
// @source_origin: qnt.c
// @provides: qnt
// @depends: nmath, dpq, dd, pnorm, qnorm, pnt, ibeta, ibeta_quantile
// @method: Newton's method for the log of the smaller tail, inside a bracket
// @accuracy: qnt.tsv 1.5 eps(1+cond) (host), 1.5 (PoCL)
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, expsq, ibeta_asym, logdd, stirlerr_cycle_free, lgamma, pnorm, igamma, pgamma_utils, qnorm, dpois, dgamma, lbeta, ibeta_mass, ibeta, ibeta_quantile, nct, nct_series, pnt
// @all_depends_count: 24
// @load_order: 166

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
        return g.log_p ? log(p) - g.v : p > 2.0 * g.v ? log(p) - log(g.v) : log1p((p - g.v) / g.v);
    }
    if (g.log_p)
        return (r.e.hi - g.v) + (r.e.lo + log(r.m));
    // numbers of the size of m: log 2 in two pieces, the first with room for k
    double k = rint(fmin(-r.e.hi * M_LOG2E, 4000.0)), v = ldexp(g.v, (int)k);
    dd e = dd_two_sum(r.e.hi, k * 0.69314718036912381649);
    e.lo += r.e.lo + k * 1.9082149292705877e-10;
    double p = dd_exp(e) * r.m;
    return fabs(p - v) < 0.5 * v ? log1p((p - v) / v) : (r.e.hi + log(r.m)) - log(g.v);
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
    if (isinf(df))
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
    // a lower tail of moderate size is flat in t: then the other one is the function of log t
    int other = !g.upper && !g.log_p && g.v > 0.2, slow = g.upper || other || df < 0.01;
    double z = qnorm(g.v, 0.0, 1.0, !g.upper, g.log_p), h = 0.5 / df, b2 = 1.0 - h, b = sqrt(fmax(b2, 0.0));
    double low = b2 - z * z * h, t = fmax(d, 1.0);
    if (low > 0.2)
        t = (d * b + z * nct_hypot(sqrt(low), d * sqrt(h))) / low;
    else if (!g.upper) { // P(S > d/t) ~ a E1(a (d/t)^2), a = df/2
        double a = 0.5 * df, r = (g.log_p ? g.v : log(-log1p(-g.v))) - log(a);
        t = d * sqrt(a) * exp(fmin(0.5 * (r > -0.5 ? exp(r) + 0.5772 : -log(fmax(-r, 0.3))), 709.0));
    }
    if (!(t > 0.0))
        t = g.upper ? 1.0 / (1.0 + fabs(d)) : 0.1 * d;
    t = fmin(fmax(t, 1e-300), 1e300);
    double last = ML_POSINF;
    nmath_u64 lo = 0, hi = 0x7ff0000000000000UL; // as bits, whose middle is that of the logarithms
    for (int i = 0; i < 140; ++i) {
        ibeta_tail r = nct_tails(t, df, d, df >= 1.0 ? t > d : g.upper, 1);
        double gap = qnt_gap(r, g), next;
        if (other)
            gap = log1p(-expm1(gap) * (g.v / (1.0 - g.v)));
        if (gap == 0.0)
            break;
        if ((gap > 0.0) == (g.upper || other))
            lo = nmath_bits(t);
        else
            hi = nmath_bits(t);
        double slope = r.h, step;
        if (!r.upper != !(g.upper || other)) {
            double p = dd_exp(r.e) * r.m;
            slope *= p / (1.0 - p);
        }
        step = gap / slope;
        if (g.upper || other) {
            step = gap / fmin(slope, df);
            if (gap > 0.0 && log(t) + gap / df > 709.79)
                return negative ? ML_NEGINF : ML_POSINF;
            if (gap > 1.0) // the slope steepens: not all of the way
                step = fmin(step, 2.0 * gap / df + 1.0);
        }
        next = slow ? t * exp(g.upper || other ? step : -step) : t * (1.0 - step);
        // Where the tail is too steep for a slope, or no line, halving finds the root.
        nmath_u64 at = nmath_bits(next);
        int inside = next > 0.0 && at > lo && at < hi;
        if ((!inside && !(next == t && slope < ML_POSINF)) || (i >= 8 && fabs(gap) > 0.1 * fabs(last))) {
            at = lo + (hi - lo) / 2;
            if (i < 8 && (lo == 0 || hi == 0x7ff0000000000000UL))
                at = nmath_bits(lo == 0 ? 0.0625 * t : fmin(16.0 * t, NMATH_DBL_MAX));
            next = nmath_from_bits(at);
        }
        //DBG printf("%d t=%.17g next=%.17g gap=%g slope=%g e=%g m=%g up=%d in=%d\n", i, t, next, gap, slope, r.e.hi, r.m, r.upper, inside);
        double moved = fabs(next - t);
        t = next;
        last = gap;
        if ((fabs(gap) < 1e-8 && moved < 1e-8 * t) || moved <= 2e-16 * t || hi - lo <= 1)
            break;
    }
    if (lo == 0x7fefffffffffffffUL)
        t = ML_POSINF;
    return negative ? -t : t;
}
