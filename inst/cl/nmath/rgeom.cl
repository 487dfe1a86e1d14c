// @source_type: c
// @source_origin: rgeom.c
// @provides: rgeom, nmath_rgeom
// @depends: nmath, log1p, sexp
// @method: inversion: whole part of an exponential draw over -log(1 - p)
// @all_depends: Rmath, nmath, log1p, sunif, sexp
// @all_depends_count: 5

// rgeom -- failures before the first success: P(X >= k) = (1 - p)^k = P(E >= -k log(1 - p)) for an exponential E.

#define rgeom(p) nmath_rgeom(nmath_generator, p)
NMATH_FN double nmath_rgeom(NMATH_GENERATOR, double p)
{
    double q = p > 0 && p <= 1 ? -log1p(-p) : ML_NAN; // no branch: see rnorm.cl
    return floor(exp_rand() / q);
}
