// @source_type: c
// @source_origin: ftrunc.c
// @provides: ftrunc
// @depends: nmath
// @method: builtin
// @accuracy: exact
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// ftrunc -- x towards zero; keeps the sign of a zero.

NMATH_FN double ftrunc(double x) { return trunc(x); }
