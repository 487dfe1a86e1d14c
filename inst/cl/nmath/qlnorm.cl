// @source_type: c
// @source_origin: qlnorm.c
// @provides: qlnorm
// @depends: nmath, dpq, dd, qnorm
// @method: exp of the normal quantile, whose exponent keeps the rounding errors of product and sum
// @accuracy: TODO
// @all_depends: Rmath, nmath, dd, dpq, pnorm, qnorm
// @all_depends_count: 6
// @load_order: 58

// qlnorm -- quantile of the log-normal distribution, exp(meanlog + sdlog z) with the standard normal quantile z. An
// exponent of hundreds, rounded, would cost hundreds of ulps: product and sum are kept as hi + lo.

NMATH_FN double qlnorm(double p, double meanlog, double sdlog, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(meanlog) || ISNAN(sdlog))
        return p + meanlog + sdlog;
    R_Q_P01_boundaries(p, 0.0, ML_POSINF);
    if (sdlog < 0)
        ML_WARN_return_NAN;
    double z = sdlog == 0 ? 0.0 : qnorm(p, 0.0, 1.0, lower_tail, log_p);
    dd e = dd_two_prod(sdlog, z), s = dd_two_sum(meanlog, e.hi);
    if (!(fabs(s.hi) < 800.0))
        return exp(s.hi);
    return dd_exp(dd_fast_two_sum(s.hi, s.lo + e.lo));
}
