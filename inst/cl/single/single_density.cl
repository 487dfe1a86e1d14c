// @source_type: shim
// @source_origin: single_density.c
// @provides: SINGLE_NONE, single_normal, single_dnorm4, single_dlnorm, single_dexp, single_dexp_rate, single_dgamma, single_dchisq, single_dbeta, single_dt, single_dweibull, single_dlogis, single_dcauchy, single_dunif
// @depends: single_gamma
// @all_depends: single_gamma
// @all_depends_count: 1

// Densities of floats. The discrete ones are in single_mass.cl.
//
// Loader (2000), "Fast and accurate computation of binomial probabilities": factorials by Stirling's formula, what is left as
// deviances, whose terms do not cancel.

#ifdef NMATH_SINGLE

#define SINGLE_NONE (give_log ? -INFINITY : 0.0f)

// Of a standard normal z, with a density c/scale of z = 0: `rest` is log(scale), which is used where the exponential underflows.
NMATH_FN float single_normal(float z, float scale, int give_log)
{
    float e = -0.5f * z * z;
    if (give_log)
        return (e - 0.918938533f) - log(scale);
    return e > -40.0f ? exp(e) * 0.39894228f / scale : exp(e - log(scale)) * 0.39894228f;
}

NMATH_FN float single_dnorm4(float x, float mu, float sigma, int give_log)
{
    if (isnan(x) || isnan(mu) || isnan(sigma))
        return x + mu + sigma;
    if (sigma < 0.0f || (isinf(x) && mu == x))
        return NAN;
    if (sigma == 0.0f)
        return x == mu ? INFINITY : SINGLE_NONE;
    float z = (x - mu) / sigma;
    return isinf(sigma) || !isfinite(z) ? SINGLE_NONE : single_normal(z, sigma, give_log);
}

NMATH_FN float single_dlnorm(float x, float meanlog, float sdlog, int give_log)
{
    if (isnan(x) || isnan(meanlog) || isnan(sdlog))
        return x + meanlog + sdlog;
    if (sdlog < 0.0f)
        return NAN;
    if (isinf(x) && log(x) == meanlog)
        return NAN;
    if (sdlog == 0.0f)
        return x > 0.0f && log(x) == meanlog ? INFINITY : SINGLE_NONE;
    if (x <= 0.0f || isinf(x))
        return SINGLE_NONE;
    float l = log(x), z = (l - meanlog) / sdlog, e = -0.5f * z * z;
    if (!isfinite(z) || isinf(sdlog))
        return SINGLE_NONE;
    if (give_log)
        return ((e - 0.918938533f) - l) - log(sdlog);
    return e > -20.0f && fabs(l) < 40.0f ? exp(e) * 0.39894228f / x / sdlog : exp((e - l) - log(sdlog)) * 0.39894228f;
}

NMATH_FN float single_dexp(float x, float scale, int give_log)
{
    if (isnan(x) || isnan(scale))
        return x + scale;
    if (scale <= 0.0f)
        return NAN;
    if (x < 0.0f)
        return SINGLE_NONE;
    float e = -x / scale;
    return give_log ? e - log(scale) : e > -40.0f ? exp(e) / scale : exp(e - log(scale));
}

// The same from the rate.
NMATH_FN float single_dexp_rate(float x, float rate, int give_log)
{
    if (!(rate > 0.0f) || isinf(rate) || isnan(x))
        return single_dexp(x, 1.0f / rate, give_log);
    if (x < 0.0f)
        return SINGLE_NONE;
    return give_log ? log(rate) - x * rate : single_value(single_exponential(-x * rate), rate, 0);
}

NMATH_FN float single_dgamma(float x, float shape, float scale, int give_log)
{
    if (isnan(x) || isnan(shape) || isnan(scale))
        return x + shape + scale;
    if (shape < 0.0f || scale <= 0.0f)
        return NAN;
    if (x < 0.0f)
        return SINGLE_NONE;
    if (shape == 0.0f)
        return x == 0.0f ? INFINITY : SINGLE_NONE;
    if (x == 0.0f)
        return shape < 1.0f ? INFINITY : shape > 1.0f ? SINGLE_NONE : give_log ? -log(scale) : 1.0f / scale;
    float m = x / scale;
    if (isinf(m) || isinf(shape) || isinf(scale))
        return SINGLE_NONE;
    if (shape == 1.0f)
        return give_log ? -m - log(scale) : m < 40.0f ? exp(-m) / scale : exp(-m - log(scale));
    return single_value(single_factorial(shape, m - shape, m), shape / x, give_log);
}

NMATH_FN float single_dchisq(float x, float df, int give_log) { return single_dgamma(x, 0.5f * df, 2.0f, give_log); }

NMATH_FN float single_dbeta(float x, float a, float b, int give_log)
{
    if (isnan(x) || isnan(a) || isnan(b))
        return x + a + b;
    if (a < 0.0f || b < 0.0f)
        return NAN;
    if (x < 0.0f || x > 1.0f)
        return SINGLE_NONE;
    int left = a == 0.0f, right = b == 0.0f, sharp = isinf(a) && isinf(b);
    if (left || right || isinf(a) || isinf(b)) { // masses at 0, at 1, at both, or at 1/2
        int at_0 = left || (isinf(b) && !isinf(a)), at_1 = right || (isinf(a) && !isinf(b));
        if (left != right) {
            at_0 = left;
            at_1 = right;
        }
        return sharp ? (x == 0.5f ? INFINITY : SINGLE_NONE) : (at_0 && x == 0.0f) || (at_1 && x == 1.0f) ? INFINITY : SINGLE_NONE;
    }
    if (a == 1.0f && b == 1.0f)
        return give_log ? 0.0f : 1.0f;
    if (x == 0.0f || x == 1.0f) {
        float s = x == 0.0f ? a : b, other = x == 0.0f ? b : a;
        return s > 1.0f ? SINGLE_NONE : s < 1.0f ? INFINITY : give_log ? log(other) : other;
    }
    float q = 1.0f - x, n = a + b;
    return single_value(single_binomial(a, b, n, b * x - a * q, x, q), (a / x) * (b / n) / q, give_log);
}

NMATH_FN float single_dt(float x, float n, int give_log)
{
    if (isnan(x) || isnan(n))
        return x + n;
    if (n <= 0.0f)
        return NAN;
    if (isinf(x))
        return SINGLE_NONE;
    if (isinf(n))
        return single_dnorm4(x, 0.0f, 1.0f, give_log);
    float a = 0.5f * n, size = fabs(x), u = x / n * x, c, factor = 1.0f;
    if (a >= 1.0f) {
        c = (a * log1p(0.5f / a) - 0.5f) + (single_stirling(a + 0.5f) - single_stirling(a));
    } else {
        c = single_lgamma_of_positive(a + 0.5f) - single_lgamma1p(a);
        factor = sqrt(a);
    }
    float l = u < 1e30f ? log1p(u) : 2.0f * log(size) - log(n);
    if (give_log)
        return (c - (a + 0.5f) * l) + log(0.39894228f * factor);
    return single_value(single_exponential(c - a * l), 0.39894228f * factor / (u < 1e30f ? sqrt(1.0f + u) : size / sqrt(n)), 0);
}

NMATH_FN float single_dweibull(float x, float shape, float scale, int give_log)
{
    if (isnan(x) || isnan(shape) || isnan(scale))
        return x + shape + scale;
    if (shape <= 0.0f || scale <= 0.0f)
        return NAN;
    if (x < 0.0f || isinf(x))
        return SINGLE_NONE;
    if (x == 0.0f)
        return shape < 1.0f ? INFINITY : shape > 1.0f ? SINGLE_NONE : give_log ? -log(scale) : 1.0f / scale;
    float l = log(x / scale), power = exp(shape * l);
    if (isinf(power))
        return SINGLE_NONE;
    if (give_log)
        return ((shape - 1.0f) * l - power) + log(shape / scale);
    return single_value(single_exponential(shape * l - power), shape / x, 0);
}

NMATH_FN float single_dlogis(float x, float m, float s, int give_log)
{
    if (isnan(x) || isnan(m) || isnan(s))
        return x + m + s;
    if (s <= 0.0f)
        return NAN;
    float z = fabs((x - m) / s), e = exp(-z), f = 1.0f + e;
    return give_log ? -(z + log(s)) - 2.0f * log1p(e) : e / (s * f * f);
}

NMATH_FN float single_dcauchy(float x, float m, float s, int give_log)
{
    if (isnan(x) || isnan(m) || isnan(s))
        return x + m + s;
    if (s <= 0.0f)
        return NAN;
    float z = fabs((x - m) / s);
    if (z > 1e9f) // 1 adds nothing
        return give_log ? -(1.14472989f + log(s)) - 2.0f * log(z) : 0.318309886f / z / s / z;
    float f = 1.0f + z * z;
    return give_log ? -(1.14472989f + log(s)) - log(f) : 0.318309886f / (s * f);
}

NMATH_FN float single_dunif(float x, float a, float b, int give_log)
{
    if (isnan(x) || isnan(a) || isnan(b))
        return x + a + b;
    if (b <= a)
        return NAN;
    return a <= x && x <= b ? (give_log ? -log(b - a) : 1.0f / (b - a)) : SINGLE_NONE;
}

#endif
