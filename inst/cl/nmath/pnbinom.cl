// @source_type: c
// @source_origin: pnbinom.c
// @provides: pnbinom, pnbinom_mu
// @depends: nmath, dpq, ibeta_mass, ibeta, ibeta_wide, ppois
// @method: incomplete beta ratio of ibeta.cl
// @accuracy: pnbinom.tsv 1.2 eps(1+cond) (host), 1.2 (PoCL), 1.2 (H200); pnbinom_mu.tsv 1.5 eps(1+cond) (host), 1.5 (PoCL), 1.5 (H200); 2.3 on fresh rows
// @all_depends: Rmath, nmath, dpq, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, lgamma, pnorm, igamma, pgamma_utils, dpois, dgamma, pgamma, ibeta_mass, ppois, ibeta, ibeta_rim, ibeta_wide
// @all_depends_count: 19

// pnbinom, pnbinom_mu -- cumulative probability of the negative binomial distribution: P(X <= x) = I_p(size, x + 1)
// (Abramowitz & Stegun 26.5.26), p = prob, or p : 1 - p = size : mu. size = 0 is the point mass at 0, and size = Inf
// with mean mu the Poisson distribution; ibeta_rim.cl has the limits on the way there, and those of a size next to 0.

NMATH_FN double pnbinom(double x, double size, double prob, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(size) || ISNAN(prob))
        return x + size + prob;
    if (isinf(size) || size < 0 || prob <= 0 || prob > 1)
        return ML_NAN;
    if (x < 0)
        return R_DT_0;
    if (size == 0 || prob == 1 || isinf(x))
        return R_DT_1;
    x = floor(x + 1e-7);
    return ibeta_value(ibeta_wide(size, x + 1.0, ibeta_at(prob, 1.0 - prob), 0.0, 0.0), !lower_tail, log_p);
}

NMATH_FN double pnbinom_mu(double x, double size, double mu, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(size) || ISNAN(mu))
        return x + size + mu;
    if (isinf(mu) || size < 0 || mu < 0)
        return ML_NAN;
    if (x < 0)
        return R_DT_0;
    if (size == 0 || mu == 0 || isinf(x))
        return R_DT_1;
    if (isinf(size))
        return ppois(x, mu, lower_tail, log_p);
    x = floor(x + 1e-7);
    return ibeta_value(ibeta_wide(size, x + 1.0, ibeta_odds(size, 1.0, mu), 0.0, mu), !lower_tail, log_p);
}
