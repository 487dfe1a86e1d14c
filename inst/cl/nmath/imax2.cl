// @source_type: c
// @source_origin: imax2.c
// @provides: imax2
// @depends: nmath
// @method: closed form
// @accuracy: exact
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// imax2 -- the greater of two ints. R's missing integer is the smallest int and gets no special treatment.

NMATH_FN int imax2(int x, int y) { return x < y ? y : x; }
