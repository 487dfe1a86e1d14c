// @source_type: c
// @source_origin: qbeta.c
// @provides: qbeta
// @depends: nmath, dpq, ibeta_quantile
// @method: inverse of the incomplete beta ratio, ibeta_quantile.cl
// @accuracy: qbeta.tsv 0.98 eps(1+cond) (host), 0.66 (PoCL), 0.59 (H200)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, tail_step, lgamma, pnorm, pgamma_utils, qnorm, dpois, lbeta, dgamma, ibeta_mass, ibeta, ibeta_quantile
// @all_depends_count: 17

// qbeta -- quantile of the beta distribution, from the odds x/y of ibeta_quantile.cl. Shapes 0 and Inf are the
// point masses of ibeta_mass.cl; for one half at each end R's 1/2 between them is kept.

NMATH_FN double qbeta(double p, double a, double b, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(a) || ISNAN(b))
        return p + a + b;
    if (a < 0 || b < 0)
        return ML_NAN;
    R_Q_P01_boundaries(p, 0.0, 1.0);
    int limit = ibeta_limit(a, b);
    if (limit == IBETA_AT_BOTH)
        return p == R_D_half ? 0.5 : (p < R_D_half) == (lower_tail != 0) ? 0.0 : 1.0;
    if (limit != IBETA_PROPER)
        return ibeta_limit_place(limit);
    ibeta_odd o = ibeta_solve_of(a, b, 1.0, ibeta_goal_of(p, lower_tail, log_p), ML_NAN);
    double r = ldexp(o.f, o.k);
    return o.k < 0 ? r / (1.0 + r) : 1.0 / (1.0 + 1.0 / r);
}
