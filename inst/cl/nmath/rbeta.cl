// @source_type: c
// @source_origin: rbeta.c
// @provides: rbeta, nmath_rbeta, rbeta_small
// @depends: nmath, sunif, sexp, rgamma
// @method: Johnk's method on the log scale for shapes up to 1; else ratio of two gamma draws
// @all_depends: Rmath, nmath, dpq, log1p, sunif, pnorm, sexp, qnorm, rgamma
// @all_depends_count: 9

// rbeta -- draws from the beta distribution.
//
// Both shapes at most 1: Johnk (1964), "Erzeugung von betaverteilten und gammaverteilten Zufallszahlen", Metrika 8,
// 5-15. With independent uniforms U, V, X = U^(1/a), Y = V^(1/b), X/(X + Y) has the distribution if X + Y <= 1,
// which happens with probability 1/2 or more. Logarithms keep what underflows: for tiny shapes one of X and Y is
// nothing beside the other.
//
// Else X/(X + Y) for gamma draws X and Y with shapes a and b (Devroye 1986, "Non-uniform random variate generation",
// IX.3). A draw of shape below 1 is a product G exp(-E/a) (rgamma.cl), whose factors are not put together before the
// ratio is. 1/(1 + Y/X) keeps the relative accuracy of values near 0.

#define RBETA_TRIES 128 // 2^-128

// 0 < a, b <= 1
NMATH_FN double rbeta_small(NMATH_GENERATOR, double a, double b)
{
    // of the very smallest only the quotient counts: larger ones spare the logarithms the overflow
    double up = fmax(a, b) < NMATH_RANGE(1e-200, 1e-25) ? NMATH_RANGE(0x1p+600, 0x1p+60) : 1.0, x = 0.0, y = 0.0, small = 1.0, large = 1.0;
    a *= up;
    b *= up;
    for (int i = 0; i < RBETA_TRIES; ++i) {
        x = exp_rand() / a;
        y = exp_rand() / b;
        large = exp(-fmin(x, y));
        small = exp(-fmax(x, y));
        if (large + small <= 1.0)
            break;
    }
    if (small < NMATH_RANGE(1e-290, 1e-28)) { // or both have underflown
        small = exp(-fabs(x - y));
        large = 1.0;
    }
    return (x > y ? small : large) / (large + small);
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
    double gx = 1.0, gy = 1.0, ex = 0.0, ey = 0.0;
    for (int k = 0; k < 2; ++k) {
        double e, g = rgamma_boosted(nmath_generator, k == 0 ? aa : bb, &e);
        gx = k == 0 ? g : gx;
        ex = k == 0 ? e : ex;
        gy = g;
        ey = e;
    }
    // Y/X = gy/gx exp(ex - ey), in two halves; only small shapes have exponents, and their factors moderate size
    double h = ex == ey ? 1.0 : exp(0.5 * (ex - ey));
    return 1.0 / (1.0 + (gy / gx * h) * h);
}
