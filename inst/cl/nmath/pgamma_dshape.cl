// @source_type: shim
// @source_origin: pgamma_dshape.c
// @provides: pgamma_dshape, pgamma_dshape_log, pgamma_dshape_step
// @depends: nmath, dpq, igamma, pgamma_dshape_table
// @method: uniform expansion fitted in two variables; series and continued fraction with their derivatives
// @accuracy: derivatives 2.6 eps(1+cond) (host), 2.6 (PoCL)
// @all_depends: Rmath, nmath, dpq, igamma_table, pgamma_dshape_table, pnorm, igamma
// @all_depends_count: 7

// pgamma_dshape -- the derivative of the gamma distribution function P(a, y), y = x/scale, in the shape a. With the
// upper tail Q = 1 - P, the quotient
//     W = dQ/da / (y^a e^-y / Gamma(a + 1))
// is positive, and igamma.cl has y^a e^-y / Gamma(a + 1) = exp(e) g and the smaller tail exp(e) f with a common
// exponent: the derivative of the logarithm of the smaller tail is W g/f up to its sign, with no exponential. By
// region, as in igamma.cl:
//
//   a >= 1, 1/4 <= y/a <= 5/2   the uniform expansion of Temme (1979), differentiated: with h = a (l - 1 - log l), l =
//       y/a, w = log l,
//       eta the root of 2 h/a with the sign of w, and T the correction of the normal tail,
//           dQ/da = e^-h/sqrt(2 pi a) U,   U = w/eta + w T + dT/da - T/(2 a),
//       smooth and positive: a polynomial in w and t = (a - 2.75)/(a + 0.75). Nothing cancels, and no normal tail is
//           needed.
//   y < 1 or y < a/4            the series sum_n t_n, t_n = y^n/((a + 1)...(a + n)), of P has the derivative -sum_n t_n
//       H_n,
//       H_n = 1/(a + 1) + ... + 1/(a + n):   W = (psi(a + 1) - log y) sum t_n + sum t_n H_n.
//   elsewhere                   with q the continued fraction for Q (Abramowitz & Stegun 6.5.31),
//           W = q (1 + a (log y - psi(a + 1))) + a dq/da,
//       the fraction differentiated step by step, and below y = 5 a fit of dq/da in log y and a.
//
// pgamma_dshape_step -- the derivative of a quantile in the shape over the quantile: W/a, since the density is y^(a-1)
// e^-y / Gamma(a).

// psi(a + 1) - log y for y = m 2^k
NMATH_FN double pgamma_dshape_rise_over(double a, double y, double m, int k)
{
    if (a < 2.0)
        return nmath_poly(a, pgamma_dshape_psi, 23) - 1.0 / (a + 1.0) - (log(m) + k * M_LN2);
    double l = a / m;
    l = isinf(l) ? log(a) - log(m) : log(l);
    return l - k * M_LN2 + nmath_poly((a - 4.75) / (a + 0.75), pgamma_dshape_rise, 16) / a;
}

// W by the series, l = psi(a + 1) - log y: the terms' quotients are y/(a + n) <= 1/4 or y/n <= 1/n; two terms by one division
NMATH_FN double pgamma_dshape_series(double y, double a, double l)
{
    double s = 1.0, e = 0.0, q = y / (a + 1.0);
    for (int n = q < 0.02 ? 10 : q < 0.1 ? 16 : 30; n > 0; n -= 2) {
        double top = a + n, low = a + (n - 1), r = 1.0 / (top * low), rt = low * r, rl = top * r;
        double c = y * rt;
        e = c * (e + s * rt);
        s = 1.0 + c * s;
        c = y * rl;
        e = c * (e + s * rl);
        s = 1.0 + c * s;
    }
    return s * l + e;
}

// By the fraction, that is q/y here, and d its derivative in a/y; y >= 5
NMATH_FN double pgamma_dshape_fraction_of(double y, double a, double l)
{
    double ry = 1.0 / y, al = a * ry, b = 1.0 - al + ry, f = 0.0, df = 0.0;
    for (int n = (int)(10.0 + 75.0 * ry); n > 0; --n) {
        double ny = n * ry, r = 1.0 / (b + 2.0 * ny + f);
        f = ny * (al - ny) * r;
        df = (ny + f * (1.0 - df)) * r;
    }
    double q = 1.0 / (b + f);
    return q * (ry - al * l) + al * (q * q * (1.0 - df)) * ry;
}

NMATH_FN double pgamma_dshape_above(double y, double a, igamma_value v)
{
    double l = pgamma_dshape_rise_over(a, y, y, 0);
    if (!(y < 5.0))
        return pgamma_dshape_fraction_of(y, a, l);
    double ry = 1.0 / y, al = a * ry;
    return v.f / (v.g * al) * (ry - al * l) + al * pgamma_dshape_fraction_sum(log(y), a - 1.0);
}

// U
NMATH_FN double pgamma_dshape_uniform(double y, double a)
{
    return pgamma_dshape_middle_sum(log1p((y - a) / a), (a - 2.75) / (a + 0.75));
}

// W g, given the tail
NMATH_HEAVY double pgamma_dshape_of(double y, double a, double m, int k, igamma_value v)
{
    if (igamma_in_middle(y, a))
        return pgamma_dshape_uniform(y, a) * (M_1_SQRT_2PI / sqrt(a));
    return v.g * (y < 1.0 || y < a ? pgamma_dshape_series(y, a, pgamma_dshape_rise_over(a, y, m, k)) : pgamma_dshape_above(y, a, v));
}

// e and g alone, but where the fraction needs the tail
NMATH_FN igamma_value pgamma_dshape_weight(double y, double a, double m, int k)
{
    double factor = igamma_factor(a);
    if (!igamma_in_middle(y, a) && !(y < 1.0 || y < a))
        return igamma_fraction(y, a, factor);
    igamma_value v;
    v.el = v.f = 0.0;
    v.lower = y < a;
    if (igamma_in_middle(y, a)) {
        v.e = -igamma_middle_place(y, a).h;
        v.g = igamma_peak(a, factor);
    } else {
        nmath_dd e = igamma_exponent(y, a, m, k);
        v.e = e.hi;
        v.el = e.lo;
        v.g = a < 2.0 ? 1.0 + a * factor : factor;
    }
    return v;
}

// The arguments of the incomplete gamma function, y = m 2^k. It is the same, to the last bit, for a and y that are both
// beyond 1e300, and for shapes below 1e-290, but that Q is proportional to them.
typedef struct { double a, y, m; int k; } pgamma_dshape_place;

NMATH_FN pgamma_dshape_place pgamma_dshape_at(double x, double shape, double scale)
{
    pgamma_dshape_place p;
    p.a = fmax(shape, NMATH_RANGE(1e-290, 1e-28));
    p.y = p.m = x / scale;
    p.k = 0;
    if (p.y < NMATH_RANGE(1e-290, 1e-28)) {
        int ks;
        p.m = frexp(x, &p.k) / frexp(scale, &ks);
        p.k -= ks;
    }
    if (p.a > NMATH_RANGE(1e300, 1e34)) {
        p.a *= 0.25;
        p.y = (0.25 * x) / scale;
        p.m = p.k == 0 ? p.y : 0.25 * p.m;
    }
    return p;
}

// dP/dshape
NMATH_HEAVY double pgamma_dshape(double x, double shape, double scale)
{
    if (ISNAN(x) || ISNAN(shape) || ISNAN(scale))
        return x + shape + scale;
    if (shape < 0 || scale <= 0)
        return ML_NAN;
    if (x <= 0 || isinf(shape) || isinf(x))
        return 0.0;
    pgamma_dshape_place p = pgamma_dshape_at(x, shape, scale);
    if (isinf(p.y))
        return 0.0;
    igamma_value v = pgamma_dshape_weight(p.y, p.a, p.m, p.k);
    nmath_dd e;
    e.hi = 0.5 * v.e;
    e.lo = 0.5 * v.el;
    double r = dd_exp(e);
    return -(r * pgamma_dshape_of(p.y, p.a, p.m, p.k, v)) * r;
}

// d log P/dshape, or d log Q/dshape if `lower` is 0
NMATH_HEAVY double pgamma_dshape_log(double x, double shape, double scale, double lower)
{
    if (ISNAN(x) || ISNAN(shape) || ISNAN(scale) || ISNAN(lower))
        return x + shape + scale + lower;
    if (shape < 0 || scale <= 0)
        return ML_NAN;
    if (x <= 0 || isinf(shape) || isinf(x))
        return 0.0;
    int low = lower != 0.0;
    pgamma_dshape_place p = pgamma_dshape_at(x, shape, scale);
    if (isinf(p.y))
        return 0.0;
    igamma_value v = igamma_core(p.y, p.a, p.m, p.k, igamma_factor(p.a));
    double d = pgamma_dshape_of(p.y, p.a, p.m, p.k, v);
    if (v.lower == low)
        return low ? -d / v.f : d / v.f * (p.a / fmin(shape, p.a));
    nmath_dd e;
    e.hi = 0.5 * v.e;
    e.lo = 0.5 * v.el;
    double r = dd_exp(e), s = (r * d) * r / (1.0 - r * v.f * r);
    return low ? -s : s;
}

// W/a
NMATH_HEAVY double pgamma_dshape_step(double x, double shape, double scale)
{
    if (ISNAN(x) || ISNAN(shape) || ISNAN(scale))
        return x + shape + scale;
    if (shape < 0 || scale <= 0)
        return ML_NAN;
    if (x <= 0 || isinf(shape) || isinf(x))
        return 0.0;
    pgamma_dshape_place p = pgamma_dshape_at(x, shape, scale);
    if (isinf(p.y))
        return 0.0;
    if (!igamma_in_middle(p.y, p.a)) {
        igamma_value v = igamma_core(p.y, p.a, p.m, p.k, igamma_factor(p.a));
        return pgamma_dshape_of(p.y, p.a, p.m, p.k, v) / v.g / shape;
    }
    double f = igamma_factor(p.a);
    f = p.a < 2.0 ? (1.0 + p.a * f) * exp(p.a * (log(p.a) - 1.0)) * sqrt(p.a) : f * sqrt(p.a);
    return pgamma_dshape_uniform(p.y, p.a) * M_1_SQRT_2PI / f / shape;
}
