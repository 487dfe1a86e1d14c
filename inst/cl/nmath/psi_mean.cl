// @source_type: shim
// @source_origin: none
// @provides: psi_mean, psi_mean_log
// @depends: nmath, pgamma_dshape_table, pgamma_dshape
// @method: power series, from psi at its largest term
// @accuracy: see pnchisq_ddf, besselI_dnu
// @all_depends: Rmath, nmath, dpq, igamma_table, pgamma_dshape_table, pnorm, igamma, pgamma_dshape
// @all_depends_count: 8

// psi_mean -- log(x/2) less the mean of psi(a + k), weighted by the terms z^k/(k! Gamma(a + k)) of the power series of a
// modified Bessel function: its logarithmic derivative in the order, and that of the non-central chi-squared density in
// its degrees of freedom. W = sqrt(a^2 + 4 z) is below 32. psi is computed next to the largest term, and its differences
// by the recurrence, so that large values of both signs do not meet.

// log(x/2) - psi(a + 1), where half of x may be subnormal
NMATH_FN double psi_mean_log(double x, double a)
{
    int k;
    double m = frexp(x, &k), n = fmax(a, NMATH_RANGE(1e-290, 1e-28));
    return -(k < -900 ? pgamma_dshape_rise_over(n, 0.5 * x, m, k - 1) : pgamma_dshape_rise_over(n, 0.5 * x, 0.5 * x, 0));
}

NMATH_FN double psi_mean(double x, double a, double z, double W)
{
    double n = fmax(floor(0.5 * (W - a)), 1.0), h = 0.0, t = 1.0;
    for (int k = 1; k < (int)n; ++k)
        h -= 1.0 / (a + k);
    double l = psi_mean_log(x, a + (n - 1.0)), sum = a, mean = 1.0 - a * h;
    for (int k = 1; k <= 250; ++k) {
        if (k > 1) {
            double r = 1.0 / (a + (k - 1.0));
            t *= r;
            h += r;
        }
        t *= z / k; // (z^k/k!)/((a + 1)...(a + k - 1))
        sum += t;
        mean -= t * h;
        if (t * (1.0 + fabs(h)) < 1e-18 * sum)
            break;
    }
    return l + mean / sum;
}
