// @source_type: c
// @source_origin: pgeom.c
// @provides: pgeom, pgeom_of
// @depends: nmath, dpq, dgeom
// @method: closed form
// @accuracy: pgeom.tsv 0.73 eps(1+cond) (host), 0.76 (PoCL), 0.61 (H200)
// @all_depends: Rmath, nmath, dpq, dgeom
// @all_depends_count: 4

// pgeom -- cumulative probability of the geometric distribution: exp(e) above x, e = (floor(x) + 1) log(1 - p), and
// -expm1(e) below; exp(e) is that of dgeom.cl.

// P(X <= x) or P(X > x) or its log, for a whole number x >= 0
NMATH_FN double pgeom_of(double x, double p, int lower_tail, int log_p)
{
    x += 1.0;
    if (!lower_tail && !log_p)
        return dgeom_power(x, p);
    double e = x * log1p(-p); // -Inf for p = 1
    if (!lower_tail)
        return e;
    return log_p ? R_Log1_Exp(e) : -expm1(e);
}

NMATH_FN double pgeom(double x, double p, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(p))
        return x + p;
    if (p <= 0 || p > 1)
        ML_WARN_return_NAN;
    if (x < 0)
        return R_DT_0;
    return pgeom_of(floor(x + 1e-7), p, lower_tail, log_p);
}
