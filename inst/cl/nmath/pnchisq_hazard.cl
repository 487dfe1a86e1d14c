// @source_type: shim
// @source_origin: pnchisq_hazard.c
// @provides: pnchisq_hazard, pnchisq_hazard_over, pnchisq_slope
// @depends: nmath, dpq, marcum, bessel_scaled_slope
// @method: marcum.cl, which has tail and density with one common exponent
// @accuracy: derivatives 3 eps(1+cond) (host), 3 (PoCL)
// @all_depends: Rmath, nmath, dpq, igamma_table, log1p, marcum_table, stirlerr_cycle_free, lgamma, pnorm, igamma, pgamma_utils, bessel_scaled_slope, dpois, marcum
// @all_depends_count: 14

// pnchisq_hazard -- the density of the non-central chi-squared distribution over one of its tails, the lower one if `lower` is
// not 0. In marcum.cl a tail is exp(e) f and x times the density exp(e) g: their quotient needs no exponential.
//
// pnchisq_slope -- the size of the derivative of the log tail in ncp, x times the hazard over the index (bessel_scaled_slope.cl),
// which may be in range where the hazard is not.

// x times the hazard, over `part`, x or the index
NMATH_HEAVY double pnchisq_hazard_over(double x, double df, double ncp, double lower, double part)
{
    if (ISNAN(x) || ISNAN(df) || ISNAN(ncp) || ISNAN(lower))
        return x + df + ncp + lower;
    if (df < 0 || ncp < 0 || isinf(df) || isinf(ncp))
        return ML_NAN;
    int low = lower != 0.0;
    if (x < 0 || (df == 0 && ncp == 0))
        return 0.0;
    if (x == 0)
        return low || df < 2.0 ? ML_POSINF : df == 2.0 ? 0.5 * exp(-0.5 * ncp) : 0.0;
    if (isinf(x))
        return low ? 0.0 : 0.5;
    double lost, y = marcum_half(x, 0.5 * df, &lost);
    marcum_value v = marcum_tail(y, 0.5 * df, 0.5 * ncp);
    if (!v.lower == !low && (low || lost == 0.0))
        return v.g / v.f / part;
    double r = exp(fmax(0.5 * v.e.hi, -1e3)), k = (1.0 + v.e.lo) * r, p = (k * v.f) * r; // the density may be in range where p is not
    if (lost != 0.0 && low) { // tail and density of a number that is no double, next to 0
        double below = v.lower ? p : 1.0 - p;
        return k * v.g * r / below / part;
    }
    if (lost != 0.0) {
        double s = exp(fmax(0.5 * (v.e.hi + lost), -1e3));
        double tail = v.lower ? 1.0 - s * ((1.0 + v.e.lo) * v.f) * s : p * exp(lost) - expm1(lost);
        return nmath_rate(v.g, 1.0 + v.e.lo, s, part) / tail;
    }
    return nmath_rate(v.g, 1.0 + v.e.lo, r, part) / (1.0 - p);
}

NMATH_FN double pnchisq_hazard(double x, double df, double ncp, double lower)
{
    return pnchisq_hazard_over(x, df, ncp, lower, x);
}

NMATH_FN double pnchisq_slope(double x, double df, double ncp, double lower)
{
    return x == 0 && df >= 0 && ncp >= 0 ? 0.0 : pnchisq_hazard_over(x, df, ncp, lower, nchisq_index(x, df, ncp));
}
