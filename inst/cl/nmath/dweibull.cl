// @source_type: c
// @source_origin: dweibull.c
// @provides: dweibull
// @depends: nmath, dpq
// @method: one exponent for the power and the exponential
// @accuracy: dweibull.tsv 0.88 eps(1+cond) (host), 0.88 (PoCL), 0.88 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// dweibull -- density of the Weibull distribution, (k/x) t exp(-t) with t = (x/scale)^k. With e = k log(x/scale), t =
// exp(e), this is (k/x) exp(e - t): e and t belong together, so an error of e moves the result by (1 - t) de, which
// is what the condition number in k allows, and nothing leaves the range of doubles unless the result does. The
// quotient x/scale may: then its logarithm is a difference of two. At 0: Inf for k < 1, 1/scale for k = 1, 0 above. The ordinary range comes first.

NMATH_FN double dweibull(double x, double shape, double scale, int log_p)
{
    double u = x / scale, v = shape / x;
    if (!log_p && scale > 0 && shape > 0 && u > NMATH_DBL_MIN && u < NMATH_DBL_MAX && v < NMATH_DBL_MAX) {
        double e = shape * log(u);
        e -= exp(e);
        if (e > -NMATH_RANGE(690.0, 69.0))
            return v * exp(e);
    }
    if (ISNAN(x) || ISNAN(shape) || ISNAN(scale))
        return x + shape + scale;
    if (shape <= 0 || scale <= 0)
        ML_WARN_return_NAN;
    if (x < 0 || isinf(x))
        return R_D__0;
    if (isinf(shape)) { // Inf at scale; as in R, indeterminate elsewhere
        if (x == scale)
            return ML_POSINF;
        ML_WARN_return_NAN;
    }
    if (x == 0) {
        if (shape < 1)
            return ML_POSINF;
        return shape > 1 ? R_D__0 : log_p ? -log(scale) : 1.0 / scale;
    }
    if (isinf(scale))
        return R_D__0;
    if (log_p && shape == 1.0) // where e and log(1/x) would cancel
        return -u - log(scale);
    double e = shape * (u > NMATH_DBL_MIN && u < NMATH_DBL_MAX ? log(u) : log(x) - log(scale));
    e = fmin(e, 1000.0);
    e -= exp(e);
    if (log_p)
        return e + (v > NMATH_DBL_MIN && v < NMATH_DBL_MAX ? log(v) : log(shape) - log(x));
    double h = exp(0.5 * e); // two factors: the exponential alone may underflow
    return (v < NMATH_DBL_MAX ? h * v : h / x * shape) * h;
}
