// @source_type: shim
// @source_origin: rankquantile.c
// @provides: rank_quantile
// @depends: nmath, dpq, dd, log1p, expm1, rankcount, ranktotal, rankfar, rankprob
// @method: the counts summed, or a search from the saddle point approximation on the scale of log P
// @accuracy: exact
// @all_depends: Rmath, nmath, cospi, dd, dpq, log1p, poly, rankcount, expm1, logdd, stirlerr_cycle_free, bd0, lgamma, ranketa, rankfew, ranktotal, pgamma_utils, rankgf, rankseries, dpois, dhyper, phyper, rankfar, rankprob
// @all_depends_count: 24
// @load_order: 166

// rankquantile -- quantiles of the rank statistics: the smallest k with P(X <= k) >= p.
//
// The search is for the smaller tail t; if that is the upper one, the symmetric statistic has it below, and the answer
// is top - k with the smallest k whose tail exceeds t. R compares after moving the probability by 10 eps. That is kept
// where it is small beside t; below t = 1/64 the margin is relative to t, unless t itself comes from 1 - p. Short
// distributions are summed from their counts.
//
// Else the start is found without a probability. With K as in rankfar.cl, s the saddle point and S^2 = s^2 K''(s), the saddle
// point approximation (Daniels 1954)
//     log P(X <= k) ~ K(s) + k s - log C + log(s/S) - log(2 pi)/2,   k = -K'(s),
// is a function of s: Newton's method finds it at log t. Its derivative is
//     d log P/dk ~ g = s (1 + s^3 K'''/(2 S^4)),   d g/dk ~ -g s/S^2,
// which is right for the powers of k that small samples have, and 0.75/sd for 0.80/sd at the centre of a normal
// distribution. The first step in k is that of a parabola, the later ones are those of parabolas through two points
// with the same bend. A bracket is kept, and bisected when that takes long, by the geometric mean of its ends where they
// are of different sizes. The neighbour of a k that is as good as certain to be below t, or above, is not computed.

#ifndef NMATH_RANKQUANTILE_CL
#define NMATH_RANKQUANTILE_CL

// A neighbour counts as certain where log P has as much as RANK_SPARE of a step to spare: from RANK_SMOOTH on (below, the
// masses are ragged) the step is g to a tenth.
#define RANK_SPARE 0.3
#define RANK_SMOOTH 100.0

// The distance of the whole numbers next to y as doubles, to half of it
NMATH_FN double rank_gap(double y) { return fmax(1.0, 0.55 * NMATH_EPS * y); }

// A k where log P is about l, and the first two derivatives of log P there, the second times -1
NMATH_HEAVY double rank_start(rank_size size, double l, double *slope, double *bend)
{
    rankfar_series K;
    double scale, total = rank_total(size, &scale).hi + log(scale), s = sqrt(-2.0 * l) / size.sd, miss = 0.0, ks = 0.0, S2 = 1.0;
    for (int i = 0; i < 30; ++i) {
        s = fmin(s, 2.0);
        rankfar_sums(size, s, 1, 3, &K);
        S2 = fmax(2.0 * (K.s[2] + K.a) - K.b, 1e-3);
        ks = K.a - (K.s[1] + K.b);
        miss = l - (K.s[0] + K.a + ks - (K.normal ? 0.0 : total) + log(s) - 0.5 * log(M_2PI * S2));
        if (fabs(miss) < 0.1 || (s == 2.0 && miss < 0.0))
            break;
        s *= exp(-fmax(fmin(miss / S2, 1.0), -1.0));
    }
    *slope = s * fmax(1.0 + (3.0 * (K.s[3] - K.a) + K.b) / (S2 * S2), 0.1);
    *bend = *slope * s / S2;
    return ks / s + miss / *slope;
}

NMATH_HEAVY double rank_quantile(rank_size size, double p, int lower_tail, int log_p)
{
    if (isinf(size.top))
        return size.top;
    int large = p > R_D_half, upper = (lower_tail != 0) == large;
    double t, l, fuzz;
    if (log_p) {
        t = large ? -expm1(p) : exp(p);
        l = large ? log(t) : p;
    } else {
        t = large ? 1.0 - p : p;
        l = log(t);
    }
    fuzz = 10.0 * NMATH_EPS * (large && !log_p ? 1.0 / t : fmin(1.0 / t, fmax(64.0, log_p ? -l : 0.0)));
    fuzz = fmin(fuzz, 0.5);
    t *= upper ? 1.0 + fuzz : 1.0 - fuzz;
    l += upper ? log1p(fuzz) : log1p(-fuzz);

    double middle = floor(0.5 * size.top), hi, lo = -1.0;
    if (middle < RANK_ROOM) {
        double a[RANK_ROOM], total, sum = 0.0;
        int n = (int)middle;
        rank_counts(a, n, size);
        dd c = rank_total(size, &total);
        if (l > -600.0)
            t *= dd_exp(c) * total;
        else
            t = exp(fmin(l + c.hi + log(total), 690.0));
        hi = 0.0;
        while (hi <= middle) {
            sum += a[(int)hi];
            if (upper ? sum > t : sum >= t)
                break;
            hi += 1.0;
        }
        return upper ? size.top - hi : hi;
    }

    int log_scale = l < -600.0;
    double slope, bend, y0 = 0.0, L0 = 0.0, least = 1.0, y;
    l = fmin(l, -M_LN2);
    if (log_scale)
        t = l;
    hi = middle + rank_gap(middle);
    y = rank_start(size, l, &slope, &bend);
    for (int i = 0; i < 160; ++i) {
        if (i > 14 && (i & 1))
            y = hi > 16.0 * (lo + 2.0) ? sqrt(lo + 2.0) * sqrt(hi) : lo + 0.5 * (hi - lo);
        y = fmax(fmin(ceil(y), hi - rank_gap(hi)), lo + rank_gap(lo));
        if (!(y < hi))
            break;
        double f;
        dd e = rank_part(size, y, 1, 1, &f);
        double value = rank_value(e, f, log_scale), L = log_scale ? value : log(value), miss = l - L;
        int enough = upper ? value > t : value >= t;
        if (enough)
            hi = y;
        else
            lo = y;
        if (i > 0)
            slope = fmax((L - L0) / (y - y0) - 0.5 * bend * (y - y0), 0.2 * slope);
        y0 = y;
        L0 = L;
        // a value just above t or just below is that of the quantile, or of its neighbour
        if (y > RANK_SMOOTH && slope > 1e-12 && fabs(miss) < (1.0 - RANK_SPARE) * slope && fabs(miss) > -1e-12 * l) {
            hi = enough ? y : y + 1.0;
            break;
        }
        double step = 2.0 * miss / (slope + sqrt(fmax(slope * slope - 2.0 * bend * miss, 0.0))), room = least * rank_gap(y);
        if (fabs(step) < room) { // to have both ends of the bracket near
            step = enough ? -room : room;
            least *= 4.0;
        }
        y += step;
    }
    return upper ? size.top - hi : hi;
}

#undef RANK_SPARE
#undef RANK_SMOOTH

#endif
