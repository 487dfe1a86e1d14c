// @source_type: c
// @source_origin: fmax2.c
// @provides: fmax2
// @depends: nmath
// @method: closed form
// @accuracy: exact
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// fmax2 -- the greater of x and y; unlike fmax, a NaN where either is one.

NMATH_FN double fmax2(double x, double y)
{
    if (isnan(x) || isnan(y))
        return x + y;
    return x < y ? y : x;
}
