// @source_type: shim
// @source_origin: bessel_jy.c
// @provides: bessel_jy, bessel_jy_real, bessel_jy_values, BESSEL_WANT_J, BESSEL_WANT_Y
// @depends: nmath, cospi, bessel, bessel_debye, bessel_exponent, bessel_temme, bessel_hankel, bessel_airy
// @method: see bessel: Debye and Airy expansions, Temme series, fitted polynomials, recurrence in nu
// @all_depends: Rmath, nmath, bessel_debye, bessel_exponent, bessel_table_jy, bessel_table_k, cospi, stirlerr_cycle_free, lgamma, gamma, bessel, bessel_airy, bessel_hankel, bessel_temme
// @all_depends_count: 14

// bessel_jy -- J and Y of order nu >= 0 for 0 < x < Inf, nu < Inf: the regions of bessel.cl.
//
// The recurrence f_{k+1} = 2 k/x f_k - f_{k-1} (A&S 9.1.27) keeps Y's accuracy upward, and J's as long as k <= x;
// beyond, J is the solution that decays: from an order where it is 1e-17 of what Y does to it, downward to orders mu + 1 and
// mu, where the known values give the scale (Miller's algorithm, A&S 9.12).

typedef struct { double j, y; } bessel_jy_values;

#define BESSEL_WANT_J 1
#define BESSEL_WANT_Y 2

// The exponent -xi of J below the turning point, or the phase xi - pi/4 of J + iY above it; for x >= 2 nu, x - xi
// less nu pi/2: the phase is x - (x - xi) - pi/4, where libm knows the sine and the cosine of x for every x, and nu pi/2 is
// exact. s = sqrt|x^2 - nu^2|. An absolute error of an ulp of 1 is wanted: in two doubles, unless it is small, or near the
// turning point, where the terms lose more than the relative error of what zeta gives (bessel_airy.cl): `sure` is 0 there.
// Out of line: it is long, and few of the usual arguments need it.
typedef struct { double s, xi; nmath_dd e; int sure; } bessel_jy_place;

NMATH_HEAVY bessel_jy_place bessel_jy_phase(double x, double nu)
{
    bessel_jy_place p;
    int above = x > nu, wide = nu <= 0.5 * x, plain = wide && nu * nu < 2.0 * x;
    p.s = p.xi = p.e.hi = p.e.lo = 0.0;
    p.sure = 0;
    if (!plain && BESSEL_NEAR(x, nu)) {
        if (fabs(x - nu) <= 0x1p-10 * nu)
            return p; // xi < 25
        bessel_exponent b = above ? bessel_near_angle(x, nu, wide ? BESSEL_WIDE : BESSEL_ABOVE)
                                  : bessel_near_log(x, nu, BESSEL_BELOW, 0);
        p.s = b.root;
        p.e = b.e;
        p.xi = wide ? (x - M_PI_2 * nu) - p.e.hi : fabs(p.e.hi);
        p.sure = 1024.0 * p.xi > nu;
        return p;
    }
    p.s = M_SQRT2 * sqrt(fabs(x - nu)) * sqrt(0.5 * x + 0.5 * nu);
    if (plain) {
        p.e.hi = nu * (0.5 * nu / (0.5 * x + 0.5 * p.s)) - nu * asin(nu / x);
        p.xi = (x - M_PI_2 * nu) - p.e.hi;
        p.sure = 1;
        return p;
    }
    p.xi = fabs((x - nu) / nu - 0.05) <= 0.425 ? bessel_airy_xi(x, nu)
        : above ? p.s - nu * atan2(p.s, nu) : nu * log1p(((nu - x) + p.s) / x) - p.s;
    p.e.hi = above ? p.xi : -p.xi;
    p.sure = 1024.0 * p.xi > nu;
    if (p.sure || wide)
        p.e = bessel_debye_exponent(x, nu, wide ? BESSEL_WIDE : above ? BESSEL_ABOVE : BESSEL_BELOW, 0).e;
    return p;
}

// Whether xi >= 25 may be, for orders below 100: above the turning point, with atan z > 3 z/(1 + 2 sqrt(1 + z^2)) (Shafer
// 1966, "Elementary problem E 1867", Amer. Math. Monthly 73), xi < 2 s (x - nu)/(2 x + nu).
NMATH_FN int bessel_jy_far(double x, double nu)
{
    double d = x - nu, q = BESSEL_DEBYE * (x + 0.5 * nu);
    return x > nu ? x > 1e3 || d * d * (d * (x + nu)) >= q * q : nu >= 20.0;
}

// xi >= 25
NMATH_FN bessel_jy_values bessel_jy_debye(double x, double nu, double s, double xi, nmath_dd e)
{
    bessel_jy_values r;
    double t = 1.0 / s, w = nu * t;
    int above = x > nu, wide = nu <= 0.5 * x;
    bessel_debye f = bessel_debye_sums(t, above ? -t * t : t * t, above ? -w * w : w * w, xi);
    if (!above) {
        double root = M_1_SQRT_2PI / sqrt(s);
        int far = e.hi < -NMATH_RANGE(690.0, 69.0);
        double g = exp(far ? 0.5 * e.hi : e.hi), h = far ? g : 1.0;
        r.j = root * (f.even + f.odd) * (1.0 + e.lo) * g * h;
        r.y = -2.0 * root * (f.even - f.odd) * (1.0 - e.lo) / g / h;
        return r;
    }
    double turns = 0.5 * nu, shift = wide ? turns - 2.0 * floor(0.5 * turns) + 0.25 : 0.25;
    double ce = cos(e.hi), de = sin(e.hi), c = ce - de * e.lo, d = de + ce * e.lo;
    if (wide)
        d = -d;
    double cp = cospi(shift), sp = sinpi(shift), amplitude = M_SQRT_2dPI / sqrt(s);
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

// From J and Y (`ordinary`) or I and K, first and second, at xi: of orders -1/3 and 2/3, but I of 1/3 and 2/3. DLMF
// 9.6.2 to 9.6.9, with orders -1/3 and -2/3 reflected. `rest` is what is left of the phase or of the exponent.
NMATH_HEAVY bessel_jy_values bessel_jy_airy(double x, double nu, double first_at, double first_next, double second_at,
                                            double second_next, double rest)
{
    bessel_jy_values r;
    bessel_pair first = {first_at, first_next}, second = {second_at, second_next}; // a struct handed over goes through memory
    bessel_airy at = bessel_airy_at(x, nu);
    int ordinary = x > nu;
    double root = sqrt(at.a), a = at.a, k = M_1_PI * M_SQRT_3, third = 1.0 / 3.0, root_third = 1.0 / M_SQRT_3;
    if (ordinary) {
        double plus = 0.5 * first.at + 0.5 * M_SQRT_3 * second.at; // order 1/3
        double minus = -0.5 * first.next - 0.5 * M_SQRT_3 * second.next; // order -2/3
        r.j = bessel_airy_value(at, root * (first.at + plus) * third, a * (first.next - minus) * third);
        r.y = -bessel_airy_value(at, root * (first.at - plus) * root_third, a * (first.next + minus) * root_third);
    } else {
        r.j = bessel_airy_value(at, root * second.at * (M_1_PI * root_third), -a * second.next * (M_1_PI * root_third));
        r.y = -bessel_airy_value(at, root * (2.0 * first.at + k * second.at) * root_third,
                                 a * (2.0 * first.next + k * second.next) * root_third);
    }
    double j = r.j, y = r.y;
    r.j += rest * (ordinary ? -y : j);
    r.y += rest * (ordinary ? j : -y);
    return r;
}

// The function of order mu + n from those of orders mu and mu + 1, upward. Infinite values stay. 2/x = step + rest: the
// rounding of step alone would count n times.
NMATH_FN double bessel_jy_up(bessel_pair f, double mu, int n, double x)
{
    if (n == 0) return f.at;
    double step = 2.0 / x, rest = bessel_step_rest(x, step);
    for (int k = 1; k <= n; ++k) {
        double m = mu + (double)k, next = (m * step) * f.next;
        if (!isinf(next))
            next += (m * rest) * f.next - f.at;
        f.at = f.next;
        f.next = next;
    }
    return f.at;
}

// J of order mu + n > x, n > 0, downward.
NMATH_FN double bessel_jy_down(bessel_pair f, double mu, int n, double x)
{
    double step = 2.0 / x, rest = bessel_step_rest(x, step), value = 0.0;
    bessel_pair g = {NMATH_RANGE(1e-100, 1e-15), 0.0};
    for (int k = n + 2 + (int)(7.6 * cbrt(x)); k > 0; --k) {
        double m = mu + (double)k, below = (m * step) * g.at + ((m * rest) * g.at - g.next);
        g.next = g.at;
        g.at = below;
        if (k == n + 1) value = below;
#ifdef NMATH_FLOAT_PAIRS
        if (fabs(below) > 1e12) {
            g.at *= 0x1p-80;
            g.next *= 0x1p-80;
            value *= 0x1p-80;
        }
#endif
    }
    return value * ((f.at * g.at + f.next * g.next) / (g.at * g.at + g.next * g.next));
}

NMATH_HEAVY bessel_jy_values bessel_jy(double x, double nu, int want)
{
    bessel_jy_values r = {0.0, 0.0};
    int airy = nu >= BESSEL_AIRY;
    bessel_jy_place p = {0.0, 0.0, {0.0, 0.0}, 0};
    if (airy || (nu >= (nu - floor(nu) == 0.5 ? BESSEL_FEW_HALF : BESSEL_FEW) && bessel_jy_far(x, nu)))
        p = bessel_jy_phase(x, nu);
    if (p.xi >= BESSEL_DEBYE && (x > nu || nu >= 20.0))
        return bessel_jy_debye(x, nu, p.s, p.xi, p.e);

    // Orders mu and mu + 1 of J and Y at z; for Airy's functions below the turning point, of I and K.
    int ordinary = 1, n = airy ? 0 : (int)R_forceint(nu);
    double mu = nu - (double)n, z = x;
    if (airy) {
        z = p.sure ? fabs(p.e.hi) : bessel_airy_argument(x, nu);
        mu = -1.0 / 3.0;
        ordinary = x > nu;
    }
    double y = 0.25 * z * z;
    int small = z < (ordinary ? BESSEL_SMALL : BESSEL_SMALL_K), series = !airy && (want & BESSEL_WANT_J) != 0
        && (small || y < 0.7 * (nu + 1.0));
    bessel_pair second = {0.0, 0.0}, first = {0.0, 0.0};
    if (series || (airy && (ordinary ? small : (want & BESSEL_WANT_Y) != 0))) {
        double order = !airy ? nu : ordinary ? -1.0 / 3.0 : 1.0 / 3.0, step = ordinary ? 1.0 : 1.0 / 3.0;
        int terms = ordinary ? BESSEL_POWER_J : bessel_power_terms(z);
        for (int k = 0; k <= airy; ++k) {
            first.at = first.next;
            first.next = bessel_power(z, order + (double)k * step, ordinary ? -y : y, terms);
        }
        r.j = first.next;
        if (series && want == BESSEL_WANT_J) return r;
    }
    if (small && fabs(mu) != 0.5) {
        second = bessel_temme(mu, z, ordinary);
    } else {
        double root = 1.0 / sqrt(z);
        if (ordinary) {
            bessel_hankel_modulus h = bessel_hankel_jy(mu, z);
            double shift = 0.5 * mu + 0.25, part = 0.0, other = 1.0; // 0 <= shift <= 1/2
            int low = shift <= 0.25;
            if (fabs(mu) != 0.5) cospi_quarter(low ? shift : 0.5 - shift, &part, &other);
            double sp = low ? part : other, cp = low ? other : part;
            double cz = cos(z), sz = sin(z);
            double c = M_SQRT_2dPI * root * (cz * cp + sz * sp), d = M_SQRT_2dPI * root * (sz * cp - cz * sp);
            second.at = d * h.p.at + c * h.q.at;
            second.next = d * h.q.next - c * h.p.next;
            if (!small) {
                first.at = c * h.p.at - d * h.q.at;
                first.next = d * h.p.next + c * h.q.next;
            }
        } else {
            double e = BESSEL_SQRT_PI_2 * root * exp(-z);
            second = bessel_hankel_k(mu, z);
            second.at *= e;
            second.next *= e;
        }
    }
    if (airy)
        return bessel_jy_airy(x, nu, first.at, first.next, second.at, second.next, p.sure ? p.e.lo : 0.0);
    if (!series && (want & BESSEL_WANT_J))
        r.j = n > 0 && nu > x ? bessel_jy_down(first, mu, n, x) : bessel_jy_up(first, mu, n, x);
    if (want & BESSEL_WANT_Y) r.y = bessel_jy_up(second, mu, n, x);
    return r;
}

// J or Y of any order at any x: J_{-nu} = cos(nu pi) J_nu - sin(nu pi) Y_nu, Y_{-nu} = sin(nu pi) J_nu + cos(nu pi)
// Y_nu (A&S 9.1.2). A multiple of J or Y whose factor is exactly 0 is left out, also where it is infinite.
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
