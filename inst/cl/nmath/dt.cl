// @source_type: c
// @source_origin: dt.c
// @provides: dt
// @depends: nmath, dpq, dgamma, dnorm, ibeta_mass, pgamma_utils
// @method: Stirling's formula for the constant, logarithm of 1 + t^2/df in double-double where it is steep
// @accuracy: dt.tsv 1.4 eps(1+cond) (host), 1.4 (PoCL), 1.4 (H200)
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, dnorm, lgamma, pgamma_utils, dpois, dgamma, ibeta_mass
// @all_depends_count: 11

// dt -- density of Student's t distribution with 2 a degrees of freedom,
//     C (1 + t^2/(2 a))^-(a + 1/2),   C = Gamma(a + 1/2) / (sqrt(2 pi a) Gamma(a)).
// With a! = sqrt(2 pi w) (a/e)^a e^r, see dpois.cl, and s = Stirling's error at a + 1/2
//     sqrt(2 pi) C = sqrt(a/w) exp(a log(1 + 1/(2 a)) - 1/2 + s - r).

NMATH_FN double dt(double x, double n, int log_p)
{
    if (ISNAN(x) || ISNAN(n))
        return x + n;
    if (n <= 0)
        return ML_NAN;
    if (isinf(x))
        return R_D__0;
    if (isinf(n))
        return dnorm4(x, 0.0, 1.0, log_p);

    int small = n < NMATH_RANGE(1e-290, 1e-28); // a counts no more; the root of n gets a factor of 2^-100, so that it keeps its digits
    double a = small ? NMATH_RANGE(1e-290, 1e-28) : 0.5 * n, w, w1, u = (x / n) * x;
    double c = a * log1p(0.5 / a) - 0.5 + (pgamma_stirling(a + 0.5, &w1) - pgamma_stirling(a, &w));
    w = (small ? n * NMATH_LIFT : n) * (0.5 / w);
    nmath_dd e;
    e.lo = 0.0;
    if (u < 0.5) {
        e.hi = -(a + 0.5) * log1p(u);
    } else { // a + 1/2 may have lost the end of a, which counts here
        ibeta_point o = ibeta_odds(x, x, n);
        e = dd_log_ratio(o.y, 1.0);
        if (o.k != 0)
            e = ibeta_shift(e, o.k);
        nmath_dd h = e;
        h.hi *= 0.5;
        h.lo *= 0.5;
        e = dd_add(dd_mul_d(e, a), h);
    }
    nmath_dd q = dd_two_sum(e.hi, c);
    e = pgamma_finite(ibeta_shift(dd_fast_two_sum(q.hi, q.lo + e.lo), small ? -NMATH_LIFT_BITS / 2 : 0));
    if (log_p)
        return e.hi + (e.lo + (0.5 * log(w) - M_LN_SQRT_2PI));
    return dgamma_scaled(e, M_1_SQRT_2PI * sqrt(w), 1.0);
}
