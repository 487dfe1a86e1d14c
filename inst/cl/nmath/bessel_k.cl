// @source_type: c
// @source_origin: bessel_k.c
// @provides: bessel_k, bessel_k_ex, bessel_k_positive, bessel_exponent_at
// @depends: nmath, bessel, bessel_debye, bessel_exponent, bessel_temme, bessel_hankel
// @method: see bessel: Debye expansion, Temme series, fitted polynomials, recurrence in nu
// @accuracy: besselK.tsv 2.2 eps(1+cond) (host), 2.2 (PoCL), 2.2 (H200)
// @all_depends: Rmath, nmath, bessel_debye, bessel_exponent, bessel_table_jy, bessel_table_k, cospi, stirlerr_cycle_free, lgamma, gamma, bessel, bessel_hankel, bessel_temme
// @all_depends_count: 13

// bessel_k -- the modified Bessel function K of order alpha, exp(x) K if expo is not 1.
//
// K is even in its order (A&S 9.6.6). Debye's expansion, with r = hypot(nu, x):
//   K_nu(x) = sqrt(pi/(2 r)) e^-E (even - odd),  I_nu(x) = sqrt(1/(2 pi r)) e^E (even + odd),  E = r - nu asinh(nu/x).
// The recurrence K_{k+1} = 2 k/x K_k + K_{k-1} (A&S 9.6.26) has positive terms.

// r and E - times x for times = -1, 0 or 1. The absolute error of E is the relative one of the functions: where E - x =
// nu^2/(r + x) - nu asinh(nu/x) is small, x itself stays apart; else E is computed in double-double.
NMATH_FN bessel_exponent bessel_exponent_at(double x, double nu, int times)
{
    if (!(nu * nu < 2.0 * x) && BESSEL_NEAR(x, nu))
        return bessel_near_log(x, nu, BESSEL_HYPERBOLIC, times);
    if (!(nu * nu < 2.0 * x))
        return bessel_debye_exponent(x, nu, BESSEL_HYPERBOLIC, times);
    bessel_exponent b;
    b.root = nmath_hypot(x, nu);
    double d = nu * (0.5 * nu / (0.5 * b.root + 0.5 * x));
    b.e = dd_two_sum(times == 1 ? 0.0 : times == 0 ? x : fmin(2.0 * x, NMATH_RANGE(1e300, 1e34)), d - nu * log1p((nu + d) / x));
    return b;
}

// exp(times x) K_nu(x), times = -1, 0 or 1, for 0 < x < Inf, 0 <= nu < Inf.
NMATH_HEAVY double bessel_k_positive(double x, double nu, int times)
{
    if (times == 0 && x - 0.5 * nu * (nu / x) > 750.0) return 0.0; // a lower bound of E
    if (nu >= BESSEL_FEW && BESSEL_FAR(x, nu)) {
        bessel_exponent b = bessel_exponent_at(x, nu, times);
        double t = 1.0 / b.root, w = nu * t;
        bessel_debye f = bessel_debye_sums(t, t * t, w * w, b.root);
        b.e.hi = -b.e.hi;
        b.e.lo = -b.e.lo;
        return bessel_debye_times_exp(BESSEL_SQRT_PI_2 / sqrt(b.root) * (f.even - f.odd), b.e);
    }
    int n = (int)R_forceint(nu);
    double mu = nu - (double)n, step = 2.0 / x, rest = bessel_step_rest(x, step), e = 1.0;
    bessel_pair k;
    int series = x < BESSEL_SMALL_K && fabs(mu) != 0.5;
    if (series) {
        k = bessel_temme(mu, x, 0);
        if (times != 0) e = exp(times > 0 ? x : -x);
    } else {
        k = bessel_hankel_k(mu, x);
        e = BESSEL_SQRT_PI_2 / sqrt(x);
    }
    double low = k.at, high = k.next;
    for (int j = 1; j <= n; ++j) {
        double m = mu + (double)j, next = (m * step) * high;
        if (!isinf(next))
            next += (m * rest) * high + low;
        low = high;
        high = next;
    }
    low *= e;
    if (series || times == 1) return low;
    nmath_dd times_x = {times == 0 ? -x : -2.0 * x, 0.0};
    return bessel_debye_times_exp(low, times_x);
}

NMATH_FN double bessel_k(double x, double alpha, double expo)
{
    if (ISNAN(x) || ISNAN(alpha) || ISNAN(expo)) return x + alpha + expo;
    if (x < 0.0) ML_WARN_return_NAN;
    double nu = fabs(alpha);
    if (x == 0.0 || isinf(nu)) return isinf(x) ? ML_NAN : ML_POSINF;
    if (isinf(x)) return 0.0;
    return bessel_k_positive(x, nu, expo != 1.0);
}

// `bk`, the work array of Mathlib's version, is not needed.
NMATH_FN double bessel_k_ex(double x, double alpha, double expo, double *bk)
{
    R_UNUSED(bk);
    return bessel_k(x, alpha, expo);
}
