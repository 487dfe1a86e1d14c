// @source_type: c
// @source_origin: pgamma.c
// @provides: log1pmx, lgamma1p, lgamma1p_near_0, pgamma_deviance, pgamma_log_power, pgamma_finite, pgamma_stirlerr, pgamma_stirling, pgamma_log_sqrt
// @depends: nmath, log1p, lgamma, stirlerr_cycle_free
// @method: log1pmx by atanh series or directly; lgamma1p by the polynomial of lgamma around 2
// @accuracy: log1pmx.tsv 0.63 eps(1+cond) (host), 0.45 (PoCL), 1.4 (H200); lgamma1p.tsv 1.6 eps(1+cond) (host), 1.2 (PoCL), 1.3 (H200)
// @all_depends: Rmath, nmath, log1p, stirlerr_cycle_free, lgamma
// @all_depends_count: 5

// pgamma_utils -- two logarithms that must not lose their small values.
//
// log1pmx(x) = log(1 + x) - x ~ -x^2/2. With s = x/(2 + x), log(1 + x) = 2 atanh(s) = 2 s + 2 s w P(w), w = s^2,
// and 2 s - x = -s x exactly, so log1pmx(x) = s (2 w P(w) - x): all relative accuracy kept for |s| <= 1/4, which is
// -0.4 <= x <= 2/3. Elsewhere the difference is harmless.
//
// lgamma1p(x) = log(Gamma(1 + x)) = log(Gamma(2 + x)) - log(1 + x), where log(Gamma(2 + x)) = x R(x) with the
// polynomial R of lgamma.cl; around x = 1 it is (x - 1) R(x - 1). Farther out it is lgamma(1 + x).

// P: (atanh(s)/s - 1)/w for 0 <= w <= 1/16, constant term first; tools/fit_gamma.py; error 2^-54.
NMATH_TABLE double log1pmx_tail[10] = {
    0.33333333333333331, 0.20000000000000032, 0.14285714285697212, 0.11111111114598056,
    0.090909087298441243, 0.07692329119112426, 0.06665895156771022, 0.058994495713809443,
    0.050367285507437513, 0.063767853525028048
};

NMATH_FN double log1pmx(double x)
{
    if (x < -0.4 || x > 2.0 / 3.0) return log1p(x) - x;
    double s = x / (2.0 + x), w = s * s;
    return s * (2.0 * w * nmath_poly_tail(w, log1pmx_tail, 10, 6) - x);
}

// lgamma1p for -0.625 <= x <= 0.375.
NMATH_FN double lgamma1p_near_0(double x) { return x * lgamma_ratio(x) - log1p(x); }

NMATH_FN double lgamma1p(double a)
{
    if (!(a >= -0.625 && a <= 1.375)) return lgammafn(1.0 + a);
    double z = a <= 0.375 ? a : a - 1.0;
    return z * lgamma_ratio(z) - log1p(a <= 0.375 ? a : 0.0);
}

// ---- what the masses of counts and the gamma density share: factorials by Stirling's formula, deviances (dpois.cl)

// stirlerr(k) = log(k!) - log sqrt(2 pi k) - k log(k/e), k = 1..15, for the whole numbers that most callers bring;
// tools/fit_dpois.py
NMATH_TABLE double pgamma_stirlerr_whole[16] = {
    0.0, 0.081061466795327261, 0.041340695955409297, 0.027677925684998338, 0.020790672103765093, 0.016644691189821193,
    0.013876128823070748, 0.01189670994589177, 0.010411265261972096, 0.0092554621827127329, 0.0083305634333628708,
    0.0075736754879518406, 0.0069428401072095299, 0.0064089941880042071, 0.0059513701127588475, 0.0055547335519628011};

// stirlerr(x) for x >= 0.4: beyond 16 six terms of Stirling's series (Abramowitz & Stegun 6.1.41) leave an error of 2^-59.
NMATH_FN double pgamma_stirlerr(double x)
{
    if (x >= 16.0) {
        double v = 1.0 / x, t = v * v;
        double c = 1.0 / 1260 - t * (1.0 / 1680 - t * (1.0 / 1188 - t * (691.0 / 360360)));
        return v * (1.0 / 12 - t * (1.0 / 360 - t * c));
    }
    int k = (int)x;
    return x == k ? pgamma_stirlerr_whole[k] : stirlerr_cycle_free(x);
}

// x! = sqrt(2 pi w) (x/e)^x e^r, x > 0: returns r and sets w. From 0.4 on w = x, r = stirlerr(x); below, where the poles
// of log x in those two would only cancel, w = 1/(2 pi).
NMATH_HEAVY double pgamma_stirling(double x, double *w)
{
    if (x >= 0.4) {
        *w = x;
        return pgamma_stirlerr(x);
    }
    *w = 0.15915494309189533577;
    return lgamma1p_near_0(x) + x * (1.0 - log(x));
}

// log sqrt(2 pi w): 0 to the last bit where all factors w are 1/(2 pi), in the range where 2 pi w is not.
NMATH_FN double pgamma_log_sqrt(double w)
{
    int low = w < 0.5;
    return 0.5 * log(low ? M_2PI * w : w) + (low ? 0.0 : M_LN_SQRT_2PI);
}

// -D for x > 0, d = lambda - x >= -0.6 x
NMATH_FN double pgamma_deviance(double x, double d)
{
    if (d > 0.41 * x || d < -0.29 * x) {
        double u = d / x;
        return u < NMATH_RANGE(1e300, 1e34) ? x * log1p(u) - d : -d;
    }
    double s = 0.5 * d / (x + 0.5 * d), w = s * s;
    return s * (2.0 * (x * (w * nmath_poly_tail(w, logdd_atanh, 8, 4))) - d);
}

// x log(2^k a/b) = x (k + j) log 2 + x log(a'/b'), sqrt(1/2) < a'/b' < sqrt 2, the first term in hi + lo: an absolute
// error of an ulp of x is left.
NMATH_FN nmath_dd pgamma_log_power(double x, double a, double b, int k)
{
    double j = logdd_balance(&a, &b) + k;
    nmath_dd e = dd_two_prod(j * NMATH_LN2_HI, x);
    nmath_dd s = dd_two_sum(e.hi, x * log(a / b));
    return dd_normal(s.hi, NMATH_REST(s.lo) + (NMATH_REST(e.lo) + NMATH_REST(x * (j * NMATH_LN2_LO))));
}

// An exponent that has overflowed has come out as Inf - Inf somewhere.
NMATH_FN nmath_dd pgamma_finite(nmath_dd e)
{
    if (!(e.hi + e.lo >= -NMATH_DBL_MAX)) {
        e.hi = ML_NEGINF;
        e.lo = 0.0;
    }
    return e;
}
