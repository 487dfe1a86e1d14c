// @source_type: c
// @source_origin: rcauchy.c
// @provides: rcauchy, nmath_rcauchy
// @depends: nmath, cospi, sunif
// @method: inversion: tan(pi u)
// @all_depends: Rmath, nmath, cospi, sunif
// @all_depends_count: 4
// @load_order: 62

// rcauchy -- a draw from the Cauchy distribution. tan(pi u) has period 1, so that u serves as well as u - 1/2; u is never
// 1/2, where there is no tangent (sunif.cl).

#define rcauchy(location, scale) nmath_rcauchy(nmath_generator, location, scale)
NMATH_FN double nmath_rcauchy(NMATH_GENERATOR, double location, double scale)
{
    if (ISNAN(location) || !isfinite(scale) || scale < 0)
        ML_WARN_return_NAN;
    if (scale == 0 || !isfinite(location))
        return location;
    return location + scale * tanpi(unif_rand());
}
