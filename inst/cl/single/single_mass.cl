// @source_type: shim
// @source_origin: single_mass.c
// @provides: SINGLE_NONINT, single_dpois, single_dbinom, single_dnbinom, single_dnbinom_mu, single_dgeom
// @depends: single_gamma, single_density
// @all_depends: single_gamma, single_density
// @all_depends_count: 2

// Masses of whole numbers, of floats: from 2^24 on some whole numbers are none.

#ifdef NMATH_SINGLE

#define SINGLE_NONINT(x) (fabs((x) - rint(x)) > 1e-7f * fmax(1.0f, fabs(x)))

NMATH_FN float single_dpois(float x, float lambda, int give_log)
{
    if (isnan(x) || isnan(lambda))
        return x + lambda;
    if (lambda < 0.0f)
        return NAN;
    if (x < 0.0f || isinf(x) || SINGLE_NONINT(x))
        return SINGLE_NONE;
    x = rint(x);
    if (x == 0.0f)
        return give_log ? -lambda : exp(-lambda);
    if (lambda == 0.0f || isinf(lambda))
        return SINGLE_NONE;
    return single_value(single_factorial(x, lambda - x, lambda), 1.0f, give_log);
}

NMATH_FN float single_dbinom(float x, float n, float p, int give_log)
{
    if (isnan(x) || isnan(n) || isnan(p))
        return x + n + p;
    if (p < 0.0f || p > 1.0f || n < 0.0f || SINGLE_NONINT(n))
        return NAN;
    if (x < 0.0f || isinf(x) || SINGLE_NONINT(x))
        return SINGLE_NONE;
    n = rint(n);
    x = rint(x);
    if (isinf(n))
        return p == 0.0f && x == 0.0f ? (give_log ? 0.0f : 1.0f) : SINGLE_NONE;
    float q = 1.0f - p;
    if (p == 0.0f || q == 0.0f || n == 0.0f || x > n)
        return x == (q == 0.0f ? n : 0.0f) ? (give_log ? 0.0f : 1.0f) : SINGLE_NONE;
    float y = n - x, d = p <= q ? fma(n, p, -x) : -fma(n, q, -y);
    if (x == 0.0f)
        return single_value(single_exponential(n * log1p(-p)), 1.0f, give_log);
    return single_value(y == 0.0f ? single_power(n, p) : single_binomial(x, y, n, d, p, q), 1.0f, give_log);
}

// size successes before x failures; d = (x + size) p - size
NMATH_FN float single_negative_binomial(float x, float size, float d, float p, float q, int give_log)
{
    if (x == 0.0f)
        return single_value(single_exponential(size * (q < 0.5f ? log1p(-q) : log(p))), 1.0f, give_log);
    float n = x + size;
    return single_value(single_binomial(size, x, n, d, p, q), size / n, give_log);
}

NMATH_FN float single_dnbinom(float x, float size, float prob, int give_log)
{
    if (isnan(x) || isnan(size) || isnan(prob))
        return x + size + prob;
    if (prob <= 0.0f || prob > 1.0f || size < 0.0f)
        return NAN;
    if (x < 0.0f || isinf(x) || SINGLE_NONINT(x))
        return SINGLE_NONE;
    x = rint(x);
    if (size == 0.0f || prob == 1.0f || isinf(size))
        return x == 0.0f && (size == 0.0f || prob == 1.0f) ? (give_log ? 0.0f : 1.0f) : SINGLE_NONE;
    float q = 1.0f - prob;
    return single_negative_binomial(x, size, fma(x, prob, -size * q), prob, q, give_log);
}

NMATH_FN float single_dnbinom_mu(float x, float size, float mu, int give_log)
{
    if (isnan(x) || isnan(size) || isnan(mu))
        return x + size + mu;
    if (mu < 0.0f || size < 0.0f)
        return NAN;
    if (x < 0.0f || isinf(x) || SINGLE_NONINT(x))
        return SINGLE_NONE;
    x = rint(x);
    if (isinf(size) && !isinf(mu))
        return single_dpois(x, mu, give_log);
    if (size == 0.0f && mu == 0.0f && x > 0.0f)
        return NAN;
    if (size == 0.0f || mu == 0.0f)
        return x == 0.0f ? (give_log ? 0.0f : 1.0f) : SINGLE_NONE;
    if (isinf(mu))
        return SINGLE_NONE;
    float p = size / (size + mu), q = mu / (size + mu);
    return single_negative_binomial(x, size, p * (x - mu), p, q, give_log);
}

NMATH_FN float single_dgeom(float x, float p, int give_log)
{
    if (isnan(x) || isnan(p))
        return x + p;
    if (p <= 0.0f || p > 1.0f)
        return NAN;
    if (x < 0.0f || isinf(x) || SINGLE_NONINT(x))
        return SINGLE_NONE;
    x = rint(x);
    return x == 0.0f ? (give_log ? log(p) : p) : single_value(single_exponential(x * log1p(-p)), p, give_log);
}

#endif
