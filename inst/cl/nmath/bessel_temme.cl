// @source_type: shim
// @source_origin: bessel_temme.c
// @provides: bessel_temme
// @depends: nmath, cospi, bessel
// @method: Temme series
// @all_depends: Rmath, nmath, cospi, stirlerr_cycle_free, lgamma, gamma, bessel
// @all_depends_count: 7

// bessel_temme -- K, 0 < x < 1, or Y, 0 < x < 2, of orders mu and mu + 1, |mu| <= 1/2. (K's terms cancel for larger x.)
//
// Temme (1975), "On the numerical evaluation of the modified Bessel function of the third kind", J. Comput. Phys. 19;
// (1976), "On the numerical evaluation of the ordinary Bessel function of the second kind", J. Comput. Phys. 21. With
// L = log(2/x) and 1/Gamma(1 -+ mu) = even(mu^2) +- mu odd(mu^2),
//   f_0 = pi mu/sin(pi mu) (cosh(mu L) odd + sinh(mu L)/mu even),
//   p_0 = e^(mu L) Gamma(1 + mu)/2,  q_0 = e^(-mu L) Gamma(1 - mu)/2,
//   f_k = (k f_{k-1} + p_{k-1} + q_{k-1})/(k^2 - mu^2),  p_k = p_{k-1}/(k - mu),  q_k = q_{k-1}/(k + mu),
//   K_mu = sum c_k f_k,  K_{mu+1} = 2/x sum c_k (p_k - k f_k),  c_k = (x^2/4)^k/k!;
// for Y, c_k = (-x^2/4)^k/k!, g_k = f_k + 2/mu sin^2(pi mu/2) q_k takes the place of f_k in the sums, and both sums are
// multiplied by -2/pi.

// The odd and the even part of 1/Gamma(1 - mu), in 8 mu^2 - 1, |mu| <= 1/2; tools/fit_bessel.py; error 2e-17.
NMATH_TABLE double bessel_temme_odd[8] = {
    -0.57132004225899036, 0.0065269233318663578, 0.00061736248204397309, -1.3883243452475939e-05,
    5.5556642285830915e-08, 5.8847676007877444e-10, -4.3404643275433069e-12, -2.3553753535861251e-15
};
NMATH_TABLE double bessel_temme_even[8] = {
    0.92059833338784858, -0.076837924423115725, 0.0025441192792029902, -1.9891793092047754e-05,
    -2.6500078673265872e-07, 3.87712063347336e-09, -5.4476085253873205e-12, -9.5639654929689966e-14
};

NMATH_HEAVY bessel_pair bessel_temme(double mu, double x, int ordinary)
{
    if (fabs(mu) < NMATH_RANGE(1e-280, 1e-27)) mu = 0.0; // its products may be subnormal
    double m2 = mu * mu, u = 8.0 * m2 - 1.0;
    double odd = nmath_poly(u, bessel_temme_odd, 8), even = nmath_poly(u, bessel_temme_even, 8);
    double l = x < NMATH_RANGE(1e-300, 1e-34) ? M_LN2 - log(x) : -log(0.5 * x), s = mu * l, e = exp(s), g = expm1(s);
    if (fabs(s) > 2.0) { // the rounding of s would count: e as a power
        e = R_pow(x, -mu) * exp(M_LN2 * mu);
        g = e - 1.0;
    }
    double sine = mu == 0.0 ? 1.0 : M_PI * mu / sinpi(mu);
    double sinh_mu = mu == 0.0 ? l : 0.5 * (g + g / e) / mu;
    double f = sine * (0.5 * (e + 1.0 / e) * odd + sinh_mu * even);
    double p = 0.5 * e / (even - mu * odd), q = 0.5 / (e * (even + mu * odd));
    double h = sinpi(0.5 * mu), turn = !ordinary || mu == 0.0 ? 0.0 : 2.0 * h * h / mu;
    double y = 0.25 * x * x, c = 1.0, a = f + turn * q, b = p;
    if (ordinary) y = -y;
    for (int k = 1; k <= 14; ++k) {
        double kd = (double)k;
        f = (kd * f + p + q) / (kd * kd - m2);
        p /= kd - mu;
        q /= kd + mu;
        c *= y / kd;
        double v = f + turn * q;
        a += c * v;
        b += c * (p - kd * v);
        if (fabs(c) < 1e-19) break;
    }
    bessel_pair r;
    double scale = ordinary ? -M_2_PI : 1.0;
    r.at = scale * a;
    r.next = 2.0 * scale * b / x;
    return r;
}
