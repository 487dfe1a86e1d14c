// @source_type: shim
// @source_origin: besselJ_dnu.c
// @provides: besselJ_dnu, besselY_dnu
// @depends: nmath, expm1, cospi, psi_mean, bessel, bessel_jy, bessel_order
// @method: Debye's expansion, Temme's series, polynomials and recurrences, differentiated; power series; else Nicholson's integral and Watson's by the trapezoidal rule, positive throughout
// @accuracy: derivatives 3.5 eps(1+cond) (host), 3.5 (PoCL)
// @all_depends: Rmath, nmath, bessel_debye, bessel_exponent, bessel_order_table, bessel_table_jy, bessel_table_k, cospi, dpq, expm1, igamma_table, stirlerr_cycle_free, lgamma, pgamma_dshape_table, pnorm, gamma, igamma, bessel, pgamma_dshape, bessel_airy, bessel_hankel, bessel_temme, psi_mean, bessel_jy, bessel_order
// @all_depends_count: 25

// besselJ_dnu, besselY_dnu -- derivatives of the Bessel functions J and Y in the order. For nu >= 0 and x > 0 with
//     M^2 = J^2 + Y^2 = 8/pi^2 int_0^inf K_0(2 x sinh t) cosh(2 nu t) dt                (Nicholson; DLMF 10.9.30)
//     W = J dY/dnu - Y dJ/dnu = -4/pi int_0^inf K_0(2 x sinh t) exp(-2 nu t) dt         (Watson 1944, 13.73)
// and R = (d M^2/dnu)/(2 M^2), the mean of t tanh(2 nu t) with the weights of M^2,
//     dJ/dnu = R J - W Y/M^2,   dY/dnu = R Y + W J/M^2,
// J and Y from bessel_jy.cl. No integrand oscillates, in no region: for nu > x, where J is small, R J and W Y/M^2 are
// about -1 and 2 times the sum.
//
// Both sums are over w = log sinh t: there integrands rise as exp(w) to the left and fall as exp(-2 x exp(w)), which the
// trapezoidal rule sums to all digits (Trefethen & Weideman 2014, SIAM Review 56, 385-458). Where the weights of R have
// their peak at t0 = acosh(nu/x) far from 0, the sum is one over t about t0 instead, with s = sqrt(nu^2 - x^2), u = t - t0 and
//     2 nu t - 2 x sinh t = ... - 2 s (cosh u - 1) - 2 nu (sinh u - u).
//
// These sums are taken for 20 <= nu next to x. Elsewhere Debye's expansion, Temme's series or polynomials give J and Y with their
// derivatives, at the order itself or at a smaller one from where a recurrence goes (bessel_order.cl); for small x J has its power
// series, see besselJ_dnu_down().
//
// Negative orders by J_-nu = cos(nu pi) J_nu - sin(nu pi) Y_nu, Y_-nu = sin(nu pi) J_nu + cos(nu pi) Y_nu (DLMF 10.4.7).

#define BESSELJ_DNU_STEP 0.1
#define BESSELJ_DNU_STEEP 0.5
#define BESSELJ_DNU_LONG 0.2 // where both lie beyond t = 1
// of the weights of R, which grow as exp(2 nu t) first; to the left their distances grow, too
#define BESSELJ_DNU_FINE 0.08
#define BESSELJ_DNU_RISE 0.05
#define BESSELJ_DNU_WIDE 0.12 // where the peak lies beyond t = 1
#define BESSELJ_DNU_STEPS 8000
// Derivatives of J for nu > x go by the power series and recurrence up to this x
#define BESSELJ_DNU_NEAR 4.0
// Orders for which a recurrence is taken from order mu, next to x, too; and those from Debye's expansion, in at most 300 steps
#define BESSELJ_DNU_FEW 20.0
#define BESSELJ_DNU_MANY 100.0
#define BESSELJ_DNU_MOST 3e4
// The peak is far from 0 where the weight is exp(-45) there
#define BESSELJ_DNU_FAR 45.0

// sqrt(z) e^z K_0(z) for z >= 1 in (z - 3)/(z + 1), constant term first: the Chebyshev series, error 5e-17
NMATH_TABLE double besselJ_dnu_k0[24] = {
    1.2085585393824038,      0.051904142000699941,    -0.0090478543037009336, 0.0023443540383629523,
    -0.00057462004067840919, 0.00016278282379458641,  -4.3525609271024824e-5, 1.3010582213156279e-5,
    -3.591154354231342e-6,   1.1249497198490594e-6,   -3.100579548325663e-7,  1.0311786075989554e-7,
    -2.7206657746445665e-8,  1.0004540304160906e-8,   -2.2462461450738743e-9, 1.1158065502018716e-9,
    -2.5631243709902114e-10, 5.7596487000447137e-11,  8.382850821164139e-11,  8.3653075767517738e-11,
    -4.4228655112306122e-11, -2.9480465280399412e-11, 1.4369720342283332e-11, 9.5354208610026836e-12};

// e^z K_0(z), given log z: for z < 1 the series DLMF 10.31.2
NMATH_FN double besselJ_dnu_weight(double z, double l)
{
    if (z >= 1.0)
        return nmath_poly((z - 3.0) / (z + 1.0), besselJ_dnu_k0, 24) / sqrt(z);
    double y = 0.25 * z * z, c = 1.0, i = 1.0, h = 0.0, s = 0.0;
    for (int k = 1; k < 11; ++k) {
        c *= y / (k * k);
        h += 1.0 / k;
        i += c;
        s += c * h;
    }
    return exp(z) * ((M_LN2 - 0.57721566490153286 - l) * i + s);
}

// sinh u - u
NMATH_FN double besselJ_dnu_sinh(double u)
{
    if (fabs(u) > 0.5)
        return sinh(u) - u;
    double w = u * u, r = 1.0 / 362880 + w * (1.0 / 39916800 + w * (1.0 / 6227020800.0));
    return u * w * (1.0 / 6 + w * (1.0 / 120 + w * (1.0 / 5040 + w * r)));
}

// 2 nu u - 2 x (sinh(t0 + u) - sinh t0). Far to the left its terms are huge and all but cancel: there it is, with s - nu =
// -x^2/(s + nu), 2 x^2/(s + nu) (cosh u - 1) - 2 nu (e^u - 1 - u).
NMATH_FN double besselJ_dnu_fall(double x, double nu, double s, double u)
{
    double h = sinh(0.5 * u), c = x * h;
    return u < -2.0 ? 4.0 * c * (c / (s + nu)) - 2.0 * nu * (expm1(u) - u)
                    : -4.0 * s * h * h - 2.0 * nu * besselJ_dnu_sinh(u);
}

// R and W/M
typedef struct { double rise, turn; } besselJ_dnu_rates;

// W
NMATH_FN double besselJ_dnu_turn(double x, double nu)
{
    double lx = log(x) + M_LN2, w0 = -log(x + nu) - M_LN2, sum = 0.0, h = w0 < 0.0 ? BESSELJ_DNU_STEP : BESSELJ_DNU_LONG;
    double steep = w0 < 0.0 ? BESSELJ_DNU_STEEP : 0.0;
    for (int side = 0; side < 2; ++side) {
        for (int i = side; i < BESSELJ_DNU_STEPS; ++i) {
            double y = side ? i * h : -i * h, c = steep * exp(-y), w = w0 + y + (steep - c);
            double e = exp(w), t = w > 20.0 ? w + M_LN2 : asinh(e), l = lx + w,
                   z = exp(l);
            double p = besselJ_dnu_weight(z, l) * exp(-z - 2.0 * nu * t) * (1.0 + c) * (w > 20.0 ? 1.0 : e / sqrt(1.0 + e * e));
            sum += p;
            if (!(p > 1e-18 * sum))
                break;
        }
    }
    return -4.0 * M_1_PI * h * sum;
}

// By quadrature, nu > 0, given M
NMATH_FN besselJ_dnu_rates besselJ_dnu_sum(double x, double nu, double M)
{
    besselJ_dnu_rates f;
    double s = sqrt(fabs(nu - x)) * sqrt(nu + x), lx = log(x) + M_LN2, t0 = 0.0, num = 0.0, den = 0.0;
    int above = nu > x;
    if (above)
        t0 = nu < NMATH_RANGE(1e150, 1e17) * x ? asinh(s / x) : log(nu) - log(x) + M_LN2;
    if (above && 2.0 * (nu * t0 - s) > BESSELJ_DNU_FAR) {
        double h = 0.5 / sqrt(2.0 * s + 6.0);
        for (int side = 0; side < 2; ++side) {
            for (int i = side; i < BESSELJ_DNU_STEPS; ++i) {
                double u = (side ? i : -i) * h, t = t0 + u;
                if (!(t > 0.0))
                    break;
                double l = lx + (t > 20.0 ? t - M_LN2 : log(sinh(t))), z = exp(l);
                double p = besselJ_dnu_weight(z, l) * exp(besselJ_dnu_fall(x, nu, s, u));
                num += u * p;
                den += p;
                if (!(p > 1e-18 * den))
                    break;
            }
        }
        f.rise = t0 + num / den;
        f.turn = besselJ_dnu_turn(x, nu) / M;
        return f;
    }
    double h = 1.0, w0, back = 0.0;
    if (above) {
        double third = cbrt(3.0 / nu);
        h = fmin(h, 0.4 / sqrt(2.0 * s + NMATH_RANGE(1e-300, 1e-34)) / tanh(t0));
        w0 = log(sinh(fmin(NMATH_RANGE(700.0, 80.0), fmax(t0, fmin(third, 1.0)))));
    } else {
        w0 = fmin(-log(x - nu) - M_LN2, log(3.0 / nu) / 3.0);
    }
    int wide = w0 > 0.0;
    double rise = wide ? 0.0 : BESSELJ_DNU_RISE;
    h = fmin(h, wide ? BESSELJ_DNU_WIDE : BESSELJ_DNU_FINE);
    for (int side = 0; side < 2; ++side) {
        for (int i = side; i < BESSELJ_DNU_STEPS; ++i) {
            double y = side ? i * h : -i * h, c = rise * exp(-y), w = w0 + y + (rise - c);
            double e = exp(w), t = w > 20.0 ? w + M_LN2 : asinh(e), l = lx + w, z = exp(l), E;
            E = above ? besselJ_dnu_fall(x, nu, s, t - t0)
                      : -2.0 * (x - nu) * e - 2.0 * nu * (t > 0.5 ? e - t : besselJ_dnu_sinh(t));
            double p = besselJ_dnu_weight(z, l) * exp(E) * (1.0 + c) * (w > 20.0 ? 1.0 : e / sqrt(1.0 + e * e));
            double fall = expm1(-4.0 * nu * t);
            den += p * (2.0 + fall);
            num -= p * t * fall;
            back += p * (1.0 + fall);
            if (!(p > 1e-18 * den))
                break;
        }
    }
    f.rise = num / den;
    // far from t = 1/nu, where that of W is, nodes are too far apart for it
    f.turn = above || nu > 3e3 ? besselJ_dnu_turn(x, nu) / M : -M_PI * (back / den) * M;
    return f;
}

// d log J/dnu for x^2/4 <= nu + 1, by the power series (DLMF 10.15.1), and J (2/x)^nu Gamma(nu + 1) in *value
NMATH_FN double besselJ_dnu_low(double x, double nu, double *value)
{
    double z = 0.25 * x * x, t = 1.0, h = 0.0, sum = 1.0, mean = 0.0;
    for (int k = 1; k < 40; ++k) {
        double r = 1.0 / (nu + k);
        h += r;
        t *= -z * r / k;
        sum += t;
        mean += t * h;
        if (fabs(t) < 1e-17)
            break;
    }
    *value = sum;
    return psi_mean_log(x, nu) - mean / sum;
}

// dJ/dnu: the power series at the orders nu + m, nu + m + 1, and back by the recurrence J_(n-1) + J_(n+1) = (2 n/x) J_n and its
// derivative. What comes out is scaled to J, or next to its zeros to that of order nu + 1.
NMATH_FN double besselJ_dnu_down(double x, double nu, int m)
{
    double n = nu + m, s0, s1, l0 = besselJ_dnu_low(x, n, &s0), last = nu + 1.0;
    if (m == 0)
        return bessel_jy(x, nu, BESSEL_WANT_J).j * l0;
    double l1 = besselJ_dnu_low(x, n + 1.0, &s1), up = 0.5 * x * (s1 / s0) / (n + 1.0), two = 2.0 / x;
    double j0 = 1.0, d0 = l0, j1 = up, d1 = up * l1;
    for (; m > 0; --m) {
        double j = two * (nu + m) * j0 - j1, d = two * ((nu + m) * d0 + j0) - d1;
        j1 = j0;
        d1 = d0;
        j0 = j;
        d0 = d;
    }
    int zero = fabs(j0) < 0.5 * fabs(j1);
    return d0 * (bessel_jy(x, zero ? last : nu, BESSEL_WANT_J).j / (zero ? j1 : j0));
}

// xi of bessel.cl, about: nu (tau - atan tau) or nu (artanh tau - tau), tau = s/nu
NMATH_FN double besselJ_dnu_far(double x, double nu)
{
    double s = sqrt(fabs(x - nu)) * sqrt(x + nu), q = s / nu, z = x > nu ? -q * q : q * q;
    if (fabs(z) < 0.1)
        return s * fabs(z) * (1.0 / 3 + z * (0.2 + z * (1.0 / 7 + z * (1.0 / 9))));
    return x > nu ? s - nu * atan2(s, nu) : nu * asinh(s / x) - s;
}

typedef struct { double j, y; } besselJ_dnu_pair;

// The derivatives that are asked for, nu > 0
NMATH_HEAVY besselJ_dnu_pair besselJ_dnu_at(double x, double nu, int want)
{
    besselJ_dnu_pair d = {0.0, 0.0};
    double far = nu >= 20.0 || x > nu ? besselJ_dnu_far(x, nu) : 0.0;
    int above = x >= nu;
    if (far >= BESSEL_DEBYE) {
        bessel_jy_values v = bessel_jy(x, nu, above ? BESSEL_WANT_J | BESSEL_WANT_Y : want);
        bessel_order_rate f = bessel_order_ordinary(x, nu, far);
        d.j = above ? f.rise * v.j - f.turn * v.y : v.j * f.rise;
        d.y = above ? f.rise * v.y + f.turn * v.j : v.y * f.turn;
        return d;
    }
    if ((want & BESSEL_WANT_J) && (x < 1.0 || (x < BESSELJ_DNU_NEAR && !above))) {
        double m = ceil(0.5 * x * x - 1.0 - nu);
        d.j = besselJ_dnu_down(x, nu, (int)fmax(m, 0.0));
        want &= ~BESSEL_WANT_J;
    }
    if (want == 0)
        return d;
    double off = (x - nu) / cbrt(nu); // next to 1 the derivative of Y has an extremum, where a recurrence would cancel
    if (nu < BESSELJ_DNU_FEW || (nu < BESSELJ_DNU_MOST && (off < -0.3 || off > 1.5))) {
        bessel_order_pair J = {0.0, 0.0, 0.0, 0.0}, Y = J;
        int n = (int)R_forceint(nu), far_start = nu >= BESSELJ_DNU_MANY;
        if (far_start) // from where xi is 25
            n = (int)ceil(nu - x * cos(cbrt(80.0 / x)));
        double mu = nu - n;
        if (far_start) {
            for (int k = 0; k < 2; ++k) {
                bessel_jy_values v = bessel_jy(x, mu + k, BESSEL_WANT_J | BESSEL_WANT_Y);
                bessel_order_rate f = bessel_order_ordinary(x, mu + k, BESSEL_DEBYE);
                J.at = J.next;
                J.rate = J.next_rate;
                Y.at = Y.next;
                Y.rate = Y.next_rate;
                J.next = v.j;
                Y.next = v.y;
                J.next_rate = f.rise * v.j - f.turn * v.y;
                Y.next_rate = f.rise * v.y + f.turn * v.j;
            }
        } else if (x < 1.0) {
            Y = bessel_order_temme(mu, x);
        } else {
            bessel_order_hankel(mu, x, &J, &Y);
        }
        if (!above || (want & BESSEL_WANT_Y)) {
            Y = bessel_order_up(Y, mu, n, x);
            d.y = Y.rate;
        }
        if (want & BESSEL_WANT_J)
            d.j = above ? bessel_order_up(J, mu, n, x).rate : bessel_order_below(Y, nu, x);
        return d;
    }
    bessel_jy_values v = bessel_jy(x, nu, BESSEL_WANT_J | BESSEL_WANT_Y);
    double M = nmath_hypot(v.j, fabs(v.y));
    besselJ_dnu_rates f = besselJ_dnu_sum(x, nu, M);
    if (want & BESSEL_WANT_J)
        d.j = f.rise * v.j - f.turn * (v.y / M);
    if (want & BESSEL_WANT_Y)
        d.y = f.rise * v.y + f.turn * (v.j / M);
    return d;
}

// The derivative of J, or Y, in the order
NMATH_HEAVY double besselJ_dnu_of(double x, double alpha, int kind)
{
    if (ISNAN(x) || ISNAN(alpha))
        return x + alpha;
    double nu = fabs(alpha);
    if (x < 0.0)
        return ML_NAN;
    if (isinf(x) || isinf(nu))
        return 0.0;
    if (x == 0.0) {
        if (kind == BESSEL_WANT_J)
            return nu == 0.0 ? ML_NEGINF : alpha > 0.0 ? 0.0 : ML_NAN;
        return nu == 0.0 ? -M_PI_2 : alpha > 0.0 ? ML_NEGINF : ML_NAN;
    }
    if (alpha > 0.0) {
        besselJ_dnu_pair d = besselJ_dnu_at(x, nu, kind);
        return kind == BESSEL_WANT_J ? d.j : d.y;
    }
    bessel_jy_values v = bessel_jy(x, nu, BESSEL_WANT_J | BESSEL_WANT_Y);
    if (nu == 0.0) // DLMF 10.15.3
        return kind == BESSEL_WANT_J ? M_PI_2 * v.y : -M_PI_2 * v.j;
    besselJ_dnu_pair d = besselJ_dnu_at(x, nu, BESSEL_WANT_J | BESSEL_WANT_Y);
    double c = cospi(nu), s = sinpi(nu), a = kind == BESSEL_WANT_J ? v.j : v.y, b = kind == BESSEL_WANT_J ? -v.y : v.j;
    double da = kind == BESSEL_WANT_J ? d.j : d.y, db = kind == BESSEL_WANT_J ? -d.y : d.j;
    double ca = da + M_PI * b, sa = db - M_PI * a; // -d/dnu (c a + s b)
    return -((c == 0.0 ? 0.0 : c * ca) + (s == 0.0 ? 0.0 : s * sa));
}

NMATH_FN double besselJ_dnu(double x, double nu) { return besselJ_dnu_of(x, nu, BESSEL_WANT_J); }
NMATH_FN double besselY_dnu(double x, double nu) { return besselJ_dnu_of(x, nu, BESSEL_WANT_Y); }

#undef BESSELJ_DNU_STEP
#undef BESSELJ_DNU_STEEP
#undef BESSELJ_DNU_LONG
#undef BESSELJ_DNU_FINE
#undef BESSELJ_DNU_RISE
#undef BESSELJ_DNU_WIDE
#undef BESSELJ_DNU_STEPS
#undef BESSELJ_DNU_NEAR
#undef BESSELJ_DNU_FEW
#undef BESSELJ_DNU_MANY
#undef BESSELJ_DNU_MOST
#undef BESSELJ_DNU_FAR
