// @source_type: c
// @source_origin: qunif.c
// @provides: qunif
// @depends: nmath, dpq
// @method: linear interpolation from the nearer end
// @accuracy: qunif.tsv 0.29 eps(1+cond) (host), 0.29 (PoCL)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3
// @load_order: 45

// qunif -- quantile of the uniform distribution on [a, b]: a + p (b - a) or b - q (b - a), from the smaller of the
// tails p below and q above, which never leaves the interval. On the log scale the tail at hand is exp(l) and the
// other -expm1(l).

NMATH_FN double qunif(double p, double a, double b, int lower_tail, int log_p)
{
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
    double w = b - a, d = isinf(w) ? (0.5 * b - 0.5 * a) * t * 2.0 : w * t;
    return (lower_tail != 0) != large ? a + d : b - d;
}
