// @source_type: c
// @source_origin: bessel_y.c
// @provides: bessel_y_cycle_free, bessel_y_cycle_free_ex
// @depends: nmath, bessel_jy
// @method: bessel_jy
// @all_depends: Rmath, nmath, bessel_debye, bessel_exponent, bessel_table_jy, bessel_table_k, cospi, stirlerr_cycle_free, lgamma, gamma, bessel, bessel_airy, bessel_hankel, bessel_temme, bessel_jy
// @all_depends_count: 15

// bessel_y_cycle_free -- Y of order alpha. One function, bessel_jy, computes J and Y, so that there is no cycle to
// break here. The file keeps its name for those who load it; it serves every order.

NMATH_FN double bessel_y_cycle_free(double x, double alpha) { return bessel_jy_real(x, alpha, BESSEL_WANT_Y); }

NMATH_FN double bessel_y_cycle_free_ex(double x, double alpha, double *by)
{
    R_UNUSED(by);
    return bessel_y_cycle_free(x, alpha);
}
