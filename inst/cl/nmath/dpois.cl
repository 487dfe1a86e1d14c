// @source_type: c
// @source_origin: dpois.c
// @provides: dpois, dpois_raw, dpois_exponent, dpois_deviance, dpois_log_power, dpois_far_small, dpois_far, dpois_finite, dpois_stirlerr, dpois_stirling, dpois_log_sqrt
// @depends: nmath, dpq, poly, dd, logdd, stirlerr_cycle_free, pgamma_utils
// @method: saddle-point expansion, deviance from the exact difference, exponent in double-double where it is steep
// @accuracy: dpois.tsv 0.94 eps(1+cond) (host), 0.94 (PoCL), 0.94 (H200)
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, logdd, stirlerr_cycle_free, lgamma, pgamma_utils
// @all_depends_count: 10
// @load_order: 79

// dpois -- mass of the Poisson distribution, and the exponent that it shares with the gamma density.
//
// Loader (2000), "Fast and accurate computation of binomial probabilities": with x! = sqrt(2 pi x) (x/e)^x e^stirlerr(x),
//     lambda^x e^-lambda / x! = exp(-stirlerr(x) - D) / sqrt(2 pi x),   D = x log(x/lambda) + lambda - x >= 0.
// The deviance D is taken from the difference d = lambda - x, which is known to full relative precision. With
// s = d/(2x + d), log(lambda/x) = 2 atanh(s) = 2 s + 2 s w P(w), w = s^2, and 2 x s - d = -s d exactly:
//     D = s (d - 2 x w P(w)),   P of logdd.cl.
// No terms cancel, so the log of the mass is as good as the mass. The mass itself is off by the absolute error of D, an
// ulp of D: a plain double serves while D is small, d^2 < 8 x next to x. Farther out D is kept as hi + lo: next to x,
// where log(lambda/x) = 2 s + 2 t, in the form -s d + 2 x t, elsewhere as x log(lambda/x) - d, with the logarithm of
// logdd.cl. Below x = 0.4 the factorial has no use for Stirling's factor 1/sqrt(x): see dpois_stirling().

// stirlerr(k) = log(k!) - log sqrt(2 pi k) - k log(k/e), k = 1..15, for the whole numbers that most callers bring;
// tools/fit_dpois.py
NMATH_TABLE double dpois_stirlerr_whole[16] = {
    0.0, 0.081061466795327261, 0.041340695955409297, 0.027677925684998338, 0.020790672103765093, 0.016644691189821193,
    0.013876128823070748, 0.01189670994589177, 0.010411265261972096, 0.0092554621827127329, 0.0083305634333628708,
    0.0075736754879518406, 0.0069428401072095299, 0.0064089941880042071, 0.0059513701127588475, 0.0055547335519628011};

// stirlerr(x) for x >= 0.4: beyond 16 six terms of Stirling's series (Abramowitz & Stegun 6.1.41) leave an error of 2^-59.
NMATH_FN double dpois_stirlerr(double x)
{
    if (x >= 16.0) {
        double v = 1.0 / x, t = v * v;
        double c = 1.0 / 1260 - t * (1.0 / 1680 - t * (1.0 / 1188 - t * (691.0 / 360360)));
        return v * (1.0 / 12 - t * (1.0 / 360 - t * c));
    }
    int k = (int)x;
    return x == k ? dpois_stirlerr_whole[k] : stirlerr_cycle_free(x);
}

// x! = sqrt(2 pi w) (x/e)^x e^r, x > 0: returns r and sets w. From 0.4 on w = x, r = stirlerr(x); below, where the poles
// of log x in those two would only cancel, w = 1/(2 pi).
NMATH_FN double dpois_stirling(double x, double *w)
{
    if (x >= 0.4) {
        *w = x;
        return dpois_stirlerr(x);
    }
    *w = 0.15915494309189533577;
    return lgamma1p_near_0(x) + x * (1.0 - log(x));
}

// log sqrt(2 pi w): 0 to the last bit where all factors w are 1/(2 pi), in the range where 2 pi w is not.
NMATH_FN double dpois_log_sqrt(double w)
{
    int low = w < 0.5;
    return 0.5 * log(low ? M_2PI * w : w) + (low ? 0.0 : M_LN_SQRT_2PI);
}

// -D for x > 0, d = lambda - x >= -0.6 x
NMATH_FN double dpois_deviance(double x, double d)
{
    if (d > 0.41 * x || d < -0.29 * x) {
        double u = d / x;
        return u < 1e300 ? x * log1p(u) - d : -d;
    }
    double s = 0.5 * d / (x + 0.5 * d), w = s * s;
    return s * (2.0 * (x * (w * poly(w, logdd_atanh, 8))) - d);
}

// x log(2^k a/b) = x (k + j) log 2 + x log(a'/b'), sqrt(1/2) < a'/b' < sqrt 2, the first term in hi + lo: an absolute
// error of an ulp of x is left.
NMATH_FN dd dpois_log_power(double x, double a, double b, int k)
{
    double j = logdd_balance(&a, &b) + k;
    dd e = dd_two_prod(j * NMATH_LN2_HI, x);
    dd s = dd_two_sum(e.hi, x * log(a / b));
    return dd_fast_two_sum(s.hi, s.lo + (e.lo + x * (j * NMATH_LN2_LO)));
}

// An exponent that has overflowed has come out as Inf - Inf somewhere.
NMATH_FN dd dpois_finite(dd e)
{
    if (!(e.hi + e.lo >= -NMATH_DBL_MAX)) {
        e.hi = ML_NEGINF;
        e.lo = 0.0;
    }
    return e;
}

// -D in hi + lo for x < 64 where x and lambda = m keep far from the ends of the range. log(lambda/x) = j log 2 + 2 s + 2 t,
// j from the difference of the upper halves of the bits, which is log2 to 0.09: |s| <= 0.2. An error of t counts 128 |t| < 1/2:
// t is a plain double.
NMATH_FN dd dpois_far_small(double x, double m)
{
    nmath_u32 up = (nmath_high(m) - nmath_high(x) + 0x80080000u) >> 20; // 2048 + j
    double j = (double)(int)up - 2048.0, b = x * nmath_from_bits((nmath_u64)(up - 1025) << 52), n = m - b;
    dd den = dd_two_sum(m, b);
    double v = 1.0 / den.hi, s = n * v, w = s * s, t = s * (w * poly(w, log1pmx_tail, 10));
    dd p = dd_two_prod(s, den.hi);
    double low = (((n - p.hi) - p.lo) - s * den.lo) * v;
    dd h = dd_two_sum(j * NMATH_LN2_HI, 2.0 * s), e = dd_two_prod(h.hi, x), f = dd_two_sum(x, -m);
    dd r = dd_two_sum(e.hi, f.hi);
    return dd_fast_two_sum(r.hi, r.lo + (e.lo + f.lo + x * (h.lo + (j * NMATH_LN2_LO + 2.0 * (low + t)))));
}

// -D in hi + lo for any x, lambda = m 2^k; near: |log(lambda/x)| <= log(2)/2
NMATH_FN dd dpois_far(double x, double d, double m, int k, int near)
{
    double c = x > 1e300 ? 0.25 : 1.0, a = m, b = x, j = logdd_balance(&a, &b) + k; // x log(lambda/x) may overflow alone
    x *= c;
    d *= c;
    logdd_parts p = logdd_series(near ? d : a - b, dd_two_sum(near ? 2.0 * x : a, near ? d : b));
    dd e, f;
    if (near) {
        p.t.hi *= 2.0;
        p.t.lo *= 2.0;
        e = dd_mul_d(p.s, -d);
        f = dd_mul_d(p.t, x);
    } else {
        p.k = j;
        e = dd_mul_d(logdd_sum(p), x);
        f = dd_two_sum(k == 0 ? x : -d, k == 0 ? -c * m : 0.0);
    }
    e = dd_add(e, f);
    e.hi /= c;
    e.lo /= c;
    return e;
}

// log(lambda^x e^-lambda / x!) + log(2 pi w) / 2, x > 0, given d = lambda - x and lambda = m 2^k.
NMATH_HEAVY dd dpois_exponent(double x, double d, double m, int k, double *w)
{
    double r = dpois_stirling(x, w);
    int near = d < 0.41 * x && d > -0.29 * x;
    dd e;
    if (near && d * d < 8.0 * x) {
        e.hi = dpois_deviance(x, d) - r;
        e.lo = 0.0;
        return e;
    }
    // x < 64; both from 2^-511 to 2^513, one unsigned comparison each
    if (nmath_high(x) - 0x20000000u < 0x20500000u && nmath_high(m) - 0x20000000u < 0x40000000u && k == 0)
        e = dpois_far_small(x, m);
    else
        e = dpois_far(x, d, m, k, near);
    dd s = dd_two_sum(e.hi, -r);
    return dpois_finite(dd_fast_two_sum(s.hi, s.lo + e.lo));
}

// The mass without checks: any real x and lambda >= 0.
NMATH_HEAVY double dpois_raw(double x, double lambda, int give_log)
{
    if (ISNAN(x) || ISNAN(lambda))
        return x + lambda;
    if (x < 0 || isinf(x) || isinf(lambda) || (lambda == 0 && x > 0))
        return R_D__0;
    if (x == 0)
        return R_D_exp(-lambda);

    double w;
    dd e = dpois_exponent(x, lambda - x, lambda, 0, &w);
    if (give_log)
        return e.hi + (e.lo - dpois_log_sqrt(w));
    return dd_exp(e) * (M_1_SQRT_2PI / sqrt(w));
}

NMATH_FN double dpois(double x, double lambda, int give_log)
{
    if (ISNAN(x) || ISNAN(lambda))
        return x + lambda;
    if (lambda < 0)
        return ML_NAN;
    double k = R_forceint(x); // a whole number, nearly always: then skip the finer test
    if (x < 0 || isinf(x) || (x != k && R_nonint(x)))
        return R_D__0;
    return dpois_raw(k, lambda, give_log);
}
