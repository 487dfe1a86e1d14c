// @source_type: c
// @source_origin: qgamma.c
// @provides: qgamma, qgamma_shape, qchisq_appr
// @depends: nmath, dpq, igamma, qnorm, tail_step
// @method: start by tail expansions or Wilson-Hilferty, then a Taylor series of log x in log p
// @accuracy: qgamma.tsv 0.7 eps(1+cond) (host), 0.7 (PoCL), 0.44 (H200); qchisq.tsv 0.91 eps(1+cond) (host), 0.91 (PoCL), 0.89 (H200)
// @all_depends: Rmath, nmath, dpq, igamma_table, tail_step, pnorm, igamma, qnorm
// @all_depends_count: 8

// qgamma -- quantile of the gamma distribution. The smaller tail probability decides: find u = log x with
// L(u) = log tail(e^u) = l. Both tails are log-concave in u, so Newton's method converges from everywhere, in the
// tails, where L is nearly linear in u or e^u, in a step or two. With r = x dens/tail (sign + for P, - for Q) all
// derivatives are known: L' = +-r, L''/L' = A = a - x -+ r, L'''/L' = A^2 - x -+ r A, and Householder's step
//     d0 = (l - L)/L',   d = d0 (1 + A d0/2)/(1 + A d0 + (A^2 - x -+ r A) d0^2/6)
// has error O(d^4). The last step is not checked: one below 1e-4 of the scale on which L bends leaves 1e-16; more often the
// Taylor series of tail_step.cl is enough at once.
//
// Start: the power series of P inverted (its first term is exact in double for log x < -38: no iteration); for a >= 1
// Wilson & Hilferty (1931), "The distribution of chi-square", PNAS 17, 684-688; Q ~ x^(a-1) e^-x/Gamma(a) far out.
// With the normal quantile z and d = z/sqrt(a), Wilson and Hilferty's x/a differs from the Cornish-Fisher expansion by
// d^3/108 + d/(36 a) + O(d^4 + 1/a^2): for a > 1e11 and |d| < 1e-5 their x is the quantile. There no step may follow: where
// x/a - 1 is near or below rounding, log p far down belongs to no double, and Newton's method overshoots.

// log Gamma(a + 1), given factor = igamma_factor(a)
NMATH_FN double qgamma_lgamma1p(double a, double factor)
{
    return a < 2.0 ? -log1p(a * factor) : a * (log(a) - 1.0) - log(factor);
}

// First guess for x, P(x) = e^l (lower) or Q(x) = e^l; u = (log P + log Gamma(a + 1))/a, lg = log Gamma(a + 1)
NMATH_FN double qgamma_start(double l, double a, int lower, double u, double lg)
{
    double x = exp(fmin(u, 709.0)), v = x / (a + 1.0);
    if ((lower || a < 1.0) && v < 0.2)
        return x * exp(v + v * v * (a + 1.5) / (a + 2.0));
    double y = log(a) - lg - l; // of Q ~ x^(a-1) e^-x/Gamma(a) = e^l
    x = fmax(y, 0.5);
    if (a >= 0.25) {
        double z = qnorm5(l, 0.0, 1.0, lower, 1) / (3.0 * sqrt(a)), c = z - 1.0 / (9.0 * a);
        if (z < 0.7)
            return a + a * (c * (3.0 + c * (3.0 + c)));
        x = a - l + sqrt(a) * (M_SQRT2 * sqrt(-l));
    }
    // far upper tail: x - (a - 1) log x + log(1 - (a - 1)/(x + 2)) = y, two Newton steps, for a >= 1 from an upper bound
    // (Laurent & Massart 2000, Ann. Statist. 28, 1302-1338)
    for (int i = 0; i < 2; ++i)
        x = fmax((y + (a - 1.0) * (log(x) - 1.0) - log1p((1.0 - a) / (x + 2.0))) * (x / (x + 1.0 - a)), 0.2);
    return x;
}

// A tail probability: its logarithm, itself where that is known better than by exp(l) (else 0), and which tail.
typedef struct { double l, t; int lower; } qgamma_target;

// The smaller tail at probability p.
NMATH_FN qgamma_target qgamma_tail(double p, int lower_tail, int log_p)
{
    qgamma_target w;
    int given = log_p ? p <= -M_LN2 : p <= 0.5;
    w.t = log_p ? (given ? 0.0 : -expm1(p)) : given ? p : 1.0 - p;
    w.l = log_p && given ? p : log(w.t);
    if (w.l < -NMATH_RANGE(690.0, 69.0))
        w.t = 0.0;
    w.lower = given == (lower_tail != 0);
    return w;
}

// log P at the target
NMATH_FN double qgamma_log_lower(qgamma_target w)
{
    return w.lower ? w.l : w.t > 0.0 ? log1p(-w.t) : R_Log1_Exp(w.l);
}

// x times scale, where x has the tail probability w, 0 < a < Inf.
NMATH_HEAVY double qgamma_solve(qgamma_target w, double a, double scale)
{
    double factor = igamma_factor(a), lg = qgamma_lgamma1p(a, factor), u = (qgamma_log_lower(w) + lg) / a;
    if (u < -38.0) { // it may be hundreds
        nmath_dd s = dd_two_sum(qgamma_log_lower(w), lg), e;
        e.hi = 0.5 * u;
        e.lo = u > -1e4 ? 0.5 * (fma(-u, a, s.hi) + s.lo) / a : 0.0;
        double h = dd_exp(e);
        return h * scale * h;
    }
    double x = qgamma_start(w.l, a, w.lower, u, lg);
    int low = w.t > 0.0 && w.t < NMATH_RANGE(1e-290, 1e-28); // then it and the tails that are compared with it are multiplied by 2^200
    if (low)
        w.t *= NMATH_LIFT;
    if (a > 1e11 && fabs(x - a) < 1e-5 * a)
        return x * scale;
    for (int i = 0; i < 16; ++i) {
        igamma_value v = igamma_core(x, a, x, 0, factor);
        double e = exp(low ? 0.5 * v.e : v.e), f = v.f + v.f * v.el, t = (low ? (e * NMATH_ROOT_LIFT) * (e * NMATH_ROOT_LIFT) : e) * f, r, d0;
        int same = v.lower == w.lower;
        if (same) {
            r = a * (v.g / v.f);
        } else {
            e = low ? e * e : e;
            t = 1.0 - e * f;
            r = a * (e * v.g) / t;
        }
        // the ratio of the probabilities has less rounding error than their logarithms
        if (w.t > 0.0 && fabs(w.t - t) < 0.4 * t)
            d0 = log1p((w.t - t) / t);
        else
            d0 = w.l - (same ? v.e + (v.el + log(v.f)) : log(t));
        double s = w.lower ? r : -r, A = a - x - s, B = A * (A - s) - x;
        tail_step best = tail_step_of(d0, s, a - x, x, 1.0, 0.0, 0);
        if (best.sure) {
            x += x * expm1(best.step);
            break;
        }
        d0 /= s;
        if (r * x * d0 * d0 > 1e10) // B is noise
            B = 0.0;
        double top = 1.0 + 0.5 * A * d0, bottom = 1.0 + d0 * (A + d0 * B * (1.0 / 6.0)), d = d0;
        if (top > 0.0 && bottom > 0.3 * top && bottom < 3.0 * top)
            d *= top / bottom;
        d = fmax(-4.0, fmin(4.0, d));
        x += x * expm1(d);
        if (!(fabs(d) * (1.0 + fabs(A) + sqrt(x)) > 1e-4 && fabs(d) > 2.5e-16))
            break;
    }
    return x * scale;
}

// qgamma with shape alpha * part, part = 1 or 1/2. Q(a, x) is proportional to a for a < 1e-290, where both are scaled up;
// the logarithms of the tails are homogeneous in (a, x) to the last bit for a > 1e300, and where they are beyond -1e300: both
// are scaled down.
NMATH_FN double qgamma_shape(double p, double alpha, double part, double scale, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(alpha) || ISNAN(scale))
        return p + alpha + scale;
    R_Q_P01_boundaries(p, 0.0, ML_POSINF);
    if (alpha < 0 || scale <= 0)
        return ML_NAN;
    if (alpha == 0)
        return 0.0;
    if (isinf(alpha) || isinf(scale))
        return ML_POSINF;
    qgamma_target w = qgamma_tail(p, lower_tail, log_p);
    if (w.t == 0.0 && !log_p)
        w.t = p;
    double a = alpha * part, c = 1.0;
    if (alpha < NMATH_RANGE(1e-290, 1e-28)) {
        if (w.lower || w.l > -500.0)
            return 0.0; // log x = -Q/a, nearly
        a = alpha * NMATH_LIFT * part;
        w.t *= NMATH_LIFT;
        w.l += NMATH_LIFT_LOG;
    } else if (a > NMATH_RANGE(1e300, 1e34) || w.l < -NMATH_RANGE(1e300, 1e34)) { // beside such a log a small shape does not count
        a = fmax(a * NMATH_RANGE(0x1p-100, 0x1p-60), NMATH_RANGE(1e-280, 1e-27));
        w.l *= NMATH_RANGE(0x1p-100, 0x1p-60);
        w.t = 0.0;
        c = NMATH_RANGE(0x1p100, 0x1p60);
    }
    return c * qgamma_solve(w, a, scale);
}

NMATH_FN double qgamma(double p, double alpha, double scale, int lower_tail, int log_p)
{
    return qgamma_shape(p, alpha, 1.0, scale, lower_tail, log_p);
}

// A first approximation to the chi-squared quantile with nu degrees of freedom, g = log Gamma(nu/2); tol, which bounds
// the error of an iteration in Mathlib's version, has nothing to do here.
NMATH_FN double qchisq_appr(double p, double nu, double g, int lower_tail, int log_p, double tol)
{
    if (ISNAN(p) || ISNAN(nu))
        return p + nu;
    R_Q_P01_check(p);
    if (nu <= 0)
        return ML_NAN;
    R_UNUSED(tol);
    qgamma_target w = qgamma_tail(p, lower_tail, log_p);
    double a = 0.5 * nu, lg = g + log(a);
    return 2.0 * qgamma_start(w.l, a, w.lower, (qgamma_log_lower(w) + lg) / a, lg);
}
