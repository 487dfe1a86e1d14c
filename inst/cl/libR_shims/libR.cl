// @source_type: c
// @source_origin: libR.c
// @provides: R_CheckStack, R_pow, R_pow_di
// @depends:
// @method: x^y = exp(y log x), the logarithm to 2^-65; integer powers by squaring
// @accuracy: R_pow 0.62 ulp, 0.75 ulp where the result is subnormal (host, PoCL, H200)
// @all_depends_count: 0

// What nmath takes from R itself. This layer stands below Arith.h: it uses OPENCL.cl alone.
//
// R_pow: the builtin pow may be 16 ulp off on a device, because the error of log x grows by |y log x| <= 745. Here log
// x = e log 2 + log c + 2 atanh(f), f = (m - c)/(m + c), where x = 2^e m, sqrt(1/2) <= m < sqrt(2), and c = j/16 is
// the nearest to m, so that |f| < 0.023 and f^3/3 + ... needs no more than a double. e log 2 + log c is exact on a
// grid of 2^-42; f is the sum of a double of 26 bits and a correction. All splits are by bit mask: no fma, which is a
// function call on most hosts. Tables from tools/fit_rpow.py.

#ifndef LIBR_CL
#define LIBR_CL

// A device has no stack to check.
#define R_CheckStack() ((void)0)

// Layer 0 may define NMATH_POW where it knows a pow that is right to an ulp; on a CPU that is faster.
#ifdef NMATH_POW
#define libR_pow_pos(x, y) NMATH_POW(x, y)
#else

// log(j/16), j = 11..23: a multiple of 2^-42, and the rest.
NMATH_TABLE double libR_log_table[26] = {
    -0.37469344944133809, -7.2604661499256374e-14,
    -0.28768207245184385, 6.292357389008195e-14,
    -0.20763936477828793, 4.3425422595242564e-14,
    -0.13353139262449076, -3.1859736349078334e-14,
    -0.064538521137592397, 2.1225608044809997e-14,
    0.0, 0.0,
    0.060624621816486979, -5.2136206391365041e-14,
    0.11778303565643, -4.6547297475984447e-14,
    0.17185025692674571, -8.6492396072120709e-14,
    0.22314355131425145, -4.1697965845271953e-14,
    0.27193371548355572, 8.6043067728087328e-14,
    0.31845373111855224, -1.7625431312172662e-14,
    0.36290549368936809, 3.6708569716349383e-16,
};

// (exp(r) - 1 - r - r^2/2)/r^3 on |r| <= log(2)/2, ascending; relative error of exp(r) 2^-59.8.
NMATH_TABLE double libR_exp_table[10] = {
    0.16666666666666669,    0.041666666666666664,   0.0083333333333300459, 0.0013888888888886541,
    0.00019841269863132767, 2.4801587317201022e-05, 2.7557268337087268e-06, 2.7557282881777427e-07,
    2.5100443922977983e-08, 2.09112783544645e-09,
};

#define LIBR_EXP(i) (libR_exp_table[i] + libR_exp_table[i + 1] * v)
#define LIBR_LN2_HI 0.6931471805598903     // a multiple of 2^-42
#define LIBR_LN2_LO 5.497923018708371e-14

// x to 26 bits.
NMATH_FN double libR_head(double x) { return nmath_from_bits(nmath_bits(x) & 0xfffffffff8000000UL); }

// 2^n, -1022 <= n <= 1023.
NMATH_FN double libR_exp2i(int n) { return nmath_from_bits((nmath_u64)(n + 1023) << 52); }

// x^y for finite x > 0 and finite y.
NMATH_HEAVY double libR_pow_pos(double x, double y)
{
    // x = 2^e m: subtracting the bits of sqrt(1/2) makes the exponent field round to the nearer power of two.
    int e = 0;
    if (x < NMATH_DBL_MIN) {
        x *= 18014398509481984.0;
        e = -54;
    }
    nmath_u64 bits = nmath_bits(x);
    int k = (int)((bits - 0x3fe6a09e667f3bcdUL + ((nmath_u64)1024 << 52)) >> 52) - 1024;
    double m = nmath_from_bits(bits - ((nmath_u64)(nmath_i64)k << 52));
    e += k;

    // c is m rounded to 1/16 by adding 1.5 * 2^48, which leaves 16 c in the low bits.
    // f = fh + fl; sums and products with a head in them are exact.
    double mr = m + 422212465065984.0;
    int j = 2 * ((int)(nmath_bits(mr) & 31) - 11);
    double c = mr - 422212465065984.0, d = m - c, r = 1.0 / (m + c), f = d * r;
    double mh = libR_head(m), fh = libR_head(f);
    double fl = ((d - fh * (mh + c)) - fh * (m - mh)) * r;
    double z = f * f;
    double tail = (f * z) * ((2.0 / 3 + 2.0 / 5 * z) + (z * z) * (2.0 / 7 + z * (2.0 / 9 + z * (2.0 / 11))));

    // log x = lh + ll, lh of 26 bits.
    double a = e * LIBR_LN2_HI + libR_log_table[j];
    double s = a + 2.0 * fh;
    double lh = libR_head(s);
    double ll = (s - lh) + ((2.0 * fh - (s - a)) + (2.0 * fl + tail + (e * LIBR_LN2_LO + libR_log_table[j + 1])));

    // y log x = p + q, p exact.
    double yh = libR_head(y), p = yh * lh, q = (y - yh) * lh + y * ll;
    if (!(p < 720.0))
        return ML_POSINF;
    if (!(p > -760.0))
        return 0.0;

    // exp(p + q) = 2^n exp(t + u), t exact; adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits.
    double nr = p * 1.4426950408889634 + 6755399441055744.0, n = nr - 6755399441055744.0;
    double t = p - n * LIBR_LN2_HI, u = q - n * LIBR_LN2_LO, v = t + u, w = (t - v) + u;
    double v2 = v * v, v4 = v2 * v2, h = 1.0 + v;
    double g = (LIBR_EXP(0) + LIBR_EXP(2) * v2) + (LIBR_EXP(4) + LIBR_EXP(6) * v2) * v4;
    h += ((1.0 - h) + v) + (w * h + v2 * (0.5 + v * (g + LIBR_EXP(8) * (v4 * v4))));

    // Two steps, so that neither factor overflows and a subnormal result is rounded once.
    int k2 = (int)(nmath_u32)nmath_bits(nr), k1 = k2 >> 1;
    return h * libR_exp2i(k1) * libR_exp2i(k2 - k1);
}

#undef LIBR_EXP
#undef LIBR_LN2_HI
#undef LIBR_LN2_LO

#endif

// R's rules: x^0 = 1^y = 1 whatever the other is; a zero or an infinity counts as unsigned unless an odd positive
// power of -Inf; a negative base with a fractional or infinite exponent has no value.
NMATH_FN double R_pow(double x, double y)
{
    if (x > 0.0 && x <= NMATH_DBL_MAX && fabs(y) <= NMATH_DBL_MAX)
        return y == 2.0 ? x * x : libR_pow_pos(x, y);
    if (x == 1.0 || y == 0.0)
        return 1.0;
    if (y == 2.0)
        return x * x;
    if (isnan(x) || isnan(y))
        return x + y;
    if (x == 0.0)
        return y > 0.0 ? 0.0 : ML_POSINF;
    int odd = 0;
    if (x < 0.0) {
        if (!isfinite(y) || y != floor(y))
            return ML_NAN;
        odd = fmod(y, 2.0) != 0.0;
    }
    double ax = fabs(x), v;
    if (!isfinite(ax))
        return y < 0.0 ? 0.0 : odd ? x : ax;
    if (!isfinite(y))
        return (ax > 1.0) == (y > 0.0) ? ML_POSINF : 0.0;
    v = libR_pow_pos(ax, y);
    return odd ? -v : v;
}

// R_pow(x, n) for a constant n of 3 to 16, by products whose roundings are kept: right to an ulp, a tenth of R_pow's work, and of its
// text where a program has several of them. C's pow is as good.
#ifdef NMATH_POW
#define libR_pow_whole(x, n) R_pow(x, n)
#else
NMATH_FN double libR_pow_whole(double x, int n)
{
    double high = x, low = 0.0;
    for (int k = 1; k < n; ++k) {
        double p = high * x;
#ifndef NMATH_FLOAT_PAIRS // whose products have bits to spare
        low = fma(low, x, fma(high, x, -p));
#endif
        high = p;
    }
    if (x == 0.0)
        return 0.0;
    return isfinite(high) ? high + low : high;
}
#endif

// x^n by squaring, from the lowest bit of n up. NaN^0 is NaN here; n == INT_MIN is R's missing integer; (-Inf)^-3 is
// +0.
NMATH_FN double R_pow_di(double x, int n)
{
    if (isnan(x))
        return x;
    if (n == -2147483647 - 1)
        return ML_NAN;
    double v = 1.0, s = x;
    for (int k = n < 0 ? -n : n; k > 0; k >>= 1) {
        if (k & 1)
            v *= s;
        s *= s;
    }
    return n >= 0 ? v : isfinite(x) ? 1.0 / v : 0.0;
}

#endif
