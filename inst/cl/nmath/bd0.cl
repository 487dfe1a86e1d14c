// @source_type: c
// @source_origin: bd0.c
// @provides: bd0, ebd0
// @depends: nmath
// @method: Loader's deviance through s = (x - np)/(x + np), exponents split; ebd0 the same in double-double
// @accuracy: bd0.tsv 0.62 eps(1+cond) (host), 0.62 (PoCL), 0.62 (H200); ebd0 2^-61 relative
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// bd0 -- the deviance part x log(x/np) + np - x = np D0(x/np), D0(r) = r log r + 1 - r, of the Poisson and binomial
// masses (Loader 2000, "Fast and accurate computation of binomial probabilities").
//
// With x/np = 2^k r, r in [sqrt(1/2), sqrt 2], and s = (r - 1)/(r + 1),
//   log(x/np) = k log 2 + 2 s + 2 t,   t = atanh(s) - s = s w P(w),   w = s^2,
// P of logdd.cl.
// k = 0: 2 x s + np - x = (x - np) s exactly, so bd0 = (x - np) s + 2 x t: no cancellation, however near x and np are.
// k != 0: the terms are of the size of the result and are added as they stand; for x > np as x (log(x/np) - 1) + np,
// which overflows no earlier than the result. ebd0 gives the same as a sum of two doubles, good to 2^-61: a density
// takes exp(-bd0), and half an ulp of bd0 = 700 would cost 256 ulps there.

NMATH_FN double bd0(double x, double np)
{
    if (isnan(x) || isnan(np)) return x + np;
    if (!R_FINITE(x) || !R_FINITE(np) || x < 0.0 || np <= 0.0) return ML_NAN;
    if (x == 0.0) return np;
    double a = x, b = np, k = logdd_balance(&a, &b);
    double s = (a - b) / (a + b), w = s * s, t = s * (w * nmath_poly(w, logdd_atanh, 8));
    if (k == 0.0) return (x - np) * s + x * (2.0 * t);
    double l = k * M_LN2 + 2.0 * (s + t);
    return x > np ? x * (l - 1.0) + np : x * l + (np - x);
}

// bd0(x, M) = *yh + *yl.
NMATH_FN void ebd0(double x, double M, double *yh, double *yl)
{
    *yl = 0.0;
    if (isnan(x) || isnan(M) || x < 0.0 || M < 0.0) {
        *yh = isnan(x) || isnan(M) ? x + M : ML_NAN;
    } else if (x == M) {
        *yh = 0.0;
    } else if (x == 0.0 || M == 0.0 || !R_FINITE(x) || !R_FINITE(M)) {
        *yh = x == 0.0 ? M : ML_POSINF;
    } else {
        logdd_parts p = logdd_split_ratio(x, M);
        nmath_dd u, v;
        if (p.k == 0.0) {
            u = dd_mul_d(p.s, x - M);
            p.t.hi *= 2.0;
            p.t.lo *= 2.0;
            v = dd_mul_d(p.t, x);
        } else {
            u = dd_mul_d(dd_add(logdd_sum(p), dd_two_sum(-1.0, 0.0)), x);
            v = dd_two_sum(M, 0.0);
        }
        u = dd_add(u, v);
        *yh = u.hi;
        if (R_FINITE(u.hi)) *yl = u.lo;
        else *yh = ML_POSINF;
    }
}
