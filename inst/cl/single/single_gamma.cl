// @source_type: shim
// @source_origin: single_gamma.c
// @provides: single_stirling, single_lgamma1p, single_lgamma_of_positive, single_lgammafn, single_digamma, single_term, single_power, single_plus, single_value, single_exponential, single_factorial, single_binomial
// @depends:
// @all_depends_count: 0

// Functions of floats, for single precision alone (nmath_value in OPENCL.cl): the gamma function's logarithm and what the
// densities are made of. Errors are a few units in the last place times 1 + the condition number.
//
// The polynomials are interpolations at Chebyshev's nodes of values computed with 40 digits.

#ifdef NMATH_SINGLE

// log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi)/2 for x >= 1
NMATH_FN float single_stirling(float x)
{
    float u = 1.0f / x;
    return u * (0.0833333358f + u * (-4.06289985e-7f + u * (-0.00276895892f + u * (-7.4731041e-5f + u * (0.00111024850f
        + u * (-0.000722282275f + u * (0.000202577008f + u * -1.83159183e-5f)))))));
}

// log(gamma(1 + x)) for 0 <= x <= 1
NMATH_FN float single_lgamma1p(float x)
{
    float q = 0.00914042443f + x * -0.0014874843f;
    q = 0.0490538664f + x * (-0.0263120737f + x * q);
    q = 0.0906506702f + x * (-0.0707246587f + x * q);
    q = 0.155417189f + x * (-0.114918403f + x * q);
    return x * (x - 1.0f) * (0.577215672f + x * (-0.245250866f + x * q));
}

NMATH_FN float single_lgamma_of_positive(float x)
{
    if (x > 3.0f)
        return (x - 0.5f) * (log(x) - 1.0f) + (0.418938533f + single_stirling(x));
    if (x > 2.0f)
        return single_lgamma1p(x - 2.0f) + log(x - 1.0f);
    return x >= 1.0f ? single_lgamma1p(x - 1.0f) : single_lgamma1p(x) - log(x);
}

NMATH_FN float single_lgammafn(float x)
{
    if (isnan(x))
        return x;
    if (isinf(x) || (x <= 0.0f && x == rint(x)))
        return INFINITY;
    if (x > 0.0f)
        return single_lgamma_of_positive(x);
    float y = -x;
    if (y < 1e-10f)
        return -log(y);
    // gamma(-y) gamma(y) = -pi / (y sin(pi y))
    return -log(y * fabs(sinpi(y)) * 0.318309886f) - single_lgamma_of_positive(y);
}

NMATH_FN float single_digamma_of_positive(float x)
{
    if (x >= 4.0f) {
        float u = 1.0f / (x * x);
        return log(x) - (0.5f / x + u * (0.0833333333f - u * (0.00833333333f - u * (0.00396825397f - u * 0.00416666667f))));
    }
    float step = 0.0f, y = x;
    if (x < 1.0f) {
        step = -1.0f / x;
        y = x + 1.0f;
    } else if (x >= 3.0f) {
        step = (2.0f * x - 3.0f) / ((x - 1.0f) * (x - 2.0f));
        y = x - 2.0f;
    } else if (x >= 2.0f) {
        step = 1.0f / (x - 1.0f);
        y = x - 1.0f;
    }
    y -= 1.5f;
    float p = -0.058321856f + y * (0.0383699797f + y * (-0.0350729898f + y * 0.0232987795f));
    p = 0.23484458f + y * (-0.144947007f + y * (0.0927371457f + y * p));
    return step + (0.0364899449f + y * (0.934802234f + y * (-0.414392412f + y * p)));
}

NMATH_FN float single_digamma(float x)
{
    if (isnan(x) || x > 0.0f)
        return isinf(x) || isnan(x) ? x : single_digamma_of_positive(x);
    if (isinf(x) || x == rint(x))
        return NAN;
    return single_digamma_of_positive(1.0f - x) - 3.14159265f * cospi(x) / sinpi(x);
}

// e^(e + rest) factor. The parameters' condition numbers tell nothing of a whole number x: where x is far from a mean m,
// x log(m/x) is larger than they are by as much as the logarithm, and is made of double precision.
typedef struct {
    float e, rest, factor;
} single_term;

// y log(z), of double precision
NMATH_FN single_term single_power(float y, double z)
{
    double e = (double)y * log(z);
    single_term r;
    r.e = e.hi;
    r.rest = e.lo;
    r.factor = 1.0f;
    return r;
}

NMATH_FN single_term single_plus(single_term a, float x)
{
    double s = pair_sum_of(a.e, x);
    a.e = s.hi;
    a.rest += s.lo;
    return a;
}

// The term, or its logarithm. Far out the factor brings back into the range what the exponential alone has left.
NMATH_FN float single_value(single_term t, float times, int give_log)
{
    float c = t.factor * times, half_way = exp(0.5f * t.e);
    if (give_log)
        return t.e + (t.rest + log(c));
    float v = t.e > -80.0f && t.e < 80.0f ? exp(t.e) * c : half_way * c * half_way;
    return t.rest == 0.0f ? v : v + v * t.rest;
}

NMATH_FN single_term single_exponential(float e)
{
    single_term t;
    t.e = e;
    t.rest = 0.0f;
    t.factor = 1.0f;
    return t;
}

// m^x e^-m / gamma(x + 1), given d = m - x. With x! = sqrt(2 pi x) (x/e)^x e^stirling(x) this is of the deviance
// x log(x/m) + d: with s = d/(x + m) and w = s^2, log(m/x) = 2 s (1 + w/3 + w^2/5 + ...), whose terms do not cancel.
NMATH_FN single_term single_factorial(float x, float d, float m)
{
    if (x < 1.0f)
        return single_exponential((x * log(m) - m) - single_lgamma1p(x));
    single_term t;
    float s = d / (x + m), w = s * s;
    if (w > 0.81f) {
        t = single_plus(single_plus(single_power(x, (double)m / x), -d), -single_stirling(x));
    } else {
        float p = 0.333333333f + w * (0.2f + w * (0.142857143f + w * (0.111111111f + w * (0.0909090909f + w * 0.0769230769f))));
        float near = s * (2.0f * x * w * p - d);
        t = single_exponential((w > 0.0625f ? x * log(m / x) - d : near) - single_stirling(x));
    }
    t.factor = 0.39894228f / sqrt(x);
    return t;
}

// gamma(n + 1) / (gamma(x + 1) gamma(y + 1)) p^x q^y for n = x + y, p + q = 1 and d = n p - x.
NMATH_FN single_term single_binomial(float x, float y, float n, float d, float p, float q)
{
    single_term a = single_factorial(x, d, n * p), b = single_factorial(y, -d, n * q), c = single_factorial(n, 0.0f, n);
    a = single_plus(single_plus(a, b.e), -c.e);
    a.rest += b.rest;
    a.factor = a.factor / c.factor * b.factor;
    return a;
}

#endif
