// @provides: f2_f3_poisson
// @library_deps: nmath
// @depends_nmath: Rmath, stirlerr
// @all_depends_nmath_count: 10
// @all_depends_nmath: Rmath, refactored, nmath, log1p, poly, stirlerr_cycle_free, lgamma, pgamma_utils, stirlerr_cycle_dependent, stirlerr
// @depends_body: f2_f3_body
// @all_depends_body_count: 1
// @all_depends_body: f2_f3_body

// f2_f3_poisson -- wt times the log-likelihood of a count y, not necessarily an integer, with mean m = exp(eta).
//
// y eta - m - lgamma(y + 1). For a large y its terms are far larger than the sum: there the log-likelihood is that of
// the mean y, in the constant, less the deviance y (u + expm1(-u)), u = log(y/m). All work-items branch alike.

#define F2_F3_POISSON_LARGE 64.0

NMATH_FN double f2_f3_poisson_ll(double eta, double y, double wt, double *d)
{
    if (y > F2_F3_POISSON_LARGE) {
        double u = log(y) - eta, v = expm1(-u);
        *d = -wt * y * v;
        return -wt * y * (u + v);
    }
    double m = exp(eta);
    *d = wt * (y - m);
    return wt * (y * eta - m);
}

NMATH_FN double f2_f3_poisson_constant(double y, double wt)
{
    if (y == 0.0)
        return 0.0;
    double ly = log(y), c = -(stirlerr(y) + M_LN_SQRT_2PI + 0.5 * ly);
    return wt * (y > F2_F3_POISSON_LARGE ? c : c + y * (1.0 - ly));
}

#undef F2_F3_POISSON_LARGE

__kernel void f2_f3_poisson(
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
    F2_F3_BODY(f2_f3_poisson_ll, f2_f3_poisson_constant);
}
