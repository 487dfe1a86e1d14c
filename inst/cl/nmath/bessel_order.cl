// @source_type: shim
// @source_origin: none
// @provides: bessel_order_sums, bessel_order_rate, bessel_order_pair
// @depends: nmath, cospi, bessel, bessel_debye, bessel_temme, bessel_hankel, bessel_order_table
// @method: Debye expansions, Temme series and polynomials in the order, each with its derivative; recurrence
// @accuracy: see besselJ_dnu, besselI_dnu
// @all_depends: Rmath, nmath, bessel_debye, bessel_order_table, bessel_table_jy, bessel_table_k, cospi, stirlerr_cycle_free, lgamma, gamma, bessel, bessel_hankel, bessel_temme
// @all_depends_count: 13

// bessel_order -- what Bessel functions do as their order nu moves: the sums of bessel_debye.cl, bessel_temme.cl and
// bessel_hankel.cl, carried with their derivatives.

#ifndef NMATH_BESSEL_ORDER_H
#define NMATH_BESSEL_ORDER_H

// With t, T and w of bessel_debye.cl, dt/dnu = -nu T t, dT/dnu = -2 nu T^2 and dw/dnu = 2 nu T (1 - w) for all of I, J, K and Y.
// Only the logarithmic derivative of the sums counts, beside the derivative of the exponent or phase, of which it is 1/(8 d^2) or less, but
// where nu is small its terms fall off more slowly than those of the functions themselves: the last ones are 10 times as large.
typedef struct { double even, odd, even_rate, odd_rate; } bessel_order_sums;

NMATH_HEAVY bessel_order_sums bessel_order_debye(double nu, double t, double T, double w, double d)
{
    int m = d >= 600.0 ? 3 : d >= 64.0 || fabs(w) > 1e12 ? 5 : d >= 32.0 ? 8 : 10, row = m * (2 * m + 1);
    double even = 0.0, odd = 0.0, even_T = 0.0, odd_T = 0.0, even_w = 0.0, odd_w = 0.0;
    for (; m > 0; --m) { // rows as in bessel_debye_sums()
        int top = row - 1, low = row - 2 * m - 1;
        double a = bessel_debye_c[low], b = bessel_debye_c[top], da = 0.0, db = 0.0;
        for (int j = 2 * m - 2; j > 0; --j) {
            db = NMATH_FMA(db, w, b);
            da = NMATH_FMA(da, w, a);
            b = NMATH_FMA(b, w, bessel_debye_c[--top]);
            a = NMATH_FMA(a, w, bessel_debye_c[--low]);
        }
        db = NMATH_FMA(db, w, b);
        b = NMATH_FMA(b, w, bessel_debye_c[--top]);
        even_T = NMATH_FMA(even_T, T, even);
        odd_T = NMATH_FMA(odd_T, T, odd);
        even = NMATH_FMA(even, T, a);
        odd = NMATH_FMA(odd, T, b);
        even_w = NMATH_FMA(even_w, T, da);
        odd_w = NMATH_FMA(odd_w, T, db);
        row = low;
    }
    bessel_order_sums r;
    double c = 2.0 * (nu * T);
    r.even = even;
    r.odd = t * odd;
    r.even_rate = c * ((1.0 - w) * even_w - T * even_T);
    r.odd_rate = (c * t) * ((1.0 - w) * odd_w - T * odd_T - 0.5 * odd);
    return r;
}

// d/dnu of log I and log K for hypot(x, nu) >= 25, the first but for what of I is exp(-2 x), DLMF 10.41.3, 10.41.4; and that sum for I
typedef struct { double i, k, sum; } bessel_order_modified;

NMATH_FN bessel_order_modified bessel_order_far(double x, double nu)
{
    bessel_order_modified r;
    double W = nmath_hypot(x, nu), t = 1.0 / W, v = nu * t, q = nu / x, less = 0.5 * (v * t);
    bessel_order_sums f = bessel_order_debye(nu, t, t * t, v * v, W);
    double a = q < NMATH_RANGE(1e150, 1e17) ? asinh(q) : log(nu) - log(x) + M_LN2;
    r.sum = f.even + f.odd;
    r.i = ((f.even_rate + f.odd_rate) / r.sum - less) - a;
    r.k = ((f.even_rate - f.odd_rate) / (f.even - f.odd) - less) + a;
    return r;
}

// d log(J + i Y)/dnu = rise + i turn where x > nu, and where x < nu those of log J and log |Y|
typedef struct { double rise, turn; } bessel_order_rate;

// xi >= 25 (bessel.cl): DLMF 10.19.3, 10.19.6
NMATH_FN bessel_order_rate bessel_order_ordinary(double x, double nu, double xi)
{
    bessel_order_rate r;
    int above = x > nu;
    double s = sqrt(fabs(x - nu)) * sqrt(x + nu), t = 1.0 / s, w = nu * t, T = above ? -t * t : t * t;
    bessel_order_sums f = bessel_order_debye(nu, t, T, above ? -w * w : w * w, xi);
    double fall = -0.5 * (nu * T);
    if (above) { // (even' - i odd')/(even - i odd)
        double n = 1.0 / (f.even * f.even + f.odd * f.odd);
        r.rise = fall + n * (f.even_rate * f.even + f.odd_rate * f.odd);
        r.turn = n * (f.even_rate * f.odd - f.odd_rate * f.even) - atan2(s, nu);
    } else {
        double t0 = nu < NMATH_RANGE(1e150, 1e17) * x ? asinh(s / x) : log(nu) - log(x) + M_LN2;
        r.rise = fall + (f.even_rate + f.odd_rate) / (f.even + f.odd) - t0;
        r.turn = fall + (f.even_rate - f.odd_rate) / (f.even - f.odd) + t0;
    }
    return r;
}

// A function at the orders mu and mu + 1, and its derivatives there
typedef struct { double at, next, rate, next_rate; } bessel_order_pair;

// Y of orders mu and mu + 1 for 0 < x < 1, |mu| <= 1/2: bessel_temme(), each step differentiated. pi mu/sin(pi mu) has the
// logarithmic derivative 2 mu sum 1/(n^2 - mu^2).
NMATH_HEAVY bessel_order_pair bessel_order_temme(double mu, double x)
{
    if (fabs(mu) < NMATH_RANGE(1e-280, 1e-27)) mu = 0.0;
    double m2 = mu * mu, u = 8.0 * m2 - 1.0;
    double odd = nmath_poly(u, bessel_temme_odd, 8), odd_rate = 2.0 * mu * nmath_poly(u, bessel_order_odd, 8);
    double even = nmath_poly(u, bessel_temme_even, 8), even_rate = 2.0 * mu * nmath_poly(u, bessel_order_even, 8);
    double l = x < NMATH_RANGE(1e-300, 1e-34) ? M_LN2 - log(x) : -log(0.5 * x), s = mu * l, e = exp(s), g = expm1(s);
    if (fabs(s) > 2.0) {
        e = R_pow(x, -mu) * exp(M_LN2 * mu);
        g = e - 1.0;
    }
    double sine = mu == 0.0 ? 1.0 : M_PI * mu / sinpi(mu), z = s * s;
    double sine_rate = 2.0 * mu * (1.0 / (1.0 - m2) + 1.0 / (4.0 - m2) + nmath_poly(m2, bessel_order_poles, 11));
    double ch = 0.5 * (e + 1.0 / e), sh = 0.5 * (g + g / e), sinh_mu = mu == 0.0 ? l : sh / mu;
    // (s cosh s - sinh s)/s^2
    double bow = z < 1.0 ? s * (1.0 / 3 + z * (1.0 / 30 + z * (1.0 / 840 + z * (1.0 / 45360 + z * (1.0 / 3991680 + z * (1.0 / 518918400 +
                           z * (1.0 / 93405312000.0 + z * (1.0 / 22230464256000.0 + z * (1.0 / 6758061133824000.0)))))))))
                         : (ch - sh / s) / s;
    double f = sine * (ch * odd + sinh_mu * even);
    double df = sine_rate * f + sine * (l * sh * odd + ch * odd_rate + l * l * bow * even + sinh_mu * even_rate);
    double up = 1.0 / (even - mu * odd), down = 1.0 / (even + mu * odd), p = 0.5 * e * up, q = 0.5 / e * down;
    double dp = p * (l - (even_rate - odd - mu * odd_rate) * up), dq = -q * (l + (even_rate + odd + mu * odd_rate) * down);
    double h = sinpi(0.5 * mu), turn = mu == 0.0 ? 0.0 : 2.0 * h * (h / mu); // h^2 may underflow
    double turn_rate = mu == 0.0 ? 0.5 * M_PI * M_PI : (M_PI * sinpi(mu) - turn) / mu;
    double y = -0.25 * x * x, c = 1.0, a = f + turn * q, b = p, da = df + turn_rate * q + turn * dq, db = dp;
    for (int k = 1; k <= 14; ++k) {
        double kd = (double)k, less = kd - mu, more = kd + mu, both = less * more;
        f = (kd * f + p + q) / both;
        df = (kd * df + (dp + dq) + 2.0 * mu * f) / both;
        p /= less;
        dp = (dp + p) / less;
        q /= more;
        dq = (dq - q) / more;
        c *= y / kd;
        double v = f + turn * q, dv = df + turn_rate * q + turn * dq;
        a += c * v;
        da += c * dv;
        b += c * (p - kd * v);
        db += c * (dp - kd * dv);
        if (fabs(c) < 1e-20) break;
    }
    bessel_order_pair r;
    r.at = -M_2_PI * a;
    r.rate = -M_2_PI * da;
    r.next = -2.0 * M_2_PI * b / x;
    r.next_rate = -2.0 * M_2_PI * db / x;
    return r;
}

// p or q of bessel_hankel.cl, differentiated in z, and so in the order
NMATH_FN bessel_order_pair bessel_order_hankel_sum(NMATH_CONSTANT const double *c, bessel_hankel_point h, double mu, int rows, int terms)
{
    bessel_order_pair r;
    r.at = r.next = bessel_hankel_row(h.y, c + terms * (rows - 1), terms);
    r.rate = r.next_rate = 0.0;
    for (int k = rows - 2; k >= 0; --k) {
        double v = bessel_hankel_row(h.y, c + terms * k, terms);
        r.rate = NMATH_FMA(r.rate, h.z, r.at);
        r.next_rate = NMATH_FMA(r.next_rate, h.z_next, r.next);
        r.at = NMATH_FMA(r.at, h.z, v);
        r.next = NMATH_FMA(r.next, h.z_next, v);
    }
    r.rate *= mu * (2.0 / 1.125);
    r.next_rate *= (mu + 1.0) * (2.0 / 1.125);
    return r;
}

// J and Y of orders mu and mu + 1 for x >= 1
NMATH_HEAVY void bessel_order_hankel(double mu, double x, bessel_order_pair *J, bessel_order_pair *Y)
{
    bessel_hankel_point h = bessel_hankel_at(mu, x);
    bessel_order_pair p, q;
    if (h.interval < 0) {
        p = bessel_order_hankel_sum(bessel_order_near_p, h, mu, 11, 16);
        q = bessel_order_hankel_sum(bessel_order_near_q, h, mu, 11, 16);
    } else if (h.interval < 3) {
        p = bessel_order_hankel_sum(bessel_hankel_near_p + 140 * h.interval, h, mu, 10, 14);
        q = bessel_order_hankel_sum(bessel_hankel_near_q + 140 * h.interval, h, mu, 10, 14);
    } else {
        double s = 1.0 / x;
        h.y = s * s * 1250.0 - 1.0;
        p = bessel_order_hankel_sum(bessel_hankel_far_p, h, mu, 7, 6);
        q = bessel_order_hankel_sum(bessel_hankel_far_q, h, mu, 7, 6);
        q.at *= s;
        q.next *= s;
        q.rate *= s;
        q.next_rate *= s;
    }
    double shift = 0.5 * mu + 0.25, cp = cospi(shift), sp = sinpi(shift), cz = cos(x), sz = sin(x), A = M_SQRT_2dPI / sqrt(x);
    double c = A * (cz * cp + sz * sp), d = A * (sz * cp - cz * sp);
    J->at = c * p.at - d * q.at;
    Y->at = d * p.at + c * q.at;
    J->next = d * p.next + c * q.next;
    Y->next = d * q.next - c * p.next;
    J->rate = M_PI_2 * Y->at + (c * p.rate - d * q.rate);
    Y->rate = (d * p.rate + c * q.rate) - M_PI_2 * J->at;
    J->next_rate = M_PI_2 * Y->next + (d * p.next_rate + c * q.next_rate);
    Y->next_rate = (d * q.next_rate - c * p.next_rate) - M_PI_2 * J->next;
}

// From the orders k - 1 and k to k and k + 1, given `step` = 2/x: f_(k+1) = 2 k/x f_k - f_(k-1) and its derivative. Infinite values stay.
NMATH_FN bessel_order_pair bessel_order_next(bessel_order_pair f, double k, double step)
{
    bessel_order_pair r;
    double m = k * step;
    r.at = f.next;
    r.rate = f.next_rate;
    r.next = m * f.next;
    r.next_rate = m * f.next_rate + step * f.next;
    if (!isinf(r.next))
        r.next -= f.at;
    if (!isinf(r.next_rate))
        r.next_rate -= f.rate;
    return r;
}

// The derivative at the order mu + n. For k near x it is the differences of neighbours that go by the recurrence,
// f_(k+1) - f_k = f_k - f_(k-1) + 2 (k - x)/x f_k: what is rounded there is not multiplied as the functions slow down.
NMATH_FN bessel_order_pair bessel_order_up(bessel_order_pair f, double mu, int n, double x)
{
    double step = 2.0 / x;
    int k = 1;
    for (; k <= n && mu + k < 0.5 * x; ++k)
        f = bessel_order_next(f, mu + (double)k, step);
    double d = f.next - f.at, rise = f.next_rate - f.rate;
    for (; k <= n && mu + k <= 1.5 * x; ++k) {
        double m = ((mu + (double)k) - x) * step;
        f.at = f.next;
        f.rate = f.next_rate;
        d += m * f.at;
        rise += m * f.rate + step * f.at;
        f.next = f.at + d;
        f.next_rate = f.rate + rise;
    }
    for (; k <= n; ++k)
        f = bessel_order_next(f, mu + (double)k, step);
    return f;
}

// dJ/dnu for nu > x, given Y: with the continued fraction r = J_(nu+1)/J_nu (DLMF 10.10.1), from its end, and its derivative,
//     J_nu = 2/(pi x (r Y_nu - Y_(nu+1)))   (DLMF 10.5.2).
NMATH_HEAVY double bessel_order_below(bessel_order_pair Y, double nu, double x)
{
    double step = 2.0 / x, r = 0.0, d = 0.0;
    for (int k = 6 + (int)(8.0 * cbrt(x)); k > 0; --k) {
        double q = 1.0 / ((nu + k) * step - r);
        r = q;
        d = q * q * (d - step);
    }
    double w = 1.0 / (r * Y.at - Y.next);
    return -M_1_PI * step * (w * (d * Y.at + (r * Y.rate - Y.next_rate))) * w;
}

#endif
