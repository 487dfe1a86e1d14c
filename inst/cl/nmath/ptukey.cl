// @source_type: c
// @source_origin: ptukey.c
// @provides: ptukey, tukey_tail, tukey_shape_of
// @depends: nmath, dpq, dd, logdd, expsq, qnorm, dpois, ibeta, tukey
// @method: trapezoidal sum over the log of the chi variable, of the sums of tukey.cl
// @accuracy: ptukey.tsv 1.2 eps(1+cond) (host), 1.1 (PoCL), 1.8 (H200)
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, expsq, ibeta_asym, logdd, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, qnorm, dpois, tukey, dgamma, ibeta_mass, ibeta
// @all_depends_count: 19
// @load_order: 148

// ptukey -- cumulative probability of the studentized range, the largest of rr ranges of cc normal variables over an
// independent s, s^2 df chi-squared with df degrees of freedom. With u = log s, a = df/2, y = a s^2 and w of tukey.cl
//     P = int 2 y^a e^-y/Gamma(a) w(q s)^rr du,   1 - P with 1 - w(q s)^rr = -expm1(rr log w) instead:
// the smaller of the two is computed. Both integrands F G, F the density of s and G the power of w, are log-concave in u,
// and summed about their mode u* as in nct.cl: with u = u* + v, E = e^v - 1, D = E - v
//     log(y^a e^-y) = ... - df (s*^2 - 1) E - df D - y* E^2.
// The mode, where the slopes of log F and log G are equal and opposite, is found to a standard deviation by secant steps for
// the logs of the slopes against log(e^2|v| - 1), from coarse sums (the threshold, where q s is the median of the largest of rr ranges, is the start).
//
// Nodes. The spacing at the mode resolves F, whose Fourier transform is that of the gamma function, |Gamma(a + i t/2)|, and G,
// which rises from 0 to 1 as exp(-exp(-z)) with z = v q^2/2 about: for both the trapezoidal rule's error falls as
// exp(-k/spacing). Where one of them is much wider than the other, v grows exponentially with the node (Takahasi and Mori
// 1974, Publ. RIMS 9, 721-741), to the side on which F falls off, and to the other one also where G falls exponentially.
// Sums of w are coarse where the node's weight is below 1e-7. Some 25 to 150 nodes are usual.
//
// The whole exponent at the mode is taken off, in double-double where it may be large: (c-1) rr log D(0) and rr log m of
// tukey.cl, or (q s)^2/4. Where numbers hardly move by one step, Laplace's method takes the sum's place. Not resolved in full:
// G's step where it is far sharper than F and away from the mode; digits go with means times ranges beyond 1e15 and few
// degrees of freedom (1e-2 and worse are seen), and 1e-8 is left in far upper tails of large numbers below that.

// What belongs to the parameters: the medians of one range and of the largest of rr, about; the second from Bonferroni's bound
typedef struct { double rr, cc, df, largest, top; } tukey_shape;

// log(w^rr) or log(1 - w^rr): its whole value, and its parts, of which kind 0, lower tail, (c-1) l + log m of tukey_inner;
// kind 1, upper tail, m - q^2/4; kind 2, the whole value alone; slope, the derivative by log q
typedef struct { double whole, D, l, m, q, slope; int kind; } tukey_power;

// A tail, and the first two derivatives of its log by log q
typedef struct { ibeta_tail t; double slope, bend; } tukey_value;

NMATH_FN tukey_shape tukey_shape_of(double rr, double cc, double df)
{
    tukey_shape f;
    f.rr = rr;
    f.cc = cc;
    f.df = df;
    f.largest = tukey_largest(cc);
    double pairs = -M_SQRT2 * qnorm(-log(rr) - log(cc) - log(cc - 1.0), 0.0, 1.0, 1, 1);
    f.top = fmax(tukey_edge(f.largest), pairs + 4.0 / fmax(8.0, pairs));
    return f;
}

NMATH_FN tukey_power tukey_power_of(tukey_inner r, double q, double rr, double c1, int upper)
{
    tukey_power g;
    g.D = r.D;
    g.l = r.l;
    g.q = q;
    g.kind = 2;
    if (r.upper) {
        double e = q < 74.0 ? c1 * expsq(0.5 * q) : exp(log(c1) - 0.125 * q * q), u = fmin(e * ((e + e / c1) * r.m), 0.999999);
        // rr u, of which u alone may be below the normal numbers
        double lift = rr > 1e200 ? 2.037035976334486e90 : 1.0, ru = rr / (lift * lift) * (e * lift * ((e + e / c1) * lift * r.m));
        double lw = log1p(-u), rw = u < 1e-20 ? -ru : rr * lw, k = -expm1(rw), ratio = rr == 1.0 ? 1.0 : k / ru * rr; // (1 - w^rr)/(1 - w)
        ratio = ru > 0.0 ? ratio : rr;
        g.slope = upper ? r.slope * (rr * exp(rw - lw) / ratio) : -(u < 1e-20 ? ru : rr * (u / (1.0 - u))) * r.slope;
        g.kind = upper && k < 0.3 ? 1 : 2;
        g.m = c1 < 1e70 && ratio < 1e70 ? log(ratio * r.m * c1 * (c1 + 1.0)) : log(ratio * r.m) + log(c1) + log(c1 + 1.0);
        g.whole = !upper ? rw : k < 0.3 ? g.m - 0.25 * q * q : log(k);
    } else {
        g.m = log(r.m);
        double lw = rr * fmin(0.0, c1 * r.l + g.m), k = -expm1(lw);
        g.kind = upper ? 2 : 0;
        g.slope = rr * (r.slope * (upper ? -exp(lw) / k : 1.0)); // rr times the first alone may overflow
        g.whole = upper ? log(k) : lw;
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

#ifndef FINE
#define FINE 1.0
#endif
#define TUKEY_SMOOTH (1.0 / (0.55 * 0.55))
#define TUKEY_RISE (1.0 / (0.22 * 0.22))
#define TUKEY_WIDE 120.0
#ifndef TUKEY_APART
#define TUKEY_APART 3.0
#endif

// The search for the mode, u = +-t (t >= 0; to the left for the upper tail): where the logs of the slopes of F and G, also
// kept, agree. In L against tau = log(e^2t - 1) it is linear where t is small, and where it is large.
typedef struct { double at, lo, hi, last, log0, F, G, bend; int tries; } tukey_search;

// One step, from g = G(x), x = q e^at; 1 where `at` is the mode to 0.7 standard deviations, or as near as can be
NMATH_FN int tukey_seek(tukey_search *m, tukey_shape f, tukey_power g, double q, double x, int upper)
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

// Node j (to the side `far` where j > 0) lies at v = shift + far step (j + ...): the dots grow as b e^(hj)/h to the far side,
// up to spacings of h cap, and as b2 e^-(hj)/h to the near one.
typedef struct { double step, h, b, b2, cap, shift; int far; } tukey_nodes;

// About the mode x = q e^at
NMATH_FN tukey_nodes tukey_spacing(tukey_search m, tukey_shape f, double x, int upper, double coarse)
{
    tukey_nodes n;
    double df = f.df, A = df * exp(2.0 * m.at), F = m.F, c = fmin(f.top, 1.5 * x);
    double rise = upper && x > 1.5 * f.top ? 0.0 : 0.5 * c * c; // G's own from 0 to 1, where it is among the terms that count
    n.step = coarse / sqrt(m.bend * TUKEY_SMOOTH + rise * rise * TUKEY_RISE + TUKEY_WIDE);
    // how far F reaches, beyond the rise
    double reach = fmin(39.0 / (F + 1e-300), A > 39.0 ? sqrt(39.0 / A) : upper ? 39.0 / (F + A) : 0.5 * log1p(78.0 / A));
    int slow = upper == 0 && df + (f.cc - 1.0) * f.rr < 16.0, grow = slow || (upper && df < 16.0) || reach > 40.0 * n.step;
    n.far = upper || slow ? -1 : 1;
    n.h = grow ? 0.1 * coarse : 1.0;
    n.b = grow ? 0.1 : 0.0;
    n.b2 = grow && (upper || x > 1.15 * f.top) ? 0.1 : 0.0; // where G does not fall as exp(-e^z)
    // F falls off as exp(-e^2v) where it is not cut short
    n.cap = grow && n.far > 0 ? coarse / (sqrt(2.0 * A * TUKEY_SMOOTH + TUKEY_WIDE) * n.h * n.step) : 1e300;
    n.shift = 0.0;
    return n;
}

// About the step of G instead, `shift` from the mode, where the log of -log G falls at this rate
NMATH_FN void tukey_at_step(tukey_nodes *n, tukey_search m, tukey_shape f, double shift, double rate, int upper, double coarse, double far)
{
    double wide = 2.0 * f.df * exp(2.0 * m.at) * TUKEY_SMOOTH + TUKEY_WIDE; // of F alone
    n->shift = shift;
    n->step = coarse / sqrt(wide + rate * rate * TUKEY_RISE);
    n->far = upper ? -1 : 1;
    n->b = fmin(0.1, 0.55 / far);
    n->h = n->b * coarse;
    n->b2 = upper ? n->b : 0.0;
    n->cap = upper ? 1e300 : coarse / (sqrt(wide) * n->h * n->step);
}

// v of node j; its spacing, in steps, is 1 + *ex
NMATH_FN double tukey_node(tukey_nodes n, double j, double *ex)
{
    double up = n.b * exp(n.h * j), down = n.b2 * exp(-n.h * j), grown = (up - n.b) / n.h, slow = 1.0;
    if (n.cap < 1e300) {
        slow = 1.0 / (1.0 + grown / n.cap);
        grown = n.cap * log1p(grown / n.cap);
    }
    *ex = up * slow + down;
    return n.shift + n.far * n.step * (j + (grown - (down - n.b2) / n.h));
}

// The lower or upper tail, or the smaller of them, about, where upper < 0. `coarse` as in tukey_range().
NMATH_HEAVY tukey_value tukey_tail(double q, tukey_shape f, int upper, double coarse)
{
    double rr = f.rr, df = f.df, c1 = f.cc - 1.0, n1 = c1 * rr, tiny = coarse > 1.0 ? 1e-8 : 1e-17;
    int finite = df < 1e30, smooth = df < 1e8;
    int stage = finite || upper < 0 ? 0 : 2; // 0 seeks the mode, 1 the step of G, 2 sums
    double nu = finite ? df : 0.0, q0 = q;
    // w ~ q^(c-1) for all s that count
    if (q < 1e-60 && q * sqrt(1.0 + n1 / df) < 1e-60)
        q = 1e-60;
    tukey_value res;
    tukey_power p, g;
    tukey_search m;
    tukey_nodes nodes;
    dd e;
    double x = q, centre = q, y = 0.0, nx = 0.0, w;
    double ex = 0.0, z = 0.0, v = 0.0, sum = 0.0, sum1 = 0.0, sum2 = 0.0, E = 0.0, step = 0.0;
    int side = 0, i = 0, tries = 0, most = 250, known = 0, flat = 0;
    p.whole = p.D = p.l = p.m = p.q = p.slope = 0.0;
    p.kind = 2;
    e.hi = e.lo = 0.0;
    m.at = m.lo = m.last = m.log0 = m.F = m.G = m.bend = 0.0;
    m.hi = 800.0;
    m.tries = 0;
    nodes.step = nodes.h = 1.0;
    nodes.b = nodes.b2 = nodes.shift = 0.0;
    nodes.cap = 1e300;
    nodes.far = 1;
    for (;;) {
        double rough = fmax(coarse, stage < 2 ? 1.6 : z < 1e-11 * sum ? 1.6 : z < 1e-7 * sum ? 1.2 : 1.0);
        double l = 0.0, rate = 0.0;
        if (!flat) {
            tukey_inner r = tukey_range(x, f.cc, f.largest, rough);
            g = tukey_power_of(r, x, rr, c1, 0);
            l = -g.whole; // -log G = e^-gumbel
            rate = g.slope / l;
            if (upper > 0)
                g = tukey_power_of(r, x, rr, c1, 1);
        }
        if (upper < 0) {
            upper = g.whole > -M_LN2;
            stage = finite ? 0 : 2;
            if (upper || !finite)
                continue;
        }
        if (stage == 0) {
            if (!tukey_seek(&m, f, g, q, x, upper)) {
                x = q * exp(m.at);
                continue;
            }
            nodes = tukey_spacing(m, f, x, upper, coarse);
            // so sharp that numbers hardly move by a step: Laplace's method
            if (nodes.step < 1e-15) {
                nodes.step = sqrt(2.0 * M_PI / m.bend);
                finite = 0;
            }
            double gumbel = -log(l);
            if (finite && nodes.b > 0.0 && (gumbel > TUKEY_APART || (upper && gumbel < -TUKEY_APART)) &&
                       (nodes.step + nodes.b * fabs(log(f.top / x))) * f.top * f.top > 1.0 * coarse) {
                stage = 1;
                step = log(f.top / q);
                x = f.top;
                continue;
            }
        } else if (stage == 1) {
            double d = (0.4 + log(l)) / rate;
            if (fabs(d * rate) > 1.0 && fabs(d) < 0.5 && tries < 5) {
                step += d;
                x = q * exp(step);
                tries++;
                continue;
            }
            double far = fabs(step - m.at) * sqrt(m.bend); // in standard deviations: beyond, the step does not count
            if (far < 9.0)
                tukey_at_step(&nodes, m, f, step - m.at, rate, upper, coarse, far);
        }
        if (stage < 2) {
            double xi = expm1(m.at), s = fabs(m.at) < 0.5 ? 1.0 + xi : exp(m.at), half; // x = q s from this very s
            int k;
            nx = (df * xi) * (2.0 + xi);
            y = (0.5 * df * s) * s;
            half = frexp(s, &k);
            e = dpois_exponent(0.5 * df, 0.5 * nx, half * half * (0.5 * df), 2 * k, &w);
            res.t.m = df * M_1_SQRT_2PI / sqrt(w) * nodes.step;
            x = centre = q * s;
            ex = nodes.b + nodes.b2;
            stage = 2;
            continue;
        }
        if (!known) {
            known = 1;
            p = g;
            if (nodes.shift != 0.0) {
                v = nodes.shift;
                E = expm1(v);
                x = centre * (1.0 + E);
                continue;
            }
        }
        double D = tukey_excess(v), A = nx + 2.0 * y * E * (2.0 + E);
        // the bound is for exponents so large that the sum is lost beside them
        z = (1.0 + ex) * exp(fmin(9.0, tukey_over(g, p, rr, c1) - nx * E - nu * D - (y * E) * E));
        sum += z;
        sum1 += z * (smooth ? A : g.slope); // by parts: F's derivative in place of G's
        sum2 += z * (A * A - 4.0 * y * (1.0 + E) * (1.0 + E));
        if (!finite)
            break;
        i++;
        int between = v * nodes.shift > 0.0 && fabs(v) < fabs(nodes.shift); // the mode is still ahead
        if ((!(z > tiny * sum) && !between) || i >= most) {
            if (side)
                break;
            side = 1;
            i = 1;
            z = sum;
            flat = 0;
        } else {
            flat = !(g.whole < -1e-18) && side == (nodes.far > 0) == (upper != 0);
        }
        v = tukey_node(nodes, side ? -i : i, &ex);
        E = expm1(v);
        x = centre * (1.0 + E);
    }
    if (!(df < 1e30))
        res.t.m = 1.0;
    res.t.m *= sum;
    res.t.h = 0.0;
    res.t.upper = upper;
    res.slope = sum1 / sum;
    res.bend = smooth ? sum2 / sum - res.slope * res.slope : 0.0;
    dd u;
    u.hi = p.whole;
    u.lo = 0.0;
    if (p.kind == 0) {
        u.hi = p.l;
        u = dd_mul_d(dd_mul_d(p.D < 0.5 ? dd_log_ratio(p.D, 1.0) : u, c1), rr);
        u = dd_add(u, dd_two_prod(rr, p.m));
    } else if (p.kind == 1) {
        u = dd_two_prod(p.q, -0.25 * p.q);
        u = dd_add(u, dd_two_sum(p.m, 0.0));
    }
    res.t.e = dd_add(e, u);
    if (q > q0 && !upper)
        res.t.e = dd_add(res.t.e, dd_mul_d(dd_log_ratio(q0, q), n1));
    res.t.e = dpois_finite(res.t.e);
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
