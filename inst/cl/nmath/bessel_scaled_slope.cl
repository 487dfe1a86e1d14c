// @source_type: shim
// @source_origin: bessel_scaled_slope.c
// @provides: bessel_scaled_slope
// @depends: nmath
// @method: quotient of Hankel's asymptotic series and its derivative
// @accuracy: 4 eps(1+cond) for x > 30 and nu^2 < 2 x, for K for nu^2 < 8 x
// @all_depends: Rmath, nmath
// @all_depends_count: 2
// @load_order: 7

// bessel_scaled_slope -- the derivative of log(exp(x) K_nu(x)), sign = 1, or of log(exp(-x) I_nu(x)), sign = -1, for large x.
// The recurrences of K and I lose 2 x units there, since the exponentials that are scaled away differ by little from what is
// left. With (Abramowitz & Stegun 9.7.1, 9.7.2)
//     sqrt(x) times the function ~ S = sum_k sign^k a_k x^-k,  a_k = a_(k-1) (4 nu^2 - (2 k - 1)^2)/(8 k),
// the derivative of the logarithm is -(1/2 + sum_k k sign^k a_k x^-k / S)/x.

NMATH_FN double bessel_scaled_slope(double x, double nu, double sign)
{
    double mu = 4.0 * nu * nu, t = 1.0, s = 1.0, d = 0.0;
    for (int k = 1; k <= 60; ++k) {
        double odd = 2.0 * k - 1.0;
        t *= sign * (mu - odd * odd) / (8.0 * k * x);
        s += t;
        d += k * t;
        if (fabs(t) * k < 1e-17)
            break;
    }
    return -(0.5 + d / s) / x;
}
