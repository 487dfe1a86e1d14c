// @source_type: c
// @source_origin: lbeta.c
// @provides: lbeta, lbeta_exponent
// @depends: nmath, pgamma_utils
// @method: Stirling's formula for the larger argument and the sum, lgamma1p or Stirling's formula for the smaller
// @accuracy: lbeta.tsv 0.95 eps(1+cond) (host), 0.95 (PoCL), 0.89 (H200)
// @all_depends: Rmath, nmath, log1p, stirlerr_cycle_free, lgamma, pgamma_utils
// @all_depends_count: 6

// lbeta -- log of the beta function B(a, b) = Gamma(a) Gamma(b) / Gamma(a+b).
//
// Let a <= b. An argument b < 1 is lifted by B(a, b) = (1 + a/b) B(a, b + 1). Then, with n = a + b, s = stirlerr and
// log Gamma(t) = (t - 1/2) log t - t + log sqrt(2 pi) + s(t) (Abramowitz & Stegun 6.1.40), log(b/n) = -log1p(a/b):
//     a >= 1:  B = sqrt(2 pi (1/a + 1/b)) exp(-a log1p(b/a) - b log1p(a/b) + s(a) + s(b) - s(n)),
//     a < 1:   B = (1/a) exp(lgamma1p(a) - a log n + a - (b - 1/2) log1p(a/b) + s(b) - s(n)).
// Powers of n are never taken apart from those of a and b, so nothing of size b log b cancels.

// log of the exponential above; the factor before it in *c (1/a may overflow: that is left to the caller).
NMATH_HEAVY double lbeta_exponent(double a, double b, double *c)
{
    double lift = 1.0;
    if (b < 1) {
        lift = 1.0 + a / b;
        b += 1.0;
    }
    double n = fmin(a + b, NMATH_DBL_MAX), lb = log1p(a / b), s = pgamma_stirlerr(b) - pgamma_stirlerr(n);
    if (a < 1) {
        *c = lift;
        return (lgamma1p(a) + s) + ((a - (b - 0.5) * lb) - a * log(n));
    }
    *c = sqrt(M_2PI * (1.0 / a + 1.0 / b));
    return (pgamma_stirlerr(a) + s) - (b * lb + a * log1p(b / a));
}

NMATH_FN double lbeta(double a, double b)
{
    if (ISNAN(a) || ISNAN(b))
        return a + b;
    double p = fmin(a, b), q = fmax(a, b), c;
    if (p < 0)
        return ML_NAN;
    if (p == 0)
        return ML_POSINF;
    if (isinf(q))
        return ML_NEGINF;
    double e = lbeta_exponent(p, q, &c);
    return (p < 1 ? log(c) - log(p) : log(c)) + e;
}
