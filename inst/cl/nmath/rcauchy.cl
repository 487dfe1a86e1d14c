// @source_type: c
// @source_origin: rcauchy.c
// @provides: rcauchy, nmath_rcauchy
// @depends: nmath, cospi, sunif
// @method: inversion: tan(pi u)
// @all_depends: Rmath, nmath, cospi, sunif
// @all_depends_count: 4
// @load_order: 68

// rcauchy -- a draw from the Cauchy distribution: 1/tan(pi u) for u below 1/2, with a sign, as both tails are resolved as
// finely as one.

#define rcauchy(location, scale) nmath_rcauchy(nmath_generator, location, scale)
NMATH_FN double nmath_rcauchy(NMATH_GENERATOR, double location, double scale)
{
    if (ISNAN(location) || !isfinite(scale) || scale < 0)
        ML_WARN_return_NAN;
    if (scale == 0 || !isfinite(location))
        return location;
    nmath_u64 bits = nmath_random_bits(nmath_generator), upper = 0 - (bits >> 63); // no branch: it would be guessed wrong
    double z = 1.0 / tanpi(sunif_tail(bits ^ upper));
    return location + scale * nmath_from_bits(nmath_bits(z) ^ (~upper << 63));
}
