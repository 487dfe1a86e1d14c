// @source_type: c
// @source_origin: ptukey.c
// @provides: ptukey, tukey_value, tukey_excess, tukey_search, tukey_seek, tukey_nodes, tukey_single, tukey_spacing, tukey_at_step, tukey_node, tukey_density, tukey_density_at, tukey_tail
// @depends: nmath, dpq, dpois, ibeta, tukey, pgamma_utils
// @method: trapezoidal sum over the log of the chi variable, of the sums of tukey.cl
// @accuracy: ptukey.tsv 2.7 eps(1+cond) (host), 1.2 (PoCL), 1.4 (H200)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, qnorm, dpois, tukey, dgamma, ibeta_mass, ibeta
// @all_depends_count: 15
// @load_order: 154

// ptukey -- cumulative probability of the studentized range, the largest of rr ranges of cc normal variables over an
// independent s, s^2 df chi-squared with df degrees of freedom. With u = log s, a = df/2, y = a s^2 and w of tukey.cl
//     P = int 2 y^a e^-y/Gamma(a) w(q s)^rr du,   1 - P with 1 - w(q s)^rr = -expm1(rr log w) instead:
// the smaller of the two is computed. Both integrands F G, F the density of s and G the power of w, are log-concave in u,
// and summed relative to their mode u* as in nct.cl: with u = u* + v, E = e^v - 1, D = E - v
//     log(y^a e^-y) = ... - df (s*^2 - 1) E - df D - y* E^2.
// The mode, where the slopes of log F and log G are equal and opposite, is found to a standard deviation by secant steps
// for the logs of the slopes against log(e^2|v| - 1), from coarse sums; the start is the threshold, where q s is about the
// median of the largest of rr ranges. The whole exponent at the mode is taken off, in double-double where it may be large.
// Where numbers hardly move by one step, Laplace's method takes the sum's place.
//
// Nodes. Both factors let the trapezoidal rule's error fall as exp(-k/spacing): F, whose Fourier transform is that of the
// gamma function, |Gamma(a + i t/2)|, and G, which rises from 0 to 1 as exp(-exp(-z)) with z = v q^2/2 about. Where one of
// them is much wider than the other, spacings grow exponentially with the node (Takahasi and Mori 1974, Publ. RIMS 9,
// 721-741), to the side on which F falls off, to the other one also where G falls exponentially. They grow from the
// mode; or from the step of G, found by Newton's method for z = -log(-log G), where that is sharp, lies apart from the mode
// and is not yet resolved there: with few degrees of freedom and large numbers of means and ranges. To the right of it F
// falls as exp(-a e^2v), whose spacing must not grow without end.
// Beyond the step G is 1 and not computed. Sums of w are coarse where the node's weight is below 1e-7.
// Some 25 to 110 nodes are usual.
//
// The spacings were set by experiment, tools/fit_tukey.py: 1500 random calls with 2 to 1e5 degrees of freedom, 2 to 1e60
// means and 1 to 1e200 ranges, against sums with a third of all spacings. Off by more than 1e-14 are 14 calls, whose condition is
// large, none by more than 1e-12; with one spacing wider,
//     TUKEY_SMOOTH, in standard deviations of F G:  by 1.17: 13, by 1.42: 50
//     TUKEY_RISE, of z:                             by 1.08: 12, by 1.28: 179
//     TUKEY_WIDE, of F for few degrees of freedom:  by 1.09: 14, by 1.3: 49
//     TUKEY_GROWTH, of one spacing over the last:   by 1.3: 53.
// TUKEY_APART, the distance in z from which the step has nodes of its own, makes no difference from 1 to 6.

// the first three as 1/spacing^2
#define TUKEY_SMOOTH (1.0 / (0.6 * 0.6))
#define TUKEY_RISE (1.0 / (0.25 * 0.25))
#define TUKEY_WIDE 100.0
#define TUKEY_GROWTH 0.1
#define TUKEY_APART 5.0

// A tail, and the first two derivatives of its log by log q
typedef struct { ibeta_tail t; double slope, bend; } tukey_value;

// e^v - 1 - v
NMATH_FN double tukey_excess(double v)
{
    double s = 1.0;
    if (fabs(v) > 0.1)
        return expm1(v) - v;
    for (int k = 12; k > 2; --k)
        s = 1.0 + s * v / k;
    return 0.5 * v * v * s;
}

// The search for the mode, u = +-t (t >= 0; to the left for the upper tail): where the logs of the slopes of F and G, also
// kept, agree. In L against tau = log(e^2t - 1) it is linear where t is small, and where it is large.
typedef struct { double at, lo, hi, last, log0, F, G, bend; int tries; } tukey_search;

// One step, from g = G(x), x = q e^at; 1 where `at` is the mode to 0.7 standard deviations, or as near as can be
NMATH_HEAVY int tukey_seek(tukey_search *m, tukey_shape f, tukey_power g, double q, double x, int upper)
{
    double top = f.top, df = f.df, n1 = (f.cc - 1.0) * f.rr, t = fabs(m->at), c = fmin(top, x), next;
    double rate = upper && x > top ? 2.0 : 1.0 + 0.35 * c * c; // by which the log of G's slope falls
    m->F = df * fabs(expm1(2.0 * m->at));
    m->G = fmin(fabs(g.slope), 1e290);
    m->bend = 2.0 * df * exp(2.0 * m->at) + m->G * rate;
    if (!(fabs(m->G - m->F) > 0.7 * sqrt(m->bend)) || m->tries > 14)
        return 1;
    double L = log(m->G) - log(m->F), d = log(upper ? x / top : top / x), tau = 0.0;
    if (m->G > m->F)
        m->lo = t;
    else
        m->hi = t;
    if (m->tries == 0) {
        if (!upper)
            m->hi = fmin(700.0, 0.5 * log1p(n1 / df));
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
        if (fabs(L) < 1e-14 * (4.0 + rate)) { // as near as numbers are
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
    double df = f.df, A = df * exp(2.0 * m.at), F = m.F, c = fmin(f.top, 1.5 * x);
    // G's own from 0 to 1, where it is among the terms that count
    double rise = upper && x > 1.5 * f.top ? 0.0 : 0.5 * c * c;
    n.step = coarse / sqrt(m.bend * TUKEY_SMOOTH + rise * rise * TUKEY_RISE + TUKEY_WIDE);
    // how far F reaches, beyond the rise: to exp(-39)
    double reach = fmin(39.0 / (F + 1e-300), A > 39.0 ? sqrt(39.0 / A) : upper ? 39.0 / (F + A) : 0.5 * log1p(78.0 / A));
    int slow = upper == 0 && df + (f.cc - 1.0) * f.rr < 16.0;
    n.far = upper || slow ? -1 : 1;
    if (slow || (upper && df < 16.0) || reach > 40.0 * n.step) {
        n.h = TUKEY_GROWTH * coarse;
        n.b = TUKEY_GROWTH;
        n.b2 = upper || x > 1.15 * f.top ? n.b : 0.0; // where G does not fall as exp(-e^-z)
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
    n.b = fmin(TUKEY_GROWTH, 0.55 / far); // the spacing at the mode is b far, of its standard deviations
    n.h = n.b * coarse;
    n.b2 = upper ? n.b : 0.0;
    n.cap = upper ? ML_POSINF : coarse / (sqrt(wide) * n.h * n.step);
    return n;
}

// v of node j; its spacing, in steps, is 1 + *ex
NMATH_FN double tukey_node(tukey_nodes n, double j, double *ex)
{
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

// The lower or upper tail, or the smaller of them, about, where upper < 0. `coarse` as in tukey_range(). One loop, since
// tukey_range() is to be called in one place: in stage 0 it seeks the mode, in 1 the step of G, in
// 2 it takes G at the mode, in 3 it sums.
NMATH_HEAVY tukey_value tukey_tail(double q, tukey_shape f, int upper, double coarse)
{
    double rr = f.rr, df = f.df, c1 = f.cc - 1.0, tiny = coarse > 1.0 ? 1e-8 : 1e-17, q0 = q;
    int finite = df < 1e30, smooth = df < 1e8, stage = finite ? 0 : 2;
    // w ~ q^(c-1) for all s that count
    if (q < 1e-60 && q * sqrt(1.0 + c1 * rr / df) < 1e-60)
        q = 1e-60;
    tukey_value res;
    tukey_power p, g;
    tukey_search m;
    tukey_nodes nodes = tukey_single();
    tukey_density F;
    double x = q, ex = 0.0, z = 0.0, v = 0.0, E = 0.0, sum = 0.0, sum1 = 0.0, sum2 = 0.0, step = 0.0;
    int side = 0, i = 0, tries = 0, most = 250, flat = 0;
    F.e.hi = F.e.lo = F.nx = F.y = 0.0;
    F.s = F.m = 1.0;
    p.whole = p.D = p.l = p.m = p.q = p.slope = 0.0;
    p.kind = 2;
    g = p;
    m.at = m.lo = m.last = m.log0 = m.F = m.G = m.bend = 0.0;
    m.hi = 800.0;
    m.tries = 0;
    for (;;) {
        if (!flat) {
            double rough = fmax(coarse, stage < 2 ? 1.6 : z < 1e-11 * sum ? 1.6 : z < 1e-7 * sum ? 1.2 : 1.0);
            g = tukey_power_of(tukey_range(x, f.cc, f.largest, rough), x, rr, c1, upper > 0 && stage != 1);
        }
        if (upper < 0) {
            upper = g.whole > -M_LN2;
            if (upper)
                continue;
        }
        if (stage == 0) {
            if (!tukey_seek(&m, f, g, q, x, upper)) {
                x = q * exp(m.at);
                continue;
            }
            nodes = tukey_spacing(m, f, x, upper, coarse);
            double z0 = -log(upper ? -log1p(-exp(g.whole)) : -g.whole), apart = fabs(log(f.top / x));
            if (nodes.step < 1e-15) { // so sharp that numbers hardly move by a step: Laplace's method
                nodes.step = sqrt(2.0 * M_PI / m.bend);
                finite = 0;
            } else if (nodes.b > 0.0 && (z0 > TUKEY_APART || (upper && z0 < -TUKEY_APART)) &&
                       (nodes.step + nodes.b * apart) * (0.5 * f.top * f.top) > 0.5 * coarse) {
                stage = 1;
                step = log(f.top / q);
                x = f.top;
                continue;
            }
        } else if (stage == 1) { // from z = 0.4, the median, if that is not near
            double l = -g.whole, rate = g.slope / l, d = (0.4 + log(l)) / rate;
            if (fabs(d * rate) > 1.0 && fabs(d) < 0.5 && tries < 5) {
                step += d;
                x = q * exp(step);
                tries++;
                continue;
            }
            double far = fabs(step - m.at) * sqrt(m.bend); // in standard deviations: beyond, the step does not count
            if (far < 9.0)
                nodes = tukey_at_step(m, df, step - m.at, far, rate, upper, coarse);
        }
        if (stage < 2) {
            F = tukey_density_at(m.at, df);
            x = q * F.s;
            ex = nodes.b + nodes.b2;
            stage = 2;
            continue;
        }
        if (stage == 2) {
            stage = 3;
            p = g;
            if (nodes.shift != 0.0) {
                v = nodes.shift;
                E = expm1(v);
                x = q * F.s * (1.0 + E);
                continue;
            }
        }
        double D = tukey_excess(v), A = F.nx + 2.0 * F.y * E * (2.0 + E), nu = df < 1e30 ? df : 0.0;
        // the bound is for exponents so large that the sum is lost beside them
        z = (1.0 + ex) * exp(fmin(9.0, tukey_over(g, p, rr, c1) - F.nx * E - nu * D - (F.y * E) * E));
        sum += z;
        sum1 += z * (smooth ? A : g.slope); // by parts: F's derivative in place of G's
        sum2 += z * (A * A - 4.0 * F.y * (1.0 + E) * (1.0 + E));
        if (!finite)
            break;
        i++;
        int ahead = v * nodes.shift > 0.0 && fabs(v) < fabs(nodes.shift); // the mode is
        if ((!(z > tiny * sum) && !ahead) || i >= most) {
            if (side)
                break;
            side = 1;
            i = 1;
            z = sum;
            flat = 0;
        } else { // beyond, G is 1: to the right, or for the upper tail to the left
            flat = !(g.whole < -1e-18) && (side ? -nodes.far : nodes.far) == (upper ? -1 : 1);
        }
        v = tukey_node(nodes, side ? -i : i, &ex);
        E = expm1(v);
        x = q * F.s * (1.0 + E);
    }
    res.t.m = F.m * nodes.step * sum;
    res.t.h = 0.0;
    res.t.upper = upper;
    res.slope = sum1 / sum;
    res.bend = smooth ? sum2 / sum - res.slope * res.slope : 0.0;
    res.t.e = dd_add(F.e, tukey_exponent(p, rr, c1));
    if (q > q0 && !upper)
        res.t.e = dd_add(res.t.e, dd_mul_d(dd_log_ratio(q0, q), c1 * rr));
    res.t.e = pgamma_finite(res.t.e);
    return res;
}

NMATH_FN double ptukey(double q, double rr, double cc, double df, int lower_tail, int log_p)
{
    if (ISNAN(q) || ISNAN(rr) || ISNAN(cc) || ISNAN(df))
        return q + rr + cc + df;
    if (q <= 0)
        return R_DT_0;
    if (df < 2 || rr < 1 || cc < 2)
        return ML_NAN;
    if (isinf(q))
        return R_DT_1;
    if (isinf(cc) || isinf(rr))
        return ML_NAN;
    return ibeta_value(tukey_tail(q, tukey_shape_of(rr, cc, df), -1, 1.0).t, lower_tail == 0, log_p);
}

#undef TUKEY_SMOOTH
#undef TUKEY_RISE
#undef TUKEY_WIDE
#undef TUKEY_GROWTH
#undef TUKEY_APART
