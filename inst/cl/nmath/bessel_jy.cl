// @source_type: shim
// @source_origin: bessel_jy.c
// @provides: bessel_jy, bessel_jy_real, bessel_jy_values, BESSEL_WANT_J, BESSEL_WANT_Y
// @depends: nmath, cospi, bessel, bessel_debye, bessel_temme, bessel_hankel, bessel_airy
// @method: see bessel: Debye and Airy expansions, Temme series, fitted polynomials, recurrence in nu
// @all_depends: Rmath, nmath, cospi, poly, stirlerr_cycle_free, lgamma, gamma, bessel, bessel_airy, bessel_debye, bessel_hankel, bessel_temme
// @all_depends_count: 12
// @load_order: 89

// bessel_jy -- J and Y of order nu >= 0 for 0 < x < Inf, nu < Inf: the regions of bessel.cl.
//
// The recurrence f_{k+1} = 2 k/x f_k - f_{k-1} (A&S 9.1.27) keeps Y's accuracy upward, and J's as long as k <= x; beyond,
// J is the solution that decays: from an order where it is 1e-17 of what Y does to it, downward to orders mu + 1 and
// mu, where the known values give the scale (Miller's algorithm, A&S 9.12).

typedef struct { double j, y; } bessel_jy_values;

#define BESSEL_WANT_J 1
#define BESSEL_WANT_Y 2

// xi = |sqrt(x^2 - nu^2) - nu acos(nu/x)| >= 25 and s = sqrt|x^2 - nu^2|. The phase of J + iY is xi - pi/4; for large x, it
// is x + (xi - x) - pi/4, where libm knows the sine and the cosine of x for every x, and nu pi/2 is exact.
NMATH_FN bessel_jy_values bessel_jy_debye(double x, double nu, double s, double xi)
{
    bessel_jy_values r;
    double t = 1.0 / s, w = nu * t;
    int above = x > nu;
    bessel_debye f = bessel_debye_sums(t, above ? -t * t : t * t, above ? -w * w : w * w, xi);
    if (!above) {
        double e = exp(-0.5 * xi), root = M_1_SQRT_2PI / sqrt(s);
        r.j = root * (f.even + f.odd) * e * e;
        r.y = -2.0 * root * (f.even - f.odd) / e / e;
        return r;
    }
    int wide = nu <= 0.5 * x;
    double turn = wide ? nu * asin(nu / x) - nu * (0.5 * nu / (0.5 * x + 0.5 * s)) : xi;
    double turns = 0.5 * nu, shift = wide ? turns - 2.0 * floor(0.5 * turns) + 0.25 : 0.25;
    double c = cos(turn), d = sin(turn), cp = cospi(shift), sp = sinpi(shift), amplitude = M_SQRT_2dPI / sqrt(s);
    double u = c * cp + d * sp, v = d * cp - c * sp;
    if (wide) {
        double cx = cos(x), sx = sin(x), ux = u * cx - v * sx;
        v = u * sx + v * cx;
        u = ux;
    }
    r.j = amplitude * (u * f.even + v * f.odd);
    r.y = amplitude * (v * f.even - u * f.odd);
    return r;
}

NMATH_HEAVY bessel_jy_values bessel_jy(double x, double nu, int want)
{
    bessel_jy_values r;
    double s = 0.0, xi = 0.0;
    if (nu >= BESSEL_FEW) {
        s = M_SQRT2 * sqrt(fabs(x - nu)) * sqrt(0.5 * x + 0.5 * nu);
        xi = fabs((x - nu) / nu - 0.05) <= 0.425 ? bessel_airy_xi(x, nu)
            : x > nu ? s - nu * atan2(s, nu) : nu * log1p(((nu - x) + s) / x) - s;
    }
    if (xi >= BESSEL_DEBYE && (x > nu || nu >= 20.0))
        return bessel_jy_debye(x, nu, s, xi);

    // Orders mu and mu + 1 of J and Y at z; for Airy's functions below the turning point, of I and K.
    int airy = nu >= BESSEL_AIRY, ordinary = 1, n = airy ? 0 : (int)rint(nu);
    double mu = nu - (double)n, z = x;
    bessel_airy at = {0.0, 0.0, 0.0, 0.0, 0.0};
    if (airy) {
        at = bessel_airy_at(x, nu);
        mu = -1.0 / 3.0;
        z = at.x;
        ordinary = x > nu;
    }
    double y = 0.25 * z * z;
    int small = z < (ordinary ? BESSEL_SMALL : BESSEL_SMALL_K), decays = !airy && (small || y < 0.7 * (nu + 1.0));
    int series = (want & BESSEL_WANT_J) != 0 && decays;
    bessel_pair second = {0.0, 0.0}, first = {0.0, 0.0};
    if (airy ? (ordinary ? small : (want & BESSEL_WANT_Y) != 0) : series) {
        double order = !airy ? nu : ordinary ? -1.0 / 3.0 : 1.0 / 3.0, step = ordinary ? 1.0 : 1.0 / 3.0;
        int terms = ordinary ? BESSEL_POWER_J : bessel_power_terms(z);
        for (int k = 0; k <= airy; ++k) {
            first.at = first.next;
            first.next = bessel_power(z, order + (double)k * step, ordinary ? -y : y, terms);
        }
        if (!airy) {
            r.j = first.next;
            r.y = 0.0;
            if (want == BESSEL_WANT_J) return r;
        }
    }
    if (small) {
        second = bessel_temme(mu, z, ordinary);
    } else {
        bessel_hankel h = bessel_hankel_at(mu, z);
        double root = 1.0 / sqrt(z);
        if (ordinary) {
            bessel_pair p = bessel_hankel_sum(BESSEL_HANKEL_P(h));
            bessel_pair q = bessel_hankel_sum(BESSEL_HANKEL_Q(h));
            double shift = 0.5 * mu + 0.25, cp = cospi(shift), sp = sinpi(shift), cz = cos(z), sz = sin(z);
            double c = M_SQRT_2dPI * root * (cz * cp + sz * sp), d = M_SQRT_2dPI * root * (sz * cp - cz * sp);
            second.at = d * p.at + c * q.at;
            second.next = d * q.next - c * p.next;
            if (!series) {
                first.at = c * p.at - d * q.at;
                first.next = d * p.next + c * q.next;
            }
        } else {
            double e = BESSEL_SQRT_PI_2 * root * exp(-z);
            second = bessel_hankel_sum(BESSEL_HANKEL_K(h));
            second.at *= e;
            second.next *= e;
        }
    }

    if (airy) {
        // DLMF 9.6.2 to 9.6.9, with orders -1/3 and -2/3 reflected.
        double root = sqrt(at.a), half_root3 = 0.5 * M_SQRT_3;
        if (ordinary) {
            double plus = 0.5 * first.at + half_root3 * second.at, minus = -0.5 * first.next - half_root3 * second.next;
            r.j = bessel_airy_value(at, root * (first.at + plus) * (1.0 / 3.0), at.a * (first.next - minus) * (1.0 / 3.0));
            r.y = -bessel_airy_value(at, root * (first.at - plus) * (1.0 / M_SQRT_3),
                                     at.a * (first.next + minus) * (1.0 / M_SQRT_3));
        } else {
            double k = M_1_PI * M_SQRT_3;
            r.j = bessel_airy_value(at, root * second.at * (M_1_PI / M_SQRT_3), -at.a * second.next * (M_1_PI / M_SQRT_3));
            r.y = -bessel_airy_value(at, root * (2.0 * first.at + k * second.at) * (1.0 / M_SQRT_3),
                                     at.a * (2.0 * first.next + k * second.next) * (1.0 / M_SQRT_3));
        }
        return r;
    }

    double step = 2.0 / x;
    if (!series && nu > x) { // J downward
        double jk = 1e-100, above = 0.0, value = 0.0;
        for (int k = n + 2 + (int)(7.6 * cbrt(x)); k > 0; --k) {
            double below = ((mu + (double)k) * step) * jk - above;
            above = jk;
            jk = below;
            if (k == n + 1) value = jk;
        }
        r.j = n == 0 ? 0.0 : value * ((first.at * jk + first.next * above) / (jk * jk + above * above));
        if (n == 0) r.j = first.at;
    } else if (!series) {
        double low = first.at, high = first.next;
        for (int k = 1; k <= n; ++k) {
            double next = ((mu + (double)k) * step) * high - low;
            low = high;
            high = next;
        }
        r.j = low;
    }
    if (want & BESSEL_WANT_Y) {
        double low = second.at, high = second.next;
        for (int k = 1; k <= n; ++k) {
            double next = isinf(high) ? high : ((mu + (double)k) * step) * high - low;
            low = high;
            high = next;
        }
        r.y = low;
    }
    return r;
}

// J or Y of any order at any x: J_{-nu} = cos(nu pi) J_nu - sin(nu pi) Y_nu, Y_{-nu} = sin(nu pi) J_nu + cos(nu pi) Y_nu
// (A&S 9.1.2). A multiple of J or Y whose factor is exactly 0 is left out, also where it is infinite.
NMATH_FN double bessel_jy_real(double x, double alpha, int kind)
{
    if (ISNAN(x) || ISNAN(alpha)) return x + alpha;
    double nu = fabs(alpha), c = 1.0, s = 0.0;
    if (x < 0.0 || (isinf(nu) && (alpha < 0.0 || isinf(x)))) ML_WARN_return_NAN;
    if (isinf(x)) return 0.0;
    if (alpha < 0.0) {
        c = cospi(nu);
        s = sinpi(nu);
    }
    int other = kind == BESSEL_WANT_J ? BESSEL_WANT_Y : BESSEL_WANT_J;
    bessel_jy_values v;
    v.j = nu == 0.0 ? 1.0 : 0.0;
    v.y = ML_NEGINF;
    if (x > 0.0 && !isinf(nu)) v = bessel_jy(x, nu, (c == 0.0 ? 0 : kind) | (s == 0.0 ? 0 : other));
    double a = kind == BESSEL_WANT_J ? v.j : v.y, b = kind == BESSEL_WANT_J ? -v.y : v.j;
    return (c == 0.0 ? 0.0 : c * a) + (s == 0.0 ? 0.0 : s * b);
}
