// @source_type: c
// @source_origin: dpois.c
// @provides: dpois, dpois_raw, dpois_exponent, dpois_far_small, dpois_far
// @depends: nmath, dpq, pgamma_utils
// @method: saddle-point expansion, deviance from the exact difference, exponent in double-double where it is steep
// @accuracy: dpois.tsv 0.94 eps(1+cond) (host), 0.94 (PoCL), 0.94 (H200)
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, lgamma, pgamma_utils
// @all_depends_count: 7

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
// logdd.cl. Below x = 0.4 the factorial has no use for Stirling's factor 1/sqrt(x): see pgamma_stirling().

// -D in hi + lo for x < 64 where x and lambda = m keep far from the ends of the range. log(lambda/x) = j log 2 + 2 s + 2 t,
// j from the difference of the upper halves of the bits, which is log2 to 0.09: |s| <= 0.2. An error of t counts 128 |t| < 1/2:
// t is a plain double.
NMATH_FN nmath_dd dpois_far_small(double x, double m)
{
    nmath_u32 up = (nmath_high(m) - nmath_high(x) + 0x80080000u) >> 20; // 2048 + j
    double j = (double)(int)up - 2048.0, b = x * nmath_from_bits((nmath_u64)(up - 1025) << 52), n = m - b;
    nmath_dd den = dd_two_sum(m, b);
    double v = 1.0 / den.hi, s = n * v, w = s * s, t = s * (w * nmath_poly_tail(w, log1pmx_tail, 10, 6));
    nmath_dd p = dd_two_prod(s, den.hi);
    double low = (((n - p.hi) - p.lo) - s * den.lo) * v;
    nmath_dd h = dd_two_sum(j * NMATH_LN2_HI, 2.0 * s), e = dd_two_prod(h.hi, x), f = dd_two_sum(x, -m);
    nmath_dd r = dd_two_sum(e.hi, f.hi);
    return dd_fast_two_sum(r.hi, r.lo + (e.lo + f.lo + x * (h.lo + (j * NMATH_LN2_LO + 2.0 * (low + t)))));
}

// -D in hi + lo for any x, lambda = m 2^k; near: |log(lambda/x)| <= log(2)/2
NMATH_HEAVY nmath_dd dpois_far(double x, double d, double m, int k, int near)
{
    double c = x > NMATH_RANGE(1e300, 1e34) ? 0.25 : 1.0, a = m, b = x, j = logdd_balance(&a, &b) + k; // x log(lambda/x) may overflow alone
    x *= c;
    d *= c;
    logdd_parts p = logdd_series(near ? d : a - b, dd_two_sum(near ? 2.0 * x : a, near ? d : b));
    nmath_dd e, f;
    if (near) {
        p.t.hi *= 2.0;
        p.t.lo *= 2.0;
        e = dd_mul_normal(p.s, -d);
        f = dd_mul_normal(p.t, x);
    } else {
        p.k = j;
        e = dd_mul_normal(logdd_sum(p), x);
        f = dd_two_sum(k == 0 ? x : -d, k == 0 ? -c * m : 0.0);
    }
    e = dd_add_normal(e, f);
    e.hi /= c;
    e.lo /= c;
    return e;
}

// log(lambda^x e^-lambda / x!) + log(2 pi w) / 2, x > 0, given d = lambda - x and lambda = m 2^k.
NMATH_HEAVY nmath_dd dpois_exponent(double x, double d, double m, int k, double *w)
{
    double r = pgamma_stirling(x, w);
    int near = d < 0.41 * x && d > -0.29 * x;
    nmath_dd e;
    if (near && d * d < 8.0 * x) {
        e.hi = pgamma_deviance(x, d) - r;
        e.lo = 0.0;
        return e;
    }
    // x < 64; both from 2^-511 to 2^513, of pairs of floats from 2^-50 to 2^50, one unsigned comparison each
    const nmath_u32 least = NMATH_RANGE(0x20000000u, 0x3cd00000u);
    if (nmath_high(x) - least < NMATH_RANGE(0x20500000u, 0x03800000u) && nmath_high(m) - least < NMATH_RANGE(0x40000000u, 0x06400000u) &&
        k == 0)
        e = dpois_far_small(x, m);
    else
        e = dpois_far(x, d, m, k, near);
    nmath_dd s = dd_two_sum(e.hi, -r);
    return pgamma_finite(dd_normal(s.hi, NMATH_REST(s.lo) + NMATH_REST(e.lo)));
}

// The mass without checks: any real x and lambda >= 0.
NMATH_HEAVY double dpois_raw(double x, double lambda, int log_p)
{
    if (ISNAN(x) || ISNAN(lambda))
        return x + lambda;
    if (x < 0 || isinf(x) || isinf(lambda) || (lambda == 0 && x > 0))
        return R_D__0;
    if (x == 0)
        return R_D_exp(0.0 - lambda);

    double w;
    nmath_dd e = dpois_exponent(x, lambda - x, lambda, 0, &w);
    if (log_p)
        return e.hi + (e.lo - pgamma_log_sqrt(w));
    return dd_exp(e) * (M_1_SQRT_2PI / sqrt(w));
}

NMATH_FN double dpois(double x, double lambda, int log_p)
{
    if (ISNAN(x) || ISNAN(lambda))
        return x + lambda;
    if (lambda < 0)
        return ML_NAN;
    double k = R_forceint(x); // a whole number, nearly always: then skip the finer test
    if (x < 0 || isinf(x) || (x != k && R_nonint(x)))
        return R_D__0;
    return dpois_raw(k, lambda, log_p);
}
