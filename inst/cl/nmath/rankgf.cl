// @source_type: shim
// @source_origin: rankgf.c
// @provides: rank_plan, rank_circle_of, rank_plan_nodes, rank_plan_keeps, rank_contour
// @depends: nmath, log1p, expm1, rankcount, ranktotal, rankproduct, ranketa, ranknode
// @method: Cauchy's integral through the saddle point by the trapezoid rule
// @accuracy: see wilcox.cl and signrank.cl
// @all_depends: Rmath, nmath, cospi, expm1, log1p, rankcount, stirlerr_cycle_free, ranketa, ranktotal, ranknode, rankproduct
// @all_depends_count: 11

// rankgf -- probabilities of the rank statistics from their generating functions (rankcount.cl).
//
// With G the generating function and z = exp(-t + i v),
//     c_k = 1/(2 pi) int G(z) z^-k dv,      c_0 + ... + c_k = 1/(2 pi) int G(z)/(1 - z) z^-k dv,      t > 0,
// by the trapezoid rule with M nodes, which adds to the coefficient those k + M, k - M, ... further on times exp(-M t),
// exp(M t), ...: M is taken such that they do not count, the sums at the upper end of the distribution excepted, which are
// all the number C of arrangements and add C exp(-M t)/(1 - exp(-M t)) (Trefethen and Weideman 2014). t is a point near
// the saddle, where all nodes near v = 0 add up in phase: nothing cancels, and both tails have full relative accuracy.
//
// The value at v = 0 is formed in double-double (rankproduct.cl), so that its exponent of hundreds costs nothing; the nodes
// are relative to it (ranknode.cl). Nodes away from 0 count near fractions of the circle, exp(2 pi i/b), where |G| is up to
// about its b-th root: where that is not negligible they are computed, near b = 2, 3, ... or all of them.

#ifndef NMATH_RANKGF_CL
#define NMATH_RANKGF_CL

// -log of what the rule may leave out of 1: exp(-38) = eps/7
// (tools/explore.py: with 30, 12 of 4000 random calls are off by more than 8 eps, with 38 and 46 four, whose logarithms are large)
#define RANK_LOST 38.0
// a node's sum of the pentagonal series costs about as much as so many factors (times are level within a tenth for 15 to 80)
#define RANK_ETA_TERMS 40.0
// computed nodes, whatever the arguments: a bound for time, where m is below RANK_FAR (rankprob.cl) and nodes are some thousand
#define RANK_NODES 32768
// half the width of a lobe in standard deviations of v: exp(-9^2/2) = 2^-58
#define RANK_WIDTH 9.0
// lobes of closed products: their roots are of the order b^2, less this
// (0.55 to 2.2 give the same errors)
#define RANK_CLOSED 1.1
// what a block of nodes adds to the sum where two like it end a lobe
// (1e-23 to 1e-15 give the same errors)
#define RANK_QUIET 1e-19

// The rule with M nodes: pole: the pole's part is taken from the sum; lobes: nodes near v = 2 pi i/b for b up to there
// only (0: all nodes), within `width` times sqrt(b); total: log C = c and a factor `scale`.
typedef struct { double M, width, total, scale; int pole, lobes; nmath_dd c; } rank_plan;

// The circle for k, and e: log G(exp(-t)) + k t; lg and lg2: log G at exp(-t) and exp(-t/2)
NMATH_FN rank_circle rank_circle_of(rank_size size, double k, double low, double t, int cumulative, nmath_dd *e, double *lg, double *lg2)
{
    rank_circle c;
    c.r = exp(-t);
    nmath_dd s = rank_log_ratio(c.r, 1.0), g;
    c.t = t = -s.hi;
    c.terms = floor(fmin(size.m, RANK_NOTHING / t));
    c.cumulative = cumulative;
    c.tail = 0.0;
    // factors in closed form, where they are many
    c.closed = size.m * t > (size.signs ? RANK_ETA_LEAST_SIGNED : RANK_ETA_LEAST) && c.terms > RANK_ETA_TERMS;
    e->hi = e->lo = 0.0;
    NMATH_LOOP
    for (int i = !c.closed; i >= 0; --i) {
        double x = i ? exp(-0.5 * t) : c.r;
        *lg2 = e->hi;
        c.rn = rank_power_n(x, size.signs ? 0.0 : size.n);
        *e = rank_log_product(size, x, c.rn, i ? floor(fmin(size.m, 2.0 * RANK_NOTHING / t)) : c.terms, cumulative);
    }
    *lg = e->hi;
    NMATH_LOOP
    for (int i = c.closed; i >= 0 && c.closed; --i) {
        double x = i ? 0.5 * t : t;
        c.tail = rank_eta_tail(size, x, 0.0, 1.0).re;
        if (i)
            *lg2 = rank_eta_lead(size, x) + c.tail - (cumulative ? log(-expm1(-x)) : 0.0);
    }
    g = dd_two_prod(k, t);
    g.lo += low * t - k * s.lo;
    *e = dd_add(*e, dd_fast_two_sum(g.hi, g.lo));
    return c;
}

// M and which nodes count, where G at the circle's point exp(-t) has the given variance
NMATH_FN rank_plan rank_plan_nodes(rank_size size, rank_circle c, double k, double e, double lg, double lg2, double variance)
{
    rank_plan p;
    double t = c.t, d = 0.5 * size.top - k, v = size.sd * size.sd, b = t - d / v, v1 = -expm1(-t);
    double sd = sqrt(c.cumulative ? fmax(variance - c.r / (v1 * v1), 0.0) : variance);
    p.c = rank_total(size, &p.scale);
    p.total = p.c.hi + log(p.scale);
    // the upper end of the distribution is below a normal one
    double nodes = RANK_LOST + log(4.0 * sd + 1.0), all = nodes + fmax(p.total - e, 0.0), reach = 2.0 * fmax(all - 0.5 * d * d / v, 40.0);
    double root = sqrt(b * b + reach / v), M = b > 0.0 ? reach / (root + b) : v * (root - b);
    if (c.cumulative && M < d)
        M = all / t;
    M = fmin(M, size.top - k + 1.0);
    // or below what the generating function at exp(-t/2) allows it
    double M2 = 2.0 / t * (nodes + fmax(lg2 - lg - 0.5 * t * k, 0.0));
    p.pole = !(M2 < M);
    p.M = ceil(fmin(fmax(fmin(M, M2), RANK_WIDTH * sqrt(variance)), size.top - k + 1.0));
    p.width = RANK_WIDTH / (M_2PI * sd);
    p.lobes = lg > RANK_LOST + 1.0 ? (int)(lg / (lg - RANK_LOST)) : 0;
    if (c.closed && lg > RANK_LOST + 0.5)
        p.lobes = (int)sqrt(RANK_CLOSED * lg / (lg - RANK_LOST));
    return p;
}

// Is a node of this block near exp(2 pi i/b)?
NMATH_FN int rank_plan_keeps(rank_size size, rank_plan p, double base)
{
    double x = (base + 1.5) / p.M, w = RANK_BLOCK / p.M;
    NMATH_LOOP
    for (int b = 2; b <= p.lobes; ++b) {
        double y = x * b;
        if ((!size.signs || (b & 1)) && fabs(y - rint(y)) <= b * (p.width * sqrt((double)b) + w))
            return 1;
    }
    return 0;
}

// P(X = k) or P(X <= k) = f exp(e), for k + low at most half of the top; k + low need not be whole.
NMATH_HEAVY nmath_dd rank_contour(rank_size size, double k, double low, int cumulative, double *f)
{
    double variance, lg, lg2, t = rank_saddle(size, k, cumulative, &variance);
    nmath_dd e;
    rank_circle c = rank_circle_of(size, k, low, t, cumulative, &e, &lg, &lg2);
    rank_plan p = rank_plan_nodes(size, c, k, e.hi, lg, lg2, variance);
    c.M = p.M;
    double middle = floor(0.5 * p.M), sum = 1.0, lost = 0.0, largest = 1.0;
    int quiet = 0;
    NMATH_LOOP
    for (double base = 1.0; base <= middle && base < RANK_NODES; base += RANK_BLOCK) {
        if (p.lobes && quiet >= 2 && !rank_plan_keeps(size, p, base))
            continue;
        rank_nodes z;
        rank_nodes_compute(size, &c, base, &z);
        double size_of_block = 0.0;
        NMATH_UNROLL
        for (int l = 0; l < RANK_BLOCK; ++l) {
            double j = base + l, x, y;
            rank_turn(k, j, p.M, &x, &y);
            double a = (z.pr[l] + (z.pr[l] * x + z.pi[l] * y)) * (2.0 * j == p.M ? 1.0 : 2.0);
            if (j <= middle) {
                nmath_dd carry = dd_two_sum(sum, a);
                sum = carry.hi;
                lost += carry.lo;
                size_of_block = fmax(size_of_block, fabs(z.pr[l]) + fabs(z.pi[l]));
            }
        }
        largest = fmax(largest, fabs(sum));
        quiet = size_of_block < RANK_QUIET * largest ? quiet + 1 : 0;
        if (p.lobes == 1 && quiet >= 2)
            break;
    }
    sum = (sum + lost) / p.M;
    if (cumulative && p.pole)
        sum -= exp(p.total - p.M * c.t - e.hi) / -expm1(-p.M * c.t);
    *f = sum / p.scale;
    p.c.hi = -p.c.hi;
    p.c.lo = -p.c.lo;
    return dd_add(e, p.c);
}

#undef RANK_LOST
#undef RANK_ETA_TERMS
#undef RANK_NODES
#undef RANK_WIDTH
#undef RANK_CLOSED
#undef RANK_QUIET

#endif
