// @source_type: shim
// @source_origin: pair_log.c
// @provides: pair_log_mantissa, pair_log_series, pair_log_of_power, pair_log, pair_log1p, pair_log2, pair_log10, pair_asinh, pair_acosh, pair_atanh, pair_log_long, pair_power_long, pair_pow, pair_exp10
// @depends: pair, pair_parts, pair_exp
// @method: exponent split and atanh series, one division
// @all_depends: pair, pair_parts, pair_exp
// @all_depends_count: 3

// Logarithms and powers of pairs of floats.
//
//   x = 2^k m, sqrt(1/2) <= m < sqrt 2;   log x = k log 2 + 2 atanh(s),   s = (m - 1)/(m + 1)
//
// For a power the logarithm has a third float, since its error grows by |y log x| <= 104: s has what the quotient left.

// (atanh(s)/s - 1)/s^2 in s^2, |s| <= 3 - 2 sqrt 2, tools/fit_pair.py; error 2^-57 of the logarithm.
NMATH_TABLE float pair_log_head[8] = {
    0.333333343f, -9.93410687e-09f, 0.200000003f, -2.98073788e-09f,
    0.142857149f, -6.1120855e-09f, 0.111111052f, 3.11258885e-09f,
};
NMATH_TABLE float pair_log_tail[3] = {
    0.0909144655f, 0.0766580552f, 0.0730890334f,
};
// The inverses of log 2 and log 10, log 10: a pair, and the rest.
NMATH_TABLE float pair_log2_e[3] = {
    1.44269502f, 1.92596303e-08f, -4.23733949e-16f,
};
NMATH_TABLE float pair_log10_e[3] = {
    0.434294492f, -1.010305e-08f, -1.00039104e-16f,
};
NMATH_TABLE float pair_ln10[3] = {
    2.30258512f, -3.19754356e-08f, -1.10525401e-15f,
};

// m of x = 2^k m
NMATH_FN nmath_pair pair_log_mantissa(nmath_pair x, int *k)
{
    float m = NMATH_FLOAT(frexp)(x.hi, k);
    *k -= m < 0.707106769f;
    return pair_of(NMATH_FLOAT(ldexp)(x.hi, -*k), NMATH_FLOAT(ldexp)(x.lo, -*k));
}

// 2 atanh(s)
NMATH_FN nmath_pair pair_log_series(nmath_pair s)
{
    nmath_pair w = pair_mul(s, s), p = pair_poly(w, pair_log_head, 4, pair_log_tail, 3);
    s = pair_scaled(s, 2.0f);
    return pair_add(s, pair_mul(pair_mul(s, w), p));
}

NMATH_FN nmath_pair pair_log_of_power(int k)
{
    return pair_add_float(pair_mul_float(pair_of(pair_ln2[1], pair_ln2[2]), (float)k), (float)k * pair_ln2[0]);
}

NMATH_HEAVY nmath_pair pair_log(nmath_pair x)
{
    int k;
    if (!(x.hi > 0.0f && x.hi <= PAIR_MAX))
        return pair_of_float(x.hi == 0.0f ? -INFINITY : x.hi < 0.0f ? NAN : x.hi);
    nmath_pair m = pair_log_mantissa(x, &k);
    nmath_pair r = pair_log_series(pair_div(pair_add_float(m, -1.0f), pair_add_float(m, 1.0f)));
    return k == 0 ? r : pair_add(pair_log_of_power(k), r);
}

NMATH_HEAVY nmath_pair pair_log1p(nmath_pair x)
{
    if (!(x.hi > -0.29f && x.hi < 0.41f))
        return pair_log(pair_add_float(x, 1.0f));
    return x.hi == 0.0f ? x : pair_log_series(pair_div(x, pair_add_float(x, 2.0f)));
}

// Whole where the power is exact.
NMATH_FN nmath_pair pair_log2(nmath_pair x)
{
    int k;
    if (!(x.hi > 0.0f && x.hi <= PAIR_MAX))
        return pair_log(x);
    nmath_pair l = pair_log(pair_log_mantissa(x, &k));
    return pair_add_float(pair_mul(l, pair_of(pair_log2_e[0], pair_log2_e[1])), (float)k);
}
NMATH_FN nmath_pair pair_log10(nmath_pair x)
{
    nmath_pair l = pair_mul(pair_log(x), pair_of(pair_log10_e[0], pair_log10_e[1])), whole = pair_rint(l), d = pair_sub(l, whole);
    return PAIR_ABS(d.hi) <= 1e-13f * PAIR_ABS(whole.hi) && isfinite(l.hi) ? whole : l;
}

NMATH_FN nmath_pair pair_asinh(nmath_pair x)
{
    nmath_pair a = pair_fabs(x), r;
    if (a.hi > 1e9f) {
        r = pair_add(pair_log(a), pair_log_of_power(1));
    } else {
        nmath_pair w = pair_mul(a, a), root = pair_sqrt(pair_add_float(w, 1.0f));
        r = pair_log1p(pair_add(a, pair_div(w, pair_add_float(root, 1.0f))));
    }
    return pair_copysign(r, x);
}
NMATH_FN nmath_pair pair_acosh(nmath_pair x)
{
    if (x.hi > 1e9f)
        return pair_add(pair_log(x), pair_log_of_power(1));
    nmath_pair t = pair_add_float(x, -1.0f);
    return pair_log1p(pair_add(t, pair_sqrt(pair_mul(t, pair_add_float(t, 2.0f)))));
}
NMATH_FN nmath_pair pair_atanh(nmath_pair x)
{
    nmath_pair a = pair_fabs(x), one = pair_of_float(1.0f);
    if (pair_gt(a, one))
        return pair_of_float(NAN);
    a = pair_log1p(pair_div(pair_scaled(a, 2.0f), pair_sub(one, a)));
    return pair_copysign(pair_scaled(a, 0.5f), x);
}

// log x = the pair + *rest, x > 0 finite
NMATH_FN nmath_pair pair_log_long(nmath_pair x, float *rest)
{
    int k;
    float t[9];
    nmath_pair m = pair_log_mantissa(x, &k), n = pair_add_float(m, -1.0f);
    nmath_pair u = pair_sum_of(m.hi, 1.0f), v = pair_sum_of(u.lo, m.lo), d = pair_fast_sum(u.hi, v.hi), s = pair_div(n, d);
    float left = (pair_fma(pair_neg(s), d, n).hi - s.hi * v.lo) / d.hi;
    nmath_pair w = pair_mul(s, s);
    nmath_pair c = pair_mul(pair_mul(pair_scaled(s, 2.0f), w), pair_poly(w, pair_log_head, 4, pair_log_tail, 3));
    nmath_pair low = pair_mul_float(pair_of(pair_ln2[1], pair_ln2[2]), (float)k);
    t[0] = 2.0f * left;
    t[1] = low.lo;
    t[2] = c.lo;
    t[3] = 2.0f * s.lo;
    t[4] = low.hi;
    t[5] = c.hi;
    t[6] = 2.0f * s.hi;
    t[7] = (float)k * pair_ln2[0];
    return pair_collect(t, 8, rest);
}

// exp(y (l + rest))
NMATH_FN nmath_pair pair_power_long(nmath_pair y, nmath_pair l, float rest)
{
    float a = y.hi * l.hi, t[7];
    if (!(a > -110.0f && a < 95.0f))
        return pair_of_float(isnan(a) ? a : a > 0.0f ? INFINITY : 0.0f);
    nmath_pair p = pair_product_of(y.hi, l.hi), q = pair_product_of(y.hi, l.lo), r = pair_product_of(y.lo, l.hi);
    t[0] = q.lo;
    t[1] = r.lo;
    t[2] = PAIR_FMA(y.lo, l.lo, y.hi * rest);
    t[3] = r.hi;
    t[4] = q.hi;
    t[5] = p.lo;
    t[6] = p.hi;
    l = pair_collect(t, 7, &rest);
    return pair_exp_power(l, rest);
}

// C's rules: x^0 = 1^y = 1 whatever the other is.
NMATH_HEAVY nmath_pair pair_pow(nmath_pair x, nmath_pair y)
{
    nmath_pair one = pair_of_float(1.0f), a = pair_fabs(x), r;
    float rest;
    if (y.hi == 0.0f || pair_eq(x, one))
        return one;
    if (isnan(x.hi) || isnan(y.hi))
        return pair_of_float(x.hi + y.hi);
    if (isinf(y.hi)) {
        int grows = pair_gt(a, one) == (y.hi > 0.0f);
        return pair_eq(a, one) ? one : pair_of_float(grows ? INFINITY : 0.0f);
    }
    int whole = pair_eq(pair_rint(y), y), odd = 0;
    if (whole) {
        nmath_pair halved = pair_scaled(y, 0.5f);
        odd = !pair_eq(pair_rint(halved), halved);
    }
    if (a.hi == 0.0f || isinf(a.hi))
        r = pair_of_float((a.hi == 0.0f) == (y.hi > 0.0f) ? 0.0f : INFINITY);
    else if (x.hi < 0.0f && !whole)
        return pair_of_float(NAN);
    else {
        nmath_pair l = pair_log_long(a, &rest);
        r = pair_power_long(y, l, rest);
    }
    return odd && signbit(x.hi) ? pair_neg(r) : r;
}

NMATH_FN nmath_pair pair_exp10(nmath_pair x) { return pair_power_long(x, pair_of(pair_ln10[0], pair_ln10[1]), pair_ln10[2]); }
