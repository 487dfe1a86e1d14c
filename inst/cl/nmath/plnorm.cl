// @source_type: c
// @source_origin: plnorm.c
// @provides: plnorm
// @depends: nmath, dpq, pnorm
// @method: pnorm of log x
// @accuracy: plnorm.tsv 0.79 eps(1+cond) (host), 0.71 (PoCL), 0.61 (H200)
// @all_depends: Rmath, nmath, dpq, pnorm
// @all_depends_count: 4

// plnorm -- cumulative probability of the log-normal distribution: the normal one at log x, both tails and logs as
// there.

NMATH_FN double plnorm(double x, double meanlog, double sdlog, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(meanlog) || ISNAN(sdlog))
        return x + meanlog + sdlog;
    if (sdlog < 0)
        ML_WARN_return_NAN;
    if (x <= 0)
        return R_DT_0;
    return pnorm5(log(x), meanlog, sdlog, lower_tail, log_p);
}
