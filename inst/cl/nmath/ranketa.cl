// @source_type: shim
// @source_origin: ranketa.c
// @provides: rank_turn, rank_eta_tail, rank_eta_lead, rank_eta_node, RANK_ETA_LEAST, RANK_ETA_LEAST_SIGNED
// @depends: nmath, log1p, expm1, cospi, rankcount
// @method: Dedekind's eta function by its transformation or the pentagonal number theorem
// @accuracy: see wilcox.cl and signrank.cl
// @all_depends: Rmath, nmath, cospi, expm1, log1p, rankcount
// @all_depends_count: 6

// ranketa -- the generating functions of the rank statistics (rankcount.cl) on a circle, where few parts are as large as
// the samples: in a time that does not depend on the number of factors.
//
// With P(z) = prod_{i>=1} (1 - z^i) and z = exp(-t + iv), |z|^m small,
//     rank sum      exp(T)/P(z),            T = -sum_j (z^{j(m+1)} + z^{j(n+1)} - z^{j(m+n+1)}) / (j (1 - z^j)),
//     signed rank   exp(T) P(z^2)/P(z),     T = sum_j (-1)^j z^{j(n+1)} / (j (1 - z^j)).
// About z = 1, with w = t - iv, Dedekind's transformation (Apostol, Modular Functions and Dirichlet Series, 1990, ch. 3)
//     log P = -pi^2/(6 w) - log(w/(2 pi))/2 + w/24 + O(exp(-4 pi^2 Re(1/w)))
// is relative to v = 0 without cancellation. Elsewhere P is the sum of Euler's pentagonal number theorem,
//     P(z) = 1 + sum_{i>=1} (-1)^i (z^{i(3i-1)/2} + z^{i(3i+1)/2}),
// whose rounding errors, of the size of eps, are those of terms up to 1: P is below that only near fractions of the
// circle, where the generating function is as small a root of that at v = 0 as it takes.

#ifndef NMATH_RANKETA_CL
#define NMATH_RANKETA_CL

// the least m t: below, T is large and cancels (tools/explore.py --gpu: with 1 the worst rows of the tables are off by 16 and 20
// eps, with 2 by 2 for rank sums and 5.6 for signed ranks, with 4 by 2.8). On a host times are level from 1 to 9; with a GPU's
// RANK_ROOM the slowest calls, where all factors would be multiplied out at some thousand nodes, gain a factor of ten and more
#define RANK_ETA_LEAST 2.0
#define RANK_ETA_LEAST_SIGNED 3.0

// a pair of doubles, a complex number
typedef struct { double re, im; } rank_complex;

// exp(2 pi i a j / M) - 1 for whole j; a j is reduced exactly where it is a whole number below 2^53.
NMATH_HEAVY void rank_turn(double a, double j, double M, double *c, double *s)
{
    double x = a * j, y;
    if (x < 0x1p+53 && a == floor(a)) {
        y = (x - M * floor(x / M)) / M;
    } else {
        double q = a / M;
        nmath_dd p = dd_two_prod(q, j);
        y = (p.hi - floor(p.hi)) + (p.lo + fma(-q, M, a) / M * j);
    }
    double h = nmath_sinpi(y);
    *c = -2.0 * h * h;
    *s = 2.0 * h * nmath_cospi(y);
}

// The logarithm's part T at |z| = exp(-t), z = exp(2 pi i j/M) |z|
NMATH_HEAVY rank_complex rank_eta_tail(rank_size size, double t, double j, double M)
{
    double m = size.m, n = size.n, r = exp(-t), c, s, wr[3], wi[3], pr[3], pi[3];
    rank_turn(1.0, j, M, &c, &s);
    // z - 1, and then z^i - 1
    double dr = expm1(-t) + r * c, di = r * s, zr = dr, zi = di;
    int kinds = size.signs ? 1 : 3;
    NMATH_LOOP
    for (int q = 0; q < kinds; ++q) {
        double a = q == 0 ? m + 1.0 : q == 1 ? n + 1.0 : m + n + 1.0, scale = exp(-a * t);
        rank_turn(a, j, M, &c, &s);
        wr[q] = pr[q] = scale * (1.0 + c);
        wi[q] = pi[q] = scale * s;
    }
    rank_complex sum = {0.0, 0.0};
    double flip = 1.0, most = exp(-(m + 1.0) * t), left = most;
    NMATH_LOOP
    for (int i = 1; i < 64 && left > 1e-18; ++i) {
        double ar = pr[0], ai = pi[0];
        if (!size.signs) {
            ar += pr[1] - pr[2];
            ai += pi[1] - pi[2];
        }
        // a/(z^i - 1)
        double f = flip / (i * (zr * zr + zi * zi));
        sum.re += (ar * zr + ai * zi) * f;
        sum.im += (ai * zr - ar * zi) * f;
        if (size.signs)
            flip = -flip;
        NMATH_LOOP
        for (int q = 0; q < kinds; ++q) {
            double x = pr[q] * wr[q] - pi[q] * wi[q];
            pi[q] = pr[q] * wi[q] + pi[q] * wr[q];
            pr[q] = x;
        }
        double x = zr + dr + (zr * dr - zi * di);
        zi = zi + di + (zr * di + zi * dr);
        zr = x;
        left *= most;
    }
    return sum;
}

// log of the generating function at exp(-t), but for the part T
NMATH_FN double rank_eta_lead(rank_size size, double t)
{
    if (size.signs)
        return M_PI * M_PI / 12.0 / t - 0.5 * M_LN2 + t / 24.0;
    return M_PI * M_PI / 6.0 / t + 0.5 * log(t / M_2PI) - t / 24.0;
}

// The generating function at exp(-t + 2 pi i j/M) over that at exp(-t), where T is tail; 0 < j <= M/2.
NMATH_HEAVY rank_complex rank_eta_node(rank_size size, double t, double tail, double j, double M)
{
    rank_complex T = rank_eta_tail(size, t, j, M), g;
    double v = M_2PI / M * j, x = v / t, den = 1.0 / (1.0 + x * x);
    T.re -= tail;
    g.re = 1.0;
    g.im = 0.0;
    if (den > (size.signs ? 2.05 : 1.02) * t) { // Re(1/w) = den/t
        double a = (size.signs ? M_PI * M_PI / 12.0 : M_PI * M_PI / 6.0) / t;
        T.re -= a * x * x * den;
        T.im += a * x * den + (size.signs ? -v : v) / 24.0;
        if (!size.signs) {
            T.re += 0.25 * log1p(x * x);
            T.im -= 0.5 * atan(x);
        }
    } else {
        int last = (int)fmin(sqrt(28.0 / t), 4000.0) + 1;
        T.re -= rank_eta_lead(size, t);
        NMATH_LOOP
        for (int q = 0; q <= size.signs; ++q) {
            // of z^2 first for signed ranks
            double power = size.signs && q == 0 ? 2.0 : 1.0, r = exp(-power * t), c, s;
            rank_turn(power, j, M, &c, &s);
            // z, z^i, z^{2i-1} times -1, and the term
            double zr = r * (1.0 + c), zi = r * s, ur = 1.0, ui = 0.0, or_ = -zr, oi = -zi, ar = 1.0, ai = 0.0, pr = 1.0, pi = 0.0;
            double z2r = zr * zr - zi * zi, z2i = 2.0 * zr * zi;
            NMATH_LOOP
            for (int i = 0; i < last; ++i) {
                double y = ar * or_ - ai * oi;
                ai = ar * oi + ai * or_;
                ar = y;
                y = ur * zr - ui * zi;
                ui = ur * zi + ui * zr;
                ur = y;
                pr += ar;
                pi += ai;
                y = ar * ur - ai * ui;
                ai = ar * ui + ai * ur;
                ar = y;
                pr += ar;
                pi += ai;
                y = or_ * z2r - oi * z2i;
                oi = or_ * z2i + oi * z2r;
                or_ = y;
            }
            if (q == size.signs) {
                double y = 1.0 / (pr * pr + pi * pi + NMATH_RANGE(1e-60, 1e-35)); // P may vanish by rounding where g counts for nothing
                pr *= y;
                pi *= -y;
            }
            double y = g.re * pr - g.im * pi;
            g.im = g.re * pi + g.im * pr;
            g.re = y;
        }
    }
    double h = exp(T.re), c = h * cos(T.im), s = h * sin(T.im), y = g.re * c - g.im * s;
    g.im = g.re * s + g.im * c;
    g.re = y;
    return g;
}

#endif
