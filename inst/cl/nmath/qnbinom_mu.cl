// @source_type: c
// @source_origin: qnbinom_mu.c
// @provides: qnbinom_mu
// @depends: nmath, dpq, ibeta_mass, ibeta_quantile, ibeta_count, qpois
// @method: bracketed Newton search, ibeta_count.cl
// @accuracy: qnbinom_mu.tsv exact (host), exact (PoCL), exact (H200)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, tail_step, lgamma, pnorm, qDiscrete_search, igamma, pgamma_utils, qnorm, dpois, lbeta, dgamma, pgamma, ibeta_mass, qpois, ibeta, ibeta_rim, ibeta_quantile, ibeta_wide, ibeta_count
// @all_depends_count: 25

// qnbinom_mu -- quantile of the negative binomial distribution by its mean, as qnbinom with prob : 1 - prob = size :
// mu. mu = 0 or size = 0 is the point mass at 0, size = Inf the Poisson distribution.

NMATH_FN double qnbinom_mu(double p, double size, double mu, int lower_tail, int log_p)
{
    if (isinf(size) && size > 0)
        return qpois(p, mu, lower_tail, log_p);
    if (ISNAN(p) || ISNAN(size) || ISNAN(mu))
        return p + size + mu;
    if (mu == 0 || size == 0)
        return 0.0;
    if (mu < 0 || size < 0)
        return ML_NAN;
    R_Q_P01_boundaries(p, 0.0, ML_POSINF);
    if (isinf(mu))
        return ML_NAN;
    ibeta_goal g = ibeta_goal_of(p, lower_tail, log_p);
    double q = mu / size, sd = sqrt(mu) * sqrt(1.0 + q);
    double y = ibeta_count_start(g, mu, sd, (1.0 + 2.0 * q) / sd);
    return ibeta_count(p, lower_tail, log_p, g, size, 0.0, 1.0, ibeta_odds(size, 1.0, mu), mu, y, ML_POSINF);
}
