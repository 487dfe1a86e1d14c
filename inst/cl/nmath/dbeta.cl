// @source_type: c
// @source_origin: dbeta.c
// @provides: dbeta
// @depends: nmath, dpq, ibeta_mass
// @method: saddle-point form of ibeta_mass.cl
// @accuracy: dbeta.tsv 0.71 eps(1+cond) (host), 0.71 (PoCL), 0.71 (H200)
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, dpois, dgamma, ibeta_mass
// @all_depends_count: 10

// dbeta -- density of the beta distribution, x^a y^b / B(a, b) / (x y), y = 1 - x. Shapes 0 and Inf are the
// point masses of ibeta_mass.cl.

NMATH_FN double dbeta(double x, double a, double b, int log_p)
{
    if (ISNAN(x) || ISNAN(a) || ISNAN(b))
        return x + a + b;
    if (a < 0 || b < 0)
        return ML_NAN;
    if (x < 0 || x > 1)
        return R_D__0;
    int limit = ibeta_limit(a, b);
    if (limit != IBETA_PROPER) {
        int at = limit == IBETA_AT_BOTH ? x == 0 || x == 1 : x == ibeta_limit_place(limit);
        return at ? ML_POSINF : R_D__0;
    }
    if (a == 1 && b == 1)
        return R_D__1;
    if (x == 0 || x == 1) {
        double s = x == 0 ? a : b;
        return s > 1 ? R_D__0 : s < 1 ? ML_POSINF : R_D_val(x == 0 ? b : a);
    }
    return ibeta_density(a, b, ibeta_at(x, 1.0 - x), 1.0, x * (1.0 - x), log_p);
}
