// @source_type: c
// @source_origin: dgeom.c
// @provides: dgeom
// @depends: nmath, dpq
// @method: closed form
// @accuracy: dgeom.tsv 0.88 eps(1+cond) (host), 0.69 (PoCL), 0.72 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3
// @load_order: 26

// dgeom -- mass of the geometric distribution, p (1 - p)^x = p exp(x log1p(-p)); the log directly. The condition
// number in p allows for the exponent: x p/(1 - p) exceeds it.

NMATH_FN double dgeom(double x, double p, int give_log)
{
    if (ISNAN(x) || ISNAN(p))
        return x + p;
    if (p <= 0 || p > 1)
        ML_WARN_return_NAN;
    double k = R_forceint(x);
    if (x < 0 || isinf(x) || (x != k && R_nonint(x)))
        return R_D__0;
    double e = k == 0 ? 0.0 : k * log1p(-p);
    return give_log ? e + log(p) : p * exp(e);
}
