// @source_type: c
// @source_origin: pexp.c
// @provides: pexp, pexp_rate
// @depends: nmath, dpq
// @method: closed form
// @accuracy: pexp.tsv 0.39 eps(1+cond) (host), 0.32 (PoCL), 0.49 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// pexp -- cumulative probability of the exponential distribution: upper tail exp(-x/scale), lower -expm1(-x/scale).
// scale = 0 is the point mass at 0.

NMATH_FN double pexp(double x, double scale, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(scale))
        return x + scale;
    if (scale < 0)
        return ML_NAN;
    if (x <= 0)
        return R_DT_0;
    double t = -NMATH_SCALED(x, scale);
    if (!lower_tail)
        return R_D_exp(t);
    if (log_p && t > -NMATH_RANGE(1e-290, 1e-28))
        return log(x) - log(scale); // the quotient may underflow
    return log_p ? R_Log1_Exp(t) : -expm1(t);
}

// The same from the rate: see dexp_rate.
NMATH_FN double pexp_rate(double x, double rate, int lower_tail, int log_p)
{
    if (rate < 0)
        return ML_NAN; // also -Inf, whose scale is -0
    if (!(rate > 0 && rate < NMATH_DBL_MIN) || !(x > 0))
        return pexp(x, 1.0 / rate, lower_tail, log_p);
    double t = -x * rate;
    if (!lower_tail)
        return R_D_exp(t);
    if (log_p && t > -NMATH_RANGE(1e-290, 1e-28))
        return log(x) + log(rate);
    return log_p ? R_Log1_Exp(t) : -expm1(t);
}
