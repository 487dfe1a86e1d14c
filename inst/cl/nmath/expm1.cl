// @source_type: c
// @source_origin: expm1.c
// @provides: expm1, nmath_expm1, expm1_rest
// @depends: nmath
// @method: builtin; on the host a polynomial about 0 and the builtin exp
// @accuracy: expm1.tsv 0.49 eps(1+cond) (host), exact (PoCL), 0.49 (H200)
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// expm1 -- exp(x) - 1. nmath carries its own for platforms that lack one; OpenCL C and C99 both have it, within 3 ulp,
// so its name stays. Where layer 0 defines NMATH_LIBM, C's exp is right to an ulp and much faster than C's expm1: from
// |x| = 0.35 on subtracting 1 costs less than the condition number allows.

// (exp(x) - 1 - x)/x^2, |x| <= 0.35, constant term first: tools/fit_normal.py expm1, error of exp(x) - 1 5.4e-19.
NMATH_TABLE double expm1_p[11] = {
    0.5, 0.16666666666666671, 0.04166666666666663, 0.0083333333333256727,
    0.0013888888888914902, 0.00019841269876525285, 2.4801587249798125e-05, 2.7557253181731245e-06,
    2.7557346445776444e-07, 2.5106152734015993e-08, 2.089053073878576e-09,
};

#ifdef NMATH_LIBM
NMATH_FN double nmath_expm1(double x)
{
    if (!(fabs(x) < 0.35))
        return exp(x) - 1.0;
    return fabs(x) < 0x1p-54 ? x : x + (x * x) * nmath_poly(x, expm1_p, 11);
}
#undef expm1
#define expm1(x) nmath_expm1(x)
#endif

// exp(x) - 1 - x, the sibling of log1pmx, to a few ulp
NMATH_FN double expm1_rest(double x)
{
    return fabs(x) < 0.35 ? (x * x) * nmath_poly(x, expm1_p, 11) : expm1(x) - x;
}
