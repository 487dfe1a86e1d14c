// @source_type: c
// @source_origin: snorm.c
// @provides: norm_rand, nmath_norm_rand
// @depends: nmath, qnorm, sunif
// @method: inversion: qnorm of one uniform
// @all_depends: Rmath, nmath, dpq, sunif, pnorm, qnorm
// @all_depends_count: 6
// @load_order: 90

// snorm -- a standard normal draw, by inversion: all work-items but one in a thousand take the same path, there is no
// loop, and a draw needs a single uniform. The 52 bits of that reach 8.2 standard deviations.

#define norm_rand() nmath_norm_rand(nmath_generator)
NMATH_FN double nmath_norm_rand(NMATH_GENERATOR)
{
    return qnorm5(unif_rand(), 0.0, 1.0, 1, 0);
}
