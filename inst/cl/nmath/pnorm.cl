// @source_type: c
// @source_origin: pnorm.c
// @provides: pnorm, pnorm5, pnorm_both, pnorm_mills, pnorm_upper
// @depends: nmath, dpq, dd
// @method: scaled tail exp(x^2/2) Q(x) as one polynomial on [0, Inf), times the exponential of an exact square
// @accuracy: TODO
// @all_depends: Rmath, nmath, dd, dpq
// @all_depends_count: 4
// @load_order: 27

// pnorm -- cumulative probability of the normal distribution.
//
// Everything comes from the tail beyond x >= 0, Q(x) = exp(-x^2/2) R(x). R decreases slowly from 1/2 to
// 1/(sqrt(2 pi) x), so it never under- or overflows, and its logarithm needs no exponential: log Q = -x^2/2 + log R.
// (x + k) R(x) is a smooth function of t = (x - k)/(x + k), which maps [0, Inf) to [-1, 1): one polynomial without a
// branch, after Shepherd & Laframboise (1981), "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x in 0 <= x < Inf",
// Math. Comp. 36, 249-253; using k = 4.5 in the factor too saves their second division. t is formed as 2 x/(x + k) - 1,
// which keeps the low bits of a small x. The square is an exact sum of two doubles: its rounding error
// would cost up to 700 eps in the tail. The large side is 1 - Q, and log1p(-Q) on the log scale.

// (x + 4.5) R(x) in powers of t = (x - 4.5)/(x + 4.5): tools/fit_normal.py mills, relative error 4.8e-17.
NMATH_TABLE double pnorm_mills_p[24] = {
    0.76323052897020316, -0.64025776025261671, 0.44645251705567401, -0.25314179995100605,
    0.11138259657037931, -0.033871326176051625, 0.0042236133777940575, 0.0017488305528963507,
    -0.00091774648611953871, 6.3812647888142273e-06, 0.0001120426508365283, -1.5933611218271232e-05,
    -1.4235845160715315e-05, 3.1917712158043912e-06, 2.1429326542109581e-06, -5.0326997728108603e-07,
    -3.7957716256518092e-07, 6.5546850640010468e-08, 7.084318043151433e-08, -5.8324850104731906e-09,
    -1.1354686134161743e-08, 1.3672264450965366e-10, 1.0631236101089853e-09, 2.1597018856426616e-11,
};

// Polynomial with n = 12, 20 or 24 coefficients by Estrin's scheme, whose operations wait less for one another than
// Horner's. A literal n leaves no test.
NMATH_FN double pnorm_poly(double x, NMATH_CONSTANT const double *c, int n)
{
    double x2 = x * x, x4 = x2 * x2;
#define PNORM_4(k) ((c[k] + c[(k) + 1] * x) + (c[(k) + 2] + c[(k) + 3] * x) * x2)
    double top = PNORM_4(8);
    if (n > 12)
        top = (top + PNORM_4(12) * x4) + (n > 20 ? PNORM_4(16) + PNORM_4(20) * x4 : PNORM_4(16)) * (x4 * x4);
    return (PNORM_4(0) + PNORM_4(4) * x4) + top * (x4 * x4);
#undef PNORM_4
}

// R(x) = exp(x^2/2) Q(x) = erfcx(x/sqrt 2)/2 for finite x >= 0; 1/(sqrt(2 pi) R(x)) is the hazard rate.
NMATH_FN double pnorm_mills(double x)
{
    double v = 1.0 / (x + 4.5);
    return v * pnorm_poly(2.0 * (x * v) - 1.0, pnorm_mills_p, 24);
}

// Q(x) for x >= 0, given r = R(x). Where exp(-x^2/2) is subnormal, r < 0.011 makes its rounding error harmless.
NMATH_FN double pnorm_upper(double x, double r)
{
    double y = x < 40.0 ? x : 40.0; // Q(40) is 0 in double
    dd s = dd_two_prod(y, y);
    return exp(-0.5 * s.hi) * (r - r * (0.5 * s.lo));
}

NMATH_FN double pnorm5(double x, double mu, double sigma, int lower_tail, int log_p)
{
    double z = (x - mu) / sigma;
    if (!(sigma > 0 && isfinite(z))) {
        if (ISNAN(x) || ISNAN(mu) || ISNAN(sigma))
            return x + mu + sigma;
        if (sigma < 0 || (!R_FINITE(x) && x == mu))
            ML_WARN_return_NAN;
        z = (0.5 * x - 0.5 * mu) / (0.5 * sigma); // finite after all where only x - mu overflowed
        if (!R_FINITE(z))
            return x < mu ? R_DT_0 : R_DT_1;
    }
    double t = (lower_tail ? -z : z) + 0.0, a = fabs(t), r = pnorm_mills(a); // + 0.0 makes a zero +0
    if (log_p && t >= 0)
        return log(r) - (0.5 * a) * a;
    double q = pnorm_upper(a, r);
    return log_p ? log1p(-q) : (t < 0 ? 1.0 : 0.0) + copysign(q, t); // q or 1 - q
}

// Lower tail of the standard normal in *cum, upper tail in *ccum. i_tail (0 lower, 1 upper, 2 both) says which the
// caller wants; the other comes free but on the log scale, where it is set only if wanted.
NMATH_FN void pnorm_both(double x, double *cum, double *ccum, int i_tail, int log_p)
{
    double near = x, far = x; // the tails on the side of x and opposite
    if (!ISNAN(x)) {
        double a = fabs(x) < 1e300 ? fabs(x) : 1e300, r = pnorm_mills(a), q = pnorm_upper(a, r);
        near = log_p ? log(r) - (0.5 * a) * a : q;
        far = log_p ? log1p(-q) : 1.0 - q;
    }
    if (i_tail != 1 || !log_p)
        *cum = x < 0 ? near : far;
    if (i_tail != 0 || !log_p)
        *ccum = x < 0 ? far : near;
}
