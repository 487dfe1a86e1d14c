// @source_type: c
// @source_origin: qlnorm.c
// @provides: qlnorm
// @depends: nmath, dpq, qnorm
// @method: exp of the normal quantile
// @accuracy: qlnorm.tsv 0.74 eps(1+cond) (host), 0.75 (PoCL), 1.1 (H200)
// @all_depends: Rmath, nmath, dpq, pnorm, qnorm
// @all_depends_count: 5

// qlnorm -- quantile of the log-normal distribution, exp(meanlog + sdlog z) with the standard normal quantile z. The
// rounding error of the exponent costs as much as one of meanlog or sdlog does, which is what their condition numbers
// allow.

NMATH_FN double qlnorm(double p, double meanlog, double sdlog, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(meanlog) || ISNAN(sdlog))
        return p + meanlog + sdlog;
    R_Q_P01_boundaries(p, 0.0, ML_POSINF);
    if (sdlog < 0)
        ML_WARN_return_NAN;
    return exp(qnorm5(p, meanlog, sdlog, lower_tail, log_p));
}
