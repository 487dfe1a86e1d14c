// @source_type: c
// @source_origin: rbeta.c
// @provides: rbeta, nmath_rbeta, rbeta_small
// @depends: nmath, sunif, sexp, rgamma
// @method: Johnk's method on the log scale for shapes up to 1; else ratio of two gamma draws
// @all_depends: Rmath, nmath, dd, dpq, log1p, sunif, expsq, sexp, pnorm, qnorm, snorm, rgamma
// @all_depends_count: 12
// @load_order: 83

// rbeta -- draws from the beta distribution.
//
// Both shapes at most 1: Johnk (1964), "Erzeugung von betaverteilten und gammaverteilten Zufallszahlen", Metrika 8, 5-15.
// With independent uniforms U, V, X = U^(1/a), Y = V^(1/b), X/(X + Y) has the distribution if X + Y <= 1, which happens
// with probability 1/2 or more. Logarithms keep what underflows: for tiny shapes one of X and Y is nothing beside the
// other.
//
// Else X/(X + Y) for gamma draws X and Y with shapes a and b (Devroye 1986, "Non-uniform random variate generation",
// IX.3). A draw of shape below 1 is a product G exp(-E/a) (rgamma.cl), whose factors are not put together before the
// ratio is. The ratio is formed with the smaller of X and Y in the numerator, so that values near 0 keep their relative
// accuracy.

#define RBETA_TRIES 128 // 2^-128

// 0 < a, b <= 1
NMATH_FN double rbeta_small(NMATH_GENERATOR, double a, double b)
{
    // of the very smallest only the quotient counts: larger ones spare the logarithms the overflow
    double up = fmax(a, b) < 1e-200 ? 0x1p+600 : 1.0, z = 0.0;
    a *= up;
    b *= up;
    for (int i = 0; i < RBETA_TRIES; ++i) {
        double x = exp_rand() / a, y = exp_rand() / b, w = exp(-fmin(x, y));
        z = x - y;
        if (w <= 0.5 || w + exp(-fmax(x, y)) <= 1.0)
            break;
    }
    double r = exp(-fabs(z)); // the smaller of X and Y over the larger
    return (z > 0 ? r : 1.0) / (1.0 + r);
}

#undef RBETA_TRIES

#define rbeta(aa, bb) nmath_rbeta(nmath_generator, aa, bb)
NMATH_FN double nmath_rbeta(NMATH_GENERATOR, double aa, double bb)
{
    if (ISNAN(aa) || ISNAN(bb) || aa < 0 || bb < 0)
        ML_WARN_return_NAN;
    if (isinf(aa) && isinf(bb))
        return 0.5;
    if (aa == 0 && bb == 0)
        return unif_rand() < 0.5 ? 0.0 : 1.0;
    if (isinf(aa) || bb == 0)
        return 1.0;
    if (isinf(bb) || aa == 0)
        return 0.0;

    if (aa <= 1 && bb <= 1)
        return rbeta_small(nmath_generator, aa, bb);
    double g[2], e[2];
    for (int k = 0; k < 2; ++k)
        g[k] = rgamma_boosted(nmath_generator, k == 0 ? aa : bb, &e[k]);
    double z = e[0] - e[1]; // X/Y = g[0]/g[1] exp(-z), and one of the exponents is 0
    if (z == 0)
        return g[0] < g[1] ? g[0] / g[1] / (1.0 + g[0] / g[1]) : 1.0 / (1.0 + g[1] / g[0]);
    double r = z > 0 ? (g[0] / g[1]) * exp(-z) : (g[1] / g[0]) * exp(z); // it may exceed 1 as well
    double s = r < 1.0 ? r / (1.0 + r) : 1.0 / (1.0 + 1.0 / r);
    return z > 0 ? s : 1.0 / (1.0 + r);
}
