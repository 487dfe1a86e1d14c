// @source_type: c
// @source_origin: bessel_y.c
// @provides: bessel_y, bessel_y_ex
// @depends: nmath, bessel_jy
// @method: see bessel_jy
// @accuracy: besselY.tsv 1.8 eps(1+cond) (host), 1.8 (PoCL), 0.89 (H200)
// @all_depends: Rmath, nmath, bessel_debye, bessel_exponent, bessel_table_jy, bessel_table_k, cospi, stirlerr_cycle_free, lgamma, gamma, bessel, bessel_airy, bessel_hankel, bessel_temme, bessel_jy
// @all_depends_count: 15

// bessel_y -- the Bessel function Y of order alpha, of the second kind.

// Of order n + 1/2: from orders -1/2 and 1/2, sine and cosine over sqrt(pi x/2) (A&S 10.1.12), by the
// recurrence of bessel_jy.cl, here with a quotient for each step, which costs less than a reciprocal in two parts.
NMATH_FN double bessel_y_half(double x, int n)
{
    double root = M_SQRT_2dPI / sqrt(x), next = -root * cos(x);
    if (n == 0)
        return next;
    double at = root * sin(x);
    for (int k = 0; k < n; ++k) {
        double f = (double)(2 * k + 1) * next / x;
        f = isinf(f) ? f : f - at;
        at = next;
        next = f;
    }
    return next;
}

NMATH_FN double bessel_y(double x, double alpha)
{
    if (alpha > 0.0 && alpha < BESSEL_FEW_HALF && x > 0.0 && x <= NMATH_DBL_MAX && alpha - (double)(int)alpha == 0.5)
        return bessel_y_half(x, (int)alpha);
    return bessel_jy_real(x, alpha, BESSEL_WANT_Y);
}

// `by`, the work array of Mathlib's version, is not needed.
NMATH_FN double bessel_y_ex(double x, double alpha, double *by)
{
    R_UNUSED(by);
    return bessel_y(x, alpha);
}
