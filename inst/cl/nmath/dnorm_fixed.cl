// @source_type: c
// @source_origin: none
// @provides: dnorm_fixed, dnorm_fixed_of, dnorm_fixed_at, dnorm_fixed_standard, dnorm_fixed_z
// @depends: nmath
// @method: the closed form, with 1/sigma to twice the precision computed once
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// dnorm_fixed -- the log density of the normal distribution where mu and sigma are the same for many x: 1/sigma as a sum of
// two doubles makes the quotient right to 0.6 ulp without a division for each x. *needs_general is set for a mu or sigma for which that is
// not so: dnorm.cl is right for these. There is no branch, so that elements can be computed together.

typedef struct {
    double mu, per_sigma, rest, c;
} dnorm_fixed;

NMATH_FN dnorm_fixed dnorm_fixed_of(double mu, double sigma, int *needs_general)
{
    dnorm_fixed f;
    f.mu = mu;
    int plain = sigma > NMATH_RANGE(1e-100, 1e-15) && sigma < NMATH_RANGE(1e100, 1e15) && fabs(mu) < NMATH_RANGE(1e200, 1e20);
    double s = plain ? sigma : 1.0;
    *needs_general |= !plain;
    f.per_sigma = (1.0 / s) * 0.9999999999999998; // a little less, so that the rest is of the same sign
    f.rest = fma(-f.per_sigma, s, 1.0) * f.per_sigma;
    f.c = -(M_LN_SQRT_2PI + log(s));
    return f;
}

// (x - mu)/sigma
NMATH_FN double dnorm_fixed_z(double x, dnorm_fixed f)
{
    double d = x - f.mu;
    return fma(d, f.rest, d * f.per_sigma);
}

NMATH_FN double dnorm_fixed_at(double x, dnorm_fixed f, int *needs_general)
{
    double z = dnorm_fixed_z(x, f);
    R_UNUSED(needs_general); // any x will do
    return f.c - (0.5 * z) * z;
}

// mu = 0, sigma = 1
NMATH_FN double dnorm_fixed_standard(double x, int *needs_general)
{
    R_UNUSED(needs_general);
    return -M_LN_SQRT_2PI - (0.5 * x) * x;
}
