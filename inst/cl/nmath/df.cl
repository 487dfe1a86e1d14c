// @source_type: c
// @source_origin: df.c
// @provides: df
// @depends: nmath, dpq, dgamma, ibeta_mass
// @method: saddle-point form of ibeta_mass.cl
// @accuracy: df.tsv 1.9 eps(1+cond) (host), 1.9 (PoCL), 1.9 (H200)
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, dpois, dgamma, ibeta_mass
// @all_depends_count: 10

// df -- density of the F distribution: u^a v^b / (x B(a, b)), a = df1/2, b = df2/2, u : v = df1 x : df2, u + v = 1.
// In the limit df2 = Inf, x is gamma distributed with shape a and scale 1/a; for df1 = Inf, 1/x with shape b and
// scale 1/b.

NMATH_FN double df(double x, double m, double n, int log_p)
{
    if (ISNAN(x) || ISNAN(m) || ISNAN(n))
        return x + m + n;
    if (m <= 0 || n <= 0)
        return ML_NAN;
    if (x < 0)
        return R_D__0;
    if (x == 0)
        return m > 2 ? R_D__0 : m == 2 ? R_D__1 : ML_POSINF;
    int limit = ibeta_limit(m, n);
    if (limit == IBETA_AT_HALF)
        return x == 1 ? ML_POSINF : R_D__0;
    if (isinf(x))
        return R_D__0;
    // IBETA_LARGE is infinite beside shapes and distances that are little
    double little = NMATH_RANGE(0x1p+400, 0x1p+40);
    if (limit == IBETA_AT_0 ? m > NMATH_RANGE(1e-290, 1e-28) : limit == IBETA_AT_1 && !(n < little && n / x < little)) {
        int flip = limit == IBETA_AT_1, times = flip || m > 1e16; // 2/m has a rounding error
        double a = 0.5 * (flip ? n : m);
        double d = dgamma(flip ? a : times ? x * a : x, a, flip ? x : times ? 1.0 : 1.0 / a, log_p);
        if (log_p)
            return d + (times ? log(a) - (flip ? log(x) : 0.0) : 0.0);
        return d == 0.0 || !times ? d : flip ? d * (a / x) : d * a;
    }
    m = isinf(m) ? IBETA_LARGE : m;
    n = isinf(n) ? IBETA_LARGE : n;
    return ibeta_density_of(m, n, ibeta_near(ibeta_odds(m, x, n), 1.0 - x), 0.5, 1.0, x, log_p);
}
