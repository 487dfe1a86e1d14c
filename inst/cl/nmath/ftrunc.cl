// @source_type: c
// @source_origin: ftrunc.c
// @provides: ftrunc
// @depends: nmath
// @method: builtin
// @accuracy: exact

// ftrunc -- x towards zero; keeps the sign of a zero.

NMATH_FN double ftrunc(double x) { return trunc(x); }
