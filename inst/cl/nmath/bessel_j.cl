// @source_type: c
// @source_origin: bessel_j.c
// @provides: bessel_j, bessel_j_ex
// @depends: nmath, bessel_jy
// @method: see bessel_jy
// @accuracy: besselJ.tsv 0.77 eps(1+cond) (host), 0.77 (PoCL), 1.2 (H200)
// @all_depends: Rmath, nmath, bessel_debye, bessel_exponent, bessel_table_jy, bessel_table_k, cospi, stirlerr_cycle_free, lgamma, gamma, bessel, bessel_airy, bessel_hankel, bessel_temme, bessel_jy
// @all_depends_count: 15

// bessel_j -- the Bessel function J of order alpha, of the first kind.

NMATH_FN double bessel_j(double x, double alpha) { return bessel_jy_real(x, alpha, BESSEL_WANT_J); }

// `bj`, the work array of Mathlib's version, is not needed.
NMATH_FN double bessel_j_ex(double x, double alpha, double *bj)
{
    R_UNUSED(bj);
    return bessel_j(x, alpha);
}
