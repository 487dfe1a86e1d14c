// @source_type: c
// @source_origin: none
// @provides: dweibull_fixed_density, dweibull_fixed_density_of, dweibull_fixed_density_at
// @depends: nmath, dweibull_fixed, dlnorm_fixed, log1p_parts
// @method: one exponent for the power and the exponential, as in dweibull.cl, and its exponential as a square
// @all_depends: Rmath, nmath, dpq, log1p_parts, dlnorm_fixed, dweibull_fixed
// @all_depends_count: 6

// dweibull_fixed_density -- the density of the Weibull distribution where shape a and scale s are the same for many x: with
// e = a log(x/s) it is (a/x) exp(e - exp(e)), as in dweibull.cl. The root of the exponential is a normal number wherever the
// density is not 0, which it is from e = 8 on. *needs_general is set where dweibull.cl has to compute.

typedef struct {
    double shape, per_scale, at_zero;
} dweibull_fixed_density;

NMATH_FN dweibull_fixed_density dweibull_fixed_density_of(double shape, double scale, int *needs_general)
{
    dweibull_fixed_density f;
    int plain = dweibull_fixed_plain(shape, scale);
    *needs_general |= !plain;
    f.shape = plain ? shape : 1.0;
    f.per_scale = 1.0 / (plain ? scale : 1.0);
    f.at_zero = f.shape < 1.0 ? ML_POSINF : f.shape > 1.0 ? 0.0 : f.per_scale;
    return f;
}

NMATH_FN double dweibull_fixed_density_at(double x, dweibull_fixed_density f, int *needs_general)
{
    *needs_general |= dlnorm_fixed_beyond(x);
    double e = f.shape * log1p_parts_log(x * f.per_scale), least = e < 8.0 ? e : 8.0;
    double h = expsq_exp(0.5 * (least - expsq_exp(least)));
    double r = ((f.shape * NMATH_RECIPROCAL(x)) * h) * h;
    return log1p_parts_on(x, r, 0.0, f.at_zero);
}
