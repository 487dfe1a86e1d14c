// @source_type: c
// @source_origin: qweibull.c
// @provides: qweibull
// @depends: nmath, dpq
// @method: closed form in log(-log(tail))
// @accuracy: qweibull.tsv 0.48 eps(1+cond) (host), 0.48 (PoCL), 0.48 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// qweibull -- quantile of the Weibull distribution, scale t^(1/shape) with t = -log(upper tail). From a lower tail P,
// t = -log1p(-P); on the log scale, with l = log P, t = -log(1 - exp(l)), which is exp(l) itself to the last bit for
// l < -37: its logarithm l does not underflow.

NMATH_FN double qweibull(double p, double shape, double scale, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(shape) || ISNAN(scale))
        return p + shape + scale;
    if (shape <= 0 || scale <= 0)
        ML_WARN_return_NAN;
    R_Q_P01_boundaries(p, 0.0, ML_POSINF);
    double t;
    if (log_p)
        t = lower_tail ? -R_Log1_Exp(p) : -p;
    else
        t = lower_tail ? (p < 1e-17 ? p : -log1p(-p)) : -log(p); // a builtin log1p may lose bits of a subnormal p
    double e = (log_p && lower_tail && p < -37.0 ? p : log(t)) / shape;
    if (fabs(e) < NMATH_RANGE(700.0, 80.0))
        return scale * exp(e);
    double h = exp(0.5 * e); // the power may leave the range of doubles, and scale bring it back
    return scale * h * h;
}
