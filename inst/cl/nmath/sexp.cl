// @source_type: c
// @source_origin: sexp.c
// @provides: exp_rand, nmath_exp_rand, sexp_minus_log
// @depends: nmath, sunif
// @method: inversion: -log of one uniform
// @all_depends: Rmath, nmath, sunif
// @all_depends_count: 3

// sexp -- a standard exponential draw, by inversion: no branch and no loop. It is positive, at least 2^-53, and 45 at most:
// 2^-65 is the smallest probability of its tail that the uniform draw resolves.

// -log(u) for normal u < 1. On GPUs without a branch: u = m 2^e with m from sqrt(1/2) to sqrt(2), log m = 2 atanh(s) for s =
// (m - 1)/(m + 1), and a reciprocal of 24 bits serves the quotient after one correction: relative error 5e-14, which is
// nothing beside the 53 bits that u is chosen by.
NMATH_FN double sexp_minus_log(double u)
{
#ifdef NMATH_HORNER
    nmath_u64 root = 0x3fe6a09e667f3bcdUL, b = nmath_bits(u) - root; // of sqrt(1/2)
    double e = (double)((int)(nmath_u32)(b >> 32) >> 20);
    double m = nmath_from_bits((b & 0x000fffffffffffffUL) + root), f = m - 1.0, d = m + 1.0;
    double r = NMATH_INVERSE_24(d), s = f * r;
    s = fma(fma(-s, d, f), r, s);
    double z = s * s, h = fma(s * z, nmath_horner(z, logdd_atanh, 8), s);
    return fma(e, -M_LN2, -2.0 * h);
#else
    return -log(u);
#endif
}

#define exp_rand() nmath_exp_rand(nmath_generator)
NMATH_FN double nmath_exp_rand(NMATH_GENERATOR)
{
    return sexp_minus_log(sunif_tail(nmath_random_bits(nmath_generator)));
}
