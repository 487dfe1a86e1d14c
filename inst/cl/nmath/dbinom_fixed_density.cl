// @source_type: c
// @source_origin: none
// @provides: dbinom_fixed_density, dbinom_fixed_density_of, dbinom_fixed_density_at
// @depends: nmath, dbinom_fixed
// @method: the form of dbinom_fixed.cl, its exponential taken
// @all_depends: Rmath, nmath, dpq, log1p, log1p_parts, stirlerr_cycle_free, dpois_fixed, dbinom_fixed
// @all_depends_count: 8

// dbinom_fixed_density -- the mass of the binomial distribution where size and probability are the same for many counts: the form
// of dbinom_fixed.cl, with the bracket as a factor. *needs_general is set where dbinom.cl has to compute.

typedef dbinom_fixed dbinom_fixed_density;

NMATH_FN dbinom_fixed_density dbinom_fixed_density_of(double size, double prob, int *needs_general)
{
    dbinom_fixed_density f = dbinom_fixed_of(size, prob, needs_general);
    f.c = exp(dpois_fixed_error(f.size)) * (M_1_SQRT_2PI / sqrt(f.m * f.k / f.size)); // exp() of the bracket has its rounding
    return f;
}

NMATH_FN double dbinom_fixed_density_at(double x, dbinom_fixed_density f, int *needs_general)
{
    double far, e = dbinom_fixed_exponent(x, f, &far);
    e = x == 0.0 ? f.none : e;
    e = x == f.size ? f.all : e;
    double most = far > 50.0 ? 8.0 : NMATH_FIXED_FAR; // as in dpois_fixed_density.cl
    int beyond = far > 1000.0 || (e < -most && e > -800.0); // beyond it is 0
    *needs_general |= beyond | (x < 0.0 || x > f.size || fabs(x - rint(x)) > 0.0);
    return (x == 0.0 || x == f.size ? 1.0 : f.c) * expsq_exp(e);
}
