// @source_type: c
// @source_origin: none
// @provides: dgamma_fixed, dgamma_fixed_of, dgamma_fixed_at, dgamma_fixed_split
// @depends: nmath, stirlerr, log1p_parts
// @method: the saddle point form, what depends on shape and scale computed once; one logarithm an element
// @all_depends: Rmath, refactored, nmath, log1p, log1p_parts, stirlerr_cycle_free, lgamma, pgamma_utils, stirlerr_cycle_dependent, stirlerr
// @all_depends_count: 10
// @load_order: 150

// dgamma_fixed -- the log density of the gamma distribution where shape and scale are the same for many x. With y = x/s
// and u = (y - a)/a (Loader (2000), "Fast and accurate computation of binomial probabilities", section 4, for real a),
//     log f(x) = [log(a/(2 pi))/2 - stirlerr(a) - log(a s)] - log(1 + u) - a (u - log(1 + u)).
// The bracket is computed once, the rest is log1p_parts.cl. *odd tells of a shape, scale or x for which this is not as accurate
// as it should be, shape 1 among them, where the logarithm is -y: dgamma.cl is right for these.

typedef struct {
    double shape, per_shape, per_scale, c, at_zero;
} dgamma_fixed;

NMATH_FN dgamma_fixed dgamma_fixed_of(double shape, double scale, int *odd)
{
    dgamma_fixed f;
    int plain = shape > 0.05 && shape < 1e8 && shape != 1.0 && scale > 1e-100 && scale < 1e100;
    double a = plain ? shape : 1.0, s = plain ? scale : 1.0;
    *odd |= !plain;
    f.shape = a;
    f.per_shape = 1.0 / a;
    f.per_scale = 1.0 / s;
    f.at_zero = a < 1.0 ? ML_POSINF : ML_NEGINF;
    f.c = (0.5 * log(a * (M_1_SQRT_2PI * M_1_SQRT_2PI)) - stirlerr(a)) - log(a * s);
    return f;
}

NMATH_FN log1p_parts dgamma_fixed_split(double x, dgamma_fixed f, int *odd)
{
    double y = x * f.per_scale, w = y * f.per_shape;
    *odd |= (x > 0.0) & ((w < 1e-30) | (w > 1e5)); // not of a NaN
    return log1p_split((y - f.shape) * f.per_shape, w);
}

NMATH_FN double dgamma_fixed_at(double x, dgamma_fixed f, int *odd)
{
    log1p_parts p = dgamma_fixed_split(x, f, odd);
    return log1p_parts_on(x, (f.c - p.l) - f.shape * p.h, ML_NEGINF, f.at_zero);
}
