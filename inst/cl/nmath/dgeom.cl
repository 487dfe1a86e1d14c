// @source_type: c
// @source_origin: dgeom.c
// @provides: dgeom, dgeom_atanh, dgeom_exponent, dgeom_power
// @depends: nmath, dpq
// @method: closed form, its exponent in double-double
// @accuracy: dgeom.tsv 0.88 eps(1+cond) (host), 0.67 (PoCL), 0.72 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// dgeom -- mass of the geometric distribution, p (1 - p)^x = p exp(x log(1 - p)). An exponent of -700 rounded to a double
// costs 500 eps; the condition number, x p/(1 - p), allows that, but R's rounding of log(1 - p) costs nothing where
// 1 - p is a power of 2. So the exponent of the mass is kept as hi + lo, whatever its size: that costs no more than a
// log1p(), and the mass is good to 2.5 eps. Of the log of the mass only the relative error counts.

// (atanh(s)/s - 1)/w, w = s^2 <= 0.0075, constant term first; tools/fit_gamma.py; error 2^-54
NMATH_TABLE double dgeom_atanh[6] = {
    0.33333333333333331, 0.20000000000005674, 0.14285714276893613, 0.11111116124156926,
    0.090896224445285015, 0.078441879514497659
};

// x log(1 - p) as hi + lo, 0 < p <= 1, x >= 0. With b = 2^-k or b = 2^-k 181/128 next to 1 - p and n = 1 - p - b, which is
// exact,
//     log(1 - p) = log b + 2 atanh(n/(2 b + n)) = log b + s + t,   s = 2 n/(2 b + n),   |s| < 0.174.
// s is a double of 26 bits and a rest, t a plain double below 0.0026 s: what its rounding costs, x t 2^-52, is below 2 eps.
NMATH_FN nmath_dd dgeom_exponent(double x, double p)
{
    double q = 1.0 - p;
    nmath_u32 u = 0x3ffae89fu - nmath_high(q), k = u >> 20; // 2^(3/4) 2^-k is the upper bound of q
    int root = (u & 0xfffffu) < 0x7e1a1u;
    double j = (double)(int)k;
    double b = nmath_from_bits(((nmath_u64)(1023u - k) << 52) | (root ? 0x6a00000000000UL : 0UL)), n = (q - b) + ((1.0 - q) - p);
    nmath_dd den = dd_fast_two_sum(b, 0.5 * n), h;
    double v = 1.0 / den.hi, s = n * v, w = 0.25 * (s * s), t = s * (w * nmath_poly(w, dgeom_atanh, 6));
    double top = nmath_from_bits(nmath_bits(s) & 0xfffffffff8000000UL);
    double head = nmath_from_bits(nmath_bits(den.hi) & 0xfffffffff8000000UL);
    double rest = ((n - top * head) - top * ((den.hi - head) + den.lo)) * v;
    // log(181/128) on the grid of the upper piece of log 2, and what is left
    h = dd_fast_two_sum((root ? 0.34646676725242287 : 0.0) - j * NMATH_LN2_HI, top);
    h.lo += t + (rest + ((root ? 9.3785711712987339e-11 : 0.0) - j * NMATH_LN2_LO));
    h = dd_mul_d(dd_fast_two_sum(h.hi, h.lo), x);
    if (!(h.hi > -1e5)) { // exp() of it is 0, also where x log(1 - p) overflows or p = 1; or x = 0 and p = 1
        h.hi = x > 0 ? ML_NEGINF : 0.0;
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

NMATH_FN double dgeom(double x, double p, int log_p)
{
    if (ISNAN(x) || ISNAN(p))
        return x + p;
    if (p <= 0 || p > 1)
        ML_WARN_return_NAN;
    double k = R_forceint(x);
    if (x < 0 || isinf(x) || (x != k && R_nonint(x)))
        return R_D__0;
    if (log_p)
        return (k == 0 ? 0.0 : k * log1p(-p)) + log(p);
    return p * dgeom_power(k, p);
}
