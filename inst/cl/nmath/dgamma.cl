// @source_type: c
// @source_origin: dgamma.c
// @provides: dgamma, dgamma_shape, dgamma_scaled
// @depends: nmath, dpq, dpois
// @method: the Poisson exponent at x = shape, with binary exponents kept apart near the ends of the range
// @accuracy: dgamma.tsv 0.9 eps(1+cond) (host), 0.9 (PoCL), 0.9 (H200)
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, dpois
// @all_depends_count: 8

// dgamma -- density of the gamma distribution. With y = x/scale and a = shape,
//     f(x) = y^a e^-y / (x Gamma(a)) = (a/x) * y^a e^-y / a!,
// a times a Poisson mass at the real point a (dpois.cl) over x: one formula for all shapes, nothing cancels. The quotient
// y may leave the range of doubles although f does not (a near 0 or 1): then its mantissa and binary exponent go on
// apart, and where exp() or a/x would leave the range the powers of two are applied last. For a < 1e-290 f is proportional to
// a, which is scaled up, since it may be subnormal; for a > 1e300 the logarithm is homogeneous in (a, y) to the last bit, so
// that a y which overflows is scaled down.

// exp(e) * num / den, with one rounding at the end even if the factors are out of range
NMATH_FN double dgamma_scaled(nmath_dd e, double num, double den)
{
    int kn, kd;
    double mn = frexp(num, &kn), md = frexp(den, &kd);
    // beyond these limits no quotient of doubles brings the product back into the range
    double k = rint(fmax(-3000.0, fmin(3000.0, e.hi * M_LOG2E)));
    double r = (e.hi - k * NMATH_LN2_HI) + (e.lo - k * NMATH_LN2_LO);
    return ldexp(exp(fmax(-999.0, fmin(999.0, r))) * (mn / md), (int)k + kn - kd);
}

// dgamma with the given shape times 1 or 1/2
NMATH_HEAVY double dgamma_shape(double x, double shape, double part, double scale, int log_p)
{
    if (ISNAN(x) || ISNAN(shape) || ISNAN(scale))
        return x + shape + scale;
    if (shape < 0 || scale <= 0)
        return ML_NAN;
    if (x < 0)
        return R_D__0;
    if (shape == 0)
        return x == 0 ? ML_POSINF : R_D__0;
    int k = 0, tiny = shape < NMATH_RANGE(1e-290, 1e-28);
    shape = (tiny ? shape * NMATH_LIFT : shape) * part;
    if (x == 0) {
        if (shape < 1)
            return ML_POSINF;
        return shape > 1 ? R_D__0 : log_p ? -log(scale) : 1.0 / scale;
    }
    if (isinf(x) || isinf(shape) || isinf(scale))
        return R_D__0;

    double m = x, y = x / scale, c4 = 1.0;
    if (shape == 1 && (log_p || y < NMATH_RANGE(690.0, 69.0))) // exact, and frequent
        return log_p ? -y - log(scale) : exp(-y) / scale;
    if (y < NMATH_RANGE(1e-290, 1e-28)) {
        int ks;
        m = frexp(x, &k) / frexp(scale, &ks);
        k -= ks;
    } else if (isinf(y)) {
        if (shape < NMATH_RANGE(1e300, 1e34))
            return R_D__0;
        c4 = 4.0;
        shape *= 0.25;
        m = y = (0.25 * x) / scale;
        if (isinf(y))
            return R_D__0;
    } else {
        m = y;
    }
    double d = y - shape;
    if (shape > 1e15) // the rounding error of y may be all of d
        d += fma(-y, scale, x) / scale;

    double w;
    nmath_dd e = dpois_exponent(shape, d, m, k, &w);
    double num = shape * (M_1_SQRT_2PI / sqrt(w)), c = num / x;
    int safe = c > NMATH_RANGE(1e-290, 1e-28) && c < NMATH_RANGE(1e290, 1e28);
    if (log_p) {
        double l = safe ? log(c) : log(num) - log(x);
        return c4 * (e.hi + (e.lo + (tiny ? l - NMATH_LIFT_LOG : l))); // 200 log 2
    }
    if (tiny)
        return dgamma_scaled(e, num / NMATH_ROOT_LIFT, x) / NMATH_ROOT_LIFT;
    return safe && e.hi > -NMATH_RANGE(690.0, 69.0) ? dd_exp(e) * c : dgamma_scaled(e, num, x);
}

NMATH_FN double dgamma(double x, double shape, double scale, int log_p)
{
    return dgamma_shape(x, shape, 1.0, scale, log_p);
}
