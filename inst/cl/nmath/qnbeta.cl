// @source_type: c
// @source_origin: qnbeta.c
// @provides: qnbeta
// @depends: nmath, dpq, ibeta_quantile, nbeta_quantile
// @method: inverse of the non-central beta distribution, nbeta_quantile.cl
// @accuracy: qnbeta.tsv 0.78 eps(1+cond) (host), 0.78 (PoCL), 0.78 (H200)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, tail_step, lgamma, pnorm, pgamma_utils, qnorm, dpois, lbeta, dgamma, ibeta_mass, ibeta, nbeta_mass, ibeta_quantile, nbeta_mix, nbeta_quantile
// @all_depends_count: 20

// qnbeta -- quantile of the non-central beta distribution. Where ncp or b is infinite, R's answer 1/2 is kept.

NMATH_FN double qnbeta(double p, double a, double b, double ncp, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(a) || ISNAN(b) || ISNAN(ncp))
        return p + a + b + ncp;
    if (ncp < 0 || a <= 0 || b <= 0 || isinf(a))
        return ML_NAN;
    R_Q_P01_boundaries(p, 0.0, 1.0);
    if (isinf(ncp) || isinf(b))
        return 0.5;
    ibeta_odd o = nbeta_solve(a, b, 0.5 * ncp, 1.0, ibeta_goal_of(p, lower_tail, log_p));
    double r = ldexp(o.f, o.k);
    return o.k < 0 ? r / (1.0 + r) : 1.0 / (1.0 + 1.0 / r);
}
