// @provides: f2_f3_binomial_probit_obs, f2_f3_binomial_probit_ll, f2_f3_binomial_probit_constant
// @library_deps: nmath
// @depends_nmath: Rmath, pnorm, stirlerr_cycle_free
// @all_depends_nmath_count: 5
// @all_depends_nmath: Rmath, nmath, dpq, stirlerr_cycle_free, pnorm

// f2_f3_binomial_probit -- k = round(y wt) successes in n = round(wt) trials, P(success) = Phi(eta).
//
// Let q = Phi(-a) be the probability of the improbable outcome, a = |eta|, which s of the n trials had. r = exp(a^2/2)
// q never underflows: log q = log r - a^2/2, and dlog q/da = -1/(sqrt(2 pi) r), dlog(1 - q)/da = q/(1 - q) of that
// size.

NMATH_FN f2_f3_obs f2_f3_binomial_probit_obs(double y, double wt)
{
    f2_f3_obs o = {rint(wt), rint(y * wt), 0.0, 0.0};
    return o;
}

NMATH_FN double f2_f3_binomial_probit_ll(double eta, f2_f3_obs o, int product, double *d, double *odds)
{
    R_UNUSED(product);
    R_UNUSED(odds);
    double n = o.p, k = o.q, s = eta < 0.0 ? k : n - k;
    double a = fabs(eta), r = pnorm_mills(a), q = pnorm_upper(a, r);
    double v = (s - (n - s) * (q / (1.0 - q))) * (M_1_SQRT_2PI / r);
    *d = eta < 0.0 ? v : -v;
    return s * (log(r) - 0.5 * a * a) + (n - s) * log1p(-q);
}

F2_F3_BINOMIAL_CONSTANT(f2_f3_binomial_probit_constant)

#undef F2_F3_FAMILY
#undef F2_F3_PRODUCT
#define F2_F3_FAMILY f2_f3_binomial_probit
#define F2_F3_PRODUCT(o) 0
