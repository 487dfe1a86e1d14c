// @source_type: c
// @source_origin: dgeom.c
// @provides: dgeom, dgeom_exponent, dgeom_power
// @depends: nmath, dpq, dd, poly, logdd
// @method: closed form, its exponent in double-double
// @accuracy: dgeom.tsv 0.72 eps(1+cond) (host), 0.67 (PoCL), 0.72 (H200)
// @all_depends: Rmath, nmath, dd, dpq, poly, logdd
// @all_depends_count: 6
// @load_order: 54

// dgeom -- mass of the geometric distribution, p (1 - p)^x = p exp(x log(1 - p)). An exponent of -700 rounded to a double
// costs 500 eps; the condition number, x p/(1 - p), allows that, but R's rounding of log(1 - p) costs nothing where
// 1 - p is a power of 2. So the exponent of the mass is kept as hi + lo, whatever its size: that costs no more than a
// log1p(). Of the log of the mass only the relative error counts.

// x log(1 - p) as hi + lo, 0 < p <= 1, x >= 0. With b = 2^-k next to 1 - p and n = 1 - p - b, which is exact,
//     log(1 - p) = -k log 2 + 2 atanh(n/(2 b + n)) = -k log 2 + s + t,   s = 2 n/(2 b + n),   |s| < 0.35.
// s is a double of 26 bits and a rest, t a plain double: its rounding counts x t 2^-52, 3 eps at most.
NMATH_FN dd dgeom_exponent(double x, double p)
{
    nmath_u32 k = (0x3ff6a09eu - nmath_high(1.0 - p)) >> 20;
    double j = (double)(int)k, b = nmath_from_bits((nmath_u64)(1023u - k) << 52), n = (1.0 - b) - p;
    dd den = dd_fast_two_sum(b, 0.5 * n), h;
    double v = 1.0 / den.hi, s = n * v, w = 0.25 * (s * s), t = s * (w * poly(w, logdd_atanh, 8));
    double top = nmath_from_bits(nmath_bits(s) & 0xfffffffff8000000UL);
    double head = nmath_from_bits(nmath_bits(den.hi) & 0xfffffffff8000000UL);
    double rest = ((n - top * head) - top * ((den.hi - head) + den.lo)) * v;
    h = dd_fast_two_sum(-j * NMATH_LN2_HI, top);
    h = dd_mul_d(dd_fast_two_sum(h.hi, h.lo + (t + (rest - j * NMATH_LN2_LO))), x);
    if (!(h.hi > -1e5)) { // exp() of it is 0; p may be 1
        h.hi = p == 1 && x > 0 ? ML_NEGINF : p == 1 ? 0.0 : h.hi;
        h.lo = 0.0;
    }
    return h;
}

// (1 - p)^x = q^x (1 + l/q)^x, 1 - p = q + l. Where layer 0 knows a pow that is right to an ulp, and x l/q is small, that is
// faster on a processor.
NMATH_FN double dgeom_power(double x, double p)
{
#ifdef NMATH_POW
    if (p >= 0x1p-10 && x < 0x1p20) {
        double q = 1.0 - p, v = NMATH_POW(q, x);
        return p >= 0.5 ? v : v + v * (x * (((1.0 - q) - p) / q));
    }
#endif
    return dd_exp(dgeom_exponent(x, p));
}

NMATH_FN double dgeom(double x, double p, int give_log)
{
    if (ISNAN(x) || ISNAN(p))
        return x + p;
    if (p <= 0 || p > 1)
        ML_WARN_return_NAN;
    double k = R_forceint(x);
    if (x < 0 || isinf(x) || (x != k && R_nonint(x)))
        return R_D__0;
    if (give_log)
        return (k == 0 ? 0.0 : k * log1p(-p)) + log(p);
    return p * dgeom_power(k, p);
}
