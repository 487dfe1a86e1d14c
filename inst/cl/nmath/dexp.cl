// @source_type: c
// @source_origin: dexp.c
// @provides: dexp, dexp_rate
// @depends: nmath, dpq
// @method: closed form
// @accuracy: dexp.tsv 0.89 eps(1+cond) (host), 0.89 (PoCL), 0.89 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// dexp -- density of the exponential distribution, exp(-x/scale)/scale for x >= 0. Where exp() leaves the normal range
// its square root is taken, so that a small scale brings the density back with all its bits.

NMATH_FN double dexp(double x, double scale, int log_p)
{
    double t = NMATH_SCALED(x, scale);
    if (!log_p && x >= 0 && t < NMATH_RANGE(690.0, 69.0) && scale > 0) // t of a tiny negative x is -0
        return NMATH_SCALED(exp(-t), scale);
    if (ISNAN(x) || ISNAN(scale))
        return x + scale;
    if (scale <= 0)
        return ML_NAN;
    if (x < 0)
        return R_D__0;
    if (log_p)
        return -t - log(scale);
    double h = exp(-0.5 * t);
    return h / scale * h;
}

// The same from the rate. 1/rate overflows for a subnormal one, which has no bits to lose as a factor.
NMATH_FN double dexp_rate(double x, double rate, int log_p)
{
    if (!(rate > 0 && rate < NMATH_DBL_MIN) || ISNAN(x))
        return dexp(x, 1.0 / rate, log_p);
    if (x < 0)
        return R_D__0;
    return log_p ? log(rate) - x * rate : exp(-x * rate) * rate;
}
