// @source_type: shim
// @source_origin: tukey_node.c
// @provides: tukey_excess, tukey_search, tukey_seek, tukey_nodes, tukey_single, tukey_spacing, tukey_at_step, tukey_node, tukey_density, tukey_density_at
// @depends: nmath, dpois, tukey
// @method: secant steps for the logs of slopes; nodes whose spacings grow exponentially
// @accuracy: see ptukey.cl
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, tukey_table, lgamma, pnorm, pgamma_utils, qnorm, dpois, tukey
// @all_depends_count: 12

// tukey_node -- where the studentized range (ptukey.cl) sums over u = log s: the mode u* of F G, F the density of s and G
// the power of the range's distribution function w(q s) or of its complement; the nodes about it; and F at the mode.
//
// The mode, where the slopes of log F and log G are equal and opposite, is found to TUKEY_SEEK standard deviations by secant
// steps for the logs of the slopes against log(e^2|v| - 1), from coarse sums; the start is the threshold, where q s is about
// the median of the largest of rr ranges.
//
// Both factors let the trapezoidal rule's error fall as exp(-k/spacing): F, whose Fourier transform is that of the
// gamma function, |Gamma(a + i t/2)|, and G, which rises from 0 to 1 as exp(-exp(-z)) with z = v q^2/2 about. Where one of
// them is much wider than the other, spacings grow exponentially with the node (Takahasi and Mori 1974, Publ. RIMS 9,
// 721-741), to the side on which F falls off, to the other one also where G falls exponentially. They grow from the
// mode; or from the step of G, found by Newton's method for z = -log(-log G), where that is sharp, lies apart from the mode
// and is not yet resolved there: with few degrees of freedom and large numbers of means and ranges. To the right of it F
// falls as exp(-a e^2v), whose spacing must not grow without end.

// All constants of tukey.cl, this file and tukey_walk.cl were set by experiment, tools/fit_tukey.py: 1500 random calls with 2 to
// 1e5 degrees of freedom, 2 to 1e60 means and 1 to 1e200 ranges, against sums with a third of all spacings. Off by more than
// 1e-14 are 14 calls, whose condition is large, none by more than 1e-12; a call takes 67.3 nodes, those of the search
// included. In brackets: calls off by more than 1e-14 and, where they differ, nodes, for other values.

// 1/spacing^2, in standard deviations of F G; of z; of F for few degrees of freedom. Spacings wider by 1.17 (13, 66.6), 1.42
// (50, 66.1); 1.08 (12, 65.4), 1.28 (179, 61.7); 1.09 (14, 67.0), 1.3 (49, 66.4)
#define TUKEY_SMOOTH (1.0 / (0.6 * 0.6))
#define TUKEY_RISE (1.0 / (0.25 * 0.25))
#define TUKEY_WIDE 100.0
// how much each spacing is over the last: 0.13 (53, 58.5)
#define TUKEY_GROWTH 0.1
// spacing at the mode, in its standard deviations, of nodes about the step of G: 0.28 to 1.1 (14)
#define TUKEY_AT_MODE 0.55
// 0.2 (20, 68.0), 1.4 and 2.8 (80, 67)
#define TUKEY_SEEK 0.7
// log G's slope falls by 1 + TUKEY_RATE x^2, about: 0.1 (20, 67.1), 1 (64, 69.3)
#define TUKEY_RATE 0.35
// F is followed to exp(-TUKEY_FALL) of the mode's: 20 to 30 (14, 67.9), 78 (15, 66.8)
#define TUKEY_FALL 39.0
// spacings grow where F is longer than that many: 10 (15, 66.5), 80 (14, 68.6), 160 (14, 71.3)
#define TUKEY_LONG 40.0
// degrees of freedom below which one side of F is long: 4 (14, 69.3), 32 and 64 (14, 66.5)
#define TUKEY_FEW 16.0
// x over the median of the largest range, from which G's own rise from 0 to 1 does not count: 1.05 (20, of which 4 by more than
// 1e-12), 2.1 (14, 67.8)
#define TUKEY_BEYOND 1.5
// the same, from which G falls to the other side as a power: 1.04 to 2.3 (14)
#define TUKEY_CLEAR 1.15

// e^v - 1 - v
NMATH_FN double tukey_excess(double v)
{
    if (fabs(v) > 0.1)
        return expm1(v) - v;
    double s = 1.0 + v * (1.0 / 11) * (1.0 + v * (1.0 / 12));
    s = 1.0 + v * (1.0 / 8) * (1.0 + v * (1.0 / 9) * (1.0 + v * (1.0 / 10) * s));
    s = 1.0 + v * (1.0 / 5) * (1.0 + v * (1.0 / 6) * (1.0 + v * (1.0 / 7) * s));
    return 0.5 * v * v * (1.0 + v * (1.0 / 3) * (1.0 + v * (1.0 / 4) * s));
}

// The search for the mode, u = +-t (t >= 0; to the left for the upper tail): where the logs of the slopes of F and G, also
// kept, agree. In L against tau = log(e^2t - 1) it is linear where t is small, and where it is large.
typedef struct { double at, lo, hi, last, log0, F, G, bend; int tries; } tukey_search;

// One step, from g = G(x), x = q e^at; 1 where `at` is the mode to TUKEY_SEEK standard deviations, or as near as can be
NMATH_HEAVY int tukey_seek(tukey_search *m, tukey_shape f, tukey_power g, double q, double x, int upper)
{
    double top = f.top, df = f.df, n1 = (f.cc - 1.0) * f.rr, t = fabs(m->at), c = fmin(top, x), next;
    double rate = upper && x > top ? 2.0 : 1.0 + TUKEY_RATE * c * c; // by which the log of G's slope falls
    m->F = df * fabs(expm1(2.0 * m->at));
    m->G = fmin(fabs(g.slope), NMATH_RANGE(1e290, 1e28));
    m->bend = 2.0 * df * exp(2.0 * m->at) + m->G * rate;
    if (!(fabs(m->G - m->F) > TUKEY_SEEK * sqrt(m->bend)) || m->tries > 14)
        return 1;
    double L = log(m->G) - log(m->F), d = log(upper ? x / top : top / x), tau = 0.0;
    if (m->G > m->F)
        m->lo = t;
    else
        m->hi = t;
    if (m->tries == 0) {
        if (!upper)
            m->hi = fmin(NMATH_RANGE(700.0, 80.0), 0.5 * log1p(n1 / df));
        next = d > 0.0 ? d : m->G / m->bend;
        next = fmin(next, upper ? 0.5 * log1p((q / df) * q * 0.5) : fmin(m->hi, 0.5 * log1p(m->G / df)));
    } else { // a secant
        double k = -expm1(-2.0 * t), slope = -(upper ? 1.0 : 1.0 + 0.5 * rate * k);
        tau = 2.0 * t + log(k);
        if (m->tries > 1 && (L - m->log0) / (tau - m->last) < 0.0)
            slope = (L - m->log0) / (tau - m->last);
        double to = tau - L / slope;
        next = 0.5 * (to > 40.0 ? to : log1p(exp(to)));
        if (!(next > m->lo && next < m->hi))
            next = m->hi < 800.0 ? (m->lo > 0.0 ? sqrt(m->lo * m->hi) : 0.1 * m->hi) : 2.0 * t + 0.1;
        if (fabs(L) < (1e-14 + 1e-15 * t) * (4.0 + rate)) { // as near as numbers are, whose exponential x is
            next = t;
            m->tries = 99;
        }
    }
    m->log0 = L;
    m->last = tau;
    m->at = upper ? -next : next;
    m->tries++;
    if (!(q * exp(m->at) > 0.0))
        m->tries = 99;
    return 0;
}

// Node j (to the side `far` where j > 0) lies at v = shift + far step (j + ...): the dots grow as b e^(hj)/h to the far
// side, up to spacings of h cap, and as b2 e^-(hj)/h to the near one.
typedef struct { double step, h, b, b2, cap, shift; int far; } tukey_nodes;

NMATH_FN tukey_nodes tukey_single(void)
{
    tukey_nodes n;
    n.step = n.h = 1.0;
    n.b = n.b2 = n.shift = 0.0;
    n.cap = ML_POSINF;
    n.far = 1;
    return n;
}

// About the mode x = q e^at
NMATH_FN tukey_nodes tukey_spacing(tukey_search m, tukey_shape f, double x, int upper, double coarse)
{
    tukey_nodes n = tukey_single();
    double df = f.df, A = df * exp(2.0 * m.at), F = m.F, c = fmin(f.top, TUKEY_BEYOND * x);
    // G's own from 0 to 1, where it is among the terms that count
    double rise = upper && x > TUKEY_BEYOND * f.top ? 0.0 : 0.5 * c * c;
    n.step = coarse / sqrt(m.bend * TUKEY_SMOOTH + rise * rise * TUKEY_RISE + TUKEY_WIDE);
    // how far F reaches, beyond the rise: to exp(-L)
    double L = TUKEY_FALL, reach = fmin(L / (F + NMATH_RANGE(1e-300, 1e-34)), A > L ? sqrt(L / A) : upper ? L / (F + A) : 0.5 * log1p(2.0 * L / A));
    int slow = upper == 0 && df + (f.cc - 1.0) * f.rr < TUKEY_FEW;
    n.far = upper || slow ? -1 : 1;
    if (slow || (upper && df < TUKEY_FEW) || reach > TUKEY_LONG * n.step) {
        n.h = TUKEY_GROWTH * coarse;
        n.b = TUKEY_GROWTH;
        n.b2 = upper || x > TUKEY_CLEAR * f.top ? n.b : 0.0; // where G does not fall as exp(-e^-z)
        if (n.far > 0)
            n.cap = coarse / (sqrt(2.0 * A * TUKEY_SMOOTH + TUKEY_WIDE) * n.h * n.step);
    }
    return n;
}

// About the step of G instead, `shift` from the mode, which is `far` standard deviations, where z rises at this rate
NMATH_FN tukey_nodes tukey_at_step(tukey_search m, double df, double shift, double far, double rate, int upper, double coarse)
{
    tukey_nodes n;
    double wide = 2.0 * df * exp(2.0 * m.at) * TUKEY_SMOOTH + TUKEY_WIDE; // of F alone
    n.shift = shift;
    n.step = coarse / sqrt(wide + rate * rate * TUKEY_RISE);
    n.far = upper ? -1 : 1;
    n.b = fmin(TUKEY_GROWTH, TUKEY_AT_MODE / far); // the spacing at the mode is b far, of its standard deviations
    n.h = n.b * coarse;
    n.b2 = upper ? n.b : 0.0;
    n.cap = upper ? ML_POSINF : coarse / (sqrt(wide) * n.h * n.step);
    return n;
}

// v of node j; its spacing, in steps, is 1 + *ex
NMATH_FN double tukey_node(tukey_nodes n, double j, double *ex)
{
    if (n.b == 0.0) { // and b2
        *ex = 0.0;
        return n.shift + n.far * n.step * j;
    }
    double up = n.b * exp(n.h * j), down = n.b2 * exp(-n.h * j), grown = (up - n.b) / n.h;
    if (n.cap <= NMATH_DBL_MAX) {
        up /= 1.0 + grown / n.cap;
        grown = n.cap * log1p(grown / n.cap);
    }
    *ex = up + down;
    return n.shift + n.far * n.step * (j + (grown - (down - n.b2) / n.h));
}

// F at the mode, s = e^at: exp(e) m, and nx = df (s^2 - 1), y = df s^2/2
typedef struct { nmath_dd e; double m, s, nx, y; } tukey_density;

NMATH_HEAVY tukey_density tukey_density_at(double at, double df)
{
    tukey_density r;
    double xi = expm1(at), w;
    int k;
    r.s = fabs(at) < 0.5 ? 1.0 + xi : exp(at);
    r.nx = (df * xi) * (2.0 + xi);
    r.y = (0.5 * df * r.s) * r.s;
    double c = frexp(r.s, &k);
    r.e = dpois_exponent(0.5 * df, 0.5 * r.nx, c * c * (0.5 * df), 2 * k, &w);
    r.m = df * M_1_SQRT_2PI / sqrt(w);
    return r;
}

#undef TUKEY_SMOOTH
#undef TUKEY_RISE
#undef TUKEY_WIDE
#undef TUKEY_GROWTH
#undef TUKEY_AT_MODE
#undef TUKEY_SEEK
#undef TUKEY_RATE
#undef TUKEY_FALL
#undef TUKEY_LONG
#undef TUKEY_FEW
#undef TUKEY_BEYOND
#undef TUKEY_CLEAR
