// @source_type: c
// @source_origin: none
// @provides: dgamma_fixed_density, dgamma_fixed_density_of, dgamma_fixed_density_at
// @depends: nmath, dgamma_fixed, log1p_parts
// @method: the saddle point form of dgamma_fixed.cl, its exponential taken
// @all_depends: Rmath, refactored, nmath, log1p, log1p_parts, log_pair, stirlerr_cycle_free, lgamma, pgamma_utils, stirlerr_cycle_dependent, stirlerr, dgamma_fixed
// @all_depends_count: 12

// dgamma_fixed_density -- the density of the gamma distribution where shape and scale are the same for many x: in the terms of
// dgamma_fixed.cl sqrt(a/(2 pi)) exp(-stirlerr(a))/(a s) exp(-a (u - log(1 + u)))/(1 + u). An error of the exponent is one that
// the density's condition numbers in x and a allow. *needs_general is set where dgamma.cl has to compute.

typedef dgamma_fixed dgamma_fixed_density;

NMATH_FN dgamma_fixed_density dgamma_fixed_density_of(double shape, double scale, int *needs_general)
{
    dgamma_fixed_density f = dgamma_fixed_any(shape, scale, needs_general);
    int plain = scale > 1e-5 && scale < 1e5; // so that only the exponential can leave the normal numbers
    *needs_general |= !plain;
    double a = f.shape;
    f.c = M_1_SQRT_2PI * sqrt(a) * exp(-stirlerr(a)) / (a * (plain ? scale : 1.0));
    return f;
}

NMATH_FN double dgamma_fixed_density_at(double x, dgamma_fixed_density f, int *needs_general)
{
    log1p_parts p = dgamma_fixed_split(x, f, needs_general);
    double e = f.shape * p.h;
    *needs_general |= (x > 0.0) & (e > NMATH_FIXED_FAR) & (e < 900.0); // the product may be subnormal; beyond it is 0, though 1/w may be 1e30
    return log1p_parts_on(x, f.c * expsq_exp(-e) * NMATH_RECIPROCAL(p.w), 0.0, f.shape < 1.0 ? ML_POSINF : 0.0);
}
