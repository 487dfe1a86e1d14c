// @source_type: shim
// @source_origin: ibeta_count.c
// @provides: ibeta_count, ibeta_count_start
// @depends: nmath, dpq, qnorm, qDiscrete_search, ibeta_mass, ibeta, ibeta_quantile
// @method: Cornish-Fisher start, Newton steps for the log of the smaller tail, bracket and bisection
// @accuracy: exact
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, expsq, ibeta_asym, logdd, qDiscrete_search, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, qnorm, dpois, dgamma, lbeta, ibeta_mass, ibeta, ibeta_quantile
// @all_depends_count: 21
// @load_order: 153

// ibeta_count -- the smallest whole y with P(Y <= y) >= p for the binomial and negative binomial distributions,
// where P(Y <= y) = I_x(a - s y, y + 1) with (a, s) = (n, 1) or (size, 0). The mass at y + 1 comes with the tail: it
// is h T/((y + 1) w), h the hazard of ibeta.cl, w = 1 - prob or 1. So a Newton step for the log of the tail costs
// nothing more. Every y is judged on the scale of the caller, with R's fuzz (qDiscrete_search.cl), and the answer is
// the upper end of a bracket of length 1 (beyond 2^52, of two ulps). The masses at y and y + 1 also give the tail
// at y - 1 and y + 1, which settles most cases; near a tie it is computed. A good guess takes one or two evaluations; from the
// 13th on the bracket is halved, on the log scale while it is long: 76 at most in 1e5 random cases up to 1e300, 1200
// is the bound.

// Cornish-Fisher expansion (Abramowitz & Stegun 26.2.49) to the skewness.
NMATH_FN double ibeta_count_start(ibeta_goal g, double mean, double sd, double skew)
{
    double z = qnorm(g.v, 0.0, 1.0, !g.upper, g.log_p);
    double y = ceil(mean + sd * (z + fmin(skew, 3.0) * (z * z - 1.0) / 6.0) - 0.5);
    return y > 0 ? y : 0.0;
}

// y: first guess, last: end of the support, where the answer is known to be reached.
NMATH_HEAVY double ibeta_count(double p, int lower_tail, int log_p, ibeta_goal g, double a, double s, double w,
                               ibeta_point u, double y, double last)
{
    double lo = -1.0, hi = last, sg = g.upper ? -1.0 : 1.0, goal = g.log_p ? g.v : log(g.v);
    qDiscrete_scale(p);
    p = qDiscrete_fuzz(p);
    y = fmin(y, isinf(last) ? 1e300 : last - 1.0);
    for (int i = 0; i < 1200; ++i) {
        ibeta_tail t = ibeta(a - s * y, y + 1.0, u);
        double c = ibeta_value(t, !lower_tail, log_p);
        int reached = lower_tail ? c >= p : c < p;
        hi = reached ? y : hi;
        lo = reached ? lo : y;
        if (hi - lo <= fmax(1.0, 4.0 * NMATH_EPS * lo))
            break;
        double l = t.e.hi + log(t.m), h = t.h;
        if (!g.log_p && l > -600.0) {
            double v = exp(l), f = h * v;
            f /= reached ? (s > 0 ? a - y : a + y) * -u.y : (y + 1.0) * w;
            v = !t.upper == !g.upper ? v : 1.0 - v;
            double v1 = v + sg * f; // the tail at y - 1 or y + 1
            if (u.k == 0 && fabs(v1 - g.v) > 1e-9 * (v + v1) && (sg * v1 < sg * g.v) == reached)
                return reached ? y : y + 1.0;
        }
        if (!t.upper != !g.upper) {
            double q = exp(l);
            h *= q / (1.0 - q);
            l = log1p(-q);
        }
        double next = y + ceil(sg * (goal - l) * (y + 1.0) * w / h);
        next = reached ? fmin(next, y - 1.0) : fmax(next, y + 1.0);
        if (i >= 12)
            next = hi > 4.0 * (lo + 16.0) ? sqrt(lo + 2.0) * sqrt(fmin(hi, NMATH_DBL_MAX)) : lo + 0.5 * (hi - lo);
        next = floor(next);
        if (next <= lo)
            next = lo + fmax(1.0, lo * NMATH_EPS);
        else if (next >= hi)
            next = isinf(hi) ? 1e300 : hi - fmax(1.0, hi * NMATH_EPS);
        y = next;
        if (y >= hi || y <= lo)
            break;
    }
    return hi;
}
