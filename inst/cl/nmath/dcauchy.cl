// @source_type: c
// @source_origin: dcauchy.c
// @provides: dcauchy
// @depends: nmath, dpq
// @method: closed form without the square of the standardized argument
// @accuracy: dcauchy.tsv 0.86 eps(1+cond) (host), 0.86 (PoCL), 0.86 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// dcauchy -- density of the Cauchy distribution, 1/(pi s (1 + y^2)) with d = x - m, y = d/s, as 1/(pi (s + d y)): y^2
// overflows long before the density underflows, and log(s) + log(1 + y^2) would cancel. Arguments near the
// ends of the range are scaled first. Where d y overflows the density is taken factor by factor.

NMATH_FN double dcauchy(double x, double m, double s, int log_p)
{
    double d = x - m, w = s * s + d * d;
    if (!log_p && s > NMATH_RANGE(1e-140, 1e-14) && w < NMATH_RANGE(1e300, 1e34)) // nothing is missing, and no square leaves the range
        return s / (M_PI * w);
    if (ISNAN(x) || ISNAN(m) || ISNAN(s))
        return x + m + s;
    if (s <= 0)
        ML_WARN_return_NAN;
    double large = NMATH_RANGE(1e300, 1e34), c = 1.0;
    if (isinf(d) || fabs(d) > large || s > large)
        c = NMATH_RANGE(0x1p-600, 0x1p-60);
    else if (s < NMATH_RANGE(1e-290, 1e-28) && fabs(d) < NMATH_RANGE(1e-100, 1e-10))
        c = NMATH_RANGE(0x1p600, 0x1p60);
    double s0 = s;
    d = isinf(d) ? fabs(x * c - m * c) : fabs(d) * c;
    s *= c;
    w = s + d * (d / s); // NaN for Inf / Inf
    if (isinf(w) && isfinite(d) && isfinite(s)) // then s/d < 1e-8
        return log_p ? log(s0) - 2.0 * (log(d) - log(c) + M_LN_SQRT_PI) : s / d * c * M_1_PI / d;
    if (log_p)
        return (c == 1.0 ? 0.0 : log(c)) - (w < NMATH_RANGE(1e300, 1e34) ? log(M_PI * w) : log(w) + 2.0 * M_LN_SQRT_PI);
    return c * M_1_PI / w;
}
