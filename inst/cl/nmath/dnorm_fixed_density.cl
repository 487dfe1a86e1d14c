// @source_type: c
// @source_origin: none
// @provides: dnorm_fixed_density, dnorm_fixed_density_of, dnorm_fixed_density_at, dnorm_fixed_density_standard, dnorm_fixed_exp, dnorm_fixed_exp_of, dnorm_fixed_times
// @depends: nmath, dnorm_fixed
// @method: the closed form, z as in dnorm_fixed.cl
// @all_depends: Rmath, nmath, dnorm_fixed
// @all_depends_count: 3

// dnorm_fixed_density -- the density of the normal distribution where mu and sigma are the same for many x, and the factor
// exp(-z^2/2) for pnorm_fixed.cl, without a branch. *needs_general is set where dnorm.cl has to compute.

// exp(-z^2/2): that of y in parts (expsq.cl), or, where z is 39 or more, or NaN, `far`. Between 36, where the exponential is
// still a normal number after a small factor, and 39, where it is 0 even after a large one, *needs_general is set.
typedef struct {
    double y, far;
    int is_far;
    expsq_parts parts;
} dnorm_fixed_exp;

NMATH_FN dnorm_fixed_exp dnorm_fixed_exp_of(double z, int *needs_general)
{
    dnorm_fixed_exp e;
    nmath_u64 size = nmath_bits(z) & 0x7FFFFFFFFFFFFFFFUL; // orders |z|, at less cost than the doubles do; NaN is last
    int beyond = size >= 0x4042000000000000UL;             // 36
    e.is_far = size >= 0x4043800000000000UL;               // 39
    e.far = size > 0x7FF0000000000000UL ? z : 0.0;
    *needs_general |= beyond && !e.is_far;
    e.y = nmath_from_bits(beyond ? 0x4042000000000000UL : size); // among doubles gcc makes a branch of it
    e.parts = expsq_split(e.y);
    return e;
}

// v exp(-z^2/2), 1e-20 < v < 50.
NMATH_FN double dnorm_fixed_times(double v, dnorm_fixed_exp e)
{
    double near = nmath_from_bits(nmath_bits(v * e.parts.m) + (e.parts.n << 52));
    return e.is_far ? e.far : near;
}

typedef dnorm_fixed dnorm_fixed_density;

NMATH_FN dnorm_fixed_density dnorm_fixed_density_of(double mu, double sigma, int *needs_general)
{
    dnorm_fixed_density f = dnorm_fixed_of(mu, sigma, needs_general);
    int plain = sigma > 0.01 && sigma < 1e19;
    *needs_general |= !plain;
    f.c = M_1_SQRT_2PI / (plain ? sigma : 1.0);
    return f;
}

NMATH_FN double dnorm_fixed_density_at(double x, dnorm_fixed_density f, int *needs_general)
{
    return dnorm_fixed_times(f.c, dnorm_fixed_exp_of(dnorm_fixed_z(x, f), needs_general));
}

// mu = 0, sigma = 1
NMATH_FN double dnorm_fixed_density_standard(double x, int *needs_general)
{
    return dnorm_fixed_times(M_1_SQRT_2PI, dnorm_fixed_exp_of(x, needs_general));
}
