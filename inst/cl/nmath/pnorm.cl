// @source_type: c
// @source_origin: pnorm.c
// @provides: pnorm, pnorm5, pnorm_both, pnorm_mills, pnorm_upper
// @depends: nmath, dpq, dd
// @method: scaled tail exp(x^2/2) Q(x) as one polynomial on [0, Inf), times the exponential of an exact square
// @accuracy: pnorm.tsv 1.7 eps(1+cond) (host), 1.7 (PoCL)
// @all_depends: Rmath, nmath, dd, dpq
// @all_depends_count: 4
// @load_order: 37

// pnorm -- cumulative probability of the normal distribution.
//
// Everything comes from the tail beyond x >= 0, Q(x) = exp(-x^2/2) R(x). R decreases slowly from 1/2 to
// 1/(sqrt(2 pi) x), so it never under- or overflows, and its logarithm needs no exponential: log Q = -x^2/2 + log R.
// (x + k) R(x) is a smooth function of t = (x - k)/(x + k), which maps [0, Inf) to [-1, 1): one polynomial without a
// branch, after Shepherd & Laframboise (1981), "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x in 0 <= x < Inf",
// Math. Comp. 36, 249-253; the same k in the factor saves their second division. t is formed as 2 x/(x + k) - 1, which
// keeps the low bits of a small x. The square is an exact sum of two doubles: its rounding error would cost up to 700
// eps in the tail. The large side is 1 - Q, and log1p(-Q) on the log scale.

// (x + 5.375) R(x) in powers of t = (x - 5.375)/(x + 5.375): tools/fit_normal.py mills, relative error 2.7e-17; the sum
// is exact at x = 0, R(0) = 1/2.
NMATH_TABLE double pnorm_mills_p[24] = {
    0.77273138025016852, -0.68065083356034428, 0.52623149683984305, -0.35431209131694408,
    0.20486089884050021, -0.09923150706825741, 0.038398871863775032, -0.010595289032358346,
    0.001257866568877906, 0.00048916378628259777, -0.00028246632962292172, 2.925696091123744e-05,
    2.4546967225086999e-05, -8.7703621763964605e-06, -1.4993552868714061e-06, 1.3866855341102158e-06,
    3.8207159064943995e-08, -2.0153413782504136e-07, 7.9391746670692734e-09, 2.9086041849720821e-08,
    -1.7514715034236125e-09, -3.7402112921372705e-09, 1.6037410488282131e-10, 2.9637616992405553e-10,
};

// Polynomial with n = 12, 20 or 24 coefficients by Estrin's scheme, whose operations wait less for one another than
// Horner's. A literal n leaves no test.
NMATH_FN double pnorm_poly(double x, NMATH_CONSTANT const double *c, int n)
{
    double x2 = x * x, x4 = x2 * x2;
#define PNORM_2(k) NMATH_FMA(c[(k) + 1], x, c[k])
#define PNORM_4(k) NMATH_FMA(PNORM_2((k) + 2), x2, PNORM_2(k))
    double x8 = x4 * x4, top = PNORM_4(8);
    if (n > 12) {
        double next = PNORM_4(16);
        if (n > 20)
            next = NMATH_FMA(PNORM_4(20), x4, next);
        top = NMATH_FMA(next, x8, NMATH_FMA(PNORM_4(12), x4, top));
    }
    return NMATH_FMA(top, x8, NMATH_FMA(PNORM_4(4), x4, PNORM_4(0)));
#undef PNORM_4
#undef PNORM_2
}

// R(x) = exp(x^2/2) Q(x) = erfcx(x/sqrt 2)/2 for finite x >= 0; 1/(sqrt(2 pi) R(x)) is the hazard rate.
NMATH_FN double pnorm_mills(double x)
{
    double v = 1.0 / (x + 5.375);
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
    double tail = x, rest = x; // the probability beyond x and the other
    if (!ISNAN(x)) {
        double a = fabs(x) < 1e300 ? fabs(x) : 1e300, r = pnorm_mills(a), q = pnorm_upper(a, r);
        tail = log_p ? log(r) - (0.5 * a) * a : q;
        rest = log_p ? log1p(-q) : 1.0 - q;
    }
    if (i_tail != 1 || !log_p)
        *cum = x < 0 ? tail : rest;
    if (i_tail != 0 || !log_p)
        *ccum = x < 0 ? rest : tail;
}
