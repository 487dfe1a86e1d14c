// @source_type: c
// @source_origin: gammalims.c
// @provides: gammalims
// @depends: nmath
// @method: constants of IEEE double precision
// @accuracy: exact
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// gammalims -- the arguments between which Mathlib's gamma neither underflows nor overflows: |Gamma(xmin)| is near the
// smallest normal double, Gamma(xmax) near the largest.

NMATH_FN void gammalims(double *xmin, double *xmax)
{
    *xmin = -170.5674972726612;
    *xmax = 171.61447887182298;
}
