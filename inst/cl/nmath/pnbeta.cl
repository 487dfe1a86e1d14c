// @source_type: c
// @source_origin: pnbeta.c
// @provides: pnbeta, pnbeta2, pnbeta_raw
// @depends: nmath, dpq, ibeta_mass, nbeta_mix
// @method: Poisson mixture of nbeta_mix.cl
// @accuracy: pnbeta.tsv 1.1 eps(1+cond) (host), 1.1 (PoCL), 1.1 (H200)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta, nbeta_mass, nbeta_mix
// @all_depends_count: 15

// pnbeta -- cumulative probability of the non-central beta distribution; pnbeta2 and pnbeta_raw take x and 1 - x apart.

NMATH_FN double pnbeta2(double x, double o_x, double a, double b, double ncp, int lower_tail, int log_p)
{
    if (ncp < 0 || isinf(ncp) || !(a > 0) || !(b > 0) || isinf(a) || isinf(b))
        return ML_NAN;
    if (x <= 0)
        return R_DT_0;
    if (o_x <= 0)
        return R_DT_1;
    return nbeta_both(a, b, 0.5 * ncp, 1.0, ibeta_at(x, o_x), lower_tail, log_p);
}

NMATH_FN double pnbeta_raw(double x, double o_x, double a, double b, double ncp)
{
    return pnbeta2(x, o_x, a, b, ncp, 1, 0);
}

NMATH_FN double pnbeta(double x, double a, double b, double ncp, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(a) || ISNAN(b) || ISNAN(ncp))
        return x + a + b + ncp;
    R_P_bounds_01(x, 0.0, 1.0);
    return pnbeta2(x, 1.0 - x, a, b, ncp, lower_tail, log_p);
}
