// @source_type: c
// @source_origin: pgeom.c
// @provides: pgeom
// @depends: nmath, dpq
// @method: closed form
// @accuracy: pgeom.tsv 0.73 eps(1+cond) (host), 0.76 (PoCL), 0.61 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3
// @load_order: 37

// pgeom -- cumulative probability of the geometric distribution: exp(e) above x, e = (floor(x) + 1) log1p(-p), and
// -expm1(e) below.

NMATH_FN double pgeom(double x, double p, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(p))
        return x + p;
    if (p <= 0 || p > 1)
        ML_WARN_return_NAN;
    if (x < 0)
        return R_DT_0;
    double e = (floor(x + 1e-7) + 1.0) * log1p(-p); // -Inf for p = 1
    if (!lower_tail)
        return R_D_exp(e);
    return log_p ? R_Log1_Exp(e) : -expm1(e);
}
