// @source_type: c
// @source_origin: rf.c
// @provides: rf, nmath_rf
// @depends: nmath, rgamma
// @method: ratio of two gamma draws, kept on the log scale for shapes below 1
// @all_depends: Rmath, nmath, dpq, log1p, sunif, pnorm, sexp, qnorm, rgamma
// @all_depends_count: 9

// rf -- a draw from the F distribution: (X/n1)/(Y/n2) with X and Y chi-squared, X/2 = G exp(-e) as rgamma_boosted() gives
// it, so that only the difference of the two exponents has to be in range. Infinite degrees of freedom make X/n1 or Y/n2
// one. (Below 1e-300 degrees of freedom the exponents alone decide, and are out of range whatever they are.)

#define rf(n1, n2) nmath_rf(nmath_generator, n1, n2)
NMATH_FN double nmath_rf(NMATH_GENERATOR, double n1, double n2)
{
    if (!(n1 > 0 && n2 > 0))
        ML_WARN_return_NAN;
    double g[2] = {1.0, 1.0}, e[2] = {0.0, 0.0};
    for (int k = 0; k < 2; ++k) {
        double a = fmax(0.5 * (k == 0 ? n1 : n2), NMATH_RANGE(1e-300, 1e-34));
        if (!isinf(a))
            g[k] = rgamma_boosted(nmath_generator, a, &e[k]) / a;
    }
    return g[0] / g[1] * exp(e[1] - e[0]);
}
