// @source_type: c
// @source_origin: pbeta.c
// @provides: pbeta, pbeta_raw
// @depends: nmath, dpq, ibeta_mass, ibeta
// @method: incomplete beta ratio of ibeta.cl
// @accuracy: pbeta.tsv 0.78 eps(1+cond) (host), 0.78 (PoCL), 0.78 (H200)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta
// @all_depends_count: 13

// pbeta -- cumulative probability of the beta distribution, I_x(a, b) of ibeta.cl. Shapes 0 and Inf are the
// point masses of ibeta_mass.cl, of which the one at x counts, as in R 4.4.

// 0 <= x <= 1, a, b >= 0
NMATH_HEAVY double pbeta_raw(double x, double a, double b, int lower_tail, int log_p)
{
    if (x >= 1)
        return R_DT_1;
    int limit = ibeta_limit(a, b);
    if (limit == IBETA_AT_BOTH)
        return R_D_half;
    if (limit != IBETA_PROPER)
        return x < ibeta_limit_place(limit) ? R_DT_0 : R_DT_1;
    if (x <= 0)
        return R_DT_0;
    return ibeta_value(ibeta(a, b, ibeta_at(x, 1.0 - x)), !lower_tail, log_p);
}

NMATH_FN double pbeta(double x, double a, double b, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(a) || ISNAN(b))
        return x + a + b;
    if (a < 0 || b < 0)
        return ML_NAN;
    if (x < 0)
        return R_DT_0;
    return pbeta_raw(x, a, b, lower_tail, log_p);
}
