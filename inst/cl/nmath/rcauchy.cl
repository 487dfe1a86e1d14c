// @source_type: c
// @source_origin: rcauchy.c
// @provides: rcauchy, nmath_rcauchy
// @depends: nmath, cospi, sunif
// @method: inversion: 1/tan(pi u)
// @all_depends: Rmath, nmath, cospi, sunif
// @all_depends_count: 4

// rcauchy -- a draw from the Cauchy distribution: 1/tan(pi u) for u below 1/2, with a sign, as both tails are resolved as
// finely as one. From u = 1/4 on that is tan(pi (1/2 - u)). No branch: see rnorm.cl.

#define rcauchy(location, scale) nmath_rcauchy(nmath_generator, location, scale)
NMATH_FN double nmath_rcauchy(NMATH_GENERATOR, double location, double scale)
{
    double m = ISNAN(location) ? ML_NAN : location, s = isfinite(scale) && scale >= 0 ? scale : ML_NAN;
    nmath_u64 bits = nmath_random_bits(nmath_generator), upper = 0 - (bits >> 63);
    double u = sunif_tail(bits ^ upper), sine, cosine;
    int out = u < 0.25;
    cospi_quarter(out ? u : 0.5 - u, &sine, &cosine);
    double d = out ? sine : cosine, z = NMATH_QUOTIENT(out ? cosine : sine, d, NMATH_RECIPROCAL(d));
    return m + s * nmath_from_bits(nmath_bits(z) ^ (~upper << 63));
}
