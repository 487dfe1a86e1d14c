// @source_type: c
// @source_origin: wilcox.c
// @provides: dwilcox, pwilcox, qwilcox
// @depends: nmath, dpq, rankcount, ranktable, rankquantile
// @method: closed forms, counts, saddle point contour or series, by size (rankprob.cl)
// @accuracy: dwilcox.tsv 2.3 eps(1+cond) (host), 1.9 (PoCL), 1.8 (H200); pwilcox.tsv 2.6 eps(1+cond) (host), 2.7 (PoCL), 2.1 (H200); qwilcox.tsv exact (host), exact (PoCL), exact (H200)
// @all_depends: Rmath, nmath, bd0, cospi, dpq, expm1, log1p, rankcount, stirlerr_cycle_free, lgamma, ranketa, rankseries, ranktotal, pgamma_utils, rankfew, ranknode, rankproduct, dhyper_far, rankgf, dhyper, phyper, rankfar_sums, rankfar, rankprob, ranktable, rankquantile
// @all_depends_count: 26

// wilcox -- mass, probability and quantile of the Wilcoxon rank sum statistic: of the pairs of an observation from each
// of two samples of m and n, the number of those where the first is the larger; 0, ..., m n (Mann and Whitney 1947).
//
// m and n are rounded, silently. dwilcox is 0 where x is further than 1e-7 from a whole number; pwilcox takes the whole
// number below q + 1e-7. The computation is that of ranktable.cl and rankquantile.cl.

NMATH_FN double dwilcox(double x, double m, double n, int log_p)
{
    if (ISNAN(x) || ISNAN(m) || ISNAN(n))
        return x + m + n;
    m = R_forceint(m);
    n = R_forceint(n);
    if (m <= 0 || n <= 0)
        ML_WARN_return_NAN;
    if (fabs(x - R_forceint(x)) > 1e-7)
        return R_D__0;
    x = R_forceint(x);
    if (x < 0 || x > m * n)
        return R_D__0;
    if (isinf(n))
        ML_WARN_return_NAN;
    if (isinf(m))
        return R_D__0;
    return rank_mass(rank_size_of(m, n, 0), x, log_p);
}

NMATH_FN double pwilcox(double q, double m, double n, int lower_tail, int log_p)
{
    if (ISNAN(q) || ISNAN(m) || ISNAN(n))
        return q + m + n;
    if (!R_FINITE(m) || !R_FINITE(n))
        ML_WARN_return_NAN;
    m = R_forceint(m);
    n = R_forceint(n);
    if (m <= 0 || n <= 0)
        ML_WARN_return_NAN;
    return rank_probability(rank_size_of(m, n, 0), floor(q + 1e-7), lower_tail, log_p);
}

NMATH_FN double qwilcox(double p, double m, double n, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(m) || ISNAN(n))
        return p + m + n;
    m = R_forceint(m);
    n = R_forceint(n);
    if (!R_FINITE(p) || !R_FINITE(m) || !R_FINITE(n) || m <= 0 || n <= 0)
        ML_WARN_return_NAN;
    R_Q_P01_boundaries(p, 0.0, m * n);
    return rank_quantile(rank_size_of(m, n, 0), p, lower_tail, log_p);
}
