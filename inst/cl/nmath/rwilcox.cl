// @source_type: c
// @source_origin: wilcox.c
// @provides: rwilcox, nmath_rwilcox, rwilcox_selection, rwilcox_gaps, rwilcox_large
// @depends: nmath, sunif, snorm, sexp, expm1, rrank, rbinom
// @method: selection sampling, or binomial counts between order statistics; Cornish-Fisher expansion for large samples
// @all_depends: Rmath, nmath, cospi, expm1, log1p, rrank, stirlerr_cycle_free, sunif, lgamma, sexp, pgamma_utils, snorm, rejection, rbinom
// @all_depends_count: 14

// rwilcox -- draws of Wilcoxon's rank sum statistic: the number W of pairs (x_i, y_j) with y_j < x_i for samples of
// sizes m and n from one continuous distribution. W is symmetric in m and n: let m <= n, N = m + n. No arrays:
//
// N <= 16 m, m <= 1024: which of the N places in the common order belong to an x is a random subset of size m. It
// is drawn by selection sampling (Knuth, TAOCP 2, 3.4.2, algorithm S): with `left` x's to come in `rest` places,
// the next place is an x with probability left/rest. Each x adds the number of y's passed.
//
// n > 15 m, m <= 1024: let the samples be uniform on (0, 1) and go through the x's in order. With i of them still
// to come in an interval, the nearest is the smallest of i uniforms, at a part g = 1 - U^(1/i) of its length, U
// uniform. The y's that are left are uniform on the interval, independently of that: a binomial number with
// probability g lies before the x; these are below all i x's, and so add i each. The rest of both samples is again
// uniform on what remains of the interval. So W takes m steps, however large n is.
//
// m > 1024: the expansion of rrank.cl. The generating function prod (1 - q^(n+i))/(1 - q^i) over i = 1, ..., m is
// that of a sum and difference of uniforms, and so the cumulants are B_r/r sum ((n+i)^r - i^r) for even r, with
// Bernoulli's numbers; in closed form
//     k2 = m n (N+1)/12,   k4 = -m n (N+1) (m^2 + n^2 + m n + N)/120,   k6 = m n (N+1) P/504,
//     P = 2 (m^4 + n^4) + 4 m n (m^2 + n^2) + 6 m^2 n^2 + 4 (m^3 + n^3) + 7 m n N + (m + n)^2 - N.
// Against exact counts for m = 16 to 48, P(W <= w) is off by 0.011/m^3 at most: 1e-11 from here on.

#define RWILCOX_EXACT 1024.0

// A random word serves several decisions: bits * rest has the place in its upper half, and its lower half are fresh
// random bits but for a factor rest of resolution, of which 2^20 is given away at most.
NMATH_FN double rwilcox_selection(NMATH_GENERATOR, int m, int n)
{
    nmath_u32 left = (nmath_u32)m, passed = 0, given = 1;
    nmath_u64 w = 0, bits = nmath_random_bits(nmath_generator);
    for (nmath_u32 rest = (nmath_u32)(m + n); left > 0 && left < rest; --rest) {
        if (given * rest > 1u << 20) { // no overflow: given is 1, one earlier rest, or at most 2^20 with rest <= 2^10
            bits = nmath_random_bits(nmath_generator);
            given = 1;
        }
        given *= rest;
        nmath_u32 place = (nmath_u32)(((bits >> 32) * rest + ((bits & 0xffffffffUL) * rest >> 32)) >> 32);
        bits *= rest;
        int take = place < left;
        w += take ? passed : 0;
        left -= take;
        passed += !take;
    }
    // the last places, if any, are all x's
    return (double)(w + (nmath_u64)left * passed);
}

NMATH_FN double rwilcox_gaps(NMATH_GENERATOR, double m, double n)
{
    double w = 0.0;
    for (double i = m; i > 0 && n > 0; i -= 1.0) {
        double y = rbinom_valid(nmath_generator, n, -expm1(-exp_rand() / i));
        w += i * y;
        n -= y;
    }
    return w;
}

// Large m <= n: see above. z: standard normal.
NMATH_FN double rwilcox_large(double z, double m, double n)
{
    // over powers of n: r = m/n, v = 1/n, N + 1 = n t
    double r = m / n, v = 1.0 / n, t = 1.0 + r + v, q = 1.0 + r, r2 = r * r;
    double p4 = 1.0 + r + r2 + q * v;
    double p6 = 2.0 * (1.0 + r2 * r2) + 4.0 * r * (1.0 + r2) + 6.0 * r2 +
                v * (4.0 * (1.0 + r2 * r) + 7.0 * r * q + v * (q * q - v * q));
    double l4 = -1.2 * p4 / (m * t), l6 = (24.0 / 7.0) * p6 / (m * m * t * t);
    return rrank_normal(z, 0.5 * m * n, sqrt(m) * sqrt(t / 12.0) * n, l4, l6, m * n);
}

#define rwilcox(m, n) nmath_rwilcox(nmath_generator, m, n)
NMATH_FN double nmath_rwilcox(NMATH_GENERATOR, double m, double n)
{
    if (ISNAN(m) || ISNAN(n) || isinf(m) || isinf(n))
        ML_WARN_return_NAN;
    m = R_forceint(m);
    n = R_forceint(n);
    if (m < 0 || n < 0)
        ML_WARN_return_NAN;
    double s = fmin(m, n), l = fmax(m, n);
    if (s == 0)
        return 0.0;
    if (s > RWILCOX_EXACT)
        return rwilcox_large(norm_rand(), s, l);
    return l <= 15.0 * s ? rwilcox_selection(nmath_generator, (int)s, (int)l) : rwilcox_gaps(nmath_generator, s, l);
}

#undef RWILCOX_EXACT
