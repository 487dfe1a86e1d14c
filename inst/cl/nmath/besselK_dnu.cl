// @source_type: shim
// @source_origin: besselK_dnu.c
// @provides: besselK_dnu
// @depends: nmath, bessel, bessel_order
// @method: Debye's expansion; the trapezoidal rule for the integral form, positive throughout
// @accuracy: derivatives 3.2 eps(1+cond) (host), 3.4 (PoCL)
// @all_depends: Rmath, nmath, bessel_debye, bessel_order_table, bessel_table_jy, bessel_table_k, cospi, stirlerr_cycle_free, lgamma, gamma, bessel, bessel_hankel, bessel_temme, bessel_order
// @all_depends_count: 14

// besselK_dnu -- the logarithmic derivative of K_nu(x) in the order. From (DLMF 10.32.9)
//     K_nu(x) = int_0^inf exp(-x cosh t) cosh(nu t) dt,   dK_nu(x)/dnu = int_0^inf exp(-x cosh t) t sinh(nu t) dt
// it is the mean of t tanh(nu t), for which nothing cancels, and both integrands are even and decay as exp(-x e^t/2),
// so that the trapezoidal rule converges exponentially: with s = sqrt(x^2 + nu^2) the peak is about 1/sqrt(s) wide, and
// the strip of analyticity that counts pi/2.
//
// Where the peak, at t0 = asinh(nu/x), is far from 0, the same mean is that of t over the whole line with the weights
//     exp(nu t - x cosh t) = exp(nu t0 - s) exp(-s (cosh u - 1) - nu (sinh u - u)),   t = t0 + u,
// and the nodes are at t0 + k h. Else they are at k h, where tanh(nu k h) and exp(k h/2) come by recurrence. Steps go
// on until a term no longer counts; there are 3400 at x = 1e-308, 60 where x is not tiny.
//
// From hypot(x, nu) = 25 on Debye's expansion is differentiated (bessel_order.cl).

#define BESSELK_DNU_STEPS 4000

// Far to the left both terms are huge and all but cancel: there it is with s - nu = x^2/(s + nu)
//     x^2/(s + nu) (cosh u - 1) + nu (e^u - 1 - u).
NMATH_FN double besselK_dnu_weight(double x, double nu, double s, double u)
{
    if (u < -2.0) {
        double c = x * sinh(0.5 * u);
        return exp(-2.0 * c * (c / (s + nu)) - nu * (expm1(u) - u));
    }
    double v = sinh(0.5 * u), w = u * u, r = 1.0 / 362880 + w * (1.0 / 39916800 + w * (1.0 / 6227020800.0));
    r = fabs(u) < 0.5 ? u * w * (1.0 / 6 + w * (1.0 / 120 + w * (1.0 / 5040 + w * r))) : sinh(u) - u; // sinh u - u
    return exp(-2.0 * s * (v * v) - nu * r);
}

NMATH_HEAVY double besselK_dnu(double x, double nu)
{
    if (ISNAN(x) || ISNAN(nu))
        return x + nu;
    if (x < 0)
        return ML_NAN;
    nu = fabs(nu);
    if (nu == 0 || isinf(x))
        return 0.0;
    if (x == 0 || isinf(nu))
        return ML_POSINF;
    if (BESSEL_FAR(x, nu))
        return bessel_order_far(x, nu).k;
    double s = nmath_hypot(x, nu), q = nu / x, t0 = q < NMATH_RANGE(1e150, 1e17) ? asinh(q) : log(nu) - log(x) + M_LN2;
    double h = 0.5 / sqrt(s + 6.0), num = 0.0, den = 0.0;
    if (nu * t0 - nu * nu / (s + x) > 45.0) {
        double w = 1.0;
        for (int k = 1; k < BESSELK_DNU_STEPS && w > 1e-19; ++k) {
            w = besselK_dnu_weight(x, nu, s, k * h);
            num += k * h * w;
            den += w;
        }
        w = 1.0;
        for (int k = 1; k < BESSELK_DNU_STEPS && w > 1e-19; ++k) {
            w = besselK_dnu_weight(x, nu, s, -k * h);
            num -= k * h * w;
            den += w;
        }
        return t0 + num / (1.0 + den);
    }
    double step = exp(0.5 * h), e = 1.0, tau = tanh(nu * h), th = 0.0, fall = exp(-2.0 * nu * h), f = 1.0;
    double sum = 1.0, w = 1.0;
    den = 0.5;
    for (int k = 1; k < BESSELK_DNU_STEPS && (w > 1e-19 * sum || k * h < t0); ++k) {
        double t = k * h;
        e *= step;
        th = (th + tau) / (1.0 + th * tau);
        f *= fall;
        double v = t < 0.5 ? sinh(0.5 * t) : 0.5 * (e - 1.0 / e);
        w = exp(nu * t - 2.0 * x * (v * v)) * (0.5 + 0.5 * f);
        den += w;
        num += w * (t * th);
        sum = den;
        w *= 1.0 + t;
    }
    return num / den;
}

#undef BESSELK_DNU_STEPS
