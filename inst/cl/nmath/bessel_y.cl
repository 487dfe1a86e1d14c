// @source_type: c
// @source_origin: bessel_y.c
// @provides: bessel_y, bessel_y_ex
// @depends: nmath, bessel_jy
// @method: see bessel_jy
// @accuracy: besselY.tsv 1.8 eps(1+cond) (host), 1.8 (PoCL), 0.89 (H200)
// @all_depends: Rmath, nmath, bessel_debye, bessel_exponent, bessel_table_jy, bessel_table_k, cospi, stirlerr_cycle_free, lgamma, gamma, bessel, bessel_airy, bessel_hankel, bessel_temme, bessel_jy
// @all_depends_count: 15
// @load_order: 153

// bessel_y -- the Bessel function Y of order alpha, of the second kind.

NMATH_FN double bessel_y(double x, double alpha) { return bessel_jy_real(x, alpha, BESSEL_WANT_Y); }

// `by`, the work array of Mathlib's version, is not needed.
NMATH_FN double bessel_y_ex(double x, double alpha, double *by)
{
    R_UNUSED(by);
    return bessel_y(x, alpha);
}
