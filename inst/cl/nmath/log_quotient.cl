// @source_type: shim
// @source_origin: log_quotient.c
// @provides: log_quotient
// @depends: nmath
// @method: the logarithm of the quotient, or the difference of logarithms where the quotient is too small or too large
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// log_quotient -- log(x/y), which derivatives of densities in their shape have; log_quotient_fixed.cl has it for one y and many x.
NMATH_FN double log_quotient(double x, double y)
{
    double q = x / y;
    // the quotient may not be a normal number
    return fabs(q) > NMATH_RANGE(1e-300, 1e-34) && fabs(q) < NMATH_RANGE(1e300, 1e34) ? log(q) : log(x) - log(y);
}
