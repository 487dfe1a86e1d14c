// @source_type: c
// @source_origin: ptukey.c
// @provides: ptukey, tukey_value, tukey_tail, tukey_rim_shape, TUKEY_FAR
// @depends: nmath, dpq, ibeta, tukey, tukey_node, pgamma_utils
// @method: trapezoidal sum over the log of the chi variable, of the sums of tukey.cl
// @accuracy: ptukey.tsv 2.5 eps(1+cond) (host), 0.84 (PoCL), 2.3 (H200)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, tukey_table, lgamma, pnorm, pgamma_utils, qnorm, dpois, tukey, dgamma, tukey_node, ibeta_mass, ibeta
// @all_depends_count: 17
// @load_order: 209

// ptukey -- cumulative probability of the studentized range, the largest of rr ranges of cc normal variables over an
// independent s, s^2 df chi-squared with df degrees of freedom. With u = log s, a = df/2, y = a s^2 and w of tukey.cl
//     P = int 2 y^a e^-y/Gamma(a) w(q s)^rr du,   1 - P with 1 - w(q s)^rr = -expm1(rr log w) instead:
// the smaller of the two is computed. Both integrands F G, F the density of s and G the power of w, are log-concave in u,
// and summed relative to their mode u* as in nct.cl: with u = u* + v, E = e^v - 1, D = E - v
//     log(y^a e^-y) = ... - df (s*^2 - 1) E - df D - y* E^2.
// The mode and the nodes about it are tukey_node.cl's. The whole exponent at the mode is taken off, in double-double where it
// may be large. Where numbers hardly move by one step, Laplace's method takes the sum's place. Beyond the step of G, G is 1
// and not computed. Sums of w are coarse where the node's weight is small. Some 25 to 110 nodes are usual.

// Set by experiment, as told in tukey_node.cl (calls off by more than 1e-14, nodes; or terms of inner sums). The step of G has
// nodes of its own: from that distance in z from the mode on, 1 (14, 68.5), 2.5 (14, 67.3), 10
// (15, 67.2); where those about the mode are wider than that, in z,
// 0.15 (15, 67.3), 1.5 (17, 67.2, 2 off by more than 1e-12); unless the mode is that many standard deviations away, 4.5 to 13 (14)
#define TUKEY_APART 5.0
#define TUKEY_RESOLVED 0.5
#define TUKEY_SEEN 9.0
// weights of nodes below which sums are coarse: 1e-9 (14, 2715 terms), 1e-5 (14, 2590), 1e-3 (14, 2454); 1e-13 (14, 2697),
// 1e-9 (14, 2626), 1e-7 (16, 2573)
#define TUKEY_LIGHT 1e-7
#define TUKEY_LIGHTER 1e-11
// What counts for nothing in a log: see tukey_tail()
#define TUKEY_SURE 1e-17

// A tail, and the first two derivatives of its log by log q
typedef struct { ibeta_tail t; double slope, bend; } tukey_value;

// The lower or upper tail, or the smaller of them, about, where upper < 0. `coarse` as in tukey_range(). One loop, since
// tukey_range() is to be called in one place: in stage 0 it seeks the mode, in 1 the step of G, in
// 2 it takes G at the mode, in 3 it sums.
NMATH_HEAVY tukey_value tukey_tail(double q, tukey_shape f, int upper, double coarse)
{
    double rr = f.rr, df = f.df, c1 = f.cc - 1.0, tiny = coarse > 1.0 ? 1e-8 : 1e-17, q0 = q;
    // beyond, s is 1 for all that counts: its variance is 1/(2 df), and log G is of the size of q^2, or of n1 at most
    int finite = TUKEY_SURE * df < fmax(1e13, fmax(q * q, c1 * rr)), smooth = df < 1e8, stage = finite ? 0 : 2;
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
    p.whole = p.D = p.l = p.m = p.f = p.low = p.q = p.slope = 0.0;
    p.kind = 2;
    g = p;
    m.at = m.lo = m.last = m.log0 = m.F = m.G = m.bend = 0.0;
    m.hi = 800.0;
    m.tries = 0;
    for (;;) {
        if (!flat) {
            double rough = fmax(coarse, stage < 2 ? 1.6 : z < TUKEY_LIGHTER * sum ? 1.6 : z < TUKEY_LIGHT * sum ? 1.2 : 1.0);
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
                       (nodes.step + nodes.b * apart) * (0.5 * f.top * f.top) > TUKEY_RESOLVED * coarse) {
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
            if (far < TUKEY_SEEN)
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
        double D = tukey_excess(v), A = F.nx + 2.0 * F.y * E * (2.0 + E), nu = finite ? df : 0.0;
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

// With degrees of freedom next to the largest doubles, logs of the tails that they have a part in are of that size, too, and
// proportional to df and q^2 (upper tail, `far`) or df and rr (lower tail, `deep`): all are taken smaller by 2^64.
#define TUKEY_FAR 1e250

NMATH_FN tukey_shape tukey_rim_shape(double rr, double cc, double df, int far, int deep)
{
    return tukey_shape_of(deep ? rr * 0x1p-64 : rr, cc, far || deep ? df * 0x1p-64 : df);
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
    int far = df > TUKEY_FAR && q > 1e125, deep = df > TUKEY_FAR && q < 16.0 && (cc - 1.0) * rr > TUKEY_FAR;
    tukey_shape f = tukey_rim_shape(rr, cc, df, far, deep);
    ibeta_tail t = tukey_tail(far ? q * 0x1p-32 : q, f, -1, 1.0).t;
    if (far || deep) {
        t.e.hi *= 0x1p64;
        t.e.lo *= 0x1p64;
    }
    return ibeta_value(t, lower_tail == 0, log_p);
}

#undef TUKEY_APART
#undef TUKEY_RESOLVED
#undef TUKEY_SEEN
#undef TUKEY_LIGHT
#undef TUKEY_LIGHTER
#undef TUKEY_SURE
