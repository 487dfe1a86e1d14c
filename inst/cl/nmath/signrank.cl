// @source_type: c
// @source_origin: signrank.c
// @provides: dsignrank, psignrank, qsignrank
// @depends: nmath, dpq, rankcount, ranktable, rankquantile
// @method: counts, saddle point contour or series in closed form, by size (rankprob.cl)
// @accuracy: dsignrank.tsv 1.9 eps(1+cond) (host), 2.2 (PoCL), 2.2 (H200); psignrank.tsv 2.8 eps(1+cond) (host), 2.8 (PoCL), 2.8 (H200); qsignrank.tsv exact (host), exact (PoCL), exact (H200)
// @all_depends: Rmath, nmath, bd0, cospi, dpq, expm1, log1p, rankcount, stirlerr_cycle_free, lgamma, ranketa, rankseries, ranktotal, pgamma_utils, rankfew, ranknode, rankproduct, dhyper_far, rankgf, dhyper, phyper, rankfar_sums, rankfar, rankprob, ranktable, rankquantile
// @all_depends_count: 26

// signrank -- mass, probability and quantile of the Wilcoxon signed rank statistic: the sum of the ranks 1, ..., n, each
// taken with probability 1/2; 0, ..., n (n + 1)/2 (Wilcoxon 1945).
//
// n is rounded, silently. dsignrank is 0 where x is further than 1e-7 from a whole number; psignrank rounds q + 1e-7, as
// R does. The computation is that of ranktable.cl and rankquantile.cl.

NMATH_FN double dsignrank(double x, double n, int log_p)
{
    if (ISNAN(x) || ISNAN(n))
        return x + n;
    n = R_forceint(n);
    if (n <= 0)
        ML_WARN_return_NAN;
    if (fabs(x - R_forceint(x)) > 1e-7)
        return R_D__0;
    x = R_forceint(x);
    if (x < 0 || x > 0.5 * n * (n + 1.0))
        return R_D__0;
    if (isinf(n))
        ML_WARN_return_NAN;
    return rank_mass(rank_size_of(n, n, 1), x, log_p);
}

NMATH_FN double psignrank(double x, double n, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(n))
        return x + n;
    if (!R_FINITE(n))
        ML_WARN_return_NAN;
    n = R_forceint(n);
    if (n <= 0)
        ML_WARN_return_NAN;
    return rank_probability(rank_size_of(n, n, 1), R_forceint(x + 1e-7), lower_tail, log_p);
}

NMATH_FN double qsignrank(double p, double n, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(n))
        return p + n;
    n = R_forceint(n);
    if (!R_FINITE(p) || !R_FINITE(n) || n <= 0)
        ML_WARN_return_NAN;
    R_Q_P01_boundaries(p, 0.0, 0.5 * n * (n + 1.0));
    return rank_quantile(rank_size_of(n, n, 1), p, lower_tail, log_p);
}
