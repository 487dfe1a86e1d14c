// @source_type: c
// @source_origin: none
// @provides: dgamma_fixed, dgamma_fixed_any, dgamma_fixed_of, dgamma_fixed_row, dgamma_fixed_on, dgamma_fixed_at, dgamma_fixed_split
// @depends: nmath, stirlerr, log1p_parts, log_pair
// @method: the saddle point form, what depends on shape and scale computed once; one logarithm an element
// @all_depends: Rmath, refactored, nmath, log1p, log1p_parts, log_pair, stirlerr_cycle_free, lgamma, pgamma_utils, stirlerr_cycle_dependent, stirlerr
// @all_depends_count: 11

// dgamma_fixed -- the log density of the gamma distribution where shape and scale are the same for many x. With y = x/s
// and u = (y - a)/a (Loader (2000), "Fast and accurate computation of binomial probabilities", section 4, for real a),
//     log f(x) = [log(a/(2 pi))/2 - stirlerr(a) - log(a s)] - log(1 + u) - a (u - log(1 + u)).
// The bracket is computed once, the rest is log1p_parts.cl. Where a processor rounds a product and a sum once (NMATH_LOG_PAIRS) it is,
// for shapes below 1000,
//     [..] + (a - 1) l - (x - a s)/s,   l = log(x) - log(a s) as pairs of doubles (log_pair.cl):
// the errors of the two terms are no more than the condition numbers in x and s say, and log(x) is computed once where shape and
// scale change and x does not. *needs_general is set for a shape, scale or x for which this is not as accurate as it should be, shape 1 among
// them, where the logarithm is -y: dgamma.cl is right for these.

typedef struct {
    double shape, c, mean, per_mean; // mean: a s
#ifdef NMATH_LOG_PAIRS
    double per_scale, log_mean, log_mean_lo;
#endif
} dgamma_fixed;

NMATH_FN dgamma_fixed dgamma_fixed_any(double shape, double scale, int *needs_general)
{
    dgamma_fixed f;
    int plain = shape > 0.05 && shape < 1e8 && shape != 1.0 && scale > NMATH_RANGE(1e-100, 1e-15) && scale < NMATH_RANGE(1e100, 1e15);
    double a = plain ? shape : 1.0, s = plain ? scale : 1.0;
    *needs_general |= !plain;
    f.shape = a;
    f.mean = a * s;
    f.per_mean = 1.0 / f.mean;
    f.c = (0.5 * log(a * (M_1_SQRT_2PI * M_1_SQRT_2PI)) - stirlerr(a)) - log(f.mean);
#ifdef NMATH_LOG_PAIRS
    log_pair l = log_pair_of(f.mean);
    f.per_scale = 1.0 / s;
    f.log_mean = l.hi;
    f.log_mean_lo = l.lo;
#endif
    return f;
}

NMATH_FN dgamma_fixed dgamma_fixed_of(double shape, double scale, int *needs_general)
{
#ifdef NMATH_LOG_PAIRS
    *needs_general |= shape >= 1000.0;
#endif
    return dgamma_fixed_any(shape, scale, needs_general);
}

NMATH_FN log1p_parts dgamma_fixed_split(double x, dgamma_fixed f, int *needs_general)
{
    double w = x * f.per_mean;
    *needs_general |= (x > 0.0) & ((w < 1e-30) | (w > 1e5)); // not of a NaN
    return log1p_split((x - f.mean) * f.per_mean, w);
}

// With these hi and lo the sum is right at 0 and infinity, too, and where x is negative, for which it has an infinite one.
NMATH_FN log_row dgamma_fixed_row(double x)
{
    log_row r = log_row_of(x, x == 0.0 ? ML_NEGINF : 0.0);
#ifdef NMATH_LOG_PAIRS
    r.x = x < 0.0 ? ML_POSINF : x;
#endif
    return r;
}

// What dgamma_fixed_row(x) gives
NMATH_FN double dgamma_fixed_on(double x, double hi, double lo, dgamma_fixed f, int *needs_general)
{
#ifdef NMATH_LOG_PAIRS
    double l = (hi - f.log_mean) + (lo - f.log_mean_lo);
    return NMATH_FMA(f.mean - x, f.per_scale, NMATH_FMA(f.shape - 1.0, l, f.c));
#else
    log1p_parts p = dgamma_fixed_split(x, f, needs_general);
    return log1p_parts_on(x, (f.c - p.l) - f.shape * p.h, ML_NEGINF, f.shape < 1.0 ? ML_POSINF : ML_NEGINF);
#endif
}

NMATH_FN double dgamma_fixed_at(double x, dgamma_fixed f, int *needs_general)
{
    log_row r = dgamma_fixed_row(x);
    return dgamma_fixed_on(r.x, r.hi, r.lo, f, needs_general);
}
