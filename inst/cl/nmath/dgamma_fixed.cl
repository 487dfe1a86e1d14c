// @source_type: c
// @source_origin: none
// @provides: dgamma_fixed, dgamma_fixed_of, dgamma_fixed_at, dgamma_fixed_parts, dgamma_fixed_split
// @depends: nmath, stirlerr
// @method: the saddle point form, what depends on shape and scale computed once; one logarithm an element
// @all_depends: Rmath, refactored, nmath, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, stirlerr_cycle_dependent, stirlerr
// @all_depends_count: 9
// @load_order: 119

// dgamma_fixed -- the log density of the gamma distribution where shape and scale are the same for many x. With y = x/s
// and u = (y - a)/a (Loader (2000), "Fast and accurate computation of binomial probabilities", section 4, for real a),
//     log f(x) = [log(a/(2 pi))/2 - stirlerr(a) - log(a s)] - log(1 + u) - a (u - log(1 + u)).
// The bracket is computed once. log(1 + u) = k log 2 + 2 artanh(v), v = d/(2 + d), for 1 + u = 2^k (1 + d), 2^(-1/2) <= 1 + d
// < 2^(1/2); where |u| <= 1/8, d is u, and u - 2 artanh(u/(2 + u)) = u v - (2 artanh(v) - 2 v): nothing cancels there, and
// elsewhere no more than the density's own condition numbers in x and a say. There is no branch, so that elements can be
// computed together. *odd tells of a shape, scale or x for which all this is not so: dgamma.cl is right for these.

typedef struct {
    double shape, per_shape, per_scale, c;
} dgamma_fixed;

// (2 artanh(v) - 2 v)/v^3 in powers of v^2; tools/fit_fixed.py, relative error of 2 artanh(v) 4.61e-18
NMATH_TABLE double dgamma_fixed_rest[7] = {
    0.666666666666667, 0.39999999999899444, 0.2857142862600327, 0.22222211130259878,
    0.18182889455674947, 0.15331710618210773, 0.14616585424888623
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

// w = 1 + u, its logarithm, and u - log(1 + u).
typedef struct {
    double w, l, h;
} dgamma_fixed_parts;

NMATH_FN dgamma_fixed_parts dgamma_fixed_split(double x, dgamma_fixed f, int *odd)
{
    dgamma_fixed_parts p;
    double y = x * f.per_scale;
    p.w = y * f.per_shape;
    *odd |= p.w < 1e-5 || p.w > 1e5; // not of a NaN
    double u = (y - f.shape) * f.per_shape;
    int near = fabs(u) <= 0.125;
    nmath_u64 bits = nmath_bits(p.w), power = (bits - 0x3FE6A09E667F3BCDUL) & 0xFFF0000000000000UL;
    double k = nmath_from_bits(0x4338000000000000UL + (nmath_u64)((nmath_i64)power >> 52)) - 6755399441055744.0;
    double d = near ? u : nmath_from_bits(bits - power) - 1.0;
    double v = d * NMATH_RECIPROCAL(2.0 + d), z = v * v;
    double rest = (v * z) * nmath_poly(z, dgamma_fixed_rest, 7);
    // log 2 in two parts, the first of 32 bits
    p.l = NMATH_FMA(k, 0.6931471803691238, NMATH_FMA(k, 1.9082149292705877e-10, rest) + 2.0 * v);
    p.h = near ? NMATH_FMA(u, v, -rest) : u - p.l;
    return p;
}

NMATH_FN double dgamma_fixed_at(double x, dgamma_fixed f, int *odd)
{
    dgamma_fixed_parts p = dgamma_fixed_split(x, f, odd);
    return (f.c - p.l) - f.shape * p.h;
}
