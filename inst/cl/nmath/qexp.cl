// @source_type: c
// @source_origin: qexp.c
// @provides: qexp, qexp_rate
// @depends: nmath, dpq
// @method: closed form
// @accuracy: qexp.tsv 0.42 eps(1+cond) (host), 0.42 (PoCL), 0.45 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// qexp -- quantile of the exponential distribution, -scale log(upper tail). Where the lower tail is tiny it is the
// quantile, but for scale: taken as it is given, since a subnormal p has no bits to lose before scale is applied.

NMATH_FN double qexp(double p, double scale, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(scale))
        return p + scale;
    if (scale < 0)
        return ML_NAN;
    R_Q_P01_check(p);
    if (p == R_DT_0)
        return 0.0;
    if (lower_tail && log_p && p < -40.0) {
        double h = exp(0.5 * p);
        return h * scale * h;
    }
    if (lower_tail && !log_p && p < 1e-17)
        return scale * p;
    return -scale * R_DT_Clog(p);
}

// The same from the rate: see dexp_rate.
NMATH_FN double qexp_rate(double p, double rate, int lower_tail, int log_p)
{
    if (rate < 0)
        return ML_NAN; // also -Inf, whose scale is -0
    int tiny = rate > 0 && rate < NMATH_DBL_MIN;
    double q = qexp(p, tiny ? 1.0 / NMATH_LIFT / rate : 1.0 / rate, lower_tail, log_p);
    return tiny ? q * NMATH_LIFT : q;
}
