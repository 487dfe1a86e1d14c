// @source_type: c
// @source_origin: pt.c
// @provides: pt
// @depends: nmath, dpq, pnorm, ibeta_mass, ibeta
// @method: incomplete beta ratio of ibeta.cl
// @accuracy: pt.tsv 1.9 eps(1+cond) (host), 2 (PoCL), 2 (H200); 4.6 on fresh rows
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta
// @all_depends_count: 13

// pt -- cumulative probability of Student's t distribution. P(|T| > |t|) = I_x(df/2, 1/2) with x = df/(df + t^2),
// whose complement t^2/(df + t^2) is formed apart (Abramowitz & Stegun 26.7.1). Half of it is the tail beyond t.

NMATH_FN double pt(double x, double n, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(n))
        return x + n;
    if (n <= 0)
        return ML_NAN;
    if (isinf(x))
        return x < 0 ? R_DT_0 : R_DT_1;
    if (isinf(n))
        return pnorm5(x, 0.0, 1.0, lower_tail, log_p);
    if (x == 0)
        return R_D_half;
    int tail = lower_tail ? x < 0 : x > 0;
    ibeta_point o = ibeta_near(ibeta_odds(x, x, n), fma(-x, x, 1.0));
    double p = ibeta_value(ibeta_of(1.0, n, o, 0.5), 1, log_p && tail);
    if (log_p)
        return tail ? p - M_LN2 : log1p(-0.5 * p);
    return tail ? 0.5 * p : 1.0 - 0.5 * p;
}
