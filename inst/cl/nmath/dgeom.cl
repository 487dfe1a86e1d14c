// @source_type: c
// @source_origin: dgeom.c
// @provides: dgeom, dgeom_exponent
// @depends: nmath, dpq, dd, logdd
// @method: closed form, its exponent in double-double where it is steep
// @accuracy: dgeom.tsv 0.72 eps(1+cond) (host), 0.67 (PoCL), 0.72 (H200)
// @all_depends: Rmath, nmath, dd, dpq, poly, logdd
// @all_depends_count: 6
// @load_order: 54

// dgeom -- mass of the geometric distribution, p (1 - p)^x = p exp(x log(1 - p)). An exponent of -700 rounded to a double
// costs 500 eps; the condition number, x p/(1 - p), allows that, but R's rounding of log(1 - p) costs nothing where
// 1 - p is a power of 2. So below -5 the exponent is kept as hi + lo, and the mass is good to 2 eps there, to 5 eps everywhere.

// x log(1 - p) as hi + lo, 0 < p <= 1, x >= 0. With 1 - p = h + l exactly,
//     log(1 - p) = log h + log(1 + l/h),   log(1 + l/h) = l + (l (1 - h)/h - l^2/2) but for 2^-160.
NMATH_FN dd dgeom_exponent(double x, double p)
{
    dd e;
    e.hi = x == 0 ? 0.0 : x * log1p(-p);
    e.lo = 0.0;
    if (e.hi < -5.0 && e.hi > -1e5 && p < 1) {
        dd q = dd_two_sum(1.0, -p), l;
        l.hi = q.lo;
        l.lo = q.lo * ((1.0 - q.hi) / q.hi - 0.5 * q.lo);
        e = dd_mul_d(dd_add(dd_log(q.hi), l), x);
    }
    return e;
}

NMATH_FN double dgeom(double x, double p, int give_log)
{
    if (ISNAN(x) || ISNAN(p))
        return x + p;
    if (p <= 0 || p > 1)
        ML_WARN_return_NAN;
    double k = R_forceint(x);
    if (x < 0 || isinf(x) || (x != k && R_nonint(x)))
        return R_D__0;
    dd e = dgeom_exponent(k, p);
    return give_log ? e.hi + (e.lo + log(p)) : p * dd_exp(e);
}
