// @source_type: c
// @source_origin: rexp.c
// @provides: rexp, nmath_rexp
// @depends: nmath, sexp
// @method: scale times a standard exponential draw
// @all_depends: Rmath, nmath, sunif, sexp
// @all_depends_count: 4

// rexp -- a draw from the exponential distribution with mean scale; scale 0 is the point mass at 0.

#define rexp(scale) nmath_rexp(nmath_generator, scale)
NMATH_FN double nmath_rexp(NMATH_GENERATOR, double scale)
{
    double s = isfinite(scale) && scale >= 0 ? scale : ML_NAN; // no branch: see rnorm.cl
    return s * exp_rand();
}
