// @source_type: c
// @source_origin: none
// @provides: pnorm_fixed, pnorm_fixed_of, pnorm_fixed_at, pnorm_fixed_standard
// @depends: nmath, dnorm_fixed_density
// @method: the scaled tail as a quotient of polynomials, times the exponential of an exact square
// @all_depends: Rmath, nmath, dnorm_fixed, dnorm_fixed_density
// @all_depends_count: 4

// pnorm_fixed -- the lower or upper tail of the normal distribution where mu and sigma are the same for many x: z = (x - mu)/sigma
// of dnorm_fixed.cl, -z for the upper tail, so that P(X > m + y) and P(X < m - y) are the same bits, and exp(z^2/2) Q(|z|) = N/D, whose coefficients are positive, so that nothing cancels. There is no
// branch, so that elements can be computed together; *needs_general is set where pnorm.cl has to compute.

// tools/fit_normal_fixed.py, relative error 1.18e-16
NMATH_TABLE double pnorm_fixed_n[10] = {
    0.5, 0.7731799158639847, 0.5915809360084209, 0.28756463065152876,
    0.09690255718260338, 0.02337792714282148, 0.004037130732053558, 0.0004828290797151128,
    3.656038457405253e-05, 1.3545390157250217e-06
};
NMATH_TABLE double pnorm_fixed_d[11] = {
    1.0, 2.3442443925308267, 2.5535982795661396, 1.706445227060562,
    0.7770310776477372, 0.2528349763583119, 0.059803256022358316, 0.010211229322413558,
    0.001213668349053303, 9.164329370219428e-05, 3.3953257959195754e-06
};

typedef dnorm_fixed pnorm_fixed;

NMATH_FN pnorm_fixed pnorm_fixed_of(double mu, double sigma, int *needs_general) { return dnorm_fixed_of(mu, sigma, needs_general); }

// mu = 0, sigma = 1
NMATH_FN double pnorm_fixed_standard(double z, int lower_tail, int *needs_general)
{
    z = lower_tail ? z : -z;
    dnorm_fixed_exp e = dnorm_fixed_exp_of(z, needs_general);
    double r = nmath_poly(e.y, pnorm_fixed_n, 10) * NMATH_RECIPROCAL(nmath_poly(e.y, pnorm_fixed_d, 11));
    double q = dnorm_fixed_times(r, e);
    return z < 0.0 ? q : 1.0 - q;
}

NMATH_FN double pnorm_fixed_at(double x, pnorm_fixed f, int lower_tail, int *needs_general)
{
    return pnorm_fixed_standard(dnorm_fixed_z(x, f), lower_tail, needs_general);
}
