// @source_type: c
// @source_origin: none
// @provides: dgamma_fixed, dgamma_fixed_of, dgamma_fixed_at
// @depends: nmath, stirlerr
// @method: the saddle point form, what depends on shape and scale computed once; one logarithm an element
// @all_depends: Rmath, refactored, nmath, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, stirlerr_cycle_dependent, stirlerr
// @all_depends_count: 9
// @load_order: 117

// dgamma_fixed -- the log density of the gamma distribution where shape and scale are the same for many x. With y = x/s
// and u = (y - a)/a (Loader (2000), "Fast and accurate computation of binomial probabilities", section 4, for real a),
//     log f(x) = [log(a/(2 pi))/2 - stirlerr(a) - log(a s)] - log(1 + u) - a (u - log(1 + u)).
// The bracket is computed once. Where |u| <= 1/8 the last parenthesis is u^2 P(u): nothing cancels there, and elsewhere no
// more than the density's own condition numbers in x and a say. *odd tells of a shape, scale or x for which that is not so:
// dgamma.cl is right for these.

typedef struct {
    double shape, per_shape, per_scale, c;
} dgamma_fixed;

// P; tools/fit_fixed.py, relative error 1.21e-17
NMATH_TABLE double dgamma_fixed_rest[14] = {
    0.5, -0.3333333333333333, 0.24999999999998856, -0.19999999999998924,
    0.16666666667835597, -0.14285714286814805, 0.12499999551779664, -0.11111110689127397,
    0.10000081751751853, -0.09090986056034936, 0.08325694857185459, -0.07685116670922458,
    0.07494984617548059, -0.06998145965455345
};

NMATH_FN dgamma_fixed dgamma_fixed_of(double shape, double scale, int *odd)
{
    dgamma_fixed f;
    int plain = shape > 0.05 && shape < 1e8 && scale > 1e-100 && scale < 1e100;
    double a = plain ? shape : 1.0, s = plain ? scale : 1.0;
    *odd |= !plain;
    f.shape = a;
    f.per_shape = 1.0 / a;
    f.per_scale = 1.0 / s;
    f.c = (0.5 * log(a * (M_1_SQRT_2PI * M_1_SQRT_2PI)) - stirlerr(a)) - log(a * s);
    return f;
}

NMATH_FN double dgamma_fixed_at(double x, dgamma_fixed f, int *odd)
{
    double y = x * f.per_scale, w = y * f.per_shape;
    *odd |= w < 1e-5 || w > 1e5; // not of a NaN
    double u = (y - f.shape) * f.per_shape, l = log(w);
    double h = fabs(u) <= 0.125 ? (u * u) * nmath_poly(u, dgamma_fixed_rest, 14) : u - l;
    return (f.c - l) - f.shape * h;
}
