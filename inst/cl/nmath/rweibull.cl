// @source_type: c
// @source_origin: rweibull.c
// @provides: rweibull, nmath_rweibull
// @depends: nmath, sexp
// @method: inversion: scale exp(log(e)/shape), e an exponential draw
// @all_depends: Rmath, nmath, sunif, sexp
// @all_depends_count: 4

// rweibull -- a draw from the Weibull distribution. The logarithm, at most 37 in size, loses no more than a few of the last
// bits that the uniform draw gives; a power costs more. A scale of 0 is the point mass at 0, whatever the shape.

#define rweibull(shape, scale) nmath_rweibull(nmath_generator, shape, scale)
NMATH_FN double nmath_rweibull(NMATH_GENERATOR, double shape, double scale)
{
    int known = isfinite(shape) && isfinite(scale) && shape > 0 && scale > 0;
    double k = scale == 0 ? 1.0 : shape, s = known || scale == 0 ? scale : ML_NAN; // no branch: see rnorm.cl
    return s * exp(log(exp_rand()) / k);
}
