// @source_type: c
// @source_origin: sign.c
// @provides: sign, nmath_sign
// @depends: nmath
// @method: closed form
// @accuracy: exact
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// sign -- -1, 0 or 1; 0 for both zeros. OpenCL C owns the name and keeps the sign of a zero: hence the macro.

NMATH_FN double nmath_sign(double x)
{
    return isnan(x) ? x : (double)((x > 0.0) - (x < 0.0));
}

#undef sign
#define sign(x) nmath_sign(x)
