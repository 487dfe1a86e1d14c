// @source_type: c
// @source_origin: df.c
// @provides: df
// @depends: nmath, dpq, dgamma, ibeta_mass
// @method: saddle-point form of ibeta_mass.cl
// @accuracy: df.tsv 2.6 eps(1+cond) (host), 2.6 (PoCL), 2.6 (H200)
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, logdd, stirlerr_cycle_free, lgamma, pgamma_utils, dpois, dgamma, ibeta_mass
// @all_depends_count: 13
// @load_order: 125

// df -- density of the F distribution: u^a v^b / (x B(a, b)), a = df1/2, b = df2/2, u : v = df1 x : df2, u + v = 1.
// In the limit df2 = Inf, x is gamma distributed with shape a and scale 1/a; for df1 = Inf, 1/x with shape b and
// scale 1/b.

NMATH_FN double df(double x, double m, double n, int give_log)
{
    if (ISNAN(x) || ISNAN(m) || ISNAN(n))
        return x + m + n;
    if (m <= 0 || n <= 0)
        return ML_NAN;
    if (x < 0)
        return R_D__0;
    if (x == 0)
        return m > 2 ? R_D__0 : m == 2 ? R_D__1 : ML_POSINF;
    if (isinf(m) && isinf(n))
        return x == 1 ? ML_POSINF : R_D__0;
    if (isinf(x)) // R's arithmetic has Inf/Inf for df1 < 2
        return m < 2 && !isinf(n) ? ML_NAN : R_D__0;
    if (isinf(m) || isinf(n)) {
        double k = isinf(n) ? m : n, d = dgamma(isinf(n) ? x : 1.0 / x, 0.5 * k, 2.0 / k, give_log);
        if (isinf(m))
            d = give_log ? d - 2.0 * log(x) : d / x / x;
        return d;
    }
    return ibeta_density(0.5 * m, 0.5 * n, ibeta_odds(m, x, n), 1.0, x, give_log);
}
