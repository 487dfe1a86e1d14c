// @source_type: c
// @source_origin: qbinom.c
// @provides: qbinom
// @depends: nmath, dpq, ibeta_mass, ibeta_quantile, ibeta_count
// @method: bracketed Newton search, ibeta_count.cl
// @accuracy: qbinom.tsv exact (host), exact (PoCL), exact (H200)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, tail_step, lgamma, pnorm, qDiscrete_search, pgamma_utils, qnorm, dpois, lbeta, dgamma, ibeta_mass, ibeta, ibeta_rim, ibeta_quantile, ibeta_wide, ibeta_count
// @all_depends_count: 21

// qbinom -- quantile of the binomial distribution: the smallest x with P(X <= x) >= p, P(X <= x) = I_q(n - x, x + 1).

NMATH_FN double qbinom(double p, double n, double pr, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(n) || ISNAN(pr))
        return p + n + pr;
    if (isinf(n) || isinf(pr) || (isinf(p) && !log_p))
        return ML_NAN;
    n = R_forceint(n);
    if (pr < 0 || pr > 1 || n < 0)
        return ML_NAN;
    R_Q_P01_boundaries(p, 0.0, n);
    double q = 1.0 - pr;
    if (pr == 0 || n == 0)
        return 0.0;
    if (q == 0)
        return n;
    ibeta_goal g = ibeta_goal_of(p, lower_tail, log_p);
    double sd = sqrt(n * pr) * sqrt(q), y = ibeta_count_start(g, n * pr, sd, (q - pr) / sd);
    return ibeta_count(p, lower_tail, log_p, g, n, 1.0, q, ibeta_at(q, pr), 0.0, y, n);
}
