// @source_type: shim
// @source_origin: digamma_rise.c
// @provides: digamma_rise, digamma_fall, digamma_half, stirlerr_slope, choose_slope
// @depends: nmath, cospi, polygamma
// @method: recurrence to 10, then the asymptotic series, differences of powers divided by what they are small with
// @accuracy: derivatives 6.3 eps(1+cond) (host), 6.3 (PoCL)
// @all_depends: Rmath, nmath, cospi, polygamma
// @all_depends_count: 4

// Differences of psi, the logarithmic derivative of the gamma function, that keep their digits where they are small:
//     digamma_rise(a, b) = psi(a + b) - psi(a),
//     digamma_fall(a, b) = psi(a + b) - psi(a) - log(1 + b/a),     a > 0, b >= 0, b = Inf for the limit,
//     digamma_half(n)    = psi((n + 1)/2) - psi(n/2) - 1/n,
//     stirlerr_slope(n)  = psi(n) - log n + 1/(2 n), the derivative of Stirling's error,
//     choose_slope(n, k) = psi(n + 1) - psi(n - k + 1), the derivative of log |choose(n, k)| in n.
// With psi(t) = log t - 1/(2 t) - G(t), G(t) = sum_{k>=1} B_2k/(2 k) t^-2k (Abramowitz & Stegun 6.3.18), and n = a + b,
//     fall = b/(2 a n) + G(a) - G(n),
// all positive; G(a) - G(n) is b/(a n) (1/a + 1/n) times a divided difference. Below a = 10 the recurrence psi(t + 1) =
// psi(t) + 1/t adds b/(t (t + b)). Nine terms of G have a relative error below 2^-51 from 10 on.

NMATH_TABLE double digamma_rise_g[9] = {
    0.08333333333333333, -0.008333333333333333, 0.003968253968253968, -0.004166666666666667,
    0.007575757575757576, -0.021092796092796094, 0.08333333333333333, -0.4432598039215686,
    3.0539543302701198
};

// b/(a + b)
NMATH_FN double digamma_rise_part(double a, double b) { return 1.0 / (1.0 + a / b); }

// The sum of b/(t (t + b)) over t = *a, *a + 1, ... below 10, which is where *a is then.
NMATH_FN double digamma_rise_steps(double *a, double b)
{
    double s = 0.0, t = *a, v = 1.0 / b;
    if (v < NMATH_RANGE(1e150, 1e17)) { // one division for each step
        for (; t < 10.0; t += 1.0)
            s += 1.0 / (t * (1.0 + t * v));
    } else {
        for (; t < 10.0; t += 1.0)
            s += digamma_rise_part(t, b) / t;
    }
    *a = t;
    return s;
}

// digamma_fall() for a >= 10
NMATH_FN double digamma_fall_far(double a, double b)
{
    double va = 1.0 / a, vn = 1.0 / (a + b), ta = va * va, tn = vn * vn, g = 0.0, d = 0.0;
    for (int k = 8; k >= 0; --k) {
        d = d * tn + g;
        g = g * ta + digamma_rise_g[k];
    }
    d = d * tn + g;
    return digamma_rise_part(a, b) * va * (0.5 + (va + vn) * d);
}

NMATH_FN double digamma_rise(double a, double b)
{
    if (ISNAN(a) || ISNAN(b))
        return a + b;
    if (a < 0.0)
        return ML_NAN;
    if (b == 0.0)
        return 0.0;
    if (a == 0.0)
        return b > 0.0 ? ML_POSINF : ML_NAN;
    double t = a, s = digamma_rise_steps(&t, b);
    return s + (log1p(b / t) + digamma_fall_far(t, b));
}

NMATH_HEAVY double digamma_fall(double a, double b)
{
    if (ISNAN(a) || ISNAN(b))
        return a + b;
    if (a <= 0.0)
        return a == 0.0 && b > 0.0 ? ML_POSINF : ML_NAN;
    if (b == 0.0 || isinf(a))
        return 0.0;
    double t = a, s = digamma_rise_steps(&t, b), m = t < 11.0 ? rint(t - a) : 0.0;
    // log(1 + b/a) - log(1 + b/t), where the quotient may leave the range
    double part = digamma_rise_part(t, b), z = m * (part / a);
    return (s - (z < NMATH_RANGE(1e300, 1e34) ? log1p(z) : log(m * part) - log(a))) + digamma_fall_far(t, b);
}

// By psi(t + 1) = psi(t) + 1/t it is 2/(n (n + 1) (n + 2)) more than at n + 2; beyond 24 its asymptotic series, from that
// of psi (Abramowitz & Stegun 6.3.18), in powers of 1/n^2.
NMATH_TABLE double digamma_half_c[10] = {
    0.5, -0.25, 0.5, -2.125, 15.5, -172.75, 2730.5, -58098.0625, 1601145.5, -55482645.25
};

NMATH_FN double digamma_half(double n)
{
    if (ISNAN(n))
        return n;
    if (n <= 0.0)
        return n == 0.0 ? ML_POSINF : ML_NAN;
    double s = 0.0, t = n;
    for (; t < 24.0; t += 2.0)
        s += 1.0 / t / ((t + 1.0) * (0.5 * t + 1.0));
    double v = 1.0 / t, w = v * v;
    return s + w * nmath_poly(w, digamma_half_c, 10);
}

// G(t) - G(t + 1) = 1/(2 t) + 1/(2 (t + 1)) - log(1 + 1/t) = 2 sum_{k>=1} 2 k/(2 k + 1) w^(2 k + 1), w = 1/(2 t + 1)
NMATH_FN double stirlerr_slope(double n)
{
    if (ISNAN(n))
        return n;
    if (n <= 0.0)
        return n == 0.0 ? ML_NEGINF : ML_NAN;
    double s = 0.0, t = n;
    for (; t < 1.0; t += 1.0)
        s += 0.5 / t + 0.5 / (t + 1.0) - log1p(1.0 / t);
    for (; t < 10.0; t += 1.0) {
        double w = 1.0 / (2.0 * t + 1.0), z = w * w, p = 0.0;
        for (int k = 18; k > 0; --k)
            p = p * z + k / (2.0 * k + 1.0);
        s += 4.0 * w * z * p;
    }
    double v = 1.0 / t;
    return -(s + v * v * nmath_poly(v * v, digamma_rise_g, 9));
}

// k is rounded, as in choose.cl. Between 0 and k - 1 by reflection: psi(n - k + 1) = psi(k - n) - pi cot(pi n).
NMATH_FN double choose_slope(double n, double k)
{
    if (ISNAN(n) || ISNAN(k))
        return n + k;
    k = R_forceint(k);
    if (k <= 0.0)
        return 0.0;
    if (n < 0.0)
        return -digamma_rise(-n, k);
    if (n > k - 1.0)
        return digamma_rise(n - (k - 1.0), k); // in this order n may be tiny
    return digamma(n + 1.0) - digamma(k - n) + M_PI * cospi(n) / sinpi(n); // tanpi() of a half is NaN
}
