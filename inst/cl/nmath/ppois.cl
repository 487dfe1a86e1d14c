// @source_type: c
// @source_origin: ppois.c
// @provides: ppois
// @depends: nmath, dpq, pgamma
// @method: the other tail of the gamma distribution
// @accuracy: ppois.tsv 1.2 eps(1+cond) (host), 1.2 (PoCL), 1.2 (H200)
// @all_depends: Rmath, nmath, dpq, igamma_table, log1p, stirlerr_cycle_free, lgamma, pnorm, igamma, pgamma_utils, dpois, pgamma
// @all_depends_count: 12

// ppois -- cumulative probability of the Poisson distribution: P(X <= k) = Q(k + 1, lambda) (Abramowitz & Stegun
// 26.4.21), k = floor(x + 1e-7).

NMATH_FN double ppois(double x, double lambda, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(lambda))
        return x + lambda;
    if (lambda < 0)
        return ML_NAN;
    if (x < 0)
        return R_DT_0;
    if (lambda == 0 || isinf(x))
        return R_DT_1;
    return pgamma_raw(lambda, floor(x + 1e-7) + 1.0, !lower_tail, log_p);
}
