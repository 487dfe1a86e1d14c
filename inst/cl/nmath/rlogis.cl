// @source_type: c
// @source_origin: rlogis.c
// @provides: rlogis, nmath_rlogis
// @depends: nmath, sunif
// @method: inversion: log(u/(1 - u))
// @all_depends: Rmath, nmath, sunif
// @all_depends_count: 3

// rlogis -- a draw from the logistic distribution. Both tails are resolved as finely as one: the first bit says which, and
// the others are a uniform number below 1/2. The sign of scale does not matter.

#define rlogis(location, scale) nmath_rlogis(nmath_generator, location, scale)
NMATH_FN double nmath_rlogis(NMATH_GENERATOR, double location, double scale)
{
    double m = ISNAN(location) ? ML_NAN : location, s = isfinite(scale) ? scale : ML_NAN;
    nmath_u64 bits = nmath_random_bits(nmath_generator), upper = 0 - (bits >> 63); // no branch: it would be guessed wrong
    double u = sunif_tail(bits ^ upper), z = log(u / (1.0 - u));
    return m + s * nmath_from_bits(nmath_bits(z) ^ (upper << 63));
}
