// @source_type: c
// @source_origin: qunif.c
// @provides: qunif
// @depends: nmath, dpq
// @method: linear interpolation
// @accuracy: qunif.tsv 0.45 eps(1+cond) (host), 0.45 (PoCL), 0.45 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// qunif -- quantile of the uniform distribution on [a, b]: a + p (b - a) below, b - p (b - a) above, held in the interval,
// which a rounding could leave. On the log scale the smaller of the tails exp(l) and -expm1(l), from its own end.

NMATH_FN double qunif(double p, double a, double b, int lower_tail, int log_p)
{
    double w = b - a;
    if (!log_p && p >= 0 && p <= 1 && w > 0 && w <= NMATH_DBL_MAX) {
        double x = lower_tail ? a + p * w : b - p * w;
        x = x < b ? x : b;
        return x >= a ? x : a; // of two zeros x, as in R
    }
    if (ISNAN(p) || ISNAN(a) || ISNAN(b))
        return p + a + b;
    R_Q_P01_check(p);
    if (b < a || isinf(a) || isinf(b))
        ML_WARN_return_NAN;
    if (b == a)
        return a;
    double t; // the smaller tail
    int large = p > R_D_half;
    if (log_p)
        t = large ? -expm1(p) : exp(p);
    else
        t = large ? 1.0 - p : p;
    double d = isinf(w) ? (0.5 * b - 0.5 * a) * t * 2.0 : w * t;
    return (lower_tail != 0) != large ? a + d : b - d;
}
