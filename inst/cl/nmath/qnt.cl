// @source_type: c
// @source_origin: qnt.c
// @provides: qnt
// @depends: nmath, dpq, pnorm, qnorm, pnt, ibeta, ibeta_quantile
// @method: Newton's method for the log of the smaller tail, inside a bracket
// @accuracy: qnt.tsv 1.3 eps(1+cond) (host), 1.2 (PoCL), 1.2 (H200)
// @all_depends: Rmath, nmath, dpq, expm1, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, tail_step, lgamma, pnorm, igamma, nct_sum, pgamma_utils, qnorm, dpois, lbeta, dgamma, ibeta_mass, ibeta, ibeta_quantile, nct, nct_series, pnt
// @all_depends_count: 24

// qnt -- quantile of the non-central t distribution: t > 0 with the smaller of the tails P given (else all is reflected).
// The upper log tail is taken as a function of log t, where it is concave with a slope between 0 and -df: from the right of
// the root Newton's method falls monotonically to it, from the left the slope -df bounds the first step. The lower one is
// taken as a function of t, concave but for few degrees of freedom: then of log t. A lower tail of moderate size is flat,
// and solved as the upper one that it leaves. Each point narrows a bracket. A step that leaves it, or one after the eighth
// that gains less than a digit, becomes one to the middle of the bracket as 64-bit numbers, which needs 64 of them at most
// for any root. The start is the normal approximation of Jennett and Welch
// (1939), "The control of proportion defective as judged by a single quality characteristic varying on a continuous
// scale", Suppl. J. R. Statist. Soc. 6, 80-88.

// log(tail/goal) for a tail at t, l the log of the goal; in *odds the tail found over the other, if that is the goal's, or 1
NMATH_FN double qnt_gap(ibeta_tail r, ibeta_goal g, double l, double *odds)
{
    // numbers of the size of m: log 2 in two pieces, the first with room for k
    int same = !r.upper == !g.upper;
    r.e.hi = fmax(r.e.hi, -NMATH_DBL_MAX);
    double k = same ? rint(fmin(-r.e.hi * M_LOG2E, 4000.0)) : 0.0, v = ldexp(g.v, (int)k);
    nmath_dd e = dd_two_sum(r.e.hi, k * NMATH_LN2_HI);
    e.lo += r.e.lo + k * NMATH_LN2_LO;
    double h = exp(fmax(0.5 * e.hi, -1e3)), p = (h + h * e.lo) * h * r.m, q = 1.0 - p;
    *odds = same ? 1.0 : p / q;
    p = same ? p : q;
    if (!g.log_p && fabs(p - v) < 0.5 * v)
        return log1p((p - v) / v);
    return same ? (r.e.hi - l) + (r.e.lo + log(r.m)) : log(q) - l;
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
        return qnorm5(p, ncp, 1.0, lower_tail, log_p);

    ibeta_goal g = ibeta_goal_of(p, lower_tail, log_p);
    // the tail of 0 on that side
    double d = ncp, l = g.log_p ? g.v : log(g.v), c = fmin(fabs(d), 1e9), q = pnorm_mills(c), at0 = -0.5 * d * d;
    int small = (d > 0.0) != (g.upper != 0);
    at0 = g.log_p ? (small ? at0 + log(q) : -1.0) : small ? pnorm_upper(c, q) : 1.0 - pnorm_upper(c, q);
    if (g.v == at0)
        return 0.0;
    int negative = (g.v < at0) != g.upper;
    if (negative) {
        d = -ncp;
        g.upper = !g.upper;
    }
    if (!g.upper && !g.log_p && g.v > 0.2) { // flat in t: the other tail is the function of log t
        g.upper = 1;
        g.v = 1.0 - g.v;
        l = log(g.v);
    }
    double z = qnorm5(g.v, 0.0, 1.0, !g.upper, g.log_p), h = 0.5 / df, b2 = 1.0 - h, b = sqrt(fmax(b2, 0.0));
    double low = b2 - z * z * h, t = fmax(d, 1.0);
    if (low > 0.2) {
        t = (d * b + z * nmath_hypot(sqrt(low), d * sqrt(h))) / low;
    } else if (!g.upper) { // P(S > d/t) ~ a E1(a (d/t)^2), a = df/2
        double a = 0.5 * df, r = l - log(a);
        t = d * sqrt(r > -0.5 ? a : a / fmax(-r, 0.3)) * (r > -0.5 ? exp(fmin(0.5 * exp(r) + 0.3, 709.0)) : 1.0);
    }
    if (!(t > 0.0))
        t = g.upper ? 1.0 / (1.0 + fabs(d)) : 0.1 * d;
    t = fmin(fmax(t, NMATH_RANGE(1e-300, 1e-34)), NMATH_RANGE(1e300, 1e34));
    double last = ML_POSINF;
    nmath_u64 lo = 0, hi = 0x7ff0000000000000UL; // as bits, whose middle is that of the logarithms
    for (int i = 0; i < 140; ++i) {
        ibeta_tail r = nct_tails(t, df, d, df >= 1.0 ? t > d : g.upper, 1);
        double odds, gap = qnt_gap(r, g, l, &odds), slope = r.h * odds, step = gap / slope;
        if (gap == 0.0)
            break;
        if ((gap > 0.0) == (g.upper != 0))
            lo = nmath_bits(t);
        else
            hi = nmath_bits(t);
        if (g.upper) {
            step = gap / fmin(slope, df);
            if (gap > 0.0 && t * exp(fmin(gap / df, 1419.0)) > NMATH_DBL_MAX)
                return negative ? ML_NEGINF : ML_POSINF;
            if (gap > 1.0) // the slope steepens: not all of the way
                step = fmin(step, 2.0 * gap / df + 1.0);
        }
        double next = g.upper || df < 0.01 ? t * exp(g.upper ? step : -step) : t * (1.0 - step);
        int near = fabs(gap) < 1e-8 && fabs(next - t) < 1e-8 * t;
        // Where the tail is too steep for a slope, or no line, halving finds the root.
        nmath_u64 at = nmath_bits(next);
        int inside = next > 0.0 && at > lo && at < hi;
        if (!near && ((!inside && !(next == t && slope < ML_POSINF)) || (i >= 8 && fabs(gap) > 0.1 * fabs(last)))) {
            at = lo + (hi - lo) / 2;
            if (i < 8 && (lo == 0 || hi == 0x7ff0000000000000UL))
                at = nmath_bits(lo == 0 ? 0.0625 * t : fmin(16.0 * t, NMATH_DBL_MAX));
            next = nmath_from_bits(at);
        }
        double moved = fabs(next - t);
        t = next;
        last = gap;
        if (near || moved <= 2e-16 * t || hi - lo <= 1)
            break;
    }
    if (lo == 0x7fefffffffffffffUL)
        t = ML_POSINF;
    return negative ? -t : t;
}
