// @source_type: shim
// @source_origin: log1p_unit.c
// @provides: log1p_unit, exp_to_unit, log1p_exp, inv_logit
// @depends: nmath
// @method: 2 artanh(x/(2 + x)) by a polynomial, no branch; the exponential of expsq.cl
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// log1p_unit -- log(1 + x) for 0 <= x <= 1, and exp(x) for x <= 0 that gives such a number: what is left of
//     log(exp(u) + exp(v)) = max(u, v) + log1p(exp(-|u - v|)),
// of log-likelihoods of mixtures, of log(1 + exp(x)), where the larger of two terms is taken out. A log1p for all x splits them
// by a branch, which neighbours take differently; here log(1 + x) = 2 artanh(v), v = x/(2 + x) from 0 to 1/3.

#ifndef NMATH_LOG1P_UNIT_CL
#define NMATH_LOG1P_UNIT_CL

// (2 artanh(v) - 2 v)/v^3 in powers of v^2, v up to 1/3; tools/fit_fixed.py, relative error of 2 artanh(v) 7.14e-18
NMATH_TABLE double log1p_unit_rest[10] = {
    0.6666666666666666, 0.40000000000014585, 0.2857142856710876, 0.22222222717427864,
    0.18181789436132859, 0.15385570064958623, 0.13314144209654935, 0.12001072809590713,
    0.08800738486144674, 0.1616404561194353,
};

NMATH_FN double log1p_unit(double x)
{
    double d = 2.0 + x, v = NMATH_QUOTIENT(x, d, NMATH_RECIPROCAL(d)), z = v * v;
    return NMATH_FMA(v * z, nmath_poly(z, log1p_unit_rest, 10), 2.0 * v);
}

// Where a compiler takes several elements of straight code at a time the builtin, a call, would hinder it. The power of 2 is
// applied in two steps, so that subnormal results are rounded once. exp(-746) is 0.
NMATH_FN double exp_to_unit(double x)
{
#ifdef NMATH_VECTORS
    const double whole = 6755399441055744.0; // 1.5 2^52: a sum with it is a whole number, in the last bits
    double t = x < -746.0 ? -746.0 : x;
    double n = NMATH_FMA(t, 1.4426950408889634, whole) - whole, half = NMATH_FMA(n, 0.5, whole), rest = n - (half - whole) + whole;
    double m = expsq_factor(NMATH_FMA(n, EXPSQ_2LN2_LO, NMATH_FMA(n, EXPSQ_2LN2_HI, -2.0 * t)));
    return m * nmath_from_bits((nmath_bits(half) + 1023) << 52) * nmath_from_bits((nmath_bits(rest) + 1023) << 52);
#else
    return exp(x);
#endif
}

// log1p(exp(x)) as the two calls give it, infinite where exp(x) is, without a branch.
NMATH_FN double log1p_exp(double x)
{
    return (x > 709.782712893384 ? ML_POSINF : x > 0.0 ? x : 0.0) + log1p_unit(exp_to_unit(-fabs(x)));
}

// Its derivative, exp(x)/(1 + exp(x)).
NMATH_FN double inv_logit(double x)
{
    double u = exp_to_unit(-fabs(x)), d = 1.0 + u;
    return NMATH_QUOTIENT(x < 0.0 ? u : 1.0, d, NMATH_RECIPROCAL(d));
}

#endif
