// @source_type: shim
// @source_origin: ibeta_count.c
// @provides: ibeta_count, ibeta_count_start
// @depends: nmath, dpq, qnorm, qDiscrete_search, ibeta_mass, ibeta, ibeta_wide, ibeta_quantile
// @method: Cornish-Fisher start, Newton steps for the log of the smaller tail, bracket and bisection
// @accuracy: exact
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, tail_step, lgamma, pnorm, qDiscrete_search, pgamma_utils, qnorm, dpois, lbeta, dgamma, ibeta_mass, ibeta, ibeta_rim, ibeta_quantile, ibeta_wide
// @all_depends_count: 20

// ibeta_count -- the smallest whole y with P(Y <= y) >= p for the binomial and negative binomial distributions,
// where P(Y <= y) = I_x(a - s y, y + 1) with (a, s) = (n, 1) or (size, 0). The mass at y + 1 comes with the tail: it
// is h T/((y + 1) w), h the hazard of ibeta.cl, w = 1 - prob or 1. So a Newton step for the log of the tail costs
// nothing more. The answer is the upper end of a bracket of two neighbours among the whole doubles.
//
// Every y is judged on the scale of the caller. p may be a P(Y <= y) rounded by somebody else: it counts as reached
// where it is missed by R's fuzz, 8 eps of a probability or 2 eps of its log, or less (lower.tail), but never by more
// than half the mass at y + 1, nor by so much that p could be a rounded P(Y <= y + 1). So the quantile of P(Y <= y) is y
// wherever doubles can tell P(Y <= y) from its neighbours, the answer grows with p, and a p above P(Y <= y) by more
// than rounding leads to y + 1.
//
// The masses at y and y + 1 also give the tail at y - 1 and y + 1, which settles most cases; where that tail is
// within rounding of p, on either side of 1/2, it is computed. A good guess takes one or two evaluations; from the
// 13th on the bracket is halved, on the log scale while it is long: 76 at most in 1e5 random cases up to 1e300, 1200
// is the bound.

// Cornish-Fisher expansion (Abramowitz & Stegun 26.2.49) to the skewness.
NMATH_FN double ibeta_count_start(ibeta_goal g, double mean, double sd, double skew)
{
    double z = qnorm5(g.v, 0.0, 1.0, !g.upper, g.log_p);
    double y = ceil(mean + sd * (z + fmin(skew, 3.0) * (z * z - 1.0) / 6.0) - 0.5);
    return y > 0 ? y : 0.0;
}

// y: first guess, last: end of the support, where the answer is known to be reached; mu: the mean if u comes from it, or
// 0.
NMATH_HEAVY double ibeta_count(double p, int lower_tail, int log_p, ibeta_goal g, double a, double s, double w,
                               ibeta_point u, double mu, double y, double last)
{
    double lo = -1.0, hi = last, sg = g.upper ? -1.0 : 1.0, goal = g.log_p ? g.v : log(g.v);
    // next to 1 qDiscrete_fuzz() would leave p alone: a jump that the bound by the mass makes needless
    double moved = !log_p && !lower_tail ? p * (1.0 + 8.0 * NMATH_EPS) : qDiscrete_fuzz(p);
    // a tail that is 1 less the caller's has the error of that one
    double guard = !log_p && !g.upper != (lower_tail != 0) ? 16.0 * NMATH_EPS : 0.0;
    y = fmin(y, isinf(last) ? NMATH_DBL_MAX : fmin(last - 1.0, last * (1.0 - 0.5 * NMATH_EPS)));
    for (int i = 0; i < 1200; ++i) {
        ibeta_tail t = ibeta_wide(a - s * y, y + 1.0, u, s * a, mu);
        double h = t.h, step = (y + 1.0) * w, v = ibeta_value(t, t.upper, 0);
        int same = !t.upper == (lower_tail != 0);
        double miss = log_p ? ibeta_value(t, !lower_tail, 1) : same ? v : 1.0 - v;
        int reached = lower_tail ? miss >= moved : miss < moved || miss <= p;
        miss = lower_tail ? p - miss : miss - p;
        if (reached && miss > 0) {
            double m = h / step; // the mass at y + 1 as a part of the caller's tail
            m *= same ? 1.0 : v / (1.0 - v);
            m *= log_p ? 1.0 : p;
            reached = miss <= fmin(0.5 * m, m - 0.5 * NMATH_EPS * fabs(p));
        }
        hi = reached ? y : hi;
        lo = reached ? lo : y;
        if (hi - lo <= fmax(1.0, NMATH_EPS * lo))
            break;
        if (!g.log_p && v > NMATH_RANGE(1e-260, 1e-26)) {
            double f = h * v / (reached ? (s > 0 ? a - y : a + y) * -u.y : step), v0 = !t.upper == !g.upper ? v : 1.0 - v;
            double v1 = v0 + sg * f; // the tail at y - 1 or y + 1
            if (u.k == 0 && y < 4503599627370496.0 && fabs(v1 - g.v) > guard + 1e-9 * (v0 + v1) &&
                (sg * v1 < sg * g.v) == reached)
                return reached ? y : y + 1.0;
        }
        double l;
        if (!t.upper != !g.upper) {
            h *= v / (1.0 - v);
            l = log1p(-v);
        } else {
            l = t.e.hi + log(t.m);
        }
        double next = y + ceil(sg * (goal - l) * step / h);
        next = reached ? fmin(next, y - 1.0) : fmax(next, y + 1.0);
        if (i >= 12)
            next = hi > 4.0 * (lo + 16.0) ? sqrt(lo + 2.0) * sqrt(fmin(hi, NMATH_DBL_MAX)) : lo + 0.5 * (hi - lo);
        next = floor(next);
        if (next <= lo)
            next = lo + fmax(1.0, lo * NMATH_EPS);
        else if (next >= hi)
            next = isinf(hi) ? NMATH_DBL_MAX : hi - fmax(1.0, hi * NMATH_EPS);
        y = next;
        if (y >= hi || y <= lo)
            break;
    }
    return hi;
}
