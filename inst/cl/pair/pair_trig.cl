// @source_type: shim
// @source_origin: pair_trig.c
// @provides: pair_turn_bits, pair_turn_parts, pair_reduced, pair_sin_core, pair_cos_core, pair_of_quarter, pair_trig, pair_sin, pair_cos, pair_tan, pair_sincos, pair_trigpi, pair_sinpi, pair_cospi, pair_tanpi, pair_atan_ratio, pair_atan2, pair_atan, pair_asin, pair_acos, pair_cbrt, pair_hypot
// @depends: pair, pair_parts
// @method: whole numbers of 160 bits for the reduction, polynomials
// @all_depends: pair, pair_parts
// @all_depends_count: 2

// Trigonometric functions of pairs of floats, their inverses, and the roots that are left.
//
// An angle x = hi + lo is reduced as a whole number of 128 bits, the fraction of a turn: a float is m 2^q, m of 24 bits, and
// of m 2^q/(2 pi) the whole turns are left out before they are computed, as those bits of 1/(2 pi) are never read (Payne and
// Hanek, 1983, "Radian reduction for trigonometric functions"). No angle is too large, and none loses its low part.

// 1/(2 pi), 32 bits after 32 bits behind the point, tools/fit_pair.py
NMATH_TABLE nmath_u32 pair_turns[10] = {
    0x28be60dbUL, 0x9391054aUL, 0x7f09d5f4UL, 0x7d4d3770UL, 0x36d8a566UL, 0x4f10e410UL, 0x7f9458eaUL, 0xf7aef158UL, 0x6dc91b8eUL, 0x909374b8UL
};
NMATH_TABLE float pair_2pi[3] = {
    6.28318548f, -1.74845553e-07f, -6.86049804e-15f,
};
NMATH_TABLE float pair_pi[3] = {
    3.14159274f, -8.74227766e-08f, -3.43024902e-15f,
};
NMATH_TABLE float pair_pi_2[3] = {
    1.57079637f, -4.37113883e-08f, -1.71512451e-15f,
};
// (sin(x)/x - 1)/x^2 and (cos(x) - 1 + x^2/2)/x^4 in x^2, |x| <= pi/4; error 2^-56.
NMATH_TABLE float pair_sin_head[8] = {
    -0.166666672f, 4.96705388e-09f, 0.00833333377f, -4.3461959e-10f,
    -0.000198412701f, 2.77088985e-12f, 2.75573166e-06f, -4.77693582e-14f,
};
NMATH_TABLE float pair_sin_tail[2] = {
    -2.50511292e-08f, 1.59179891e-10f,
};
NMATH_TABLE float pair_cos_head[6] = {
    0.0416666679f, -1.24176347e-09f, -0.00138888892f, 3.36312436e-11f,
    2.48015876e-05f, -3.43532494e-13f,
};
NMATH_TABLE float pair_cos_tail[3] = {
    -2.75573171e-07f, 2.08761453e-09f, -1.13825442e-11f,
};
// (atan(x)/x - 1)/x^2 in x^2, |x| <= 1/16; error 2^-60. atan(j/8), j = 0, ..., 8.
NMATH_TABLE float pair_atan_head[4] = {
    -0.333333343f, 9.93410776e-09f, 0.200000003f, -2.98197356e-09f,
};
NMATH_TABLE float pair_atan_tail[3] = {
    -0.142857134f, 0.111108556f, -0.0901612565f,
};
NMATH_TABLE float pair_atan_eighths[18] = {
    0.0f, 0.0f, 0.124354996f, -1.24038224e-09f,
    0.244978666f, -3.17867777e-09f, 0.358770669f, 1.76394988e-09f,
    0.463647604f, 5.01215869e-09f, 0.558599293f, 2.21115979e-08f,
    0.643501103f, 5.86893734e-09f, 0.718829989f, 1.01883355e-08f,
    0.785398185f, -2.18556941e-08f,
};

// 32 bits of 1/(2 pi) from bit `at` behind the point on, which may lie before it
NMATH_FN nmath_u32 pair_turn_bits(int at)
{
    int word = at >> 5, shift = at & 31;
    nmath_u32 a = word >= 0 && word < 10 ? pair_turns[word] : 0u, b = word >= -1 && word < 9 ? pair_turns[word + 1] : 0u;
    return shift == 0 ? a : a << shift | b >> (32 - shift);
}

// Adds the fraction of |x|/(2 pi) to the 128 bits in t, the highest first; subtracts it where `minus`.
NMATH_FN void pair_turn_parts(float x, int minus, nmath_u32 *t)
{
    int q = 0;
    nmath_u32 m = (nmath_u32)(NMATH_FLOAT(frexp)(PAIR_ABS(x), &q) * 16777216.0f);
    q -= 24;
    nmath_u64 carry = ((nmath_u64)m * pair_turn_bits(q + 128)) >> 32;
    nmath_u64 sum = minus ? 1 : 0;
    for (int k = 3; k >= 0; --k) {
        carry += (nmath_u64)m * pair_turn_bits(q + 32 * k);
        nmath_u32 part = (nmath_u32)carry;
        carry >>= 32;
        sum += (nmath_u64)t[k] + (minus ? ~part : part);
        t[k] = (nmath_u32)sum;
        sum >>= 32;
    }
}

// x less the nearest multiple of pi/2, whose number modulo 4 is *quarter
NMATH_FN nmath_pair pair_reduced(nmath_pair x, int *quarter)
{
    *quarter = 0;
    if (PAIR_ABS(x.hi) < 0.78f)
        return x;
    nmath_u32 t[4];
    t[0] = t[1] = t[2] = t[3] = 0u;
    pair_turn_parts(x.hi, 0, t);
    pair_turn_parts(x.lo, (x.lo < 0.0f) != (x.hi < 0.0f), t);
    nmath_u32 n = (t[0] + 0x20000000u) >> 30;
    t[0] -= n << 30;
    int minus = (t[0] >> 31) != 0;
    if (minus) { // of the nearest quarter it takes away
        nmath_u64 sum = 1;
        for (int k = 3; k >= 0; --k) {
            sum += (nmath_u32)~t[k];
            t[k] = (nmath_u32)sum;
            sum >>= 32;
        }
    }
    int scale = -32;
    for (int k = 0; k < 2 && t[0] == 0u; ++k) {
        t[0] = t[1];
        t[1] = t[2];
        t[2] = t[3];
        t[3] = 0u;
        scale -= 32;
    }
    nmath_pair r = pair_add(pair_of_uint(t[0]), pair_scaled(pair_of_uint(t[1]), 0x1p-32f));
    r = pair_mul(pair_add(r, pair_of_float((float)t[2] * 0x1p-64f)), pair_of(pair_2pi[0], pair_2pi[1]));
    if (x.hi < 0.0f)
        minus = !minus;
    *quarter = (int)(x.hi < 0.0f ? (0u - n) & 3u : n & 3u);
    return pair_ldexp(minus ? pair_neg(r) : r, scale);
}

// |x| <= pi/4
NMATH_FN nmath_pair pair_sin_core(nmath_pair x)
{
    nmath_pair w = pair_mul(x, x);
    return pair_add(x, pair_mul(pair_mul(x, w), pair_poly(w, pair_sin_head, 4, pair_sin_tail, 2)));
}
NMATH_FN nmath_pair pair_cos_core(nmath_pair x)
{
    nmath_pair w = pair_mul(x, x), r = pair_mul(pair_mul(w, w), pair_poly(w, pair_cos_head, 3, pair_cos_tail, 3));
    return pair_add_float(pair_sub(r, pair_scaled(w, 0.5f)), 1.0f);
}
// sin(quarter pi/2 + x)
NMATH_FN nmath_pair pair_of_quarter(nmath_pair x, int quarter)
{
    nmath_pair r = quarter & 1 ? pair_cos_core(x) : pair_sin_core(x);
    return quarter & 2 ? pair_neg(r) : r;
}

NMATH_HEAVY nmath_pair pair_trig(nmath_pair x, int quarter)
{
    int n;
    if (!isfinite(x.hi))
        return pair_of_float(isnan(x.hi) ? x.hi : NAN);
    nmath_pair r = pair_reduced(x, &n);
    return x.hi == 0.0f && quarter == 0 ? x : pair_of_quarter(r, n + quarter);
}
NMATH_FN nmath_pair pair_sin(nmath_pair x) { return pair_trig(x, 0); }
NMATH_FN nmath_pair pair_cos(nmath_pair x) { return pair_trig(x, 1); }
NMATH_FN nmath_pair pair_tan(nmath_pair x) { return pair_div(pair_trig(x, 0), pair_trig(x, 1)); }
NMATH_FN nmath_pair pair_sincos(nmath_pair x, nmath_pair *cosine)
{
    *cosine = pair_trig(x, 1);
    return pair_trig(x, 0);
}

// sin(pi (x + quarter/2)): what is left of a multiple of 1/2 is exact
NMATH_HEAVY nmath_pair pair_trigpi(nmath_pair x, int quarter)
{
    if (!isfinite(x.hi))
        return pair_of_float(isnan(x.hi) ? x.hi : NAN);
    nmath_pair a = pair_fabs(x), n = pair_rint(pair_scaled(a, 2.0f)), r = pair_sub(a, pair_scaled(n, 0.5f));
    int q = (int)(pair_to_long(pair_fmod(n, pair_of_float(4.0f))) & 3);
    r = pair_mul(r, pair_of(pair_pi[0], pair_pi[1]));
    r = pair_of_quarter(signbit(x.hi) ? pair_neg(r) : r, (signbit(x.hi) ? 4 - q : q) + quarter);
    return r.hi == 0.0f ? pair_of_float(0.0f) : r;
}
NMATH_FN nmath_pair pair_sinpi(nmath_pair x) { return pair_trigpi(x, 0); }
NMATH_FN nmath_pair pair_cospi(nmath_pair x) { return pair_trigpi(x, 1); }
NMATH_FN nmath_pair pair_tanpi(nmath_pair x) { return pair_div(pair_trigpi(x, 0), pair_trigpi(x, 1)); }

// atan(y/x) for 0 <= y <= x, x > 0: with c = j/8 next to y/x, atan(c) + atan((y - c x)/(x + c y))
NMATH_FN nmath_pair pair_atan_ratio(nmath_pair y, nmath_pair x)
{
    float j = NMATH_FLOAT(rint)(8.0f * y.hi / x.hi), c = 0.125f * j;
    int at = 2 * (int)j;
    nmath_pair z = pair_div(pair_sub(y, pair_mul_float(x, c)), pair_add(x, pair_mul_float(y, c))), w = pair_mul(z, z);
    z = pair_add(z, pair_mul(pair_mul(z, w), pair_poly(w, pair_atan_head, 2, pair_atan_tail, 3)));
    return at == 0 ? z : pair_add(pair_of(pair_atan_eighths[at], pair_atan_eighths[at + 1]), z);
}
NMATH_HEAVY nmath_pair pair_atan2(nmath_pair y, nmath_pair x)
{
    nmath_pair a = pair_fabs(y), b = pair_fabs(x), right = pair_of(pair_pi_2[0], pair_pi_2[1]), r;
    if (isnan(x.hi) || isnan(y.hi))
        return pair_of_float(x.hi + y.hi);
    if (isinf(a.hi) && isinf(b.hi))
        a = b = pair_of_float(1.0f);
    int e = 0;
    NMATH_FLOAT(frexp)(a.hi > b.hi ? a.hi : b.hi, &e);
    if (e > 60 || e < -30) { // far from the ends of the range, where products and quotients lose their low parts
        a = pair_ldexp(a, -e);
        b = pair_ldexp(b, -e);
    }
    int steep = pair_gt(a, b);
    if (isinf(steep ? a.hi : b.hi) || (steep ? b.hi : a.hi) == 0.0f)
        r = pair_of_float(0.0f);
    else
        r = pair_atan_ratio(steep ? b : a, steep ? a : b);
    if (steep)
        r = pair_sub(right, r);
    if (signbit(x.hi))
        r = pair_sub(pair_scaled(right, 2.0f), r);
    return pair_copysign(r, y);
}
NMATH_FN nmath_pair pair_atan(nmath_pair x)
{
    return x.hi == 0.0f ? x : pair_atan2(x, pair_of_float(1.0f));
}
NMATH_FN nmath_pair pair_asin(nmath_pair x)
{
    nmath_pair one = pair_of_float(1.0f), c = pair_sqrt(pair_mul(pair_sub(one, x), pair_add(one, x)));
    return x.hi == 0.0f ? x : pair_atan2(x, c);
}
NMATH_FN nmath_pair pair_acos(nmath_pair x)
{
    nmath_pair one = pair_of_float(1.0f);
    return pair_atan2(pair_sqrt(pair_mul(pair_sub(one, x), pair_add(one, x))), x);
}

// Newton's iteration from a float's root, on a mantissa; exponents are multiples of 3.
NMATH_FN nmath_pair pair_cbrt(nmath_pair x)
{
    int e = 0;
    if (!isfinite(x.hi) || x.hi == 0.0f)
        return x;
    NMATH_FLOAT(frexp)(x.hi, &e);
    int third = (e + 300) / 3 - 100;
    nmath_pair m = pair_of(NMATH_FLOAT(ldexp)(x.hi, -3 * third), NMATH_FLOAT(ldexp)(x.lo, -3 * third));
    nmath_pair y = pair_of_float(NMATH_FLOAT(cbrt)(m.hi));
    for (int k = 0; k < 2; ++k) {
        nmath_pair d = pair_sub(m, pair_mul(pair_mul(y, y), y));
        y = pair_add_float(y, d.hi / (3.0f * y.hi * y.hi));
    }
    return pair_ldexp(y, third);
}
NMATH_FN nmath_pair pair_hypot(nmath_pair x, nmath_pair y)
{
    int e = 0;
    if (isinf(x.hi) || isinf(y.hi))
        return pair_of_float(INFINITY);
    nmath_pair a = pair_fabs(x), b = pair_fabs(y);
    if (isnan(x.hi) || isnan(y.hi) || (a.hi == 0.0f && b.hi == 0.0f))
        return pair_of_float(a.hi + b.hi);
    NMATH_FLOAT(frexp)(a.hi > b.hi ? a.hi : b.hi, &e);
    a = pair_ldexp(a, -e);
    b = pair_ldexp(b, -e);
    return pair_ldexp(pair_sqrt(pair_add(pair_mul(a, a), pair_mul(b, b))), e);
}
