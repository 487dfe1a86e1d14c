// @source_type: shim
// @source_origin: tukey.c
// @provides: tukey_inner, tukey_normal, tukey_largest, tukey_edge, tukey_strip, tukey_middle, tukey_log_ratio, tukey_range_of_table, tukey_spaced, tukey_range, tukey_shape, tukey_shape_of, tukey_power, tukey_power_upper, tukey_power_of, tukey_over, tukey_exponent
// @depends: nmath, pnorm, qnorm, tukey_table
// @method: polynomials for 2 to 20 variables, else trapezoidal sums, symmetric for small ranges, of the upper tail itself for large ones
// @accuracy: 4 eps(1+cond)
// @all_depends: Rmath, nmath, dpq, tukey_table, pnorm, qnorm
// @all_depends_count: 6

// tukey -- the distribution of the range of c normal variables, and of the largest of rr such ranges.
// With D(y) = Phi(y + q/2) - Phi(y - q/2)
//     w(q) = c int phi(y + q/2) D(y)^(c-1) dy = c int_0^Inf (phi(y + q/2) + phi(y - q/2)) D(y)^(c-1) dy,
//     1 - w(q) = c int phi(z) Phi(z)^(c-1) (1 - (1 - Phi(z - q)/Phi(z))^(c-1)) dz,
// (David & Nagaraja 2003, Order Statistics, 2.3), the first for q up to an edge a little above the median, the second
// beyond, by the trapezoidal rule, which converges exponentially for such integrands. The result is free of the large exponent:
//     w = D(0)^(c-1) m   or   1 - w = c (c-1) exp(-q^2/4) m.
// For q < 1/2, where D would cancel, with the Hermite polynomials He
//     D(y) = q phi(y) sum_k He_2k(y) (q/2)^2k/(2k + 1)!.
//
// Spacings, with z the quantile of the largest of c: the Gaussian factor has width 1/sqrt 2, and Phi^(c-1) rises from 0 to 1
// within 1/z as exp(-exp(-z y)), so that the error falls as exp(-pi^2/(z h)) with the spacing h. In the second integral such
// steps lie at both ends of the range, d = q/2 - z from the middle, where they count exp(-d^2): a wider spacing will do.
// Beyond d^2 + pi^2/(z h) = TUKEY_REACH they do not count.
//
// Of 2 to 20 variables tukey_table.cl has the same m as polynomials: these sums are for more, and for numbers that are not whole.
//
// All constants were set by experiment, tools/fit_tukey.py, described in tukey_node.cl: of 1500 calls 14 are off by more than
// 1e-14, with 2666 terms each. In brackets: that number, and where they differ the terms, for other values.

// spacings: 0.74 (14), 0.82 (166); 0.68 (13, 2458), 0.74 (180)
#define TUKEY_LOWER 0.68
#define TUKEY_UPPER 0.62
// how much closer steeper steps need nodes: 0.83 (107, 2250), 1.65 (21, 2403), 6.6 (26, 3074)
#define TUKEY_UPPER_RISE 3.3
// 1.1 (13), 4.2 (15)
#define TUKEY_LOWER_MOST 2.8
// 1 (117, 2647), 2 (40), 8 (15, 2687)
#define TUKEY_LOWER_RISE 4.0
// z^2 from which the steps are far apart: 1.8 (17, 2556), 18 (14, 2868)
#define TUKEY_TWO_ENDS 6.0
// 20 (18, 2511), 30 (14, 2599), 80 (14, 2824); for coarse sums: 8 (14, 2648), 32 (17, 2683)
#define TUKEY_REACH 40.0
#define TUKEY_REACH_COARSE 16.0
// how far above the median the second integral begins: 1 (18, 2706), 2 (19), 8 (62, 2623), 16 (398, 2456)
#define TUKEY_EDGE 4.0

// D = D(0), l = log D(0); m (and low, what it lacks), w = D(0)^(c-1) m, or 1 - w = c (c-1) exp(-q^2/4) m if `upper`; slope, the
// derivative of the log of it by log q
typedef struct { double D, l, m, low, slope; int upper; } tukey_inner;

// The normal quantile, once for all its callers
NMATH_HEAVY double tukey_normal(double p, int lower, int log_p) { return qnorm5(p, 0.0, 1.0, lower, log_p); }

// About where the largest of c lies
NMATH_FN double tukey_largest(double c) { return -tukey_normal(1.0 / c, 1, 0); }

// A little above the median of the range, given that: the range varies by 1/z
NMATH_FN double tukey_edge(double z) { return 2.0 * z + TUKEY_EDGE / fmax(4.0, z); }

// D(y) for y >= 0, its log in *l, and exp(-(y + q/2)^2/2), exp(-(y - q/2)^2/2) in *ea, *eb
NMATH_FN double tukey_strip(double y, double q, double *ea, double *eb, double *l)
{
    double a = y + 0.5 * q, b = y - 0.5 * q;
    *ea = exp(-0.5 * a * a);
    *eb = exp(-0.5 * b * b);
    if (q < 0.5) {
        double h = 0.5 * q, h2 = h * h, u = 1.0, v = 0.5 * y * h, sum = 1.0;
        for (int k = 2; k < 40; k += 2) { // u, v: He_(k-2) h^(k-2)/(k-1)!, He_(k-1) h^(k-1)/k!
            u = (h * y * v - h2 * (k - 1) * u / k) / (k + 1);
            v = (h * y * u - h2 * k * v / (k + 1)) / (k + 2);
            sum += u;
            if (fabs(u) < 1e-17 * sum && fabs(v) < 1e-16 * sum)
                break;
        }
        sum *= q * M_1_SQRT_2PI * exp(-0.5 * y * y);
        *l = log(sum);
        return sum;
    }
    double Ra = *ea * pnorm_mills(a), Rb = *eb * pnorm_mills(fabs(b));
    double D = b < 0.0 ? 1.0 - (Ra + Rb) : Rb - Ra;
    *l = b < 0.0 && D > 0.5 ? log1p(-(Ra + Rb)) : log(D);
    return D;
}

// D(0), its log in *l, and exp(-q^2/8) in *e: for q < 1/2 by powers of u = q^2/8
NMATH_FN double tukey_middle(double q, double *e, double *l)
{
    double h = 0.5 * q, u = 0.5 * h * h;
    *e = exp(-u);
    double R = 2.0 * (*e * pnorm_mills(h)), D = 1.0 - R;
    if (q < 0.5) // sum of (-u)^k/(k! (2k + 1))
        D = q * M_1_SQRT_2PI *
            (1.0 - u * (1.0 / 3 - u * (1.0 / 10 - u * (1.0 / 42 - u * (1.0 / 216 - u * (1.0 / 1320 - u * (1.0 / 9360 - u * (1.0 / 75600))))))));
    *l = D > 0.5 ? log1p(-R) : log(D);
    return D;
}

// log(D/D0), given also the logs
NMATH_FN double tukey_log_ratio(double D, double l, double D0, double l0)
{
    return D < 0.5 && D0 < 0.5 ? log(D / D0) : l - l0;
}

// For c of the tables
NMATH_FN tukey_inner tukey_range_of_table(double q, double c)
{
    tukey_inner r;
    double e;
    r.upper = q > NMATH_PICK(tukey_table_edge + ((int)c - 2));
    tukey_factor f = tukey_table_at(q, (int)c, r.upper);
    if (r.upper) {
        double R = pnorm_mills(M_SQRT1_2 * q);
        r.D = r.l = 0.0;
        r.m = R * f.value;
        r.low = 0.0;
        r.slope = q * (f.slope / f.value - M_1_SQRT_2PI * M_SQRT1_2 / R);
    } else {
        r.D = tukey_middle(q, &e, &r.l);
        r.m = f.value;
        r.low = f.low;
        r.slope = q * (f.slope / f.value + (c - 1.0) * (M_1_SQRT_2PI * e / r.D));
    }
    return r;
}

// The spacing of the first integral, D^(c-1) of that curvature of its log in the middle
NMATH_FN double tukey_spaced(double curvature, double z2)
{
    double steep = z2 * fmax(1.0, fmin(TUKEY_LOWER_MOST, 0.1 * z2 - 0.4)) + TUKEY_LOWER_RISE * fmax(0.0, z2 - 1.5);
    return TUKEY_LOWER / sqrt(1.0 + curvature + steep);
}

// w or 1 - w at q, zc = tukey_largest(c). `coarse` 1 for all digits; with 1.6, say, spacings
// are longer by that and 1e-7 is left
NMATH_HEAVY tukey_inner tukey_range(double q, double c, double zc, double coarse)
{
    tukey_inner r;
    q = fmin(q, NMATH_RANGE(1e150, 1e17)); // the slope stays finite
    if (tukey_table_has(c))
        return tukey_range_of_table(q, c);
    double c1 = c - 1.0, z2 = zc * zc;
    double tiny = coarse > 1.5 ? 1e-8 : coarse > 1.0 ? 1e-12 : 1e-17;
    double sum = 0.0, rise = 0.0;
    r.low = 0.0;
    r.upper = q > tukey_edge(zc);
    int most = 900;
    if (r.upper) {
        // d^2 + pi^2/(zc h) is to be TUKEY_REACH (see above)
        double z0 = 0.5 * q, d = z0 - zc, reach = coarse > 1.5 ? TUKEY_REACH_COARSE : TUKEY_REACH;
        double near = z2 > TUKEY_TWO_ENDS ? fmax(0.0, 1.0 - d * d / reach) : 1.0;
        double h = coarse * TUKEY_UPPER / sqrt(2.0 + z2 * (1.0 + TUKEY_UPPER_RISE * z2 / (z2 + 9.0)) * near * near);
        r.D = r.l = 0.0;
        for (int side = 0; side < 2; ++side)
            for (int i = side; i < most; ++i) {
                double y = side ? -h * i : h * i, z = z0 + y, b = y - z0;
                double R = pnorm_mills(fabs(z)), e = exp(-0.5 * z * z), P = z > 0.0 ? 1.0 - e * R : e * R;
                double Rb = pnorm_mills(fabs(b)), fb = exp(-0.5 * b * b);
                double L = c1 * (z > 0.0 ? log1p(-e * R) : log(R) - 0.5 * z * z); // log of Phi(z)^(c-1)
                double v = (b < 0.0 ? fb * Rb : 1.0 - fb * Rb) / P; // Phi(z - q)/Phi(z)
                double k = -expm1(c1 * log1p(-v)), k1 = (1.0 - k) / (1.0 - v + NMATH_RANGE(1e-300, 1e-34)), x, d;
                if (b < 0.0) { // k v^-1 has a limit
                    x = exp(L - y * y) / P;
                    d = x * k1;
                    x *= Rb * (c1 * v < NMATH_RANGE(1e-290, 1e-28) ? 1.0 : k / (c1 * v));
                } else {
                    x = exp(L - 0.5 * z * z + z0 * z0);
                    d = x * k1 * (fb / P);
                    x *= k / c1;
                }
                sum += x;
                rise += d;
                if (!(x > tiny * sum))
                    break;
            }
        r.m = M_1_SQRT_2PI * h * sum;
        r.slope = sum > 0.0 ? -q * M_1_SQRT_2PI * (rise / sum) : -0.5 * q * q;
        return r;
    }
    double ea, eb, l, y0 = fmax(0.0, 0.5 * q - zc);
    r.D = tukey_middle(q, &ea, &r.l);
    // c1 kappa is the curvature of log D^(c-1) in the middle
    double kappa = q * M_1_SQRT_2PI * ea / r.D;
    double h = coarse * tukey_spaced(c1 * kappa, z2);
    double few = c1 / 64.0; // that the sum of slopes stays finite
    sum = ea;
    rise = 0.5 * (few * ea) * ea * (q / r.D);
    for (int i = 1; i < most; ++i) {
        double y = h * i;
        double D = tukey_strip(y, q, &ea, &eb, &l);
        double p = exp(fmin(0.0, c1 * tukey_log_ratio(D, l, r.D, r.l))), x = (ea + eb) * p;
        sum += x;
        rise += (few * ea) * eb * p * (q / (D + NMATH_RANGE(1e-300, 1e-34)));
        if (y > y0 && !(x > tiny * sum))
            break;
    }
    r.m = c * M_1_SQRT_2PI * h * sum;
    r.slope = fmin(128.0 * M_1_SQRT_2PI * (rise / sum), NMATH_DBL_MAX);
    return r;
}

// What belongs to the parameters: where the largest of cc lies, and about the median of the largest of rr ranges, that from
// Bonferroni's bound for the pairs of all ranges
typedef struct { double rr, cc, df, largest, top; } tukey_shape;

// log(w^rr) or log(1 - w^rr): its whole value, and its parts, of which kind 0, lower tail, (c-1) l + m, m = log(f + low) of
// tukey_inner's; kind 1, upper tail, m - q^2/4; kind 2, the whole value alone; slope, the derivative by log q
typedef struct { double whole, D, l, m, f, low, q, slope; int kind; } tukey_power;

NMATH_FN tukey_shape tukey_shape_of(double rr, double cc, double df)
{
    tukey_shape f;
    f.rr = rr;
    f.cc = cc;
    f.df = df;
    f.largest = tukey_largest(cc);
    double pairs = -M_SQRT2 * tukey_normal(-log(rr) - log(cc) - log(cc - 1.0), 1, 1);
    f.top = fmax(tukey_edge(f.largest), pairs + TUKEY_EDGE / fmax(8.0, pairs));
    return f;
}

// Of 1 - w = c (c-1) exp(-q^2/4) m
NMATH_FN tukey_power tukey_power_upper(tukey_inner r, double q, double rr, double c1, int upper)
{
    tukey_power g;
    double E = expsq(0.5 * fmin(q, 74.0));
    double e = q < 74.0 ? c1 * E : exp(log(c1) - 0.125 * q * q), f = e + e / c1; // e f m = 1 - w
    // rr times its log is to lose little: few roundings, where nothing underflows
    double u = fmin(q < 30.0 && c1 < 1e9 ? (c1 * (c1 + 1.0)) * ((E * r.m) * E) : e * (f * r.m), 0.999999), lw = log1p(-u);
    double lift = rr > NMATH_RANGE(1e200, 1e25) ? NMATH_RANGE(0x1p300, 0x1p40) : 1.0; // 2^300: u alone may be below the normal numbers
    double ru = rr / (lift * lift) * (e * lift * (f * lift * r.m)), rw = u < 1e-20 ? -ru : rr * lw;
    double k = rr == 1.0 ? u : -expm1(rw);
    double ratio = rr == 1.0 ? 1.0 : ru > 0.0 ? k / ru * rr : rr; // (1 - w^rr)/(1 - w)
    g.D = g.l = g.f = g.low = 0.0;
    g.q = q;
    g.slope = upper ? r.slope * (rr == 1.0 ? 1.0 : rr * exp(rw - lw) / ratio) : -(u < 1e-20 ? ru : rr * (u / (1.0 - u))) * r.slope;
    g.kind = upper && k < 0.3 ? 1 : 2;
    double much = NMATH_RANGE(1e70, 1e8);
    g.m = c1 < much && ratio < much ? log(ratio * r.m * c1 * (c1 + 1.0)) : log(ratio * r.m) + log(c1) + log(c1 + 1.0);
    g.whole = !upper ? rw : k < 0.3 ? g.m - 0.25 * q * q : log(k);
    return g;
}

NMATH_HEAVY tukey_power tukey_power_of(tukey_inner r, double q, double rr, double c1, int upper)
{
    if (r.upper)
        return tukey_power_upper(r, q, rr, c1, upper);
    tukey_power g;
    g.D = r.D;
    g.l = r.l;
    g.q = q;
    g.m = log(r.m);
    g.f = r.m;
    g.low = r.low;
    g.whole = rr * fmin(0.0, c1 * r.l + g.m);
    g.kind = 0;
    g.slope = rr * r.slope;
    if (upper) {
        double k = -expm1(g.whole);
        g.kind = 2;
        g.slope = rr * (r.slope * (-exp(g.whole) / k)); // rr times the first alone may overflow
        g.whole = log(k);
    }
    return g;
}

// log of g over that of p
NMATH_FN double tukey_over(tukey_power g, tukey_power p, double rr, double c1)
{
    if (g.kind == 0 && p.kind == 0)
        return rr * (c1 * tukey_log_ratio(g.D, g.l, p.D, p.l) + (g.m - p.m));
    if (g.kind == 1 && p.kind == 1)
        return (g.m - p.m) - 0.25 * (g.q - p.q) * (g.q + p.q);
    return g.whole - p.whole;
}

// The exponent that all of these leave to g, to 2^-63
NMATH_FN nmath_dd tukey_exponent(tukey_power g, double rr, double c1)
{
    nmath_dd u;
    u.hi = g.kind == 0 ? g.l : g.whole;
    u.lo = 0.0;
    if (g.kind == 0) {
        nmath_dd m = dd_log_ratio(g.f, 1.0);
        m.lo += g.low / g.f;
        u = dd_mul_d(dd_mul_d(g.D < 0.5 ? dd_log_ratio(g.D, 1.0) : u, c1), rr);
        u = dd_add(u, dd_mul_d(m, rr));
    } else if (g.kind == 1) {
        u = dd_add(dd_two_prod(g.q, -0.25 * g.q), dd_two_sum(g.m, 0.0));
    }
    return u;
}

#undef TUKEY_LOWER
#undef TUKEY_UPPER
#undef TUKEY_UPPER_RISE
#undef TUKEY_LOWER_MOST
#undef TUKEY_LOWER_RISE
#undef TUKEY_TWO_ENDS
#undef TUKEY_REACH
#undef TUKEY_REACH_COARSE
#undef TUKEY_EDGE
