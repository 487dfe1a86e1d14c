// @source_type: c
// @source_origin: qnbinom.c
// @provides: qnbinom
// @depends: nmath, dpq, ibeta_mass, ibeta_quantile, ibeta_count
// @method: bracketed Newton search, ibeta_count.cl
// @accuracy: qnbinom.tsv exact (host), exact (PoCL), exact (H200)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, tail_step, lgamma, pnorm, qDiscrete_search, pgamma_utils, qnorm, dpois, lbeta, dgamma, ibeta_mass, ibeta, ibeta_rim, ibeta_quantile, ibeta_wide, ibeta_count
// @all_depends_count: 21

// qnbinom -- quantile of the negative binomial distribution: the smallest x with P(X <= x) >= p, where P(X <= x) =
// I_prob(size, x + 1). prob = 1 or size = 0 is the point mass at 0, whatever p; size = Inf is beyond all numbers.

NMATH_FN double qnbinom(double p, double size, double prob, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(size) || ISNAN(prob))
        return p + size + prob;
    if (prob == 0 && size == 0)
        return 0.0;
    if (prob <= 0 || prob > 1 || size < 0)
        return ML_NAN;
    if (prob == 1 || size == 0)
        return 0.0;
    R_Q_P01_boundaries(p, 0.0, ML_POSINF);
    if (isinf(size))
        return ML_POSINF;
    ibeta_goal g = ibeta_goal_of(p, lower_tail, log_p);
    double q = (1.0 - prob) / prob, mean = size * q, sd = sqrt(mean) * sqrt(1.0 + q);
    double y = ibeta_count_start(g, mean, sd, (1.0 + 2.0 * q) / sd);
    return ibeta_count(p, lower_tail, log_p, g, size, 0.0, 1.0, ibeta_at(prob, 1.0 - prob), 0.0, y, ML_POSINF);
}
