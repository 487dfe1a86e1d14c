// @source_type: c
// @source_origin: rbinom.c
// @provides: rbinom, nmath_rbinom, rbinom_valid
// @depends: nmath, log1p, sunif, rejection, pgamma_utils
// @method: inversion below mean 16; transformed rejection with squeeze above
// @all_depends: Rmath, nmath, log1p, stirlerr_cycle_free, sunif, lgamma, pgamma_utils, rejection
// @all_depends_count: 8

// rbinom -- draws from the binomial distribution, for p <= 1/2; for larger p the failures are counted.
//
// Mean below 16: inversion (rejection.cl), f(k)/f(k-1) = (n - k + 1) p/(q k).
//
// Above: transformed rejection (rejection.cl), each proposal judged by the mass in Loader's form (dbinom.cl),
//     sqrt(n/(2 pi k y)) exp(S(n) - S(k) - S(y) - D(k, np) - D(y, nq)),   y = n - k, S = stirlerr,
// with both deviances from np - k = nq - y, which one fma gives. No part of it depends on n being small: any whole
// double will do, as far as doubles can tell the values apart.

// Whole 0 <= n < Inf, 0 <= p <= 1.
NMATH_HEAVY double rbinom_valid(NMATH_GENERATOR, double n, double p)
{
    double x, q = 1.0 - p;
    int flip = p > 0.5;
    if (flip) {
        q = p;
        p = 1.0 - p;
    }
    double mean = n * p;
    if (mean < 16.0) {
        double iq = 1.0 / q, s = p * iq, t = n + 1.0, v = unif_rand();
        if (n < 1024.0) { // q^-n by squaring, to 1e-13
            for (int m = (int)n; m > 0; m >>= 1) {
                v = (m & 1) != 0 ? v * iq : v;
                iq *= iq;
            }
        } else {
            v *= exp(-n * log1p(-p));
        }
        rejection_invert(x, v, (t - k) * s, fmin(ceil(mean), n));
    } else {
        rejection_hat t = rejection_hat_of(mean, sqrt(mean * q));
        x = floor(mean);
        for (int i = 0; i < REJECTION_TRIES; ++i) {
            double level, k = rejection_draw(nmath_generator, t, &level), wk, wy, wn;
            if (level > 0) {
                if (k < 0 || k > n)
                    continue;
                double y = n - k, d = fma(n, p, -k);
                double r = rejection_factorial(k, &wk) + rejection_factorial(y, &wy) - rejection_factorial(n, &wn);
                if (!(log(level * sqrt(M_2PI * wk * (wy / wn))) <= pgamma_deviance(k, d) + pgamma_deviance(y, -d) - r))
                    continue;
            }
            x = k;
            break;
        }
    }
    return flip ? n - x : x;
}

#define rbinom(size, prob) nmath_rbinom(nmath_generator, size, prob)
NMATH_FN double nmath_rbinom(NMATH_GENERATOR, double size, double prob)
{
    if (!(size >= 0 && prob >= 0 && prob <= 1) || isinf(size) || size != floor(size))
        ML_WARN_return_NAN;
    return rbinom_valid(nmath_generator, size, prob);
}
