// @provides: f2_f3_binomial_logit
// @library_deps: nmath
// @depends_nmath: Rmath, stirlerr_cycle_free
// @all_depends_nmath_count: 4
// @all_depends_nmath: Rmath, nmath, poly, stirlerr_cycle_free
// @depends_body: f2_f3_body
// @all_depends_body_count: 1
// @all_depends_body: f2_f3_body

// f2_f3_binomial_logit -- k = round(y wt) successes in n = round(wt) trials, P(success) = 1/(1 + exp(-eta)).
//
// With e = exp(-|eta|) the probable outcome has log-probability -log(1 + e), the improbable one -log(1 + e) - |eta|; s
// of the n trials had the latter. All terms have one sign, and e serves value and derivative.

NMATH_FN double f2_f3_binomial_logit_ll(double eta, double y, double wt, double *d)
{
    double n = rint(wt), k = rint(y * wt), s = eta < 0.0 ? k : n - k;
    double a = fabs(eta), e = exp(-a), v = (s - (n - s) * e) / (1.0 + e);
    *d = eta < 0.0 ? v : -v;
    return -(n * log1p(e) + s * a);
}

F2_F3_BINOMIAL_CONSTANT(f2_f3_binomial_logit_constant)

__kernel void f2_f3_binomial_logit(
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
    F2_F3_BODY(f2_f3_binomial_logit_ll, f2_f3_binomial_logit_constant);
}
