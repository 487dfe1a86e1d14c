// @source_type: shim
// @source_origin: ranktotal.c
// @provides: rank_log_ratio, rank_total
// @depends: nmath, stirlerr_cycle_free, rankcount
// @method: Stirling's formula with the exponent in double-double
// @accuracy: 2^-60 max(1, log C) in the exponent (host and OpenCL)
// @all_depends: Rmath, nmath, rankcount, stirlerr_cycle_free
// @all_depends_count: 4

// ranktotal -- the number of arrangements that the rank statistics count: C = (m+n)!/(m! n!) or 2^n.
//
// With x! = sqrt(2 pi x) (x/e)^x exp(r(x)) (Stirling's formula; r is stirlerr_cycle_free.cl's),
//     C = exp(m log((m+n)/m) + n log((m+n)/n) + r(m+n) - r(m) - r(n)) sqrt((m+n) / (2 pi m n)).
// Probabilities are exp(e)/C with exponents e of hundreds, so that the exponent here is a sum of two doubles. Below
// m = 4, where r's series for the tail does not reach, C is the product (n+1)/1 (n+2)/2 (n+3)/3.

#ifndef NMATH_RANKTOTAL_CL
#define NMATH_RANKTOTAL_CL

// log(a/b): dd_log_ratio() in one copy, for NVIDIA's compiler
NMATH_HEAVY nmath_dd rank_log_ratio(double a, double b) { return dd_log_ratio(a, b); }

// C = exp(e) f; m >= 4 or n below 2^300
NMATH_HEAVY nmath_dd rank_total(rank_size size, double *f)
{
    nmath_dd e = {0.0, 0.0};
    *f = 1.0;
    if (size.signs) {
        e = dd_two_prod(size.n, M_LN2);
        return dd_fast_two_sum(e.hi, e.lo + size.n * 2.3190468138462996e-17);
    }
    if (size.m < 4.0) {
        NMATH_LOOP
        for (double i = 1.0; i <= size.m; i += 1.0)
            *f *= (size.n + i) / i;
        return e;
    }
    nmath_dd all = dd_two_sum(size.n, size.m);
    double low = all.lo / all.hi, r = stirlerr_tail(all.hi);
    NMATH_LOOP
    for (int i = 0; i < 2; ++i) {
        double x = i ? size.m : size.n;
        nmath_dd l = rank_log_ratio(all.hi, x);
        l = dd_two_sum(l.hi, l.lo + low);
        e = dd_add(dd_mul_d(l, x), e);
        r -= stirlerr_tail(x);
    }
    e.lo += r;
    *f = M_1_SQRT_2PI / sqrt(size.m * (size.n / all.hi));
    return dd_fast_two_sum(e.hi, e.lo);
}

#endif
