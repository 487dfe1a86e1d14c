// @source_type: c
// @source_origin: bessel_j.c
// @provides: bessel_j_cycle_dependent, bessel_j_cycle_dependent_ex
// @depends: nmath, bessel_jy
// @method: bessel_jy
// @all_depends: Rmath, nmath, bessel_debye, bessel_exponent, bessel_table_jy, bessel_table_k, cospi, stirlerr_cycle_free, lgamma, gamma, bessel, bessel_airy, bessel_hankel, bessel_temme, bessel_jy
// @all_depends_count: 15

// bessel_j_cycle_dependent -- J of order alpha. One function, bessel_jy, computes J and Y, so that there is no cycle to
// break here. The file keeps its name for those who load it; it serves every order, the negative ones by reflection.

NMATH_FN double bessel_j_cycle_dependent(double x, double alpha) { return bessel_jy_real(x, alpha, BESSEL_WANT_J); }

NMATH_FN double bessel_j_cycle_dependent_ex(double x, double alpha, double *bj)
{
    R_UNUSED(bj);
    return bessel_j_cycle_dependent(x, alpha);
}
