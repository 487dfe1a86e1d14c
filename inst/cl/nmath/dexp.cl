// @source_type: c
// @source_origin: dexp.c
// @provides: dexp
// @depends: nmath, dpq
// @method: closed form
// @accuracy: dexp.tsv 0.89 eps(1+cond) (host), 0.89 (PoCL), 0.89 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3
// @load_order: 26

// dexp -- density of the exponential distribution, exp(-x/scale)/scale for x >= 0. Where exp() leaves the normal range
// its square root is taken, so that a small scale brings the density back with all its bits.

NMATH_FN double dexp(double x, double scale, int give_log)
{
    double t = NMATH_SCALED(x, scale);
    if (!give_log && x >= 0 && t < 690.0 && scale > 0) // t of a tiny negative x is -0
        return NMATH_SCALED(exp(-t), scale);
    if (ISNAN(x) || ISNAN(scale))
        return x + scale;
    if (scale <= 0)
        return ML_NAN;
    if (x < 0)
        return R_D__0;
    if (give_log)
        return -t - log(scale);
    double h = exp(-0.5 * t);
    return h / scale * h;
}
