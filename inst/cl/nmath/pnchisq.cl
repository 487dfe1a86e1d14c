// @source_type: c
// @source_origin: pnchisq.c
// @provides: pnchisq, pnchisq_raw
// @depends: nmath, dpq, expm1, log1p, dgamma, marcum
// @method: the generalized Marcum Q function, whichever tail is the smaller
// @accuracy: pnchisq.tsv 1.5 eps(1+cond) (host), 1.5 (PoCL), 1.5 (H200)
// @all_depends: Rmath, nmath, dpq, expm1, igamma_table, log1p, marcum_table, stirlerr_cycle_free, lgamma, pnorm, igamma, pgamma_utils, dpois, dgamma, marcum
// @all_depends_count: 15

// pnchisq -- cumulative probability of the non-central chi-squared distribution, marcum.cl at x/2, df/2 and ncp/2. Without
// degrees of freedom there is a point mass e^(-ncp/2) at 0.

// errmax, reltol and itrmax, which bound the error of a series in Mathlib's version, have nothing to do here.
NMATH_FN double pnchisq_raw(double x, double f, double theta, double errmax, double reltol, int itrmax, int lower_tail,
                            int log_p)
{
    R_UNUSED(errmax);
    R_UNUSED(reltol);
    R_UNUSED(itrmax);
    if (x < 0.0 || (x == 0.0 && f > 0.0))
        return R_DT_0;
    if (isinf(x) || (f == 0.0 && theta == 0.0))
        return R_DT_1;
    double h = -0.5 * theta;
    if (x == 0.0) // the mass at 0
        return lower_tail ? R_D_exp(h) : log_p ? R_Log1_Exp(h) : -expm1(h);
    double lost, y = marcum_half(x, 0.5 * f, &lost);
    marcum_value v = marcum_tail(y, 0.5 * f, -h);
    int far = v.lower != (lower_tail != 0);
    if (v.lower) {
        v.e.hi += lost;
    } else if (lost != 0.0) { // 1 - P e^lost
        double q = dd_exp(v.e) * v.f;
        v.f = q - (1.0 - q) * expm1(lost);
        v.e.hi = v.e.lo = 0.0;
    }
    if (log_p && !far)
        return v.e.hi + (v.e.lo + log(v.f));
    double t = v.e.hi > -NMATH_RANGE(690.0, 69.0) ? fmin(dd_exp(v.e) * v.f, 1.0) : dgamma_scaled(v.e, v.f, 1.0);
    return far ? (log_p ? log1p(-t) : 1.0 - t) : t;
}

NMATH_FN double pnchisq(double x, double df, double ncp, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(df) || ISNAN(ncp))
        return x + df + ncp;
    if (df < 0 || ncp < 0 || isinf(df) || isinf(ncp))
        return ML_NAN;
    return pnchisq_raw(x, df, ncp, 1e-12, 0.0, 0, lower_tail, log_p);
}
