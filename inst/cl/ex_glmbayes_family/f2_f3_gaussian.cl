// @provides: f2_f3_gaussian_obs, f2_f3_gaussian_ll, f2_f3_gaussian_constant
// @library_deps: nmath
// @depends_nmath: Rmath
// @all_depends_nmath_count: 1
// @all_depends_nmath: Rmath

// f2_f3_gaussian -- normal distribution of mean eta and precision wt.

NMATH_FN f2_f3_obs f2_f3_gaussian_obs(double y, double wt)
{
    f2_f3_obs o = {wt, y, 0.0, 0.0};
    return o;
}

NMATH_FN double f2_f3_gaussian_ll(double eta, f2_f3_obs o, int product, double *d, double *odds)
{
    R_UNUSED(product);
    R_UNUSED(odds);
    double z = o.q - eta;
    *d = o.p * z;
    return -0.5 * *d * z;
}

NMATH_FN double f2_f3_gaussian_constant(double y, double wt)
{
    R_UNUSED(y);
    return 0.5 * log(wt) - M_LN_SQRT_2PI;
}

#undef F2_F3_FAMILY
#undef F2_F3_PRODUCT
#define F2_F3_FAMILY f2_f3_gaussian
#define F2_F3_PRODUCT(o) 0
