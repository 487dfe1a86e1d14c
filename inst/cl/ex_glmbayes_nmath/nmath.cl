// @source_type: h
// @source_origin: nmath.h
// @provides: nmath_high, NMATH_POSITIVE, NMATH_SCALED, nmath_hypot, nmath_rate, nmath_rint, R_forceint, R_nonint, ML_VALID, ME_NONE, ME_DOMAIN, ME_RANGE, ME_NOCONV, ME_PRECISION, ME_UNDERFLOW, ML_WARNING, ML_WARN_return_NAN
// @depends: Rmath
// @all_depends: Rmath
// @all_depends_count: 1

// What every nmath source shares. Device code never warns; the error macros keep only what changes a value.

#ifndef MATHLIB_PRIVATE_H
#define MATHLIB_PRIVATE_H

// The nearest whole number. C's rint is a function call where the processor's instruction for it may not be used.
#ifdef NMATH_LIBM
#define R_forceint(x) nmath_rint(x)
NMATH_FN double nmath_rint(double x)
{
    double c = copysign(4503599627370496.0, x); // adding 2^52 leaves no bits behind the point
    return fabs(x) < 4503599627370496.0 ? (x + c) - c : x;
}
#else
#define R_forceint(x) rint(x)
#endif
// R 4.2's rule: within 1e-7 relative of an integer counts as that integer.
#define R_nonint(x) (fabs((x) - R_forceint(x)) > 1e-7 * fmax(1.0, fabs(x)))

#define ML_VALID(x) (!ISNAN(x))
#define ME_NONE 0
#define ME_DOMAIN 1
#define ME_RANGE 2
#define ME_NOCONV 4
#define ME_PRECISION 8
#define ME_UNDERFLOW 16
#define ML_WARNING(code, name) ((void)0)
#define ML_WARN_return_NAN return ML_NAN


// The upper half of x's bits, unsigned, grow with a positive x and are larger yet for every negative one: tests on it
// leave the floating-point unit of a GPU to the arithmetic, and one comparison can bound x from both sides.
NMATH_FN nmath_u32 nmath_high(double x) { return (nmath_u32)(nmath_bits(x) >> 32); }
// x > 0 is a normal number.
#define NMATH_POSITIVE(x) (nmath_high(x) - 0x00100000u < 0x7fe00000u)

// sqrt(a^2 + b^2), b >= 0, without overflow on the way. (OpenCL's hypot may be 4 ulp off.)
NMATH_FN double nmath_hypot(double a, double b)
{
    a = fabs(a);
    double g = fmax(a, b), l = fmin(a, b), q = g > 0.0 ? l / g : 0.0;
    return g * sqrt(1.0 + q * q);
}

// h m r^2/part, where h/part may be beyond the doubles and m r^2 below them
NMATH_FN double nmath_rate(double h, double m, double r, double part)
{
    double rate = h / part;
    if (!(r > 0.0))
        return 0.0;
    if (rate < NMATH_RANGE(1e290, 1e28))
        return r * (rate * m) * r;
    int km, kp;
    m = frexp(m, &km);
    part = frexp(part, &kp);
    return ldexp(r * (h / part * m), km - kp) * r;
}

// x / scale. The default scale 1, which all elements of a call share as a rule, takes no division.
#define NMATH_SCALED(x, scale) ((scale) == 1.0 ? (x) : (x) / (scale))

#endif
