// @source_type: shim
// @source_origin: log1p_parts.c
// @provides: log1p_parts, log1p_split, log1p_parts_rest, log1p_parts_on, log1p_parts_log, NMATH_FIXED_FAR
// @depends: nmath
// @method: one logarithm without a branch, and the two differences of saddle point forms in which nothing cancels
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// log1p_parts -- for densities whose parameters are the same for many elements: log(1 + u), u - log(1 + u) and
// (1 + u) log(1 + u) - u, u > -1, from u and from w = 1 + u, of which each may be known better than the other gives it. The two
// differences are the deviances of Loader (2000), "Fast and accurate computation of binomial probabilities", over their means,
// with the mean as the real variable and with the count. There is no branch, so that elements can be computed together.
//
// log w = k log 2 + 2 artanh(v), v = d/(2 + d), for w = 2^k (1 + d), 2^(-1/2) <= 1 + d < 2^(1/2). Where k is 0, d is u, and
//     u - log w = u v - r,   w log w - u = u v + w r,   r = 2 artanh(v) - 2 v:
// nothing cancels, and elsewhere no more than the condition number in u says. w is a normal number, or what comes is of no use.

// Densities are off by an ulp of their exponent. Beyond this exponent a form asks for the general one, which has it in
// double-double: where one element can be computed so without the others, early.
#ifndef NMATH_FIXED_FAR
#define NMATH_FIXED_FAR NMATH_RANGE(640.0, 69.0)
#endif

typedef struct {
    double w, k, r, l, h, g; // 1 + u; log(1 + u) = k log 2 + r, k whole; u - log(1 + u), (1 + u) log(1 + u) - u
} log1p_parts;

// (2 artanh(v) - 2 v)/v^3 in powers of v^2; tools/fit_fixed.py, relative error of 2 artanh(v) 4.61e-18
NMATH_TABLE double log1p_parts_rest[7] = {
    0.666666666666667, 0.39999999999899444, 0.2857142862600327, 0.22222211130259878,
    0.18182889455674947, 0.15331710618210773, 0.14616585424888623
};

// log 2 in two parts, the first of 32 bits
#define LOG1P_PARTS_LN2_HI 0.6931471803691238
#define LOG1P_PARTS_LN2_LO 1.9082149292705877e-10

NMATH_FN log1p_parts log1p_split(double u, double w)
{
    log1p_parts p;
    nmath_u64 bits = nmath_bits(w), power = (bits - 0x3FE6A09E667F3BCDUL) & 0xFFF0000000000000UL;
    int near = power == 0;
#ifdef NMATH_FLOAT_PAIRS
    double k = (double)(int)((nmath_i64)power >> 52);
#else
    double k = nmath_from_bits(0x4338000000000000UL + (nmath_u64)((nmath_i64)power >> 52)) - 6755399441055744.0;
#endif
    double d = near ? u : nmath_from_bits(bits - power) - 1.0;
    double v = d * NMATH_RECIPROCAL(2.0 + d), z = v * v;
    double rest = (v * z) * nmath_poly(z, log1p_parts_rest, 7);
    p.w = w;
    p.k = k;
    p.r = 2.0 * v + rest;
    p.l = NMATH_FMA(k, LOG1P_PARTS_LN2_HI, NMATH_FMA(k, LOG1P_PARTS_LN2_LO, rest) + 2.0 * v);
    p.h = near ? NMATH_FMA(u, v, -rest) : u - p.l;
    p.g = near ? NMATH_FMA(u, v, w * rest) : NMATH_FMA(w, p.l, -u);
    return p;
}

// Of a density on x > 0 what a form gives, r, or what is known without it
NMATH_FN double log1p_parts_on(double x, double r, double outside, double at_zero)
{
    return x > 0.0 ? r : x < 0.0 ? outside : x == 0.0 ? at_zero : r;
}

// log(w) of a normal number w; see expsq_exp (expsq.cl)
#ifdef NMATH_VECTORS
NMATH_FN double log1p_parts_log(double w) { return log1p_split(w - 1.0, w).l; }
#else
#define log1p_parts_log(w) log(w)
#endif
