// @source_type: c
// @source_origin: rlnorm.c
// @provides: rlnorm, nmath_rlnorm
// @depends: nmath, rnorm
// @method: exp of a normal draw
// @all_depends: Rmath, nmath, cospi, sunif, sexp, snorm, rnorm
// @all_depends_count: 7

// rlnorm -- a draw whose logarithm is normal.

#define rlnorm(meanlog, sdlog) nmath_rlnorm(nmath_generator, meanlog, sdlog)
NMATH_FN double nmath_rlnorm(NMATH_GENERATOR, double meanlog, double sdlog) { return exp(rnorm(meanlog, sdlog)); }
