// @provides: f2_f3_binomial_logit_obs, f2_f3_binomial_logit_ll, f2_f3_binomial_logit_constant
// @library_deps: nmath
// @depends_nmath: Rmath, stirlerr_cycle_free
// @all_depends_nmath_count: 3
// @all_depends_nmath: Rmath, nmath, stirlerr_cycle_free

// f2_f3_binomial_logit -- k = round(y wt) successes in n = round(wt) trials, P(success) = 1/(1 + exp(-eta)).
//
// With e = exp(-|eta|) the probable outcome has log-probability -log(1 + e), the improbable one -log(1 + e) - |eta|; s
// of the n trials had the latter. All terms have one sign, and e serves value and derivative.
// The log of a sum of such terms with n = 1 is taken once: prod(1 + e) = 1 + odds, and odds is a sum of positive terms,
// exact to a few ulp however small all e are. A factor is at most 2, so hundreds fit in the range of a double.

NMATH_FN f2_f3_obs f2_f3_binomial_logit_obs(double y, double wt)
{
    f2_f3_obs o = {rint(wt), rint(y * wt), 0.0, 0.0};
    return o;
}

NMATH_FN double f2_f3_binomial_logit_ll(double eta, f2_f3_obs o, int product, double *d, double *odds)
{
    double n = o.p, k = o.q, s = eta < 0.0 ? k : n - k;
    double a = fabs(eta), e = f2_f3_exp_negative(-a);
    double v = NMATH_FMA(s - n, e, s) * f2_f3_reciprocal(1.0 + e);
    *d = eta < 0.0 ? v : -v;
    if (product) {
        *odds = NMATH_FMA(*odds, e, *odds + e);
        return -s * a;
    }
    return -NMATH_FMA(n, f2_f3_log1p_unit(e), s * a);
}

F2_F3_BINOMIAL_CONSTANT(f2_f3_binomial_logit_constant)

#undef F2_F3_FAMILY
#undef F2_F3_PRODUCT
#define F2_F3_FAMILY f2_f3_binomial_logit
#define F2_F3_PRODUCT(o) ((o).p == 1.0)
