// @provides: f2_f3_poisson_obs, f2_f3_poisson_ll, f2_f3_poisson_constant
// @library_deps: nmath
// @depends_nmath: Rmath, stirlerr
// @all_depends_nmath_count: 9
// @all_depends_nmath: Rmath, refactored, nmath, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, stirlerr_cycle_dependent, stirlerr

// f2_f3_poisson -- wt times the log-likelihood of a count y, not necessarily an integer, with mean m = exp(eta).
//
// y eta - m - lgamma(y + 1). For a large y its terms are far larger than the sum: there the log-likelihood is that of
// the mean y, in the constant, less the deviance y (u + expm1(-u)), u = log(y/m).

#define F2_F3_POISSON_LARGE 64.0

NMATH_FN f2_f3_obs f2_f3_poisson_obs(double y, double wt)
{
    int large = y > F2_F3_POISSON_LARGE;
    f2_f3_obs o = {large ? wt * y : wt, wt * y, large ? log(y) : 0.0, large ? 1.0 : 0.0};
    return o;
}

NMATH_FN double f2_f3_poisson_ll(double eta, f2_f3_obs o, int product, double *d, double *odds)
{
    R_UNUSED(product);
    R_UNUSED(odds);
    return f2_f3_log_link(eta - o.r, o, d);
}

NMATH_FN double f2_f3_poisson_constant(double y, double wt)
{
    if (y == 0.0)
        return 0.0;
    double ly = log(y), c = -(stirlerr(y) + M_LN_SQRT_2PI + 0.5 * ly);
    return wt * (y > F2_F3_POISSON_LARGE ? c : c + y * (1.0 - ly));
}

#undef F2_F3_POISSON_LARGE

#undef F2_F3_FAMILY
#undef F2_F3_PRODUCT
#define F2_F3_FAMILY f2_f3_poisson
#define F2_F3_PRODUCT(o) 0
