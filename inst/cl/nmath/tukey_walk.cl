// @source_type: shim
// @source_origin: tukey_walk.c
// @provides: tukey_walk, tukey_start, tukey_next, tukey_walked
// @depends: nmath, ibeta, tukey, tukey_node, pgamma_utils
// @method: trapezoidal sum over the log of the chi variable, of the sums of tukey.cl, a node at a time
// @accuracy: see ptukey.cl
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, tukey_table, lgamma, pnorm, pgamma_utils, qnorm, dpois, tukey, dgamma, tukey_node, ibeta_mass, ibeta
// @all_depends_count: 17

// tukey_walk -- the nodes of ptukey.cl's sum, one after another, for what is summed over them: the tail itself, and means of
// other quantities where s has a density proportional to F G (ptukey_dq.cl, ptukey_ddf.cl).

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
#define TUKEY_LEAST NMATH_RANGE(1e-60, 1e-15)

// A walk for a tail at q: lower, upper, or the smaller of them, about, where `upper` < 0 before the first node. What belongs to
// a node: u = m.at + v, E = e^v - 1, x = q s, g of G there, z its weight. `sum` is that of the weights, which the walk follows
// down to `tiny` of it. `finite` is 0 of a single node. Of a `flat` node G is 1, and g another node's.
typedef struct {
    tukey_shape f;
    tukey_power p, g;
    tukey_search m;
    tukey_nodes nodes;
    tukey_density F;
    double q, q0, coarse, tiny, x, ex, z, v, E, sum, step;
    int upper, finite, stage, side, i, tries, flat;
} tukey_walk;

NMATH_FN tukey_walk tukey_start(double q, tukey_shape f, int upper, double coarse)
{
    tukey_walk w;
    double n = (f.cc - 1.0) * f.rr;
    w.f = f;
    w.q0 = q;
    // w ~ q^(c-1) for all s that count
    if (q < TUKEY_LEAST && q * sqrt(1.0 + n / f.df) < TUKEY_LEAST)
        q = TUKEY_LEAST;
    w.q = w.x = q;
    w.upper = upper;
    w.coarse = coarse;
    w.tiny = coarse > 1.0 ? 1e-8 : 1e-17;
    // beyond, s is 1 for all that counts: its variance is 1/(2 df), and log G is of the size of q^2, or of n at most
    w.finite = TUKEY_SURE * f.df < fmax(1e13, fmax(q * q, n));
    w.stage = w.finite ? 0 : 2;
    w.nodes = tukey_single();
    w.ex = w.z = w.v = w.E = w.sum = w.step = 0.0;
    w.side = w.i = w.tries = w.flat = 0;
    w.F.e.hi = w.F.e.lo = w.F.nx = w.F.y = 0.0;
    w.F.s = w.F.m = 1.0;
    w.p.whole = w.p.D = w.p.l = w.p.m = w.p.f = w.p.low = w.p.q = w.p.slope = 0.0;
    w.p.kind = 2;
    w.g = w.p;
    w.m.at = w.m.lo = w.m.last = w.m.log0 = w.m.F = w.m.G = w.m.bend = 0.0;
    w.m.hi = 800.0;
    w.m.tries = 0;
    return w;
}

// To the next node; 0 where there is none. `coarse` as in tukey_range(). One loop, since tukey_range() is to be called in
// one place: in stage 0 it seeks the mode, in 1 the step of G, in 2 it takes G at the mode, in 3 it walks.
NMATH_HEAVY int tukey_next(tukey_walk *w)
{
    double rr = w->f.rr, df = w->f.df, c1 = w->f.cc - 1.0, q = w->q, coarse = w->coarse;
    int most = 250;
    if (w->stage == 4) { // a node has been
        if (!w->finite)
            return 0;
        w->i++;
        int ahead = w->v * w->nodes.shift > 0.0 && fabs(w->v) < fabs(w->nodes.shift); // the mode is
        if ((!(w->z > w->tiny * w->sum) && !ahead) || w->i >= most) {
            if (w->side)
                return 0;
            w->side = 1;
            w->i = 1;
            w->z = w->sum;
            w->flat = 0;
        } else { // beyond, G is 1: to the right, or for the upper tail to the left
            w->flat = !(w->g.whole < -1e-18) && (w->side ? -w->nodes.far : w->nodes.far) == (w->upper ? -1 : 1);
        }
        w->v = tukey_node(w->nodes, w->side ? -w->i : w->i, &w->ex);
        w->E = expm1(w->v);
        w->x = q * w->F.s * (1.0 + w->E);
        w->stage = 3;
    }
    for (;;) {
        if (!w->flat) {
            double rough = fmax(coarse, w->stage < 2                     ? 1.6
                                        : w->z < TUKEY_LIGHTER * w->sum ? 1.6
                                        : w->z < TUKEY_LIGHT * w->sum   ? 1.2
                                                                        : 1.0);
            w->g = tukey_power_of(tukey_range(w->x, w->f.cc, w->f.largest, rough), w->x, rr, c1, w->upper > 0 && w->stage != 1);
        }
        if (w->upper < 0) {
            w->upper = w->g.whole > -M_LN2;
            if (w->upper)
                continue;
        }
        if (w->stage == 0) {
            if (!tukey_seek(&w->m, w->f, w->g, q, w->x, w->upper)) {
                w->x = q * exp(w->m.at);
                continue;
            }
            w->nodes = tukey_spacing(w->m, w->f, w->x, w->upper, coarse);
            double z0 = -log(w->upper ? -log1p(-exp(w->g.whole)) : -w->g.whole), apart = fabs(log(w->f.top / w->x));
            if (w->nodes.step < 1e-15) { // so sharp that numbers hardly move by a step: Laplace's method
                w->nodes.step = sqrt(2.0 * M_PI / w->m.bend);
                w->finite = 0;
            } else if (w->nodes.b > 0.0 && (z0 > TUKEY_APART || (w->upper && z0 < -TUKEY_APART)) &&
                       (w->nodes.step + w->nodes.b * apart) * (0.5 * w->f.top * w->f.top) > TUKEY_RESOLVED * coarse) {
                w->stage = 1;
                w->step = log(w->f.top / q);
                w->x = w->f.top;
                continue;
            }
        } else if (w->stage == 1) { // from z = 0.4, the median, if that is not near
            double l = -w->g.whole, rate = w->g.slope / l, d = (0.4 + log(l)) / rate;
            if (fabs(d * rate) > 1.0 && fabs(d) < 0.5 && w->tries < 5) {
                w->step += d;
                w->x = q * exp(w->step);
                w->tries++;
                continue;
            }
            double far = fabs(w->step - w->m.at) * sqrt(w->m.bend); // in standard deviations: beyond, the step does not count
            if (far < TUKEY_SEEN)
                w->nodes = tukey_at_step(w->m, df, w->step - w->m.at, far, rate, w->upper, coarse);
        }
        if (w->stage < 2) {
            w->F = tukey_density_at(w->m.at, df);
            w->x = q * w->F.s;
            w->ex = w->nodes.b + w->nodes.b2;
            w->stage = 2;
            continue;
        }
        if (w->stage == 2) {
            w->stage = 3;
            w->p = w->g;
            if (w->nodes.shift != 0.0) {
                w->v = w->nodes.shift;
                w->E = expm1(w->v);
                w->x = q * w->F.s * (1.0 + w->E);
                continue;
            }
        }
        break;
    }
    double E = w->E, D = tukey_excess(w->v), nu = w->finite ? df : 0.0;
    // the bound is for exponents so large that the sum is lost beside them
    w->z = (1.0 + w->ex) * exp(fmin(9.0, tukey_over(w->g, w->p, rr, c1) - w->F.nx * E - nu * D - (w->F.y * E) * E));
    w->sum += w->z;
    w->stage = 4;
    return 1;
}

// The tail
NMATH_HEAVY ibeta_tail tukey_walked(tukey_walk *w)
{
    ibeta_tail t;
    double rr = w->f.rr, c1 = w->f.cc - 1.0;
    t.m = w->F.m * w->nodes.step * w->sum;
    t.h = 0.0;
    t.upper = w->upper;
    t.e = dd_add(w->F.e, tukey_exponent(w->p, rr, c1));
    if (w->q > w->q0 && !w->upper)
        t.e = dd_add(t.e, dd_mul_d(dd_log_ratio(w->q0, w->q), c1 * rr));
    t.e = pgamma_finite(t.e);
    return t;
}

#undef TUKEY_APART
#undef TUKEY_RESOLVED
#undef TUKEY_SEEN
#undef TUKEY_LIGHT
#undef TUKEY_LIGHTER
#undef TUKEY_SURE
#undef TUKEY_LEAST
