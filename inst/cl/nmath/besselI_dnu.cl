// @source_type: shim
// @source_origin: besselI_dnu.c
// @provides: besselI_dnu
// @depends: nmath, cospi, bessel, bessel_hankel, bessel_order, besselI_dnu_table, psi_mean
// @method: Debye's expansion, polynomials in log x and the order, those of K, power series
// @accuracy: derivatives 1.5 eps(1+cond) (host), 1.5 (PoCL)
// @all_depends: Rmath, nmath, besselI_dnu_table, bessel_debye, bessel_order_table, bessel_table_jy, bessel_table_k, cospi, dpq, igamma_table, stirlerr_cycle_free, lgamma, pgamma_dshape_table, pnorm, gamma, igamma, bessel, pgamma_dshape, bessel_hankel, bessel_temme, psi_mean, bessel_order
// @all_depends_count: 22

// besselI_dnu -- the logarithmic derivative of I_nu(x) in the order, nu >= 0. Where x is large beside nu it is small: at
// nu = 0 it is -K_0/I_0, and what comes of a power series would be lost. There the even part of I_nu in nu and the rest are apart,
//
//     E = (I_nu + I_-nu)/2,   I_nu = E - sin(nu pi) K_nu/pi   (DLMF 10.27.2),
//     dI/dnu = dE/dnu - cos(nu pi) K_nu - sin(nu pi)/pi dK/dnu,
//
// both negative where they count. With W = sqrt(x^2 + nu^2):
//
//   W >= 25    Debye's expansion of E, differentiated (bessel_order.cl);
//   else, nu <= 0.12 x, x >= 1    polynomials in log x and (nu/x)^2 for x/nu d log E/dnu (besselI_dnu_table.cl);
//   else       psi_mean.cl.
//
// K and its derivative are the polynomials of bessel_hankel.cl.

// -x/nu d log E/dnu = polynomial, 1 <= x < 25, nu <= 0.12 x
NMATH_FN double besselI_dnu_even(double x, double nu)
{
    double v = nu / x, w = v * v * (1.0 / 0.0072) - 1.0, z = log(x) * (6.0 / 3.2188758248682007); // over log 25
    int i = z < 5.0 ? (int)z : 5;
    double y = 2.0 * (z - i) - 1.0;
    NMATH_CONSTANT const double *rows = besselI_dnu_near + 112 * i;
    double sum = bessel_hankel_row(y, rows + 96, 16);
    for (int k = 5; k >= 0; --k)
        sum = NMATH_FMA(sum, w, bessel_hankel_row(y, rows + 16 * k, 16));
    return -v * sum;
}

// What the rest has for d log I/dnu, given d log E/dnu and sqrt(pi/(2 x)) e^-x/I: K_nu is that times k(nu^2, 1/x) I.
NMATH_FN double besselI_dnu_rest(double x, double nu, double even, double times)
{
    bessel_hankel_point h = bessel_hankel_at(nu, x); // beyond nu = 3/2, where x > 12, some digits count
    bessel_order_pair k = h.interval < 3 ? bessel_order_hankel_sum(bessel_hankel_near_k + 176 * (h.interval + 1), h, nu, 11, 16)
                                         : bessel_order_hankel_sum(bessel_hankel_far_k, h, nu, 7, 9);
    return times * (cospi(nu) * k.at + M_1_PI * sinpi(nu) * (k.rate - even * k.at));
}

NMATH_HEAVY double besselI_dnu(double x, double nu)
{
    if (ISNAN(x) || ISNAN(nu))
        return x + nu;
    if (x < 0 || nu < 0)
        return ML_NAN;
    if (isinf(x))
        return 0.0;
    if (x == 0 || isinf(nu))
        return ML_NEGINF;
    double W = nmath_hypot(x, nu), even, times = 0.0;
    int far = W >= BESSEL_DEBYE, rest = nu < 1e18 * exp(-2.0 * x) * W;
    if (far) {
        bessel_order_modified at = bessel_order_far(x, nu);
        even = at.i;
        rest = rest && nu < 0.5;
        if (rest)
            times = exp(-2.0 * x) * (M_PI * sqrt(W / x)) / (at.sum * exp(nu * (nu / (x + W) - asinh(nu / x))));
    } else if (x >= 1.0 && nu <= 0.12 * x) {
        even = besselI_dnu_even(x, nu);
        if (rest)
            times = BESSEL_SQRT_PI_2 / sqrt(x) * exp(-x) / bessel_power(x, nu, 0.25 * x * x, bessel_power_terms(x));
    } else {
        return psi_mean(x, nu + 1.0, 0.25 * x * x, nmath_hypot(nu + 1.0, x));
    }
    return rest ? even - besselI_dnu_rest(x, nu, even, times) : even;
}
