// @provides: f2_f3_gamma_obs, f2_f3_gamma_ll, f2_f3_gamma_constant
// @library_deps: nmath
// @depends_nmath: Rmath, stirlerr
// @all_depends_nmath_count: 9
// @all_depends_nmath: Rmath, refactored, nmath, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, stirlerr_cycle_dependent, stirlerr

// f2_f3_gamma -- gamma distribution of shape wt and mean exp(eta), hence scale exp(eta)/wt.
//
// With r = y exp(-eta) the log-density is -wt (eta + r) + wt log wt - lgamma(wt) + (wt - 1) log y. For a large shape
// its terms are far larger than the sum: there it is the log-density for the mean y, in the constant, less wt
// (expm1(v) - v), v = log y - eta. The former is log(wt/(2 pi))/2 - stirlerr(wt) - log y.

#define F2_F3_GAMMA_LARGE 16.0

NMATH_FN f2_f3_obs f2_f3_gamma_obs(double y, double wt)
{
    int large = wt > F2_F3_GAMMA_LARGE;
    f2_f3_obs o = {large ? wt : wt * y, wt, large ? log(y) : 0.0, large ? 1.0 : 0.0};
    return o;
}

NMATH_FN double f2_f3_gamma_ll(double eta, f2_f3_obs o, int product, double *d, double *odds)
{
    R_UNUSED(product);
    R_UNUSED(odds);
    double l = f2_f3_log_link(o.r - eta, o, d);
    *d = -*d;
    return l;
}

NMATH_FN double f2_f3_gamma_constant(double y, double wt)
{
    double ly = log(y), c = 0.5 * log(wt) - M_LN_SQRT_2PI - stirlerr(wt) - ly;
    return wt > F2_F3_GAMMA_LARGE ? c : c + wt * (1.0 + ly);
}

#undef F2_F3_GAMMA_LARGE

#undef F2_F3_FAMILY
#undef F2_F3_PRODUCT
#define F2_F3_FAMILY f2_f3_gamma
#define F2_F3_PRODUCT(o) 0
