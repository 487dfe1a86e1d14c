// @source_type: c
// @source_origin: pweibull.c
// @provides: pweibull
// @depends: nmath, dpq
// @method: closed form
// @accuracy: pweibull.tsv 0.6 eps(1+cond) (host), 0.6 (PoCL), 0.6 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// pweibull -- cumulative probability of the Weibull distribution: exp(-t) above x, t = (x/scale)^shape, and -expm1(-t)
// below. t = exp(shape log(x/scale)): the condition number in shape pays for its exponent.

NMATH_FN double pweibull(double x, double shape, double scale, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(shape) || ISNAN(scale))
        return x + shape + scale;
    if (shape <= 0 || scale <= 0)
        ML_WARN_return_NAN;
    if (x <= 0)
        return R_DT_0;
    double u = x / scale; // NaN for Inf / Inf
    double l = (u > NMATH_DBL_MIN && u < NMATH_DBL_MAX) || isinf(x) || isinf(scale) ? log(u) : log(x) - log(scale);
    double e = l == 0 ? 0.0 : shape * l, t = exp(e);
    if (!lower_tail)
        return R_D_exp(-t);
    if (log_p && e < -37.0)
        return e; // log(1 - exp(-t)) = log t - t/2 + ..., also where t underflows
    return log_p ? R_Log1_Exp(-t) : -expm1(-t);
}
