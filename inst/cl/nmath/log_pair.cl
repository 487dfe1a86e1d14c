// @source_type: shim
// @source_origin: log_pair.c
// @provides: log_pair, log_pair_of, log_row, log_row_of
// @depends: nmath
// @method: 2 artanh(v) by a polynomial, v with what its rounding left
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// log_pair -- the logarithm of x, 0 < x < Inf, as the sum of two doubles: hi, and lo, which is below 0.012. The error is below 2^-60
// in absolute terms, or 2^-58 of a logarithm next to 0: so differences of logarithms, of an x and of a parameter for which it is
// computed once, are as good as the logarithm of the quotient.
//
// x = 2^k (1 + d), 2^(-1/2) <= 1 + d < 2^(1/2); log x = k log 2 + 2 artanh(v), v = d/(2 + d); see log1p_parts.cl. There is no branch.
// Pairs take products and sums that are rounded once. Where a processor has none, or a compiler takes several elements at a time,
// which the logarithm of the quotient suits better, pairs are not used (NMATH_LOG_PAIRS) and are 0.
//
// log_row -- what a constant-parameter kernel has of an x, its own and its logarithm, however many parameters there are.
#if defined(NMATH_FAST_FMA) && !defined(NMATH_VECTORS)
#define NMATH_LOG_PAIRS
#endif

typedef struct {
    double hi, lo;
} log_pair;

typedef struct {
    double x, hi, lo;
} log_row;

// (2 artanh(v) - 2 v)/v^3 in powers of v^2; tools/fit_fixed.py, relative error of 2 artanh(v) 5.46e-19
NMATH_TABLE double log_pair_rest[9] = {
    0.6666666666666666, 0.3999999999999999, 0.28571428571435364, 0.22222222219857288,
    0.181818185938676, 0.1538457511576662, 0.1333563938635947, 0.11688107586595922,
    0.1188214271262732
};

// log 2 in two parts, the first of 32 bits
#define LOG_PAIR_LN2_HI 0.6931471803691238
#define LOG_PAIR_LN2_LO 1.9082149292705877e-10

NMATH_FN log_pair log_pair_of(double x)
{
    log_pair r = {0.0, 0.0};
#ifdef NMATH_LOG_PAIRS
    int small = x < 0x1p-1022;
    nmath_u64 bits = nmath_bits(x * (small ? 0x1p54 : 1.0)), power = (bits - 0x3FE6A09E667F3BCDUL) & 0xFFF0000000000000UL;
    double k = nmath_from_bits(0x4338000000000000UL + (nmath_u64)((nmath_i64)power >> 52)) - (small ? 6755399441055798.0 : 6755399441055744.0);
    double d = nmath_from_bits(bits - power) - 1.0, s = 2.0 + d, per = NMATH_RECIPROCAL(s), v = d * per, z = v * v;
    double left = (NMATH_FMA(-v, s, d) - v * (d - (s - 2.0))) * per;
    double rest = (v * z) * nmath_poly(z, log_pair_rest, 9), whole = k * LOG_PAIR_LN2_HI;
    r.hi = whole + 2.0 * v;
    r.lo = (2.0 * v - (r.hi - whole)) + NMATH_FMA(k, LOG_PAIR_LN2_LO, 2.0 * left + rest);
#endif
    return r;
}

// Where x is not between 0 and infinity: hi is `other`.
NMATH_FN log_row log_row_of(double x, double other)
{
    log_row r;
    log_pair l = log_pair_of(x);
    int inside = (x > 0.0) & (x <= NMATH_DBL_MAX);
    r.x = x;
    r.hi = inside ? l.hi : other;
    r.lo = inside ? l.lo : 0.0;
    return r;
}
