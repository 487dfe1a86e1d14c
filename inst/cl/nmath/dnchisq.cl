// @source_type: c
// @source_origin: dnchisq.c
// @provides: dnchisq
// @depends: nmath, dpq, dgamma, marcum
// @method: the Marcum density x f(x) as exponent and factor
// @accuracy: dnchisq.tsv 1.4 eps(1+cond) (host), 1.4 (PoCL), 1.4 (H200)
// @all_depends: Rmath, nmath, dpq, igamma_table, log1p, marcum_table, stirlerr_cycle_free, lgamma, pnorm, igamma, pgamma_utils, dpois, dgamma, marcum
// @all_depends_count: 14

// dnchisq -- density of the non-central chi-squared distribution: marcum.cl at x/2, df/2 and ncp/2 gives x f(x). At 0 it
// is Inf, e^(-ncp/2)/2 or 0 for df < 2, df = 2 and df > 2.

NMATH_FN double dnchisq(double x, double df, double ncp, int log_p)
{
    if (ISNAN(x) || ISNAN(df) || ISNAN(ncp))
        return x + df + ncp;
    if (df < 0 || ncp < 0 || isinf(df) || isinf(ncp))
        return ML_NAN;
    if (x < 0)
        return R_D__0;
    if (x == 0) {
        if (df != 2.0)
            return df < 2.0 ? ML_POSINF : R_D__0;
        return log_p ? -0.5 * ncp - M_LN2 : 0.5 * exp(-0.5 * ncp);
    }
    if (isinf(x) || (df == 0 && ncp == 0))
        return R_D__0;
    double lost, y = marcum_half(x, 0.5 * df, &lost);
    marcum_value v = marcum_density(y, 0.5 * df, 0.5 * ncp);
    v.e.hi += lost;
    double c = v.g / x;
    int safe = c > NMATH_RANGE(1e-290, 1e-28) && c < NMATH_RANGE(1e290, 1e28);
    if (log_p)
        return v.e.hi + (v.e.lo + (safe ? log(c) : log(v.g) - log(x)));
    return safe && v.e.hi > -NMATH_RANGE(690.0, 69.0) ? dd_exp(v.e) * c : dgamma_scaled(v.e, v.g, x);
}
