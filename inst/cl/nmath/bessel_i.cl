// @source_type: c
// @source_origin: bessel_i.c
// @provides: bessel_i, bessel_i_ex, bessel_i_positive
// @depends: nmath, cospi, bessel, bessel_debye, bessel_exponent, bessel_k
// @method: power series, Debye expansion
// @accuracy: besselI.tsv 2.2 eps(1+cond) (host), 2.2 (PoCL), 2.2 (H200)
// @all_depends: Rmath, nmath, bessel_debye, bessel_exponent, bessel_table_jy, bessel_table_k, cospi, stirlerr_cycle_free, lgamma, gamma, bessel, bessel_hankel, bessel_temme, bessel_k
// @all_depends_count: 14

// bessel_i -- the modified Bessel function I of order alpha, exp(-x) I if expo is not 1.
//
// I_{-nu} = I_nu + (2/pi) sin(nu pi) K_nu (A&S 9.6.2).

// exp(-x) I_nu(x) if scaled, for 0 < x < Inf, 0 <= nu < Inf.
NMATH_HEAVY double bessel_i_positive(double x, double nu, int scaled)
{
    if (BESSEL_FAR(x, nu)) {
        bessel_exponent b = bessel_exponent_at(x, nu, scaled);
        double t = 1.0 / b.root, w = nu * t;
        bessel_debye f = bessel_debye_sums(t, t * t, w * w, b.root);
        return bessel_debye_times_exp(M_1_SQRT_2PI / sqrt(b.root) * (f.even + f.odd), b.e);
    }
    // The rounding of x^2 enters all terms alike, I about (hypot(x, nu + 1) - nu - 1)/2 times.
    nmath_dd square = dd_square(x);
    square = dd_fast_two_sum(square.hi, square.lo);
    double order = nu + 1.0, v = bessel_power(x, nu, 0.25 * square.hi, bessel_power_terms(x));
    if (x > 1.0) v += v * (square.lo / square.hi) * (0.5 * square.hi / (sqrt(square.hi + order * order) + order));
    return scaled ? v * exp(-x) : v;
}

NMATH_FN double bessel_i(double x, double alpha, double expo)
{
    if (ISNAN(x) || ISNAN(alpha) || ISNAN(expo)) return x + alpha + expo;
    double nu = fabs(alpha);
    if (x < 0.0 || (isinf(nu) && (alpha < 0.0 || isinf(x)))) ML_WARN_return_NAN;
    int scaled = expo != 1.0;
    double v = x == 0.0 ? (nu == 0.0 ? 1.0 : 0.0) : isinf(nu) ? 0.0 : isinf(x) ? (scaled ? 0.0 : ML_POSINF)
        : bessel_i_positive(x, nu, scaled);
    double s = alpha < 0.0 ? sinpi(nu) : 0.0;
    if (s == 0.0 || isinf(x)) return v;
    double k = x == 0.0 ? ML_POSINF : bessel_k_positive(x, nu, scaled ? -1 : 0);
    return v + M_2_PI * s * k;
}

// `bi`, the work array of Mathlib's version, is not needed.
NMATH_FN double bessel_i_ex(double x, double alpha, double expo, double *bi)
{
    R_UNUSED(bi);
    return bessel_i(x, alpha, expo);
}
