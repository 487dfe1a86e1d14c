// @source_type: shim
// @source_origin: ranknode.c
// @provides: RANK_BLOCK, rank_slow_turn, rank_circle, rank_nodes, rank_nodes_begin, rank_nodes_turn, rank_nodes_rank_sum, rank_nodes_signed_rank, rank_nodes_compute
// @depends: nmath, expm1, rankcount, ranketa
// @method: products of complex factors less 1
// @accuracy: see wilcox.cl and signrank.cl
// @all_depends: Rmath, nmath, cospi, expm1, log1p, rankcount, ranketa
// @all_depends_count: 7

// ranknode -- the generating functions of the rank statistics (rankcount.cl) at nodes z = exp(-t + 2 pi i j/M),
// relative to their values at exp(-t).
//
// The factors of a node are relative to those at j = 0, and enter less 1. exp(iv) - 1 takes the place of exp(iv), whose
// error would be that of 1. Powers of exp(iv) come by recurrence from one factor to the next, afresh from their sines at
// every second one. Up to the angle RANK_SLOW, sines enter less their angles: what those add to numerator and denominator
// nearly cancels and is formed apart. Where many parts are as large as the samples, a node takes ranketa.cl instead of all
// factors.

#ifndef NMATH_RANKNODE_CL
#define NMATH_RANKNODE_CL

// nodes side by side: what a CPU's vectors hold (the turns come through variables of their own: a rank_nodes
// whose address went to a function out of line would stay in memory)
#ifdef NMATH_LIBM
#define RANK_BLOCK 4
#else
#define RANK_BLOCK 1
#endif
// factors from one pair of sines to the next: the recurrence adds eps with every step
#define RANK_SEED 2
// the largest angle whose sine enters less the angle: 15 terms of rank_slow_turn's series
#define RANK_SLOW 3.0

// cos(x) - 1 and sin(x) - x by power series, 0 <= x <= RANK_SLOW
NMATH_HEAVY void rank_slow_turn(double x, double *c, double *e)
{
    double y = x * x, s = 0.0, p = 0.0;
    NMATH_LOOP
    for (double i = 29.0; i >= 3.0; i -= 2.0) {
        p = (p + 1.0) * (-y / (i * (i + 1.0)));
        s = (s + x) * (-y / (i * (i - 1.0)));
    }
    *c = (p + 1.0) * (-0.5 * y);
    *e = s;
}

// The circle |z| = r = exp(-t) with M nodes; factors up to `terms` count; closed: where ranketa.cl serves, with its part T =
// tail at j = 0; else rn = r^n for rank sums. For sums, the factor 1/(1 - z) is included.
typedef struct { double t, r, terms, M, tail; nmath_dd rn; int cumulative, closed; } rank_circle;

// The product p (what rounding took from it in l), z^i (u), z^{n+i} (w), z (s), all but p and l less 1 and without r^i
typedef struct {
    double pr[RANK_BLOCK], pi[RANK_BLOCK], lr[RANK_BLOCK], li[RANK_BLOCK], ur[RANK_BLOCK], ui[RANK_BLOCK], wr[RANK_BLOCK],
        wi[RANK_BLOCK], sr[RANK_BLOCK], si[RANK_BLOCK], angle[RANK_BLOCK], first[RANK_BLOCK];
    int slow;
} rank_nodes;

// The first turns, and the factor of sums
NMATH_FN void rank_nodes_begin(rank_size size, const rank_circle *c, double base, rank_nodes *z)
{
    z->slow = !size.signs && !c->closed && (size.n + c->terms) * (M_2PI / c->M) * (base + RANK_BLOCK) < RANK_SLOW;
    NMATH_UNROLL
    for (int l = 0; l < RANK_BLOCK; ++l) {
        z->pr[l] = 1.0;
        z->pi[l] = z->lr[l] = z->li[l] = 0.0;
        z->wr[l] = z->wi[l] = 0.0;
        z->angle[l] = 0.0;
        double x, y;
        if (z->slow) {
            z->angle[l] = M_2PI / c->M * (base + l);
            rank_slow_turn(z->angle[l], &x, &y);
        } else
            rank_turn(1.0, base + l, c->M, &x, &y);
        z->sr[l] = x;
        z->first[l] = y;
        z->si[l] = z->angle[l] + y;
    }
    if (c->cumulative) {
        double v1 = -expm1(-c->t);
        NMATH_UNROLL
        for (int l = 0; l < RANK_BLOCK; ++l) {
            double x = v1 - c->r * z->sr[l], y = -c->r * z->si[l], q = v1 / (x * x + y * y);
            z->pr[l] = x * q;
            z->pi[l] = -y * q;
        }
    }
}

// z^i and z^{n+i}, from their sines or from the powers before
NMATH_FN void rank_nodes_turn(rank_size size, const rank_circle *c, double base, double i, int seed, rank_nodes *z)
{
    NMATH_UNROLL
    for (int l = 0; l < RANK_BLOCK; ++l) {
        if (!seed) {
            double sr = z->sr[l], si = z->si[l];
            double sine = z->ui[l] + (i - 1.0) * z->angle[l], x = z->ur[l] + sr + (z->ur[l] * sr - sine * si);
            z->ui[l] = z->ui[l] + z->first[l] + (z->ur[l] * si + sine * sr);
            z->ur[l] = x;
            sine = z->wi[l] + (size.n + i - 1.0) * z->angle[l];
            x = z->wr[l] + sr + (z->wr[l] * sr - sine * si);
            z->wi[l] = z->wi[l] + z->first[l] + (z->wr[l] * si + sine * sr);
            z->wr[l] = x;
        } else {
            NMATH_LOOP
            for (int q = 0; q < 2 - size.signs; ++q) {
                double a = q ? size.n + i : i, x, y;
                if (z->slow)
                    rank_slow_turn(a * z->angle[l], &x, &y);
                else
                    rank_turn(a, base + l, c->M, &x, &y);
                if (q) {
                    z->wr[l] = x;
                    z->wi[l] = y;
                } else {
                    z->ur[l] = x;
                    z->ui[l] = y;
                }
            }
        }
    }
}

// times (1 + z^i)/(1 + r^i), un = r^i
NMATH_FN void rank_nodes_signed_rank(double un, rank_nodes *z)
{
    double p = un / (1.0 + un);
    NMATH_UNROLL
    for (int l = 0; l < RANK_BLOCK; ++l) {
        double x = p * z->ur[l], y = p * z->ui[l], pr = z->pr[l];
        z->pr[l] = pr + (pr * x - z->pi[l] * y);
        z->pi[l] = z->pi[l] + (pr * y + z->pi[l] * x);
    }
}

// times (1 - z^{n+i})/(1 - z^i) over its value at v = 0, with u = r^i, w = r^{n+i}:
// 1 + (u U - q W)/(v - u U), v = 1 - u, q = v w/(1 - w), U and W what exp(iv) - 1 becomes
NMATH_FN void rank_nodes_rank_sum(rank_size size, double i, nmath_dd u, nmath_dd w, rank_nodes *z)
{
    double un = u.hi;
    nmath_dd vn = dd_fast_two_sum(1.0, -un), vw = dd_fast_two_sum(1.0, -w.hi), q;
    vn.lo -= u.lo;
    vw.lo -= w.lo;
    q.hi = vn.hi / vw.hi;
    q.lo = (fma(-q.hi, vw.hi, vn.hi) + (vn.lo - q.hi * vw.lo)) / vw.hi;
    q = dd_mul(q, w);
    // un i - q (n + i), which vanishes with t
    nmath_dd lu = dd_two_prod(un, i), lw = dd_two_prod(q.hi, size.n + i);
    double linear = (lu.hi - lw.hi) + ((lu.lo - lw.lo) + (u.lo * i - q.lo * (size.n + i)));
    NMATH_UNROLL
    for (int l = 0; l < RANK_BLOCK; ++l) {
        double ur = z->ur[l], ui = z->ui[l], wr = z->wr[l], wi = z->wi[l], pr = z->pr[l], pi = z->pi[l];
        double ar = (un * ur - q.hi * wr) + (u.lo * ur - q.lo * wr);
        double ai = (un * ui - q.hi * wi) + (u.lo * ui - q.lo * wi) + z->angle[l] * linear;
        double x = vn.hi + (vn.lo - un * ur), y = -un * (ui + i * z->angle[l]), h = 1.0 / (x * x + y * y);
        double qr = (ar * x + ai * y) * h, qi = (ai * x - ar * y) * h;
        // what the sums round off is carried along
        nmath_dd re = dd_two_sum(pr, pr * qr - pi * qi), im = dd_two_sum(pi, pr * qi + pi * qr);
        h = z->lr[l];
        z->lr[l] = h + (h * qr - z->li[l] * qi) + re.lo;
        z->li[l] = z->li[l] + (h * qi + z->li[l] * qr) + im.lo;
        z->pr[l] = re.hi;
        z->pi[l] = im.hi;
    }
}

// The nodes base, ..., base + RANK_BLOCK - 1: p
NMATH_FN void rank_nodes_compute(rank_size size, const rank_circle *c, double base, rank_nodes *z)
{
    rank_nodes_begin(size, c, base, z);
    for (int l = 0; c->closed && l < RANK_BLOCK; ++l) {
        rank_complex g = rank_eta_node(size, c->t, c->tail, base + l, c->M);
        double x = z->pr[l] * g.re - z->pi[l] * g.im;
        z->pi[l] = z->pr[l] * g.im + z->pi[l] * g.re;
        z->pr[l] = x;
    }
    nmath_dd u = {1.0, 0.0}, w = c->rn;
    double factors = c->closed ? 0.0 : c->terms;
    int phase = 0;
    for (double i = 1.0; i <= factors; i += 1.0) {
        rank_nodes_turn(size, c, base, i, phase == 0, z);
        phase = phase + 1 == RANK_SEED ? 0 : phase + 1;
        u = dd_mul_d(u, c->r);
        if (size.signs) {
            rank_nodes_signed_rank(u.hi, z);
        } else {
            w = dd_mul_d(w, c->r);
            rank_nodes_rank_sum(size, i, u, w, z);
        }
    }
    NMATH_UNROLL
    for (int l = 0; l < RANK_BLOCK; ++l) {
        z->pr[l] += z->lr[l];
        z->pi[l] += z->li[l];
    }
}

#undef RANK_SEED
#undef RANK_SLOW

#endif
