// @source_type: c
// @source_origin: dbinom.c
// @provides: dbinom, dbinom_raw, dbinom_split, pow1p
// @depends: nmath, dpq, pgamma_utils
// @method: saddle-point expansion, both deviances from one exact difference, exponent in double-double where it is steep
// @accuracy: dbinom.tsv 0.95 eps(1+cond) (host), 0.95 (PoCL), 0.72 (H200); pow1p.tsv 0.78 eps(1+cond) (host), 0.78 (PoCL), 0.78 (H200)
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, lgamma, pgamma_utils
// @all_depends_count: 7

// dbinom -- mass of the binomial distribution; pow1p -- (1+x)^y.
//
// Loader (2000), "Fast and accurate computation of binomial probabilities": with y = n - x, q = 1 - p,
//     n!/(x! y!) p^x q^y = sqrt(n / (2 pi x y)) exp(s(n) - s(x) - s(y) - D(x, np) - D(y, nq)),
// s = stirlerr, D(x, m) = x log(x/m) + m - x. Both deviances come from d = np - x = y - nq, which one fma gives to full
// relative precision from the smaller of p and q (the other is rounded):
//     D(x, np) = D(x, x + d),   D(y, nq) = D(y, y - d),   see dpois.cl.
// Nothing cancels, so the log of the mass is as good as the mass. x and p change places with y and q if x < np: then
// d <= 0, and only D(x, np) can be steep. Where np < 0.4 x its log is kept as hi + lo, because the condition number counts
// p alone, about x, and the exponent may be hundreds of times that.

NMATH_FN double pow1p(double x, double y)
{
    if (y == 0 || x == 0)
        return 1.0;
    if (ISNAN(x) || ISNAN(y))
        return x + y;
    if (y == 1)
        return 1.0 + x;
    if (y == 2)
        return 1.0 + x * (2.0 + x);
    double l = y * log1p(x);
    if (x < -1.0) { // a negative base: only whole powers are real, and infinite ones count as even
        if (y != rint(y))
            return ML_NAN;
        double v = x == -2.0 ? 1.0 : exp(y * log(-1.0 - x));
        return fmod(y, 2.0) != 0 && !isinf(y) ? -v : v;
    }
    return exp(l);
}

// The mass for real x, y >= 0, n = x + y > 0 finite, p, q > 0. Of x and y one may be lost in n, of p and q one in 1.
NMATH_HEAVY double dbinom_split(double x, double y, double n, double p, double q, int log_p)
{
    double d = p <= q ? fma(n, p, -x) : -fma(n, q, -y);
    if (d > 0 || x == 0) {
        double t = x; x = y; y = t;
        t = p; p = q; q = t;
        d = -d;
    }

    // log(p^n) if y = 0 (where d = -qn), else -D(x, np); in hi + lo if p or np/x is below 0.4
    nmath_dd e;
    e.lo = 0.0;
    if (d < (x < NMATH_RANGE(1e300, 1e34) ? -0.6 : -0.99) * x) { // beyond 1e300 hi may overflow before lo is added
        double m = y == 0 ? 1.0 : n;
        int tiny = m * p < NMATH_RANGE(1e-290, 1e-28);
        m *= tiny ? p * NMATH_RANGE(0x1p+600, 0x1p+60) : p;
        e = pgamma_log_power(x, m > NMATH_RANGE(1e-300, 1e-34) ? m : NMATH_RANGE(1e-300, 1e-34), y == 0 ? 1.0 : x, tiny ? -NMATH_RANGE(600, 60) : 0);
        if (y != 0) {
            nmath_dd s = dd_two_sum(e.hi, -d);
            e = dd_normal(s.hi, NMATH_REST(s.lo) + NMATH_REST(e.lo));
        }
    } else {
        e.hi = y == 0 ? x * log1p(-q) : pgamma_deviance(x, d);
    }
    if (y == 0) {
        e = pgamma_finite(e);
        return log_p ? e.hi + e.lo : dd_exp(e);
    }

    double wn, wx, wy, f = pgamma_deviance(y, -d);
    f += pgamma_stirling(n, &wn) - pgamma_stirling(x, &wx) - pgamma_stirling(y, &wy);
    wx = wx < wy ? wx * (wy / wn) : wy * (wx / wn);
    nmath_dd s = dd_two_sum(e.hi, f);
    e = pgamma_finite(dd_normal(s.hi, NMATH_REST(s.lo) + NMATH_REST(e.lo)));
    if (log_p)
        return e.hi + (e.lo - pgamma_log_sqrt(wx));
    return dd_exp(e) * (M_1_SQRT_2PI / sqrt(wx));
}

// The mass without checks: any real 0 <= x <= n, p + q = 1 with q given apart.
NMATH_FN double dbinom_raw(double x, double n, double p, double q, int log_p)
{
    if (ISNAN(x) || ISNAN(n) || ISNAN(p) || ISNAN(q))
        return x + n + p + q;
    if (p == 0)
        return x == 0 ? R_D__1 : R_D__0;
    if (q == 0)
        return x == n ? R_D__1 : R_D__0;
    if (x < 0 || x > n)
        return R_D__0;
    if (n == 0)
        return R_D__1;
    if (isinf(n))
        return x == 0 || x == n ? R_D__0 : ML_NAN;
    return dbinom_split(x, n - x, n, p, q, log_p);
}

NMATH_FN double dbinom(double x, double n, double p, int log_p)
{
    if (ISNAN(x) || ISNAN(n) || ISNAN(p))
        return x + n + p;
    double k = R_forceint(x), m = R_forceint(n); // whole numbers, nearly always: then skip the finer test
    if (p < 0 || p > 1 || n < 0 || (n != m && R_nonint(n)))
        return ML_NAN;
    if (x < 0 || isinf(x) || (x != k && R_nonint(x)))
        return R_D__0;
    if (m == 1.0 && k <= 1.0 && p > 0 && p < 1) { // one trial: p or 1 - p, whose logarithm takes in what 1 - p lost
        double q = 1.0 - p, lost = k == 0 ? (1.0 - q) - p : 0.0;
        double v = k == 0 ? q : p;
        return log_p ? log(v) + lost : v;
    }
    return dbinom_raw(k, m, p, 1.0 - p, log_p);
}
