// @provides: f2_f3_gaussian
// @library_deps: nmath
// @depends_nmath: Rmath
// @all_depends_nmath_count: 1
// @all_depends_nmath: Rmath
// @depends_body: f2_f3_body
// @all_depends_body_count: 2
// @all_depends_body: f2_f3_math, f2_f3_body

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

__kernel void f2_f3_gaussian(
    __global const double* X,
    __global const double* B,
    __global const double* mu,
    __global const double* P,
    __global const double* alpha,
    __global const double* y,
    __global const double* wt,
    __global double* qf,
    __global double* grad,
    const int l1,
    const int l2,
    const int m1)
{
    F2_F3_BODY(f2_f3_gaussian_obs, f2_f3_gaussian_ll, f2_f3_gaussian_constant);
}
