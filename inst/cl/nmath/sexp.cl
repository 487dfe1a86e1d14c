// @source_type: c
// @source_origin: sexp.c
// @provides: exp_rand, nmath_exp_rand
// @depends: nmath, sunif
// @method: inversion: -log of one uniform
// @all_depends: Rmath, nmath, sunif
// @all_depends_count: 3
// @load_order: 65

// sexp -- a standard exponential draw, by inversion: no branch and no loop. It is positive, at least 2^-53.

#define exp_rand() nmath_exp_rand(nmath_generator)
NMATH_FN double nmath_exp_rand(NMATH_GENERATOR)
{
    return -log(unif_rand());
}
