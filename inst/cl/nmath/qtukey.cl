// @source_type: c
// @source_origin: qtukey.c
// @provides: qtukey
// @depends: nmath, dpq, dd, logdd, qnorm, ibeta_quantile, tukey, ptukey
// @method: third order steps for the log of the smaller tail in log q, inside a bracket
// @accuracy: qtukey.tsv 4.4 eps(1+cond) (host), 4.1 (PoCL), 3.3 (H200)
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, expsq, ibeta_asym, logdd, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, qnorm, dpois, tukey, dgamma, lbeta, ibeta_mass, ibeta, ibeta_quantile, ptukey
// @all_depends_count: 22
// @load_order: 167

// qtukey -- quantile of the studentized range: the smaller tail T is matched as F = log(T/goal) = 0 in v = log q. Both log
// tails are concave in v; with their first two derivatives L, M from the same sums as T (tukey_tail), a step
//     d = (L/M) log(1 - F M/L^2)
// is exact for log T = A + B e^(kv), to which both tails come near, and of third order. The first steps take coarse sums,
// the last one or two sums with all digits. q itself is carried, not v, so that a tiny q is as accurate as 1.
//
// Starts, of which the smaller is taken as a rule. Large df: for the upper tail one pair of means, as Student's t (Abramowitz &
// Stegun 26.7.5), for each of the rr cc (cc - 1)/2 (Bonferroni; Miller 1981, Simultaneous Statistical Inference, 2.2); for
// the lower tail the same with w^rr given, or w = D(0)^(cc-1) far out. Many ranges: their largest hardly varies, and q is
// that over a quantile of s (Wilson & Hilferty 1931, or the first term of the gamma function's series).

// A start for v, l the log of the tail
NMATH_FN double qtukey_start(tukey_shape f, double l, int upper)
{
    double a = 0.5 * f.df, c1 = f.cc - 1.0, pairs = log(0.5 * f.rr * f.cc) + log(c1), v;
    double k = 1.0 / (9.0 * a), z = qnorm(l, 0.0, 1.0, upper, 1), h = 1.0 - k + z * sqrt(k); // cube root of s^2
    double s = h > 0.3 ? 1.5 * log(h) : (0.5 * (l + 0.5 * log(2.0 * M_PI * a)) / a - 0.5);
    if (upper) {
        double y = -qnorm(fmin(l - pairs, -1.0) - M_LN2, 0.0, 1.0, 1, 1);
        v = log(M_SQRT2 * y);
        if (log(f.top) - s < v) // not s, but the range is far out
            s = -800.0;
        v += fmin(0.25 * (y * y + 1.0) / f.df, 300.0);
    } else {
        double w = l / f.rr, u = -expm1(w), y; // one range
        if (u < 0.5) {
            y = -M_SQRT2 * qnorm(fmin(log(u) - log(0.5 * f.cc) - log(c1), -1.0) - M_LN2, 0.0, 1.0, 1, 1);
        } else {
            double D = exp(w / c1);
            y = D < 1e-3 ? D / M_1_SQRT_2PI : 2.0 * qnorm(0.5 - 0.5 * D, 0.0, 1.0, 0, 0);
            y = fmin(y, f.edge);
        }
        v = log(fmax(y, 1e-300));
        s = -fmax(s, 0.0);
        return fmin(v, log(f.top) + s);
    }
    return fmin(v, log(f.top) - s);
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
    tukey_shape f = tukey_shape_of(rr, cc, df);
    dd l;
    l.hi = g.v;
    l.lo = 0.0;
    if (!g.log_p)
        l = dd_log(g.v);
    double q = exp(fmax(-745.0, fmin(709.0, qtukey_start(f, l.hi, g.upper)))), lo = 0.0, hi = NMATH_DBL_MAX, coarse = 2.2, d = 0.0;
    double q1 = q, L1 = 0.0;
    for (int n = 0; n < 24; ++n) {
        tukey_value t = tukey_tail(q, f, g.upper, coarse);
        double F = ((t.t.e.hi - l.hi) + (t.t.e.lo - l.lo)) + log(t.t.m), L = t.slope, M = t.bend;
        if ((F > 0.0) == (g.upper != 0))
            lo = coarse > 1.0 ? 0.99 * q : q; // coarse sums leave room
        else
            hi = coarse > 1.0 ? fmin(1.01 * q, NMATH_DBL_MAX) : q;
        if (M == 0.0 && n > 0 && q != q1)
            M = (L - L1) / log(q / q1);
        if (M == 0.0 && n == 0) // as far out
            M = -0.5 * fabs(L) * (g.upper ? 4.0 : fmin(q, f.top) * fmin(q, f.top));
        M = fmin(M, 0.0);
        L1 = L;
        q1 = q;
        double z = F / L * (M / L);
        d = -F / L;
        d *= fabs(z) < 1e-5 ? 1.0 + 0.5 * z : log1p(-fmin(z, 0.95)) / -fmin(z, 0.95);
        // M is a difference of slopes, or a guess, where df is large: then the step counts as one of second order
        double k = M / L, error = d * d * (df < 1e8 ? fabs(d) * (k * k + 1.0) : fabs(k) + 4.0 + f.top * f.top), next = q * exp(fmax(-30.0, fmin(30.0, d)));
        if (coarse == 1.0 && (error < 1e-17 || fabs(d) < 1e-13))
            return next;
        if (!(next > lo && next < hi) || (!(fabs(d) < 10.0) && lo > 0.0 && hi < NMATH_DBL_MAX)) {
            next = lo > 0.0 ? sqrt(lo) * sqrt(hi) : 1e-30 * hi;
            if (coarse == 1.0 && !(hi / lo > 1.0 + 4e-16))
                break;
        }
        q = next;
        coarse = error < 1e-7 || coarse == 1.0 || n > 12 ? 1.0 : 1.6;
    }
    return q > 0.999999 * NMATH_DBL_MAX ? ML_POSINF : q;
}
