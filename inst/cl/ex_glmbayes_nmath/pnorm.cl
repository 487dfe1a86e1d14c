// @source_type: c
// @source_origin: pnorm.c
// @provides: pnorm, pnorm5, pnorm_both, pnorm_mills, pnorm_upper
// @depends: nmath, dpq
// @method: scaled tail exp(x^2/2) Q(x) as one polynomial on [0, Inf), times the exponential of an exact square
// @accuracy: pnorm.tsv 2 eps(1+cond) (host), 2 (PoCL), 1.5 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// pnorm -- cumulative probability of the normal distribution.
//
// Everything comes from the tail beyond x >= 0, Q(x) = exp(-x^2/2) R(x). R decreases slowly from 1/2 to
// 1/(sqrt(2 pi) x), so it never under- or overflows, and its logarithm needs no exponential: log Q = -x^2/2 + log R.
// (x + k) R(x) is a smooth function of t = (x - k)/(x + k), which maps [0, Inf) to [-1, 1): one polynomial without a
// branch, after Shepherd & Laframboise (1981), "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x in 0 <= x < Inf",
// Math. Comp. 36, 249-253; the same k in the factor saves their second division. t is formed as 2 x/(x + k) - 1, which
// keeps the low bits of a small x. exp(-x^2/2) is that of expsq.cl. The large side is 1 - Q, and log1p(-Q) on the log scale.

// (x + 5.375) R(x)/2 in powers of t = (x - 5.375)/(x + 5.375): tools/fit_normal.py mills, relative error 2.7e-17; the sum
// is exact at x = 0, R(0) = 1/2.
NMATH_TABLE double pnorm_mills_p[24] = {
    0.38636569012508426, -0.34032541678017214, 0.26311574841992152, -0.17715604565847204,
    0.10243044942025011, -0.049615753534128705, 0.019199435931887516, -0.005297644516179173,
    0.000628933284438953, 0.00024458189314129888, -0.00014123316481146086, 1.462848045561872e-05,
    1.2273483612543499e-05, -4.3851810881982302e-06, -7.4967764343570305e-07, 6.9334276705510788e-07,
    1.9103579532471998e-08, -1.0076706891252068e-07, 3.9695873335346367e-09, 1.454302092486041e-08,
    -8.7573575171180624e-10, -1.8701056460686353e-09, 8.0187052441410653e-11, 1.4818808496202776e-10,
};

// Polynomial with n = 12, 20 or 24 coefficients, on a processor by Estrin's scheme, whose operations wait less for one
// another than Horner's. A literal n leaves no test.
NMATH_FN double pnorm_poly(double x, NMATH_CONSTANT const double *c, int n)
{
#ifdef NMATH_HORNER
    return nmath_horner(x, c, n);
#else
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
#endif
}

// R(x) = exp(x^2/2) Q(x) = erfcx(x/sqrt 2)/2 for finite x >= 0; 1/(sqrt(2 pi) R(x)) is the hazard rate.
NMATH_FN double pnorm_mills(double x)
{
    double v = 2.0 * NMATH_RECIPROCAL(x + 5.375);
    return v * pnorm_poly(NMATH_FMA(x, v, -1.0), pnorm_mills_p, 24);
}

// Q(x) for x >= 0, given r = R(x).
NMATH_FN double pnorm_upper(double x, double r)
{
    return x < EXPSQ_NORMAL ? r * expsq(x) : expsq_times(r, x);
}

NMATH_FN double pnorm5(double x, double mu, double sigma, int lower_tail, int log_p)
{
    double z = NMATH_SCALED(x - mu, sigma);
    if (!(fabs(z) <= NMATH_DBL_MAX && NMATH_POSITIVE(sigma))) {
        if (ISNAN(x) || ISNAN(mu) || ISNAN(sigma))
            return x + mu + sigma;
        if (sigma < 0 || (!R_FINITE(x) && x == mu))
            ML_WARN_return_NAN;
        if (!R_FINITE(z)) {
            z = (0.5 * x - 0.5 * mu) / (0.5 * sigma); // finite after all where only x - mu overflowed
            if (!R_FINITE(z))
                return x < mu ? R_DT_0 : R_DT_1;
        }
    }
    // The probability asked for is q, that beyond a, or 1 - q.
    int upper = (lower_tail != 0) == (z < 0);
    double a = fabs(z), r = pnorm_mills(a);
    if (log_p && upper)
        return log(r) - (0.5 * a) * a;
    double q = pnorm_upper(a, r);
    if (log_p)
        return log1p(-q);
    return upper ? q : 1.0 - q;
}

// Lower tail of the standard normal in *cum, upper tail in *ccum. i_tail (0 lower, 1 upper, 2 both) says which the
// caller wants; the other comes free but on the log scale, where it is set only if wanted.
NMATH_FN void pnorm_both(double x, double *cum, double *ccum, int i_tail, int log_p)
{
    double tail = x, rest = x; // the probability beyond x and the other
    if (!ISNAN(x)) {
        double a = fabs(x) < NMATH_RANGE(1e300, 1e34) ? fabs(x) : NMATH_RANGE(1e300, 1e34), r = pnorm_mills(a), q = pnorm_upper(a, r);
        tail = log_p ? log(r) - (0.5 * a) * a : q;
        rest = log_p ? log1p(-q) : 1.0 - q;
    }
    if (i_tail != 1 || !log_p)
        *cum = x < 0 ? tail : rest;
    if (i_tail != 0 || !log_p)
        *ccum = x < 0 ? rest : tail;
}
