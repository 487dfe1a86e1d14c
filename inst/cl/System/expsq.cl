// @source_type: shim
// @source_origin: expsq.c
// @provides: expsq, expsq_rest, expsq_parts, expsq_split, expsq_exp, expsq_exp_straight, expsq_expm1_straight, expsq_scaled, expsq_times, EXPSQ_NORMAL, expsq_factor
// @depends: dd, poly
// @method: exact square, reduction by multiples of log 2, polynomial
// @accuracy: 0.8 ulp (host and OpenCL)
// @all_depends: dd, poly
// @all_depends_count: 2

// expsq -- exp(-y^2/2), the factor that all of the normal distribution's functions share.
//
// One ulp in y^2 is y^2/2 ulps in the exponential, 700 of them in the far tail: the square is an exact sum of two
// doubles, and its low part joins the reduced argument. That argument is kept as u = y^2 + 2 n log 2, |u| <= log 2, so that
// the factor -1/2 costs nothing: exp(-y^2/2) = 2^n exp(-u/2). The result stays split, since what it is multiplied by
// decides whether the product is a normal number. A builtin exp would redo the reduction without the low part.

#ifndef NMATH_EXPSQ_H
#define NMATH_EXPSQ_H

// (exp(-u/2) - 1)/u, |u| <= log 2, constant term first: tools/fit_normal.py expsq, error of exp(-u/2) 7e-18.
NMATH_TABLE double expsq_p[11] = {
    -0.5, 0.12500000000000014, -0.020833333333333252, 0.0026041666666608699,
    -0.00026041666666817652, 2.1701388956640626e-05, -1.5500991981024764e-06, 9.6880877404152211e-08,
    -5.3823033147999707e-09, 2.6978766658267346e-10, -1.2235490304099988e-11,
};

// 2 log 2: its first 40 bits, whose product with any exponent is exact, and the rest.
#define EXPSQ_2LN2_HI 1.3862943611184164
#define EXPSQ_2LN2_LO 1.4742005130335598e-12

// (exp(-u/2) - 1)/u, |u| <= log 2. Estrin's scheme on a processor, whose operations wait less for one another than Horner's.
NMATH_FN double expsq_rest(double u)
{
#ifdef NMATH_HORNER
    return nmath_horner(u, expsq_p, 11);
#else
    double u2 = u * u, u4 = u2 * u2;
#define EXPSQ_2(k) NMATH_FMA(expsq_p[(k) + 1], u, expsq_p[k])
    double top = NMATH_FMA(NMATH_FMA(expsq_p[10], u2, EXPSQ_2(8)), u4, NMATH_FMA(EXPSQ_2(6), u2, EXPSQ_2(4)));
    return NMATH_FMA(top, u4, NMATH_FMA(EXPSQ_2(2), u2, EXPSQ_2(0)));
#undef EXPSQ_2
#endif
}

// exp(-u/2), |u| <= log 2
NMATH_FN double expsq_factor(double u) { return NMATH_FMA(u, expsq_rest(u), 1.0); }

// exp(x), x <= 700; 0 below -708, without a call or a branch. Where a compiler takes several elements of straight code at a
// time (NMATH_VECTORS), a builtin, which is a call, would hinder it; else that is the faster one.
NMATH_FN double expsq_exp_straight(double x)
{
#ifdef NMATH_FLOAT_PAIRS
    return exp(x);
#else
    double k = NMATH_FMA(x, 1.4426950408889634, 6755399441055744.0), n = k - 6755399441055744.0;
    double m = expsq_factor(NMATH_FMA(n, EXPSQ_2LN2_LO, NMATH_FMA(n, EXPSQ_2LN2_HI, -2.0 * x)));
    double y = nmath_from_bits(nmath_bits(m) + (nmath_bits(k) << 52)); // of a NaN whatever its last bits give, which NA has
    return x >= -708.0 ? y : x < -708.0 ? 0.0 : x;
#endif
}
// exp(x) - 1, -700 <= x <= 700, likewise
NMATH_FN double expsq_expm1_straight(double x)
{
#ifdef NMATH_FLOAT_PAIRS
    return expm1(x);
#else
    double k = NMATH_FMA(x, 1.4426950408889634, 6755399441055744.0), n = k - 6755399441055744.0;
    double u = NMATH_FMA(n, EXPSQ_2LN2_LO, NMATH_FMA(n, EXPSQ_2LN2_HI, -2.0 * x));
    double power = nmath_from_bits((nmath_bits(k) + 1023) << 52);
    return NMATH_FMA(power, u * expsq_rest(u), power - 1.0);
#endif
}
#ifdef NMATH_VECTORS
#define expsq_exp(x) expsq_exp_straight(x)
#else
#define expsq_exp(x) exp(x)
#endif

// exp(-y^2/2) = m 2^n, n in the low bits of `n`: 2/3 < m < 3/2.
typedef struct { double m; nmath_u64 n; } expsq_parts;

// 0 <= y <= 64
NMATH_FN expsq_parts expsq_split(double y)
{
    expsq_parts r;
    nmath_dd s = dd_square(y);
#ifdef NMATH_FLOAT_PAIRS
    double n = rint(s.hi * -0.72134752044448169);
    nmath_u64 k = (nmath_u64)(nmath_i64)n;
#else
    double shifted = NMATH_FMA(s.hi, -0.72134752044448169, 6755399441055744.0), n = shifted - 6755399441055744.0;
    nmath_u64 k = nmath_bits(shifted);
#endif
    r.m = expsq_factor(NMATH_FMA(n, EXPSQ_2LN2_HI, s.hi) + NMATH_FMA(n, EXPSQ_2LN2_LO, s.lo));
    r.n = k;
    return r;
}

// Below this y the exponential is a normal number.
#define EXPSQ_NORMAL 37.5

// exp(-y^2/2) for 0 <= y < EXPSQ_NORMAL.
NMATH_FN double expsq(double y)
{
    expsq_parts r = expsq_split(y);
#ifdef NMATH_FLOAT_PAIRS
    return ldexp(r.m, (int)(nmath_u32)r.n);
#else
    return nmath_from_bits(nmath_bits(r.m) + (r.n << 52));
#endif
}

// 2^k v exp(-y^2/2) for y >= 0, v > 0 and 0 <= k < 100. 2^(n+k) is applied in three steps: one that leaves the normal
// numbers before the last leads to 0, or errs by less than the smallest double.
NMATH_FN double expsq_scaled(double v, double y, int k)
{
    expsq_parts r = expsq_split(y < 55.0 ? y : 55.0); // exp(-55^2/2) 2^1074 is 0
#ifdef NMATH_FLOAT_PAIRS
    return ldexp(v * r.m, (int)(nmath_u32)r.n + k);
#else
    int n = (int)(nmath_u32)r.n + k, third = n / 3;
    double f = nmath_from_bits((nmath_u64)(1023 + third) << 52);
    return ((v * r.m) * f) * f * nmath_from_bits((nmath_u64)(1023 + n - 2 * third) << 52);
#endif
}

NMATH_FN double expsq_times(double v, double y) { return expsq_scaled(v, y, 0); }

#endif
