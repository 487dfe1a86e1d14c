// @source_type: shim
// @source_origin: pair_parts.c
// @provides: pair_of_int, pair_of_uint, pair_of_long, pair_of_ulong, pair_floor, pair_ceil, pair_trunc, pair_rint, pair_round, pair_to_float, pair_to_long, pair_to_ulong, pair_to_int, pair_to_uint, pair_ldexp, pair_frexp, pair_modf, pair_fmod, pair_bits, pair_of_bits
// @depends: pair
// @all_depends: pair
// @all_depends_count: 1

// Pairs of floats from and to whole numbers, to whole values, and to the 64 bits of the double that they stand for.

NMATH_FN nmath_pair pair_of_int(int x)
{
    float hi = (float)x;
    return pair_of(hi, (float)((nmath_i64)x - (nmath_i64)hi));
}
NMATH_FN nmath_pair pair_of_uint(nmath_u32 x)
{
    float hi = (float)x;
    return pair_of(hi, (float)((nmath_i64)x - (nmath_i64)hi));
}
PAIR_OP nmath_pair pair_of_long(nmath_i64 x)
{
    return pair_add(pair_scaled(pair_of_int((int)(x >> 32)), 4294967296.0f), pair_of_uint((nmath_u32)x));
}
PAIR_OP nmath_pair pair_of_ulong(nmath_u64 x)
{
    return pair_add(pair_scaled(pair_of_uint((nmath_u32)(x >> 32)), 4294967296.0f), pair_of_uint((nmath_u32)x));
}

// The whole values next to x: hi is one itself, or lo has no part in it but where hi lies between the two of a tie.
PAIR_OP nmath_pair pair_floor(nmath_pair x)
{
    float f = NMATH_FLOAT(floor)(x.hi);
    return pair_end(f, f, f == x.hi ? NMATH_FLOAT(floor)(x.lo) : 0.0f);
}
NMATH_FN nmath_pair pair_ceil(nmath_pair x) { return pair_neg(pair_floor(pair_neg(x))); }
NMATH_FN nmath_pair pair_trunc(nmath_pair x) { return signbit(x.hi) ? pair_ceil(x) : pair_floor(x); }

// To the nearest, of two the even one.
PAIR_OP nmath_pair pair_rint(nmath_pair x)
{
    float f = NMATH_FLOAT(rint)(x.hi), d = x.hi - f, low = 0.0f;
    if (d == 0.0f) {
        low = NMATH_FLOAT(rint)(x.lo);
        if (PAIR_ABS(x.lo) == 0.5f && 2.0f * NMATH_FLOAT(floor)(0.5f * f) != f)
            low = 2.0f * x.lo;
    } else if (d == 0.5f && x.lo > 0.0f) {
        low = 1.0f;
    } else if (d == -0.5f && x.lo < 0.0f) {
        low = -1.0f;
    }
    return pair_end(f, f, low);
}

// To the nearest, of two the one further from 0.
PAIR_OP nmath_pair pair_round(nmath_pair x)
{
    nmath_pair t = pair_trunc(x), d = pair_fabs(pair_sub(x, t));
    return d.hi >= 0.5f && !(d.hi == 0.5f && d.lo < 0.0f) ? pair_add_float(t, signbit(x.hi) ? -1.0f : 1.0f) : t;
}

// What C makes of them: cut off.
NMATH_FN float pair_to_float(nmath_pair x) { return x.hi; }
PAIR_OP nmath_i64 pair_to_long(nmath_pair x)
{
    nmath_pair t = pair_trunc(x);
    if (PAIR_ABS(t.hi) < 4294967296.0f)
        return (nmath_i64)t.hi + (nmath_i64)t.lo;
    return (nmath_i64)((nmath_u64)(nmath_i64)(0.5f * t.hi) * 2 + (nmath_u64)(nmath_i64)t.lo);
}
NMATH_FN nmath_u64 pair_to_ulong(nmath_pair x)
{
    nmath_pair t = pair_trunc(x);
    if (PAIR_ABS(t.hi) < 4294967296.0f)
        return (nmath_u64)((nmath_i64)t.hi + (nmath_i64)t.lo);
    return (nmath_u64)(0.5f * t.hi) * 2 + (nmath_u64)(nmath_i64)t.lo;
}
NMATH_FN int pair_to_int(nmath_pair x)
{
    nmath_pair t = pair_trunc(x);
    return (int)((nmath_i64)t.hi + (nmath_i64)t.lo);
}
NMATH_FN nmath_u32 pair_to_uint(nmath_pair x)
{
    nmath_pair t = pair_trunc(x);
    return (nmath_u32)((nmath_i64)t.hi + (nmath_i64)t.lo);
}

PAIR_OP nmath_pair pair_ldexp(nmath_pair x, int n)
{
    float hi = NMATH_FLOAT(ldexp)(x.hi, n);
    return isfinite(hi) && hi != 0.0f ? pair_fast_sum(hi, NMATH_FLOAT(ldexp)(x.lo, n)) : pair_of_float(hi);
}
// x = m 2^*n, 1/2 <= |m| < 1: hi = 1/2 goes with a lo that takes nothing away.
PAIR_OP nmath_pair pair_frexp(nmath_pair x, int *n)
{
    int e = 0;
    float m = NMATH_FLOAT(frexp)(x.hi, &e);
    if (!isfinite(x.hi) || x.hi == 0.0f) {
        *n = 0;
        return x;
    }
    e -= PAIR_ABS(m) == 0.5f && (m < 0.0f) != (x.lo < 0.0f) && x.lo != 0.0f;
    *n = e;
    return pair_of(NMATH_FLOAT(ldexp)(x.hi, -e), NMATH_FLOAT(ldexp)(x.lo, -e));
}
NMATH_FN nmath_pair pair_modf(nmath_pair x, nmath_pair *whole)
{
    *whole = pair_trunc(x);
    return pair_copysign(isinf(x.hi) ? pair_of_float(0.0f) : pair_sub(x, *whole), x);
}

// Long division by doubling: what is left has a third float, so that no difference loses anything.
PAIR_OP nmath_pair pair_fmod(nmath_pair x, nmath_pair y)
{
    nmath_pair r = pair_fabs(x), d = pair_fabs(y);
    int n = 0, m = 0;
    if (!isfinite(x.hi) || isnan(y.hi) || y.hi == 0.0f)
        return pair_of_float(isnan(x.hi) ? x.hi : isnan(y.hi) ? y.hi : NAN);
    if (pair_lt(r, d))
        return x;
    NMATH_FLOAT(frexp)(r.hi, &n);
    NMATH_FLOAT(frexp)(d.hi, &m);
    float rest = 0.0f, t[5];
    for (n -= m; n >= 0; --n) {
        nmath_pair part = pair_ldexp(d, n);
        if (pair_gt(part, r) || (pair_eq(part, r) && rest < 0.0f))
            continue;
        t[0] = rest;
        t[1] = r.lo;
        t[2] = -part.lo;
        t[3] = r.hi;
        t[4] = -part.hi;
        r = pair_collect(t, 5, &rest);
    }
    return pair_copysign(r, x);
}

// The double nearest to a pair, and the pair nearest to a double, by their bits. A NaN keeps 22 bits of its payload, among
// them those that make it R's NA.
PAIR_OP nmath_u64 pair_bits(nmath_pair x)
{
    nmath_u32 b = nmath_float_bits(x.hi);
    nmath_u64 sign = (nmath_u64)(b >> 31) << 63;
    if (isnan(x.hi))
        return sign | 0x7ff8000000000000UL | (b & 0x3fffffu);
    if (isinf(x.hi) || x.hi == 0.0f)
        return sign | (x.hi == 0.0f ? 0UL : 0x7ff0000000000000UL);
    int e = 0;
    NMATH_FLOAT(frexp)(x.hi, &e);
    float low = signbit(x.hi) ? -x.lo : x.lo;
    // |x| 2^(62 - e), between 2^61 and 2^62 with the low part
    nmath_u64 m = ((nmath_u64)NMATH_FLOAT(ldexp)(PAIR_ABS(x.hi), 24 - e) << 38)
                  + (nmath_u64)(nmath_i64)NMATH_FLOAT(rint)(NMATH_FLOAT(ldexp)(low, 62 - e));
    if (m >> 61 == 0) {
        m <<= 1;
        --e;
    }
    nmath_u64 rest = m & 511, kept = m >> 9;
    kept += rest > 256 || (rest == 256 && (kept & 1));
    return sign | (((nmath_u64)(e + 1021) << 52) + kept);
}
PAIR_OP nmath_pair pair_of_bits(nmath_u64 b)
{
    int e = (int)((b >> 52) & 2047);
    nmath_u64 m = b & 0xfffffffffffffUL;
    nmath_u32 sign = (nmath_u32)(b >> 63) << 31;
    if (e == 2047)
        return pair_of_float(nmath_float_of_bits(sign | (m == 0 ? 0x7f800000u : 0x7fc00000u | ((nmath_u32)m & 0x3fffffu))));
    if (e == 0)
        return pair_of_float(nmath_float_of_bits(sign));
    m |= 0x10000000000000UL;
    float hi = (float)m, lo = (float)((nmath_i64)m - (nmath_i64)hi);
    if (sign) {
        hi = -hi;
        lo = -lo;
    }
    return pair_ldexp(pair_of(hi, lo), e - 1075);
}
