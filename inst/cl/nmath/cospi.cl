// @source_type: c
// @source_origin: cospi.c
// @provides: cospi, sinpi, tanpi, Rtanpi, cospi_quarter, nmath_cospi, nmath_sinpi, nmath_tanpi
// @depends: nmath
// @method: exact reduction to |r| <= 1/4, polynomials in r^2
// @accuracy: cospi.tsv 0.42 eps(1+cond) (host), 0.42 (PoCL), 0.4 (H200); sinpi.tsv 0.52 eps(1+cond) (host), 0.52 (PoCL), 0.52 (H200); tanpi.tsv 0.47 eps(1+cond) (host), 0.47 (PoCL), 0.47 (H200)
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// cospi, sinpi, tanpi -- cos(pi x), sin(pi x), tan(pi x), exact where x is a multiple of 1/2.
//
// x = 2 m + n/2 + r with integers m, n and |r| <= 1/4: every step is exact in double, so the relative error is that of
// two short polynomials, also next to the zeros. The multiple of pi/2 then exchanges sine and cosine; both are
// evaluated, which costs less than a branch that neighbouring work-items take differently. tan(pi x) is NaN at its
// poles and exactly +-1 half way. These names belong to libm and OpenCL C (PoCL makes them macros), so ours are macros
// for functions of other names.

// sin(pi r)/r and cos(pi r) in powers of r^2: tools/fit_trigpi.py, relative error 3.9e-17 and 3.9e-19.
NMATH_TABLE double cospi_s[8] = {
    3.1415926535897931, -5.1677127800498974, 2.5501640398648879, -0.59926452837728583,
    0.082145849889560196, -0.0073696647795348045, 0.00045815249394748928, 1.2858054339569507e-05,
};
NMATH_TABLE double cospi_c[8] = {
    1, -4.934802200544679, 4.058712126416685, -1.3352627688464114,
    0.23533062995787529, -0.025806880531650419, 0.0019294093444391642, -0.00010332138003295969,
};

NMATH_FN double cospi_poly(double z, NMATH_CONSTANT const double *c)
{
#ifdef NMATH_HORNER
    return nmath_horner(z, c, 8);
#else
    double z2 = z * z;
    return c[0] + (((c[1] + c[2] * z) + (c[3] + c[4] * z) * z2) + ((c[5] + c[6] * z) + c[7] * z2) * (z2 * z2)) * z;
#endif
}

// sin(pi r) and cos(pi r) for |r| <= 1/4
NMATH_FN void cospi_quarter(double r, double *s, double *c)
{
    double z = r * r;
    *s = r * cospi_poly(z, cospi_s);
    *c = cospi_poly(z, cospi_c);
}

typedef struct { double r, s, c; int n; } cospi_parts;

// r, s = sin(pi r), c = cos(pi r) and n modulo 4 of a finite x. Infinities and NaN give NaN.
NMATH_FN cospi_parts cospi_reduce(double x)
{
    cospi_parts a;
    double y = x - 2.0 * rint(0.5 * x), n = rint(2.0 * y);
    a.r = y - 0.5 * n;
    a.n = isfinite(x) ? (int)n & 3 : 0;
    cospi_quarter(a.r, &a.s, &a.c);
    return a;
}

// Adding 0 makes a zero +0.
NMATH_FN double nmath_cospi(double x)
{
    cospi_parts a = cospi_reduce(x);
    double v = (a.n & 1) ? a.s : a.c;
    return (a.n == 1 || a.n == 2 ? -v : v) + 0.0;
}

NMATH_FN double nmath_sinpi(double x)
{
    cospi_parts a = cospi_reduce(x);
    double v = (a.n & 1) ? a.c : a.s;
    return ((a.n & 2) ? -v : v) + 0.0;
}

NMATH_FN double nmath_tanpi(double x)
{
    cospi_parts a = cospi_reduce(x);
    if (a.r == 0 && (a.n & 1))
        ML_WARN_return_NAN;
    if (fabs(a.r) == 0.25)
        a.s = copysign(a.c, a.r);
    return ((a.n & 1) ? -a.c / a.s : a.s / a.c) + 0.0;
}

#undef cospi
#undef sinpi
#undef tanpi
#define cospi(x) nmath_cospi(x)
#define sinpi(x) nmath_sinpi(x)
#define tanpi(x) nmath_tanpi(x)
#define Rtanpi(x) nmath_tanpi(x)
