// @source_type: c
// @source_origin: rgamma.c
// @provides: rgamma, nmath_rgamma, rgamma_standard, rgamma_kept_24, rgamma_deviation, rgamma_boosted
// @depends: nmath, log1p, sunif, qnorm, sexp
// @method: cube of a shifted normal draw with rejection; a power of a uniform below shape 1
// @all_depends: Rmath, nmath, dpq, log1p, sunif, pnorm, sexp, qnorm
// @all_depends_count: 8

// rgamma -- draws from the gamma distribution.
//
// Marsaglia and Tsang (2000), "A simple method for generating gamma variables", ACM Trans. Math. Softw. 26,
// 363-372: for a >= 1, d = a - 1/3, c = 1/sqrt(9 d) and a standard normal x, t = c x, v = (1 + t)^3, the product d
// v has the gamma distribution if it is kept where t > -1 and log u < h(x) = x^2/2 + d - d v + d log v. Since 9 d
// c^2 = 1, the powers of x up to the third cancel in h, and
//     h = 3 d (log(1 + t) - t + t^2/2 - t^3/3) = -(x^4/(27 d)) (1/4 - t/5 + t^2/6 - ...)
// keeps its accuracy for large d. 95% of the proposals or more are kept. Nearly all of them without a logarithm: the bracket
// is at most 1/4 - t/5 + t^2/3 for t > -1/2, where all that follows its first terms is positive, or alternates, and e^h is at
// least 1 + h; with c^2 = 1/(9 d) that costs no division. Of the others all but one in a thousand are decided in single
// precision, which leaves a device's neighbouring work-items no long way that one of them takes for all.
//
// For a < 1, G(a) = G(a + 1) U^(1/a) = G(a + 1) exp(-E/a) with an exponential E. exp(-E/a) may underflow where the
// product with the scale does not; so it is applied in two halves.

#define RGAMMA_TRIES 64 // each fails with probability < 0.05: 2^-270

// 4096 e^h, less than 1 off: for |t| < 1/4 by the series of h, whose next term is below 1e-4 of it; else d < 120, so that an
// error of 2e-7 in the bracket is one of 1e-4 in h.
NMATH_FN double rgamma_kept_24(float t, float y, float d)
{
    float u = t * (1.0f / 7.0f - t * (0.125f - t * (1.0f / 9.0f)));
    float near = y * y * (-1.0f / 3.0f) * (0.25f - t * (0.2f - t * (1.0f / 6.0f - u)));
    float far = 3.0f * d * (NMATH_LOG_24(1.0f + t) - t * (1.0f - t * (0.5f - t * (1.0f / 3.0f))));
    return 4096.0 * (double)NMATH_EXP_24(t > -0.25f && t < 0.25f ? near : far);
}

// 1/sqrt(9 d), relative to d the standard deviation. On GPUs two steps of Newton's, whatever single precision makes of a d
// beyond its range: where the deviation is below 2^-53 a draw is d.
NMATH_FN double rgamma_deviation(double d)
{
#ifdef NMATH_HORNER
    double c = (1.0 / 3.0) * NMATH_INVERSE_ROOT_24(d), h = 4.5 * d;
    c = c * fma(-h * c, c, 1.5);
    return c * fma(-h * c, c, 1.5);
#else
    return 1.0 / (3.0 * sqrt(d));
#endif
}

// A draw for finite shape a >= 1. The normal draw is by inversion, of 52 of the 64 bits of a random word. The other 12 are
// the leading bits j of u = (j + u')/2^12, and u' is drawn only where j does not decide, about once in a thousand times.
NMATH_FN double rgamma_standard(NMATH_GENERATOR, double a)
{
    double d = a - 1.0 / 3.0, c = rgamma_deviation(d), v = 1.0;
    for (int i = 0; i < RGAMMA_TRIES; ++i) {
        nmath_u64 bits = nmath_random_bits(nmath_generator);
        double x = qnorm5(sunif_open(bits), 0.0, 1.0, 1, 0);
        double j = (double)(int)(bits & 4095), t = c * x, s = 1.0 + t, y = x * t;
        v = s * s * s;
        double least = 4096.0 - 4096.0 / 3.0 * (y * y) * NMATH_FMA(t, NMATH_FMA(t, 1.0 / 3.0, -0.2), 0.25);
        if (t > -0.5 && j + 1.0 < least)
            break;
        if (t > -1.0) {
            double rough = rgamma_kept_24((float)t, (float)y, (float)d);
            if (j + 2.0 < rough)
                break;
            if (j - 1.0 < rough) {
                double h = fabs(t) < 1e-3 ? -(y * y / 3.0) * (0.25 - t * (0.2 - t * (1.0 / 6.0 - t * (1.0 / 7.0))))
                                          : 3.0 * d * (log1p(t) - t * (1.0 - t * (0.5 - t * (1.0 / 3.0))));
                double kept = 4096.0 * exp(h);
                if (j + 1.0 < kept || (j < kept && j + unif_rand() < kept))
                    break;
            }
        }
        v = 1.0; // if it was the last
    }
    return d * v;
}

#undef RGAMMA_TRIES

// A draw for finite shape a > 0: the product of its value and exp(-*e), *e >= 0.
NMATH_FN double rgamma_boosted(NMATH_GENERATOR, double a, double *e)
{
    int low = a < 1.0;
    *e = low ? exp_rand() / a : 0.0;
    return rgamma_standard(nmath_generator, low ? a + 1.0 : a);
}

#define rgamma(a, scale) nmath_rgamma(nmath_generator, a, scale)
NMATH_FN double nmath_rgamma(NMATH_GENERATOR, double a, double scale)
{
    if (ISNAN(a) || ISNAN(scale))
        ML_WARN_return_NAN;
    if (a == 0 || scale == 0)
        return 0.0;
    if (a < 0 || scale < 0)
        ML_WARN_return_NAN;
    if (isinf(a) || isinf(scale))
        return ML_POSINF;
    double e, g = rgamma_boosted(nmath_generator, a, &e);
    if (e == 0)
        return g * scale;
    double h = exp(-0.5 * e);
    return (h * g) * (h * scale);
}
