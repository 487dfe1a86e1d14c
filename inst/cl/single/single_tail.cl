// @source_type: shim
// @source_origin: single_tail.c
// @provides: single_normal_tail, single_pnorm5, single_plogis, single_waited, single_pexp, single_pexp_rate, single_pweibull, single_punif
// @depends:
// @all_depends_count: 0

// Distribution functions of floats.

#ifdef NMATH_SINGLE

#define SINGLE_SIDE(one) ((one) ? (log_p ? 0.0f : 1.0f) : (log_p ? -INFINITY : 0.0f))

// P(Z > t) e^(t^2/2) for t >= 0: a polynomial in (t - 2)/(t + 2), over t + 2
NMATH_FN float single_normal_tail(float t)
{
    float w = (t - 2.0f) / (t + 2.0f);
    float p = 0.000122628f + w * (-0.000143508863f + w * -6.08531409e-5f);
    p = -0.00194091641f + w * (0.00083007128f + w * (0.000822776812f + w * p));
    p = 0.0367192738f + w * (-0.000472901011f + w * (-0.00673553767f + w * p));
    return (0.672407985f + w * (-0.331404448f + w * (0.0287976805f + w * p))) / (t + 2.0f);
}

NMATH_FN float single_pnorm5(float x, float mu, float sigma, int lower_tail, int log_p)
{
    if (isnan(x) || isnan(mu) || isnan(sigma))
        return x + mu + sigma;
    if ((isinf(x) && mu == x) || sigma < 0.0f)
        return NAN;
    float z = (x - mu) / sigma;
    if (sigma == 0.0f || !isfinite(z))
        return SINGLE_SIDE(((x < mu) == !lower_tail));
    float t = fabs(z), e = -0.5f * t * t, m = t > 1e18f ? 0.39894228f / t : single_normal_tail(t);
    if ((z < 0.0f) == (lower_tail != 0))
        return log_p ? e + log(m) : exp(e) * m;
    float tail = exp(e) * m;
    return log_p ? log1p(-tail) : 1.0f - tail;
}

NMATH_FN float single_plogis(float x, float location, float scale, int lower_tail, int log_p)
{
    if (isnan(x) || isnan(location) || isnan(scale))
        return x + location + scale;
    if (scale <= 0.0f)
        return NAN;
    float z = (x - location) / scale;
    if (isnan(z))
        return NAN;
    if (!lower_tail)
        z = -z;
    if (isinf(z))
        return SINGLE_SIDE(z > 0.0f);
    float e = exp(-fabs(z));
    if (log_p)
        return (z < 0.0f ? z : 0.0f) - log1p(e);
    return (z < 0.0f ? e : 1.0f) / (1.0f + e);
}

// 1 - e^-y, or e^-y
NMATH_FN float single_waited(float y, int lower_tail, int log_p)
{
    if (!lower_tail)
        return log_p ? -y : exp(-y);
    if (!log_p)
        return -expm1(-y);
    return y > 0.693147181f ? log1p(-exp(-y)) : log(-expm1(-y));
}

NMATH_FN float single_pexp(float x, float scale, int lower_tail, int log_p)
{
    if (isnan(x) || isnan(scale))
        return x + scale;
    if (scale < 0.0f)
        return NAN;
    return x <= 0.0f ? SINGLE_SIDE(!lower_tail) : single_waited(x / scale, lower_tail, log_p);
}

// The same from the rate.
NMATH_FN float single_pexp_rate(float x, float rate, int lower_tail, int log_p)
{
    if (!(rate > 0.0f) || isinf(rate) || isnan(x))
        return single_pexp(x, 1.0f / rate, lower_tail, log_p);
    return x <= 0.0f ? SINGLE_SIDE(!lower_tail) : single_waited(x * rate, lower_tail, log_p);
}

NMATH_FN float single_pweibull(float x, float shape, float scale, int lower_tail, int log_p)
{
    if (isnan(x) || isnan(shape) || isnan(scale))
        return x + shape + scale;
    if (shape <= 0.0f || scale <= 0.0f)
        return NAN;
    if (x <= 0.0f)
        return SINGLE_SIDE(!lower_tail);
    float l = shape * log(x / scale), y = exp(l);
    if (lower_tail && log_p && y < 1e-30f)
        return l;
    return single_waited(y, lower_tail, log_p);
}

NMATH_FN float single_punif(float x, float a, float b, int lower_tail, int log_p)
{
    if (isnan(x) || isnan(a) || isnan(b))
        return x + a + b;
    if (b < a || isinf(a) || isinf(b))
        return NAN;
    if (x >= b || x <= a)
        return SINGLE_SIDE((x >= b) == (lower_tail != 0));
    float from = lower_tail ? x - a : b - x, rest = lower_tail ? b - x : x - a;
    return !log_p ? from / (b - a) : rest < from ? log1p(-rest / (b - a)) : log(from / (b - a));
}

#endif
