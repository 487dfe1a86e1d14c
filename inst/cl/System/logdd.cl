// @source_type: shim
// @source_origin: logdd.c
// @provides: logdd_atanh, logdd_parts, logdd_split, logdd_balance, logdd_series, logdd_split_ratio, logdd_sum, dd_log, dd_log_ratio
// @depends: poly, dd
// @method: exponent split and atanh series in double-double, one division
// @accuracy: 2^-63.5 relative (host and OpenCL)
// @all_depends: dd, poly
// @all_depends_count: 2

// logdd -- logarithms to 63 bits, as unevaluated sums hi + lo, for the callers whose next step multiplies the
// logarithm by a large number: powers, binomial terms, deviances.
//
//   a/b = 2^k a'/b' with a'/b' in [sqrt(1/2), sqrt 2],
//   log(a/b) = k log 2 + 2 s + 2 t,   s = (a' - b')/(a' + b'),   t = atanh(s) - s = s (w/3 + w^2 P(w)),   w = s^2.
//
// a' - b' is exact (Sterbenz), |s| <= 3 - 2 sqrt 2 = 0.172, so t is below 0.01 s and w^2 P(w) below 2^-12 s: the last
// may be a plain double, the others are double-double. No quotient a/b is formed, so nothing overflows, and a ratio
// near 1 keeps its full relative accuracy.

// P: (atanh(s)/s - 1 - w/3)/w^2 for 0 <= w <= (3 - 2 sqrt 2)^2, constant term first; tools/fit_gamma.py; error 2^-54.
NMATH_TABLE double logdd_tail[9] = {
    0.20000000000000001, 0.14285714285714282, 0.11111111111114212, 0.090909090898291231,
    0.076923078804887315, 0.066666482747861813, 0.058834062330574734, 0.052281709727126424,
    0.053811457093143222
};

// (atanh(s)/s - 1)/w there, for callers to whom t is a plain double; error 2^-54.
NMATH_TABLE double logdd_atanh[8] = {
    0.33333333333333331, 0.2000000000000044, 0.14285714285401807, 0.11111111195856958,
    0.090908978200664528, 0.07693119851407329, 0.066343865693284432, 0.065433130739200512
};

typedef struct { double k; nmath_dd s; nmath_dd t; } logdd_parts;

// The mantissa in [1, 2) of a positive finite x; its exponent is added to *k.
NMATH_FN double logdd_split(double x, double *k, double sign)
{
    int small = x < NMATH_DBL_MIN;
    nmath_u64 b = nmath_bits(small ? x * 18014398509481984.0 : x);
    *k += sign * ((double)(int)(b >> 52) - (small ? 1077.0 : 1023.0));
    return nmath_from_bits((b & 0xfffffffffffffUL) | 0x3ff0000000000000UL);
}

// Replaces positive finite *a, *b by a', b' and returns k.
NMATH_FN double logdd_balance(double *a, double *b)
{
    double k = 0.0, p = logdd_split(*a, &k, 1.0), q = logdd_split(*b, &k, -1.0);
    int up = p > 1.4142135623730951 * q, down = q > 1.4142135623730951 * p;
    *a = down ? 2.0 * p : p;
    *b = up ? 2.0 * q : q;
    return up ? k + 1.0 : down ? k - 1.0 : k;
}

// s = n/d and t = atanh(s) - s for |s| <= 3 - 2 sqrt 2
NMATH_HEAVY logdd_parts logdd_series(double n, nmath_dd d)
{
    logdd_parts r;
    r.k = 0.0;
    double v = 1.0 / d.hi;
    r.s.hi = n * v;
    nmath_dd p = dd_two_prod(r.s.hi, d.hi);
    r.s = dd_normal(r.s.hi, (NMATH_REST((n - p.hi) - p.lo) - NMATH_REST(r.s.hi) * NMATH_REST(d.lo)) * NMATH_REST(v));
    nmath_dd w = dd_two_prod(r.s.hi, r.s.hi);
    w = dd_normal(w.hi, NMATH_REST(w.lo) + NMATH_REST(2.0 * r.s.hi) * NMATH_REST(r.s.lo));
    nmath_dd u = dd_two_prod(w.hi, 1.0 / 3.0);
    u.lo += NMATH_REST(w.hi) * NMATH_REST(1.8503717077085941e-17) + NMATH_REST(w.lo) * NMATH_REST(1.0 / 3.0);
    u = dd_fast_two_sum(u.hi, u.lo + w.hi * w.hi * nmath_poly_tail(w.hi, logdd_tail, 9, 4));
    r.t = dd_two_prod(r.s.hi, u.hi);
    r.t.lo += NMATH_REST(r.s.hi) * NMATH_REST(u.lo) + NMATH_REST(r.s.lo) * NMATH_REST(u.hi);
    return r;
}

NMATH_FN logdd_parts logdd_split_ratio(double a, double b)
{
    double k = logdd_balance(&a, &b);
    logdd_parts r = logdd_series(a - b, dd_two_sum(a, b));
    r.k = k;
    return r;
}

NMATH_FN nmath_dd logdd_sum(logdd_parts p)
{
    nmath_dd h = dd_two_sum(p.k * NMATH_LN2_HI, 2.0 * p.s.hi);
    nmath_dd r = dd_two_sum(h.hi, 2.0 * p.t.hi);
    const nmath_rest low = NMATH_REST(p.k * NMATH_LN2_LO) + NMATH_REST(2.0) * (NMATH_REST(p.s.lo) + NMATH_REST(p.t.lo));
    return dd_normal(r.hi, NMATH_REST(r.lo) + (NMATH_REST(h.lo) + low));
}

// log(a/b) for a, b >= 0; what log(a) - log(b) gives where one of them is 0, negative or not finite.
NMATH_FN nmath_dd dd_log_ratio(double a, double b)
{
    if (a > 0.0 && b > 0.0 && a <= NMATH_DBL_MAX && b <= NMATH_DBL_MAX)
        return logdd_sum(logdd_split_ratio(a, b));
    nmath_dd r;
    r.hi = log(a) - log(b);
    r.lo = 0.0;
    return r;
}

NMATH_FN nmath_dd dd_log(double x) { return dd_log_ratio(x, 1.0); }
