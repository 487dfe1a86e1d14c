// @source_type: c
// @source_origin: dlogis.c
// @provides: dlogis
// @depends: nmath, dpq
// @method: closed form in exp(-|z|)
// @accuracy: dlogis.tsv 0.83 eps(1+cond) (host), 0.77 (PoCL), 0.77 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// dlogis -- density of the logistic distribution, exp(-z)/(s (1 + exp(-z))^2), z = |x - m|/s; symmetric, so that the
// exponential never overflows. It is taken as the square of exp(-z/2), with the division by s between the two
// factors: only the last product can be subnormal. In the ordinary range one division is enough.

NMATH_FN double dlogis(double x, double m, double s, int log_p)
{
    double z = NMATH_SCALED(fabs(x - m), s); // NaN for Inf - Inf and Inf/Inf
    if (!log_p && z < NMATH_RANGE(700.0, 80.0) && s > 0 && s < NMATH_RANGE(1e300, 1e34)) {
        double e = exp(-z), g = 1.0 + e;
        return e / (s * (g * g));
    }
    if (ISNAN(x) || ISNAN(m) || ISNAN(s))
        return x + m + s;
    if (s <= 0)
        ML_WARN_return_NAN;
    if (!isfinite(z) && isfinite(x) && isfinite(m))
        z = 2.0 * (fabs(0.5 * x - 0.5 * m) / s);
    double h = exp(-0.5 * z), f = 1.0 + h * h;
    if (log_p)
        return -(z + log(s) + 2.0 * log1p(h * h));
    h /= f;
    return h / s * h;
}
