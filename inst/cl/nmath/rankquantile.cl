// @source_type: shim
// @source_origin: rankquantile.c
// @provides: rank_quantile
// @depends: nmath, dpq, log1p, expm1, rankcount, rankfar, rankprob, ranktable
// @method: the counts summed, or a search from the saddle point approximation on the scale of log P
// @accuracy: exact
// @all_depends: Rmath, nmath, bd0, cospi, dpq, expm1, log1p, rankcount, stirlerr_cycle_free, lgamma, ranketa, rankseries, ranktotal, pgamma_utils, rankfew, ranknode, rankproduct, dhyper_far, rankgf, dhyper, phyper, rankfar_sums, rankfar, rankprob, ranktable
// @all_depends_count: 25

// rankquantile -- quantiles of the rank statistics: the smallest k with P(X <= k) >= p.
//
// The search is for the smaller tail t; if that is the upper one, the symmetric statistic has it below, and the answer
// is top - k with the smallest k whose tail exceeds t. R compares after moving the probability by 10 eps. That is kept
// where it is small beside t; below t = 1/64 the margin is relative to t. Where t comes from 1 - p, half an ulp of p comes
// to it, and no more: so every k comes back whose probability differs from its neighbour's; a p within 10 eps of a smaller k's
// probability leads to k if that is the nearer one (rank_nearer in ranktable.cl). Short distributions are summed from their
// counts.
//
// Else the start, g = d log P/dk and the bend -g'/g^2 are those of the saddle point approximation (rankfar.cl). The first
// step in k is that of a parabola, the later ones are those of parabolas through two points with the same bend. A
// bracket is kept, and bisected when that takes long, by the geometric mean of its ends where they are
// of different sizes. The neighbour of a k that is as good as certain to be below t, or above, is not computed.

#ifndef NMATH_RANKQUANTILE_CL
#define NMATH_RANKQUANTILE_CL

// A neighbour counts as certain where log P has as much as RANK_SPARE of a step to spare: from RANK_SMOOTH on (below, the
// masses are ragged) the step is g to a tenth.
#define RANK_SPARE 0.3
#define RANK_SMOOTH 100.0

// The distance of the whole numbers next to y as doubles, to half of it
NMATH_FN double rank_gap(double y) { return fmax(1.0, 0.55 * NMATH_EPS * y); }

NMATH_HEAVY double rank_quantile(rank_size size, double p, int lower_tail, int log_p)
{
    if (isinf(size.top))
        return size.top;
    int large = p > R_D_half, upper = (lower_tail != 0) == large;
    double t = log_p ? large ? -expm1(p) : exp(p) : large ? 1.0 - p : p, l = log_p ? large ? log(t) : p : 0.0, t0 = t;
    double fuzz = 10.0 * NMATH_EPS * fmin(1.0 / t, fmax(64.0, log_p ? -l : 0.0)) + (large && !log_p ? 0.25 * NMATH_EPS / t : 0.0);
    fuzz = upper ? fmin(fuzz, 0.5) : -fmin(fuzz, 0.5);
    int in_doubt = large && !log_p && t0 < 0.015625, phase = 0; // 1, 2: the tails at hi and at hi - 1 are computed
    t += t * fuzz;

    double middle = floor(0.5 * size.top), hi, lo = -1.0;
    if (middle < RANK_ROOM) {
        hi = rank_count_quantile(size, t, upper, in_doubt ? t0 : 2.0);
        return upper ? size.top - hi : hi;
    }

    l = (log_p ? l : log(t0)) + log1p(fuzz);
    int log_scale = l < -NMATH_RANGE(600.0, 60.0);
    double slope = 0.0, bend = 0.0, y0 = 0.0, L0 = 0.0, least = 1.0, y;
    double at = 0.0, above = 0.0; // a tail up to that at hi, one from that at hi - 1 on
    l = fmin(l, -M_LN2);
    if (log_scale)
        t = l;
    hi = middle + rank_gap(middle);
    y = l;
    NMATH_LOOP
    for (int i = 0; i < 160; ++i) {
        if (i > 15 && !(i & 1) && !phase)
            y = hi > 16.0 * (lo + 2.0) ? sqrt(lo + 2.0) * sqrt(hi) : lo + 0.5 * (hi - lo);
        if (i > 0 && !phase)
            y = fmax(fmin(ceil(y), hi - rank_gap(hi)), lo + rank_gap(lo));
        if (!phase && !(y < hi)) {
            if (!in_doubt || rank_is_sure(t0, upper, at, above))
                break;
            phase = 1;
            y = hi;
        }
        double f;
        nmath_dd e = rank_part(size, y, 1, i > 0 ? RANK_DIGITS : RANK_START, &f);
        if (i == 0) {
            y = f;
            slope = e.hi;
            bend = e.lo;
            continue;
        }
        double value = rank_value(e, f, log_scale), L = log_scale ? value : log(value), miss = l - L;
        if (phase == 2 || (phase == 1 && y < 1.0)) {
            hi = rank_nearer(hi, t0, upper, phase == 2 ? at : value, phase == 2 ? value : 0.0);
            break;
        }
        if (phase == 1) {
            at = value;
            phase = 2;
            y = hi - 1.0;
            continue;
        }
        int enough = upper ? value > t : value >= t;
        if (enough) {
            hi = y;
            at = value;
        } else {
            lo = y;
            above = value;
        }
        if (i > 1)
            slope = fmax((L - L0) / (y - y0) - 0.5 * bend * slope * (slope * (y - y0)), 0.2 * slope);
        y0 = y;
        L0 = L;
        // a value just above t or just below is that of the quantile, or of its neighbour
        if (y > RANK_SMOOTH && slope > 1e-12 && fabs(miss) < (1.0 - RANK_SPARE) * slope && fabs(miss) > -1e-12 * l) {
            hi = enough ? y : y + 1.0;
            at = enough ? value : value * (1.0 + 0.25 * slope);
            above = enough ? value * (1.0 - 0.25 * fmin(slope, 1.0)) : value;
            if (!in_doubt || rank_is_sure(t0, upper, at, above))
                break;
            phase = 1;
            y = hi;
            continue;
        }
        double step = 2.0 * (miss / slope) / (1.0 + sqrt(fmax(1.0 - 2.0 * bend * miss, 0.0))), room = fmin(least * rank_gap(y), 0.5 * (hi - lo));
        if (!((enough ? -step : step) >= room)) { // to have both ends of the bracket near
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
