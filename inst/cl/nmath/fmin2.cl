// @source_type: c
// @source_origin: fmin2.c
// @provides: fmin2
// @depends: nmath
// @method: closed form
// @accuracy: exact
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// fmin2 -- the smaller of x and y; unlike fmin, a NaN where either is one.

NMATH_FN double fmin2(double x, double y)
{
    if (isnan(x) || isnan(y))
        return x + y;
    return x < y ? x : y;
}
