// @source_type: shim
// @source_origin: rrank.c
// @provides: rrank_normal
// @depends: nmath
// @method: Cornish-Fisher expansion of a symmetric distribution
// @accuracy: probabilities to 0.084/n^3 of the sample size (rsignrank.cl, rwilcox.cl)
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// rrank -- rank statistics of large samples: a whole number with given mean, standard deviation and standardized
// cumulants l4 and l6 (kurtosis excess and the next; the odd ones are 0 by symmetry), from a standard normal z
// through the expansion of Cornish and Fisher (Abramowitz & Stegun 26.2.49). With l4 = O(1/n) and l6 = O(1/n^2) the
// terms left out are O(1/n^3). Rounding to a whole number adds 1/12 to the variance (Sheppard), which is taken off
// before.

NMATH_FN double rrank_normal(double z, double mean, double sd, double l4, double l6, double last)
{
    double y = z * z;
    double c4 = y - 3.0, c6 = y * (y - 10.0) + 15.0, c44 = y * (3.0 * y - 24.0) + 29.0;
    double w = z * (1.0 + (l4 * (1.0 / 24) * c4 + (l6 * (1.0 / 720) * c6 - l4 * l4 * (1.0 / 384) * c44)));
    return fmax(0.0, fmin(last, floor(mean + sd * (1.0 - 1.0 / (24.0 * sd * sd)) * w + 0.5)));
}
