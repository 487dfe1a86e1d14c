// @source_type: c
// @source_origin: fsign.c
// @provides: fsign
// @depends: nmath
// @method: closed form
// @accuracy: exact
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// fsign -- |x| with the sign of y, where both zeros count as positive: not copysign.

NMATH_FN double fsign(double x, double y)
{
    if (isnan(x) || isnan(y))
        return x + y;
    return y >= 0.0 ? fabs(x) : -fabs(x);
}
