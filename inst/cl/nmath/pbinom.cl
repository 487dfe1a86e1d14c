// @source_type: c
// @source_origin: pbinom.c
// @provides: pbinom
// @depends: nmath, dpq, ibeta_mass, ibeta, ibeta_wide
// @method: incomplete beta ratio of ibeta.cl
// @accuracy: pbinom.tsv 1.9 eps(1+cond) (host), 1.9 (PoCL), 1.9 (H200)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta, ibeta_rim, ibeta_wide
// @all_depends_count: 15

// pbinom -- cumulative probability of the binomial distribution: P(X <= x) = I_q(n - x, x + 1), x = 0, ..., n - 1,
// q = 1 - p (Abramowitz & Stegun 26.5.24), as qbinom takes it. ibeta_rim.cl has the limits for huge sizes.

NMATH_FN double pbinom(double x, double n, double p, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(n) || ISNAN(p))
        return x + n + p;
    double m = R_forceint(n);
    if (isinf(n) || m < 0 || R_nonint(n) || p < 0 || p > 1)
        return ML_NAN;
    if (x < 0)
        return R_DT_0;
    x = floor(x + 1e-7);
    if (x >= m || p == 0)
        return R_DT_1;
    if (p == 1)
        return R_DT_0;
    return ibeta_value(ibeta_wide(m - x, x + 1.0, ibeta_at(1.0 - p, p), m, 0.0), !lower_tail, log_p);
}
