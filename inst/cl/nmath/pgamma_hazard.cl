// @source_type: shim
// @source_origin: pgamma_hazard.c
// @provides: pgamma_hazard, pgamma_hazard_over, pgamma_slope, pgamma_rate_slope
// @depends: nmath, dpq, igamma
// @method: igamma.cl, which has tail and density with one common exponent
// @accuracy: derivatives 2 eps(1+cond) (host), 2 (PoCL)
// @all_depends: Rmath, nmath, dpq, igamma_table, pnorm, igamma
// @all_depends_count: 6

// pgamma_hazard -- the density of the gamma distribution over one of its tails, the lower one if `lower` is not 0. In
// igamma.cl the smaller tail is exp(e) f and y^a e^-y / Gamma(a + 1) is exp(e) g, y = x/scale, a the shape: their
// quotient needs no exponential, and x times the hazard is a g/f. The ends of the range of shapes are those of
// pgamma.cl: 1 - F is proportional to a tiny shape, log F homogeneous in a huge one and y.
//
// pgamma_slope -- the size of the derivative of the log tail in scale, x/scale times the hazard, which may be in range where the
// hazard is not.
//
// pgamma_rate_slope -- that in rate = 1/scale.

// x times the hazard, over `part`: x, scale or rate
NMATH_HEAVY double pgamma_hazard_over(double x, double shape, double scale, double lower, double part)
{
    if (ISNAN(x) || ISNAN(shape) || ISNAN(scale) || ISNAN(lower))
        return x + shape + scale + lower;
    if (shape < 0 || scale <= 0)
        return ML_NAN;
    int low = lower != 0.0;
    if (x < 0 || shape == 0.0)
        return 0.0;
    if (x == 0)
        return low || shape < 1.0 ? ML_POSINF : shape == 1.0 ? 1.0 / scale : 0.0;
    if (isinf(shape))
        return low ? ML_POSINF : 0.0;
    if (isinf(x))
        return low ? 0.0 : 1.0 / scale;
    double y = x / scale, m = y, a = shape, c = 1.0;
    int k = 0;
    if (y < NMATH_RANGE(1e-290, 1e-28)) {
        int ks;
        m = frexp(x, &k) / frexp(scale, &ks);
        k -= ks;
    }
    if (a > NMATH_RANGE(1e300, 1e34)) {
        c = 4.0;
        a *= 0.25;
        y = (0.25 * x) / scale;
        m = k == 0 ? y : 0.25 * m;
    }
    if (a < NMATH_RANGE(1e-290, 1e-28)) {
        a *= NMATH_LIFT;
        c = low ? 1.0 / NMATH_LIFT : 1.0;
    }
    if (isinf(y))
        return low ? 0.0 : x / part / scale;
    igamma_value v = igamma_core(y, a, m, k, igamma_factor(a));
    double h = a * v.g;
    if (v.lower == low)
        return h / v.f / part * c;
    nmath_dd e; // the density may be in range where the tail that is left out is not
    e.hi = 0.5 * v.e;
    e.lo = 0.5 * v.el;
    double r = dd_exp(e);
    return c * nmath_rate(h, 1.0, r, part) / (1.0 - r * v.f * r);
}

NMATH_FN double pgamma_hazard(double x, double shape, double scale, double lower)
{
    return pgamma_hazard_over(x, shape, scale, lower, x);
}

NMATH_FN double pgamma_slope(double x, double shape, double scale, double lower)
{
    return x == 0 && shape >= 0 && scale > 0 ? 0.0 : pgamma_hazard_over(x, shape, scale, lower, scale);
}

NMATH_FN double pgamma_rate_slope(double x, double shape, double rate, double lower)
{
    return x == 0 && shape >= 0 && rate > 0 ? 0.0 : pgamma_hazard_over(x, shape, 1.0 / rate, lower, rate);
}
