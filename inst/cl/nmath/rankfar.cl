// @source_type: shim
// @source_origin: rankfar.c
// @provides: RANK_LOG, RANK_DIGITS, RANK_START, rank_far
// @depends: nmath, log1p, expm1, rankcount, ranktotal, rankproduct, rankfar_sums
// @method: Taylor series of the cumulant generating function about the saddle point, trapezoid rule
// @accuracy: see wilcox.cl and signrank.cl
// @all_depends: Rmath, nmath, bd0, dpq, expm1, log1p, rankcount, stirlerr_cycle_free, lgamma, ranktotal, pgamma_utils, rankproduct, dhyper_far, dhyper, phyper, rankfar_sums
// @all_depends_count: 16

// rankfar -- probabilities of the rank statistics in the tails of large samples, in a time that does not depend on them.
//
// With K the logarithm of the generating function at exp(-s), for sums with the factor 1/(1 - exp(-s)), C the number of
// arrangements and t near the saddle point,
//     P(X = k) or P(X <= k) = 1/(2 pi C) int exp(K(t - iv) + k (t - iv)) dv
// by the trapezoid rule, as in rankgf.cl, but K(t (1 + e)) comes from its Taylor series in e = -iv/t (rankfar_sums.cl).
//
// For quantiles, t is sought where the saddle point approximation (Daniels 1954)
//     log P(X <= k) ~ K(t) + k t - log C + log(t/S) - log(2 pi)/2,   k = -K'(t),   S^2 = t^2 K''(t),
// has a given value: its derivative in log t is about -S^2. There
//     d log P/dk ~ g = t (1 + t^3 K'''/(2 S^4)),   dg/dk ~ -g t/S^2,
// which is right for the powers of k that small samples have, and 0.75/sd for 0.80/sd at the centre of a normal
// distribution.
//
// With S^2 the second derivative of K in log t, the trapezoid rule has the step 2 pi/(RANKFAR_WIDTH S) in |e|: what it leaves
// out is below exp(-36) of the whole where S^2 > 116. The accuracy is that in wilcox.cl and signrank.cl.

#ifndef NMATH_RANKFAR_CL
#define NMATH_RANKFAR_CL

// what is wanted: a probability for its logarithm, to all digits, or the k that has a given one
#define RANK_LOG 0
#define RANK_DIGITS 1
#define RANK_START 2

// The constants were varied by tools/explore.py, by 4000 random calls; most leave errors and times as they are when halved or
// doubled. The others:
//     RANKFAR_PRODUCT 1200: 14 logarithms and probabilities off by more than 8 eps instead of 4,
//     RANKFAR_PRODUCT_LOG 200: 9, and 5000: none,
//     RANKFAR_END (rankfar_sums.cl) 30: 72,
//     RANKFAR_WIDTH 9.6: 15,
//     RANKFAR_LOST 4e-14: 5, 4e-13: 6.
//
// the circle's other maxima, near exp(2 pi i/3) or -1, are below the third or second root of this one (rankgf.cl), so that
// exp(-39) of it is left; where exp(-m t) is small, below the ninth or fourth: exp(-42)
#define RANKFAR_LOBES 78.0
#define RANKFAR_LOBES_SIGNED 58.0
#define RANKFAR_FAR_LOBES 56.0
#define RANKFAR_FAR_LOBES_SIGNED 48.0
// the rule's nodes over standard deviations, as told above
#define RANKFAR_WIDTH 12.0
// how near the saddle point is to be, in standard deviations
#define RANKFAR_SADDLE 0.02
// the second derivative from which that many terms count
#define RANKFAR_TO_16 2200.0
#define RANKFAR_TO_24 400.0
#define RANKFAR_TO_32 200.0
// what the series may leave out (the condition number is in the tens)
#define RANKFAR_LOST 4e-15
// products of so many factors are multiplied out in double-double; where the result is a logarithm, fewer
#define RANKFAR_PRODUCT 6000.0
#define RANKFAR_PRODUCT_LOG 1000.0
// P(X = k) or P(X <= k) = f exp(e) for k at most half of the top, to all digits or (RANK_LOG) for use as a logarithm in the
// hundreds. False where the series is too short; then f and e are as good as it is.
// RANK_START: k is log P(X <= f), e->hi is g, and e->lo is -dg/dk over g^2.
NMATH_HEAVY int rank_far(rank_size size, double k, int cumulative, int wanted, double *f, nmath_dd *e)
{
    rankfar_series L;
    double *s = L.s, m = size.m, n = size.n, scale;
    // the saddle point is near one of two: that of a normal distribution and that of unrestricted partitions
    double ratio = size.signs ? k / n / (n + 1.0) * 2.0 : k / n / m;
    double near = size.signs ? 6.0 * (0.5 - ratio) / (n + 0.5) : 6.0 * (1.0 - 2.0 * ratio) / (m + n + 1.0);
    double far = (size.signs ? 0.9068996821171089 : 1.2825498301618641) / sqrt(k), lo = 0.5 * near, hi = 2.0 * (far + 1.0 / k);
    near = fmax(near, 1e-30 / (m + n));
    double t = far < 3.0 * near ? near : sqrt(lo) * sqrt(hi), r = 1.0;
    nmath_dd u = {0.0, 0.0}, c = rank_total(size, &scale);
    int order = 2, product = 0;
    if (wanted == RANK_START) {
        order = 3;
        t = fmin(sqrt(-k) / size.sd * M_SQRT2, 1.0);
        lo = 1e-3 / size.sd;
        hi = 2.0; // k is about 0
    }
    NMATH_LOOP
    for (int i = 0; i < 60; ++i) {
        rankfar_sums(size, t, cumulative, order, &L);
        if (wanted == RANK_START) {
            double centre = 0.0;
            if (NMATH_EPS * size.top > 1e-4 * size.sd) { // K + k t would be lost, but the distribution is normal
                double y = t * size.sd;
                y *= y;
                centre = 0.5 * size.top;
                s[0] = 0.5 * y - log(t);
                s[1] = y;
                s[2] = 0.5 * y;
                s[3] = L.a = 0.0;
                L.b = -1.0;
                L.normal = 1;
            }
            double S2 = fmax(2.0 * (s[2] + L.a) - L.b, 1e-3), x = L.a - (s[1] + L.b);
            double miss = k - (s[0] + L.a + x - (L.normal ? 0.0 : c.hi + log(scale)) + log(t) - 0.5 * log(M_2PI * S2));
            if (fabs(miss) < 0.1 || t > 1.9 || i == 58) {
                e->hi = t * fmax(1.0 + (3.0 * (s[3] - L.a) + L.b) / (S2 * S2), 0.1);
                e->lo = t / e->hi / S2;
                *f = centre + (x / t + miss / e->hi);
                return 1;
            }
            if (miss > 0.0)
                hi = t;
            else
                lo = t;
            t *= exp(fmax(fmin(-miss / S2, NMATH_RANGE(700.0, 80.0)), -NMATH_RANGE(700.0, 80.0)));
            if (!(t > lo && t < hi))
                t = sqrt(lo) * sqrt(hi);
            continue;
        }
        if (order > 2)
            break;
        double g1 = (s[1] + L.b) + (k * t - L.a), g2 = 2.0 * (s[2] + L.a) - L.b, step = -g1 / g2; // relative to t
        if (fabs(g1) < fmax(RANKFAR_SADDLE * sqrt(g2), 4.0 * NMATH_EPS * k * t) || i == 58) {
            // as many terms as count where exp(-x^2/2) x^j is largest
            order = g2 > RANKFAR_TO_16 ? 16 : g2 > RANKFAR_TO_24 ? 24 : g2 > RANKFAR_TO_32 ? 32 : RANKFAR_ORDER;
            product = t > 1e-6 && fmin(m, RANK_NOTHING / t) < (wanted == RANK_DIGITS ? RANKFAR_PRODUCT : RANKFAR_PRODUCT_LOG) && (s[0] + L.a) + k * t - (L.normal ? 0.0 : c.hi) > -760.0;
            if (product) { // of powers of r
                r = exp(-t);
                u = rank_log_ratio(r, 1.0);
                t = -u.hi;
            }
            continue;
        }
        if (g1 < 0.0)
            lo = t;
        else
            hi = t;
        double next = t * (1.0 + step);
        t = next > lo && next < hi && fabs(step) < 0.4 ? next : sqrt(lo) * sqrt(hi);
    }
    double S = sqrt(2.0 * (s[2] + L.a) - L.b), last = fabs(s[order]) + fabs(s[order - 1]);
    // the singular part and the rest may cancel: for all of K the series converges to |e| = 1 and a little further
    double b = L.b + cumulative, all = fabs(s[order] + L.a - b / order) + fabs(s[order - 1] - L.a + b / (order - 1.0));
    nmath_dd K = dd_two_sum(L.a, s[0]), g = dd_two_prod(k, t);
    if (all < last && !L.normal) {
        last = all;
        NMATH_LOOP
        for (int j = 1; j <= order; ++j)
            s[j] += j & 1 ? b / j - L.a : L.a - b / j;
        L.a = 0.0;
        L.b -= b;
    }
    g.lo -= k * u.lo;
    int enough = K.hi + (L.normal ? c.hi : 0.0) > (L.normal ? (size.signs ? RANKFAR_LOBES_SIGNED : RANKFAR_LOBES) : size.signs ? RANKFAR_FAR_LOBES_SIGNED : RANKFAR_FAR_LOBES);
    if (product) {
        K = rank_log_product(size, r, rank_power_n(r, size.signs ? 0.0 : n), floor(fmin(m, RANK_NOTHING / t)), cumulative);
        L.normal = 0;
    }
    K = dd_add(K, dd_fast_two_sum(g.hi, g.lo));
    if (L.normal) {
        scale = 1.0;
    } else {
        c.hi = -c.hi;
        c.lo = -c.lo;
        K = dd_add(K, c);
    }
    *e = K;
    s[1] += (k * t - L.a) + s[RANKFAR_ORDER + 1];
    if (fabs(s[1] + L.b) < 16.0 * NMATH_EPS * k * t) // nothing but rounding
        s[1] = -L.b;
    double h = M_2PI / (RANKFAR_WIDTH * S), sum = 0.5;
    NMATH_LOOP
    for (int j = 1; j < 64; ++j) {
        double v = j * h, w = v * v, even = 0.0, odd = 0.0, z = w / (1.0 + w);
        NMATH_LOOP
        for (int i = order; i >= 2; i -= 2) {
            even = s[i] - even * w;
            odd = s[i - 1] - odd * w;
        }
        double size_of = exp(0.5 * L.b * log1p(w) - L.a * z - even * w);
        sum += size_of * cos(v * (odd + L.a * z) + L.b * atan(v));
        if (size_of < 1e-19)
            break;
        double left_out = last * exp(order * log(v));
        enough = enough && left_out * size_of < RANKFAR_LOST && j < 63;
        if (left_out > 1.0)
            break;
    }
    *f = 2.0 * sum * (t / (RANKFAR_WIDTH * S)) / scale;
    if (cumulative && k + RANKFAR_WIDTH * S / t > 0.5 * size.top + 4.0 * size.sd) // what lies RANKFAR_WIDTH S/t further on, where that is all
        *f -= exp(-RANKFAR_WIDTH * S - K.hi) / -expm1(-RANKFAR_WIDTH * S);
    return enough;
}

#undef RANKFAR_LOBES
#undef RANKFAR_LOBES_SIGNED
#undef RANKFAR_FAR_LOBES
#undef RANKFAR_FAR_LOBES_SIGNED
#undef RANKFAR_WIDTH
#undef RANKFAR_SADDLE
#undef RANKFAR_TO_16
#undef RANKFAR_TO_24
#undef RANKFAR_TO_32
#undef RANKFAR_LOST
#undef RANKFAR_PRODUCT
#undef RANKFAR_PRODUCT_LOG

#endif
