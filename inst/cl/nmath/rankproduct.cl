// @source_type: shim
// @source_origin: rankproduct.c
// @provides: RANK_NOTHING, rank_moments, rank_times, rank_power_n, rank_log_product, rank_saddle
// @depends: nmath, expm1, rankcount, ranktotal
// @method: products and sums over all factors, products in double-double
// @accuracy: logarithms of products to 2^-60 max(1, log), saddle points to 0.15 standard deviations of the tilted statistic
// @all_depends: Rmath, nmath, expm1, rankcount, stirlerr_cycle_free, ranktotal
// @all_depends_count: 6

// rankproduct -- the generating functions of the rank statistics (rankcount.cl) at a point r = exp(-t) of (0, 1), all
// their factors multiplied out, and the saddle point, where k is the mean of the statistic whose weights are tilted by r^x.
//
// A tilted statistic is a sum of independent ones: signed ranks i with probability r^i/(1 + r^i), and for rank sums
// geometric ones, whose mean and variance are u/v and u/v^2, u = r^i, v = 1 - u, less those for i = n + 1, ..., n + m.

#ifndef NMATH_RANKPRODUCT_CL
#define NMATH_RANKPRODUCT_CL

// exp(-46) = 2^-66: a factor that is as near to 1 does not count, however many there are (they fall geometrically)
#define RANK_NOTHING 46.0

// Mean and variance of the statistic whose weights are tilted by exp(s x), s < 0.
NMATH_HEAVY void rank_moments(rank_size size, double s, double terms, int cumulative, double *mean, double *variance)
{
    double u = 0.0, v = 0.0, w = 0.0, y = 0.0, v1 = -expm1(s), m0 = 0.0, v0 = 0.0;
    double r = 1.0 - v1;
    for (double i = 1.0; i <= terms; i += 1.0) {
        v += v1 - v * v1;
        u = 1.0 - v;
        if (size.signs) {
            double t = i / (1.0 + u);
            m0 += t * u;
            v0 += t * t * u;
        } else {
            if (i == 1.0) {
                y = -expm1(s * (size.n + 1.0));
                if (cumulative) {
                    m0 += u / v;
                    v0 += u / (v * v);
                }
            } else
                y += v1 - y * v1;
            w = 1.0 - y;
            double e = size.n + i, t = i / v, q = e / y;
            m0 += t * u - q * w;
            v0 += t * t * u - q * q * w;
        }
    }
    if (size.signs && cumulative) {
        m0 += r / v1;
        v0 += r / (v1 * v1);
    }
    *mean = m0;
    *variance = v0;
}

// A product of many factors, hi + lo and an exponent of two.
typedef struct { nmath_dd p; double exponent; } rank_product;

// *= hi + lo
NMATH_FN void rank_times(rank_product *q, double hi, double lo)
{
    nmath_dd t = dd_two_prod(q->p.hi, hi);
    q->p = dd_fast_two_sum(t.hi, t.lo + (q->p.lo * hi + q->p.hi * lo));
    if (q->p.hi > NMATH_RANGE(1e200, 1e12) || q->p.hi < NMATH_RANGE(1e-200, 1e-12)) {
        double k = q->p.hi > 1.0 ? NMATH_RANGE(400.0, 40.0) : -NMATH_RANGE(400.0, 40.0);
        double c = q->p.hi > 1.0 ? NMATH_RANGE(0x1p-400, 0x1p-40) : NMATH_RANGE(0x1p+400, 0x1p+40);
        q->p.hi *= c;
        q->p.lo *= c;
        q->exponent += k;
    }
}

// r^n for whole n < 2^62
NMATH_HEAVY nmath_dd rank_power_n(double r, double n)
{
    nmath_dd w = {1.0, 0.0}, x = {r, 0.0};
    nmath_u64 b = (nmath_u64)fmin(n, 0x1p+62);
    for (int i = 0; i < 63 && b != 0; ++i) {
        if (b & 1)
            w = dd_mul(w, x);
        x = dd_mul(x, x);
        b >>= 1;
    }
    return w;
}

// log of prod (1 - r^{n+i})/(1 - r^i) or prod (1 + r^i), without what i > terms adds.
NMATH_HEAVY nmath_dd rank_log_product(rank_size size, double r, nmath_dd w, double terms, int cumulative)
{
    rank_product above = {{1.0, 0.0}, 0.0}, below = {{1.0, 0.0}, 0.0};
    nmath_dd u = {1.0, 0.0};
    for (double i = 1.0; i <= terms; i += 1.0) {
        u = dd_mul_d(u, r);
        if (size.signs) {
            nmath_dd f = dd_fast_two_sum(1.0, u.hi);
            rank_times(&above, f.hi, f.lo + u.lo);
        } else {
            w = dd_mul_d(w, r);
            nmath_dd f = dd_fast_two_sum(1.0, -w.hi), g = dd_fast_two_sum(1.0, -u.hi);
            if (w.hi > NMATH_RANGE(1e-40, 1e-33))
                rank_times(&above, f.hi, f.lo - w.lo);
            rank_times(&below, g.hi, g.lo - u.lo);
        }
    }
    if (cumulative)
        rank_times(&below, 1.0 - r, 0.0);
    nmath_dd e = rank_log_ratio(above.p.hi, below.p.hi);
    e.lo += above.p.lo / above.p.hi - below.p.lo / below.p.hi;
    double k = above.exponent - below.exponent;
    nmath_dd f = {k * NMATH_LN2_HI, k * NMATH_LN2_LO};
    return dd_add(e, f);
}

// the contour's point: how near the saddle point in standard deviations of the tilted statistic, and the least t in units of
// 1/sd: the pole of sums is that far away
// (tools/explore.py: 0.05 to 0.45 and 0.12 to 0.8 give the same errors; at 0.9 the slowest call takes ten times as long)
#define RANK_SADDLE 0.15
#define RANK_LEAST 0.4

// A point of the contour for the mass of k or the probability up to k.
NMATH_HEAVY double rank_saddle(rank_size size, double k, int cumulative, double *variance)
{
    double d = fmax(0.5 * size.top - k, 0.0), near = d / size.sd / size.sd, sd = size.sd, mean;
    double far = (size.signs ? 0.9068996821171089 : 1.2825498301618641) / sqrt(k + 1.0);
    double least = RANK_LEAST / sd;
    double lo = fmax(0.5 * near, least), hi = 2.0 * fmax(far + 1.0 / (k + 1.0), 2.0 * lo);
    double t = far < 3.0 * near ? fmax(near, least) : fmax(far, least);
    for (int i = 0; i < 24; ++i) {
        rank_moments(size, -t, fmin(size.m, RANK_NOTHING / t), cumulative, &mean, variance);
        double f = mean - k;
        if (fabs(f) <= RANK_SADDLE * sqrt(*variance) || (f < 0.0 && t <= least))
            break;
        if (f > 0.0)
            lo = t;
        else
            hi = t;
        t = fmax(t + f / *variance, least);
        if (!(t >= lo && t < hi))
            t = sqrt(lo) * sqrt(hi);
    }
    return t;
}

#undef RANK_SADDLE
#undef RANK_LEAST

#endif
