// @provides: f2_f3_binomial_cloglog_obs, f2_f3_binomial_cloglog_ll, f2_f3_binomial_cloglog_constant
// @library_deps: nmath
// @depends_nmath: Rmath, stirlerr_cycle_free
// @all_depends_nmath_count: 3
// @all_depends_nmath: Rmath, nmath, stirlerr_cycle_free

// f2_f3_binomial_cloglog -- k = round(y wt) successes in n = round(wt) trials, P(success) = 1 - exp(-m), m = exp(eta).
//
// A failure has log-probability -m, a success log(1 - exp(-m)): for m > log 2 directly; else eta + log((1 -
// exp(-m))/m), whose second term is the log of a number between 0.7 and 1. h = m exp(-m)/(1 - exp(-m)) is the
// derivative for a success.

NMATH_FN f2_f3_obs f2_f3_binomial_cloglog_obs(double y, double wt)
{
    f2_f3_obs o = {rint(wt), rint(y * wt), 0.0, 0.0};
    return o;
}

NMATH_FN double f2_f3_binomial_cloglog_ll(double eta, f2_f3_obs o, int product, double *d, double *odds)
{
    R_UNUSED(product);
    R_UNUSED(odds);
    double n = o.p, k = o.q, m = exp(eta);
    double shift = eta, w = 0.0, h = 1.0;
    if (m > M_LN2) {
        double e = exp(-m);
        shift = 0.0;
        w = -e;
        h = e > 0.0 ? m * e / (1.0 - e) : 0.0;
    } else if (m > 1e-17) {
        double t = -expm1(-m);
        w = (t - m) / m;
        h = m * (1.0 - t) / t;
    }
    double failures = k < n ? (n - k) * m : 0.0;
    *d = k * h - failures;
    return k * (shift + log1p(w)) - failures;
}

F2_F3_BINOMIAL_CONSTANT(f2_f3_binomial_cloglog_constant)

#undef F2_F3_FAMILY
#undef F2_F3_PRODUCT
#define F2_F3_FAMILY f2_f3_binomial_cloglog
#define F2_F3_PRODUCT(o) 0
