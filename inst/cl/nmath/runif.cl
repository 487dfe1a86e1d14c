// @source_type: c
// @source_origin: runif.c
// @provides: runif, nmath_runif
// @depends: nmath, sunif
// @method: a + (b - a) u
// @all_depends: Rmath, nmath, sunif
// @all_depends_count: 3

// runif -- a draw from the uniform distribution between a and b. Where b - a overflows, the ends are weighted.

#define runif(a, b) nmath_runif(nmath_generator, a, b)
NMATH_FN double nmath_runif(NMATH_GENERATOR, double a, double b)
{
    double width = b - a, u = unif_rand();
    if (width >= 0.0 && width <= NMATH_DBL_MAX)
        return a + width * u;
    if (!(isfinite(a) && isfinite(b) && a <= b))
        ML_WARN_return_NAN;
    return a * (1.0 - u) + b * u;
}
