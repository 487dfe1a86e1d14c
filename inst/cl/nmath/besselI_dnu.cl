// @source_type: shim
// @source_origin: besselI_dnu.c
// @provides: besselI_dnu
// @depends: nmath, cospi, bessel, bessel_order, psi_mean
// @method: Debye's expansion, Gauss-Legendre quadrature, power series
// @accuracy: derivatives 1.7 eps(1+cond) (host)
// @all_depends: Rmath, nmath, bessel_debye, bessel_order_table, bessel_table_jy, bessel_table_k, cospi, dpq, igamma_table, stirlerr_cycle_free, lgamma, pgamma_dshape_table, pnorm, gamma, igamma, bessel, pgamma_dshape, bessel_hankel, bessel_temme, psi_mean, bessel_order
// @all_depends_count: 21

// besselI_dnu -- the logarithmic derivative of I_nu(x) in the order, nu >= 0. Where x is large beside nu it is small: at
// nu = 0 it is -K_0/I_0, and what comes of a power series would be lost. With W = sqrt(x^2 + nu^2):
//
//   W >= 25    Debye's expansion, differentiated (bessel_order.cl), even in nu but for its exponent; it is the integral E over one of the
//       saddle points, of which I_nu is E - sin(nu pi) K_nu/pi, and the derivative of the rest is
//           - int_0^inf exp(-x cosh t) (cos(nu pi) cosh(nu t) + t sin(nu pi) sinh(nu t)/pi) dt,
//       which counts where nu is next to 0.
//   else, nu <= 0.12 x, x >= 1    Schlaefli's integral (DLMF 10.32.4), differentiated:
//           dI/dnu = -1/pi int_0^pi exp(x cos t) t sin(nu t) dt
//                    - int_0^inf exp(-x cosh t - nu t) (cos(nu pi) - t sin(nu pi)/pi) dt.
//   else       psi_mean.cl.

// Nodes and weights of the Gauss-Legendre rule with 32 nodes (DLMF 3.5.15), a half of each
NMATH_TABLE double besselI_dnu_node[16] = {
    0.997263861849481564, 0.985611511545268335, 0.964762255587506431, 0.934906075937739689, 0.896321155766052124,
    0.84936761373256997, 0.794483795967942407, 0.73218211874028968, 0.663044266930215201, 0.587715757240762329,
    0.50689990893222939, 0.421351276130635345, 0.33186860228212765, 0.239287362252137075, 0.144471961582796493,
    0.0483076656877383162
};
NMATH_TABLE double besselI_dnu_weight[16] = {
    0.0070186100094700966, 0.0162743947309056706, 0.0253920653092620595, 0.0342738629130214331, 0.0428358980222266807,
    0.0509980592623761762, 0.0586840934785355471, 0.0658222227763618468, 0.0723457941088485062, 0.0781938957870703065,
    0.0833119242269467552, 0.0876520930044038111, 0.0911738786957638847, 0.0938443990808045656, 0.0956387200792748594,
    0.0965400885147278006
};

// int exp(-x (cosh t - 1)) (cos(nu pi) - t sin(nu pi)/pi) e^(-nu t), or, if `even`, of what is even in nu of that, and in
// *value int exp(-x (cosh t - 1) - nu t)
NMATH_FN double besselI_dnu_tail(double x, double nu, int even, double *value)
{
    double top = 44.0 / x, radius = 0.5 * log1p(top + sqrt(top * (2.0 + top))), c = cospi(nu), s = M_1_PI * sinpi(nu);
    double v = 0.0, r = 0.0;
    for (int i = 0; i < 32; ++i) {
        double n = besselI_dnu_node[i >> 1], t = radius * (1.0 + (i & 1 ? -n : n)), h = sinh(0.5 * t);
        double w = besselI_dnu_weight[i >> 1] * exp(-2.0 * x * h * h), e = exp(-nu * t);
        v += w * e;
        r += w * (even ? c * cosh(nu * t) + t * s * sinh(nu * t) : (c - t * s) * e);
    }
    *value = radius * v;
    return radius * r;
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
    double W = nmath_hypot(x, nu), value;
    if (W >= BESSEL_DEBYE) {
        bessel_order_modified far = bessel_order_far(x, nu);
        double less = exp(-2.0 * x), tail = nu < fmin(0.5, 1e18 * less * W) ? besselI_dnu_tail(x, nu, 1, &value) : 0.0;
        if (tail != 0.0) // over exp(-x) I
            tail *= less * sqrt(2.0 * M_PI * W) / (far.sum * exp(nu * (nu / (x + W) - asinh(nu / x))));
        return far.i - tail;
    }
    if (!(x >= 1.0 && nu <= 0.12 * x))
        return psi_mean(x, nu + 1.0, 0.25 * x * x, nmath_hypot(nu + 1.0, x));
    double tail = exp(-2.0 * x) * besselI_dnu_tail(x, nu, 0, &value), f = 0.0, g = 0.0;
    int panels = x > 12.0 ? 2 : 1; // from 0 to 0.4 pi, and the rest
    for (int i = 0; i < 32 * panels; ++i) {
        double n = besselI_dnu_node[(i & 31) >> 1], radius = panels == 1 ? 0.5 : i < 32 ? 0.2 : 0.3;
        double t = (i < 32 ? 0.0 : 0.4) + radius * (1.0 + (i & 1 ? -n : n)), s = sinpi(0.5 * t);
        double w = radius * besselI_dnu_weight[(i & 31) >> 1] * exp(-2.0 * x * s * s);
        f += w * (M_PI * t) * sinpi(nu * t);
        g += w * cospi(nu * t);
    }
    return -(f + tail) / (g - exp(-2.0 * x) * (M_1_PI * sinpi(nu)) * value);
}
