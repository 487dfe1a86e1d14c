// @source_type: shim
// @source_origin: pair.c
// @provides: nmath_pair, PAIR_OP, PAIR_MAX, PAIR_ABS, PAIR_FMA, pair_of, pair_of_float, pair_fast_sum, pair_sum_of, pair_product_of, pair_end, pair_neg, pair_add, pair_sub, pair_add_float, pair_mul, pair_mul_float, pair_scaled, pair_div, pair_sqrt, pair_collect, pair_mad, pair_fma, pair_triple, pair_triple_end, pair_sum_long, pair_sum_long_float, pair_product_long, pair_lt, pair_le, pair_gt, pair_ge, pair_eq, pair_ne, pair_true, pair_isnan, pair_isinf, pair_isfinite, pair_isnormal, pair_signbit, pair_fabs, pair_copysign, pair_fmin, pair_fmax, pair_poly
// @depends:
// @all_depends_count: 0

// Pairs of floats: an unevaluated sum hi + lo, hi being the float nearest to the sum, stands for a double on a device
// that has none. 48 bits or more, and the range of a float: of numbers below 2^-102 fewer bits are left, since lo has no
// place. An infinity and a NaN have lo = 0; the payload of a NaN is that of hi.
//
// Dekker (1971), "A floating-point technique for extending the available precision"; Knuth, TAOCP 2, 4.2.2; the sums, products
// and quotients, with bounds on their errors, are those of Joldes, Muller and Popescu (2017), "Tight and rigorous error
// bounds for basic building blocks of double-word arithmetic", algorithms 6, 12 and, with one step more, 17. OpenCL lets a
// float's quotient be 2.5 ulp off and its square root 3 ulp: neither is relied on to be the nearest float.
// All of this needs FP_CONTRACT OFF, which layer 0 sets, and operations that round to nearest.

typedef struct { float hi, lo; } nmath_pair;

// NVIDIA's compiler would take a minute for what a non-central t distribution calls, were its operations inlined, and the machine
// code of an incomplete gamma function would be larger than a card's instruction cache.
#ifdef __NV_CL_C_VERSION
#define PAIR_OP NMATH_OUTLINE
#else
#define PAIR_OP NMATH_FN
#endif

#define PAIR_MAX 3.402823466e38f
#define PAIR_ABS(x) NMATH_FLOAT(fabs)(x)
#define PAIR_FMA(a, b, c) NMATH_FLOAT(fma)(a, b, c)

NMATH_FN nmath_pair pair_of(float hi, float lo)
{
    nmath_pair r;
    r.hi = hi;
    r.lo = lo;
    return r;
}
NMATH_FN nmath_pair pair_of_float(float x) { return pair_of(x, 0.0f); }

// a + b exactly, where |a| >= |b| or a == 0
NMATH_FN nmath_pair pair_fast_sum(float a, float b)
{
    float s = a + b;
    return pair_of(s, b - (s - a));
}
// a + b exactly
NMATH_FN nmath_pair pair_sum_of(float a, float b)
{
    float s = a + b, t = s - a;
    return pair_of(s, (a - (s - t)) + (b - t));
}
// a * b exactly, barring overflow, and products below 2^-102
NMATH_FN nmath_pair pair_product_of(float a, float b)
{
    float p = a * b;
    return pair_of(p, PAIR_FMA(a, b, -p));
}

// The end of an operation: s + e, |s| >= |e|. Where that is 0 or not finite, the operation on the high parts alone, `first`,
// knows the sign, or which NaN it is.
NMATH_FN nmath_pair pair_end(float first, float s, float e)
{
    nmath_pair r = pair_fast_sum(s, e);
    if (PAIR_ABS(r.hi) > 0.0f && PAIR_ABS(r.hi) <= PAIR_MAX)
        return r;
    r.lo = 0.0f;
    if (!(PAIR_ABS(first) > 0.0f && PAIR_ABS(first) <= PAIR_MAX))
        r.hi = first;
    else if (isnan(r.hi))
        r.hi = NMATH_FLOAT(copysign)(INFINITY, first);
    return r;
}

NMATH_FN nmath_pair pair_neg(nmath_pair a) { return pair_of(-a.hi, -a.lo); }

PAIR_OP nmath_pair pair_add(nmath_pair a, nmath_pair b)
{
    nmath_pair s = pair_sum_of(a.hi, b.hi), t = pair_sum_of(a.lo, b.lo), v = pair_fast_sum(s.hi, s.lo + t.hi);
    return pair_end(s.hi, v.hi, t.lo + v.lo);
}
NMATH_FN nmath_pair pair_sub(nmath_pair a, nmath_pair b) { return pair_add(a, pair_neg(b)); }
PAIR_OP nmath_pair pair_add_float(nmath_pair a, float b)
{
    nmath_pair s = pair_sum_of(a.hi, b);
    return pair_end(s.hi, s.hi, a.lo + s.lo);
}

PAIR_OP nmath_pair pair_mul(nmath_pair a, nmath_pair b)
{
    nmath_pair p = pair_product_of(a.hi, b.hi);
    return pair_end(p.hi, p.hi, p.lo + PAIR_FMA(a.lo, b.hi, PAIR_FMA(a.hi, b.lo, a.lo * b.lo)));
}
PAIR_OP nmath_pair pair_mul_float(nmath_pair a, float b)
{
    nmath_pair p = pair_product_of(a.hi, b);
    return pair_end(p.hi, p.hi, PAIR_FMA(a.lo, b, p.lo));
}
// 2^n a, given 2^n
NMATH_FN nmath_pair pair_scaled(nmath_pair a, float power)
{
    return pair_of(a.hi * power, isinf(a.hi * power) ? 0.0f : a.lo * power);
}

// Long division in three steps: whatever q1 and q2 are off by is left in what remains.
PAIR_OP nmath_pair pair_div(nmath_pair a, nmath_pair b)
{
    float q1 = a.hi / b.hi;
    nmath_pair p = pair_product_of(q1, b.hi), r = pair_sum_of(a.hi - p.hi, PAIR_FMA(-q1, b.lo, a.lo - p.lo));
    float q2 = r.hi / b.hi, q3 = (PAIR_FMA(-q2, b.hi, r.hi) + PAIR_FMA(-q2, b.lo, r.lo)) / b.hi;
    nmath_pair q = pair_fast_sum(q1, q2);
    return pair_end(q1, q.hi, q.lo + q3);
}

PAIR_OP nmath_pair pair_sqrt(nmath_pair a)
{
    float y = NMATH_FLOAT(sqrt)(a.hi);
    if (!(y > 0.0f && y <= PAIR_MAX))
        return pair_of_float(y);
    nmath_pair s = pair_fast_sum(y, 0.5f * (PAIR_FMA(-y, y, a.hi) + a.lo) / y), p = pair_product_of(s.hi, s.hi);
    float rest = ((a.hi - p.hi) - p.lo) + (a.lo - PAIR_FMA(2.0f * s.hi, s.lo, s.lo * s.lo));
    return pair_fast_sum(s.hi, s.lo + 0.5f * rest / y);
}

// The sum of n floats as a pair, *rest being what that leaves: each pass of exact sums moves what the total had lost
// into the terms (Ogita, Rump and Oishi, 2005, "Accurate sum and dot product").
PAIR_OP nmath_pair pair_collect(float *t, int n, float *rest)
{
    for (int pass = 0; pass < 3; ++pass)
        for (int k = 1; k < n; ++k) {
            nmath_pair s = pair_sum_of(t[k], t[k - 1]);
            t[k] = s.hi;
            t[k - 1] = s.lo;
        }
    float low = 0.0f;
    for (int k = 0; k < n - 2; ++k)
        low += t[k];
    nmath_pair r = pair_sum_of(t[n - 1], t[n - 2]), v = pair_sum_of(r.lo, low);
    r = pair_fast_sum(r.hi, v.hi);
    v = pair_fast_sum(r.lo, v.lo);
    *rest = v.lo;
    return pair_of(r.hi, v.hi);
}

// a b + c with one rounding, so that fma(a, b, -(a * b)) is what the product has lost.
PAIR_OP nmath_pair pair_fma(nmath_pair a, nmath_pair b, nmath_pair c)
{
    float first = PAIR_FMA(a.hi, b.hi, c.hi), rest;
    if (!(PAIR_ABS(first) <= PAIR_MAX))
        return pair_of_float(first);
    nmath_pair p = pair_product_of(a.hi, b.hi), q = pair_product_of(a.hi, b.lo), r = pair_product_of(a.lo, b.hi);
    nmath_pair o = pair_product_of(a.lo, b.lo);
    float t[10];
    t[0] = o.lo;
    t[1] = o.hi;
    t[2] = q.lo;
    t[3] = r.lo;
    t[4] = q.hi;
    t[5] = r.hi;
    t[6] = p.lo;
    t[7] = c.lo;
    t[8] = c.hi;
    t[9] = p.hi;
    nmath_pair s = pair_collect(t, 10, &rest);
    return s.hi == 0.0f ? pair_of_float(first == 0.0f ? first : 0.0f) : s;
}

// a b + c to some units of 2^-48 of |a b| + |c|: for polynomials, where the rounding of a b would do.
PAIR_OP nmath_pair pair_mad(nmath_pair a, nmath_pair b, nmath_pair c)
{
    nmath_pair p = pair_product_of(a.hi, b.hi), s = pair_sum_of(p.hi, c.hi);
    return pair_end(s.hi, s.hi, s.lo + (PAIR_FMA(a.hi, b.lo, PAIR_FMA(a.lo, b.hi, p.lo)) + c.lo));
}

// Three floats, for what must keep more bits than a pair between two steps: the pair nearest to their sum, and to 24 bits what
// that lacks, NaN where the pair is not finite.
typedef struct { float hi, lo, rest; } pair_triple;

// hi + mid + low, given what the operation on the high parts alone gives
NMATH_FN pair_triple pair_triple_end(float first, float hi, float mid, float low)
{
    pair_triple r;
    nmath_pair u = pair_sum_of(mid, low), v = pair_sum_of(hi, u.hi), w = pair_sum_of(v.lo, u.lo);
    r.hi = v.hi;
    r.lo = w.hi;
    r.rest = w.lo;
    if (!(PAIR_ABS(v.hi) > 0.0f && PAIR_ABS(v.hi) <= PAIR_MAX)) {
        int none = v.hi == 0.0f;
        r.hi = none ? (first == 0.0f ? first : 0.0f) : isnan(v.hi) ? first : v.hi;
        r.lo = 0.0f;
        r.rest = none ? 0.0f : NAN;
    }
    return r;
}

// a + b to 2^-72 of |a| + |b|; a sum that cancels is exact
PAIR_OP pair_triple pair_sum_long(nmath_pair a, nmath_pair b)
{
    nmath_pair s = pair_sum_of(a.hi, b.hi), t = pair_sum_of(a.lo, b.lo), u = pair_sum_of(s.lo, t.hi);
    return pair_triple_end(s.hi, s.hi, u.hi, u.lo + t.lo);
}
PAIR_OP pair_triple pair_sum_long_float(nmath_pair a, float b)
{
    nmath_pair s = pair_sum_of(a.hi, b);
    return pair_triple_end(s.hi, s.hi, a.lo, s.lo);
}
// a b to 2^-70
PAIR_OP pair_triple pair_product_long(nmath_pair a, nmath_pair b)
{
    nmath_pair p = pair_product_of(a.hi, b.hi), q = pair_product_of(a.hi, b.lo), r = pair_product_of(a.lo, b.hi);
    nmath_pair t = pair_sum_of(q.hi, r.hi), u = pair_sum_of(p.lo, t.hi);
    return pair_triple_end(p.hi, p.hi, u.hi, (u.lo + t.lo) + (q.lo + PAIR_FMA(a.lo, b.lo, r.lo)));
}

NMATH_FN int pair_lt(nmath_pair a, nmath_pair b) { return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo); }
NMATH_FN int pair_le(nmath_pair a, nmath_pair b) { return a.hi < b.hi || (a.hi == b.hi && a.lo <= b.lo); }
NMATH_FN int pair_gt(nmath_pair a, nmath_pair b) { return pair_lt(b, a); }
NMATH_FN int pair_ge(nmath_pair a, nmath_pair b) { return pair_le(b, a); }
NMATH_FN int pair_eq(nmath_pair a, nmath_pair b) { return a.hi == b.hi && a.lo == b.lo; }
NMATH_FN int pair_ne(nmath_pair a, nmath_pair b) { return !pair_eq(a, b); }
NMATH_FN int pair_true(nmath_pair a) { return a.hi != 0.0f; }
NMATH_FN int pair_isnan(nmath_pair a) { return isnan(a.hi) != 0; }
NMATH_FN int pair_isinf(nmath_pair a) { return isinf(a.hi) != 0; }
NMATH_FN int pair_isfinite(nmath_pair a) { return isfinite(a.hi) != 0; }
NMATH_FN int pair_isnormal(nmath_pair a) { return isnormal(a.hi) != 0; }
NMATH_FN int pair_signbit(nmath_pair a) { return signbit(a.hi) != 0; }

NMATH_FN nmath_pair pair_fabs(nmath_pair a) { return signbit(a.hi) ? pair_neg(a) : a; }
NMATH_FN nmath_pair pair_copysign(nmath_pair a, nmath_pair b) { return pair_signbit(a) == pair_signbit(b) ? a : pair_neg(a); }
NMATH_FN nmath_pair pair_fmin(nmath_pair a, nmath_pair b) { return pair_lt(b, a) || isnan(a.hi) ? b : a; }
NMATH_FN nmath_pair pair_fmax(nmath_pair a, nmath_pair b) { return pair_lt(a, b) || isnan(a.hi) ? b : a; }

// c[0] + c[2] x + ..., whose first n coefficients are pairs and the m others, which need no more, floats.
PAIR_OP nmath_pair pair_poly(nmath_pair x, NMATH_CONSTANT const float *head, int n, NMATH_CONSTANT const float *tail, int m)
{
    float low = tail[m - 1];
    for (int k = m - 2; k >= 0; --k)
        low = PAIR_FMA(low, x.hi, tail[k]);
    nmath_pair y = pair_of_float(low);
    for (int k = n - 1; k >= 0; --k)
        y = pair_mad(y, x, pair_of(head[2 * k], head[2 * k + 1]));
    return y;
}
