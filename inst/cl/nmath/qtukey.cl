// @source_type: c
// @source_origin: qtukey.c
// @provides: qtukey, qtukey_start, qtukey_step
// @depends: nmath, dpq, ibeta_quantile, tukey, ptukey
// @method: third order steps for the log of the smaller tail in log q, inside a bracket
// @accuracy: qtukey.tsv 1.3 eps(1+cond) (host), 1.7 (PoCL), 0.96 (H200)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, tail_step, tukey_table, lgamma, pnorm, pgamma_utils, qnorm, dpois, lbeta, tukey, dgamma, tukey_node, ibeta_mass, ibeta, ibeta_quantile, tukey_walk, ptukey
// @all_depends_count: 22

// qtukey -- quantile of the studentized range: the smaller tail T is matched as F = log(T/goal) = 0 in v = log q. Both log
// tails are concave in v; with their first two derivatives L, M from the same sums as T (tukey_tail), a step
//     d = (L/M) log(1 - F M/L^2)
// is exact for log T = A + B e^(kv), to which both tails come near, and of third order. Where B e^(kv) is all and F large,
// 1 - F M/L^2 would cancel, and the step is that for log(-log T). M is a difference of squares: where it is lost in
// them, and for large df, it comes from two values of L, or from the limits of k. Tangents of a concave function lead to the inside of
// the bracket again, once they have left its flat side: steps need no other bound.
// The first steps take coarse sums, the last one or two sums with all digits: 3 sums in all as a rule, 5 in far tails. q
// itself is carried, not v, so that a tiny q is as accurate as 1.
//
// Starts. Upper tail: one pair of means, as Student's t, for each of the rr cc (cc - 1)/2 (Bonferroni; Miller 1981,
// Simultaneous Statistical Inference, 2.2), t from the normal quantile y as log(1 + t^2/df) = y^2/df (Wallace 1959, Ann.
// Math. Stat. 30, 1124-1130), where the q s that counts most, 2 df (1 - exp(-y^2/df)) its square, is beyond the median.
// Elsewhere the largest range hardly varies, and q is its median over a quantile of s (Wilson & Hilferty 1931, or the first
// term of the gamma function's series). Lower tail: the same with w^rr given, or w = D(0)^(cc-1) far out; the
// smaller of both.

#define QTUKEY_TINY NMATH_RANGE(4.9406564584124654e-324, 1.1754943508222875e-38)

// A start for v, l the log of the tail
NMATH_FN double qtukey_start(tukey_shape f, double l, int upper)
{
    double a = 0.5 * f.df, c1 = f.cc - 1.0, pairs = log(0.5 * f.rr) + log(f.cc) + log(c1), y;
    double k = 1.0 / (9.0 * a), z = tukey_normal(l, upper, 1), h = 1.0 - k + z * sqrt(k); // cube root of s^2
    double s = h > 0.3 ? 1.5 * log(h) : (0.5 * (l + 0.5 * log(2.0 * M_PI * a)) / a - 0.5);
    if (upper) {
        y = -tukey_normal(fmin(l - pairs, -1.0) - M_LN2, 1, 1);
        double n = fmin(f.df, NMATH_RANGE(1e300, 1e34)), u = (y / n) * y;
    double v = 0.5 * (u > NMATH_RANGE(700.0, 80.0) ? log(2.0 * n) + u : log(2.0 * n * expm1(u)));
        return -2.0 * n * expm1(-u) > f.top * f.top ? v : fmin(v, log(f.top) - s);
    }
    double w = l / f.rr, u = -expm1(w); // one range
    if (u < 0.5) {
        y = -M_SQRT2 * tukey_normal(fmin(log(u) - log(0.5 * f.cc) - log(c1), -1.0) - M_LN2, 1, 1);
    } else {
        double D = exp(w / c1);
        y = D < 1e-3 ? D / M_1_SQRT_2PI : 2.0 * tukey_normal(0.5 - 0.5 * D, 0, 0);
        y = fmin(y, f.top);
    }
    return fmin(log(fmax(y, NMATH_RANGE(1e-300, 1e-34))), log(f.top) - fmax(s, 0.0));
}

// The step d = dv, given F, L, M; l, the log of the goal
NMATH_FN double qtukey_step(double F, double L, double M, double l)
{
    double z = F / L * (M / L), d = -F / L;
    if (z > 0.9 && F / l > 3.0)
        return log1p(F / l) * (d - l / L);
    return d * (fabs(z) < 1e-5 ? 1.0 + 0.5 * z : log1p(-fmin(z, 0.95)) / -fmin(z, 0.95));
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
    nmath_dd l;
    l.hi = g.v;
    l.lo = 0.0;
    if (!g.log_p)
        l = dd_log(g.v);
    int rim = df > TUKEY_FAR && l.hi < -TUKEY_FAR;
    tukey_shape f = tukey_rim_shape(rr, cc, df, rim && g.upper, rim && !g.upper);
    l.hi *= rim ? TUKEY_BACK : 1.0;
    double back = rim && g.upper ? 1.0 / TUKEY_ROOT_BACK : 1.0;
    double q = exp(fmax(-745.0, fmin(709.0, qtukey_start(f, l.hi, g.upper)))), lo = 0.0, hi = ML_POSINF, coarse = 2.2;
    double q1 = q, L1 = 0.0, steepest = g.upper ? f.df : (cc - 1.0) * f.rr;
    for (int n = 0; n < 24; ++n) {
        tukey_value t = tukey_tail(q, f, g.upper, coarse);
        double F = ((t.t.e.hi - l.hi) + (t.t.e.lo - l.lo)) + log(t.t.m), L = t.slope, M = t.bend;
        if ((F > 0.0) == (g.upper != 0))
            lo = coarse > 1.0 ? 0.99 * q : q; // coarse sums leave room
        else
            hi = coarse > 1.0 ? 1.01 * q : q;
        int lost = !(fabs(M) > 1e-13 * L * L);
        if (lost && q != q1)
            M = L * (log(L / L1) / log(q / q1)); // as L = e^(kv)
        else if (lost)
            M = fabs(L) > 0.9 * steepest ? 0.0 : -fabs(L) * (g.upper || f.df < 1e8 ? 2.0 : 0.5 * q * q);
        M = fmin(M, 0.0);
        L1 = L;
        q1 = q;
        double d = qtukey_step(F, L, M, l.hi), k = M / L, next = q * exp(fmax(-NMATH_RANGE(700.0, 80.0), fmin(NMATH_RANGE(700.0, 80.0), d)));
        // where M is not its own the step counts as one of second order
        double error = d * d * (lost ? fabs(k) + 4.0 + f.top * f.top : fabs(d) * (k * k + 1.0));
        if (coarse == 1.0 && (error < 1e-17 || fabs(d) < 1e-13))
            return next * back;
        next = fmax(QTUKEY_TINY, fmin(NMATH_DBL_MAX, next));
        if (q == next && (q == QTUKEY_TINY || q == NMATH_DBL_MAX)) // beyond all numbers
            break;
        int known = fabs(F) <= NMATH_DBL_MAX && fabs(L) <= NMATH_DBL_MAX;
        if (!(known && next > lo && next < hi) || (fabs(d) > 1.0 && n > 5 && n % 2)) {
            next = sqrt(fmax(lo, QTUKEY_TINY)) * sqrt(fmin(hi, NMATH_DBL_MAX));
            if (coarse == 1.0 && !(hi / lo > 1.0 + 4e-16))
                break;
        }
        q = next;
        coarse = error < 1e-7 || coarse == 1.0 || n > 12 ? 1.0 : 1.6;
    }
    return q == NMATH_DBL_MAX ? ML_POSINF : q == QTUKEY_TINY ? 0.0 : q * back;
}

#undef QTUKEY_TINY
