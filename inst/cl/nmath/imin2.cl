// @source_type: c
// @source_origin: imin2.c
// @provides: imin2
// @depends: nmath
// @method: closed form
// @accuracy: exact
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// imin2 -- the smaller of two ints. R's missing integer is the smallest int and gets no special treatment.

NMATH_FN int imin2(int x, int y) { return x < y ? x : y; }
