// @source_type: c
// @source_origin: none
// @provides: dbeta_fixed_density, dbeta_fixed_density_of, dbeta_fixed_density_at
// @depends: nmath, dbeta_fixed, log1p_parts, stirlerr
// @method: the saddle point form of dbeta_fixed.cl, its exponential taken
// @all_depends: Rmath, refactored, nmath, dpq, log1p, log1p_parts, stirlerr_cycle_free, lgamma, pgamma_utils, stirlerr_cycle_dependent, stirlerr, dbeta_fixed
// @all_depends_count: 12

// dbeta_fixed_density -- the density of the beta distribution where its shapes are the same for many x: in the terms of
// dbeta_fixed.cl the bracket as a factor of exp(-a (u - log(1 + u)) - b (v - log(1 + v)))/((1 + u) (1 + v)). *needs_general is set where
// dbeta.cl has to compute.

typedef dbeta_fixed dbeta_fixed_density;

NMATH_FN dbeta_fixed_density dbeta_fixed_density_of(double a, double b, int *needs_general)
{
    dbeta_fixed_density f = dbeta_fixed_of(a, b, needs_general);
    double e = (stirlerr(f.n) - stirlerr(f.a)) - stirlerr(f.b);
    f.at_zero = f.a < 1.0 ? ML_POSINF : f.a > 1.0 ? 0.0 : f.b;
    f.at_one = f.b < 1.0 ? ML_POSINF : f.b > 1.0 ? 0.0 : f.a;
    f.c = sqrt(f.n * f.per_a) * sqrt(f.n * f.per_b) * sqrt(f.n) * M_1_SQRT_2PI * exp(e);
    return f;
}

NMATH_FN double dbeta_fixed_density_at(double x, dbeta_fixed_density f, int *needs_general)
{
    double d = dbeta_fixed_off(x, f), w = x * f.n * f.per_a, y = (1.0 - x) * f.n * f.per_b;
    log1p_parts p = log1p_split(d * f.per_a, w), q = log1p_split(-d * f.per_b, y);
    double e = f.a * p.h + f.b * q.h;
    int near = (w < 1e-30) | (y < 1e-30) | ((e > NMATH_FIXED_FAR) & (e < 900.0)); // not of a NaN; beyond it is 0, though 1/w may be 1e30
    *needs_general |= (x > 0.0) & (x < 1.0) & near;
    return dbeta_fixed_on(x, f.c * expsq_exp(-e) * NMATH_RECIPROCAL(w * y), 0.0, f);
}
