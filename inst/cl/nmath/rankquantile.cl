// @source_type: shim
// @source_origin: rankquantile.c
// @provides: rank_quantile
// @depends: nmath, dpq, dd, log1p, expm1, qnorm, rankcount, rankprob
// @method: the counts summed, or a secant search on the normal scale in a bracket
// @accuracy: exact
// @all_depends: Rmath, nmath, cospi, dd, dpq, log1p, poly, rankcount, expm1, expsq, logdd, stirlerr_cycle_free, bd0, lgamma, pnorm, ranketa, rankfew, pgamma_utils, qnorm, dpois, choose, dhyper_far, dhyper, rankgf, rankseries, phyper, rankfar, rankprob
// @all_depends_count: 28
// @load_order: 175

// rankquantile -- quantiles of the rank statistics: the smallest k with P(X <= k) >= p.
//
// The search is for the smaller tail t; if that is the upper one, the symmetric statistic has it below, and the answer
// is top - k with the smallest k whose tail exceeds t. R compares after moving the probability by 10 eps. That is kept
// where it is small beside t; below t = 1/64 the margin is relative to t, unless t itself comes from 1 - p. Short
// distributions are summed from their counts. Else the start is Cornish and Fisher's, and sqrt(-2 log P), nearly linear
// in k, is followed along secants; a bracket is kept, and bisected when that takes
// long, by the geometric mean of its ends where they are of different sizes.

#ifndef NMATH_RANKQUANTILE_CL
#define NMATH_RANKQUANTILE_CL

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

    double middle = floor(0.5 * size.top), hi = middle + 1.0, lo = -1.0;
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

    double sd = size.sd, m = size.m, n = size.n, z = qnorm(fmin(l, -M_LN2), 0.0, 1.0, 1, 1);
    double excess = size.signs ? 3.6 / n : 1.2 * ((m / n + (n + 1.0) / m + 1.0 + 1.0 / n) / (m + n + 1.0));
    double goal = sqrt(-2.0 * fmin(l, -1e-300)), y, y0 = 0.0, eta0 = 0.0, slope = -1.0 / sd;
    y = 0.5 * size.top - 0.5 + sd * (z - fmin(excess, 1.0) * z * fmin(z * z - 3.0, 30.0) / 24.0);
    y = ceil(y);
    for (int i = 0; i < 160; ++i) {
        if (!(y > lo))
            y = lo + 1.0;
        if (!(y < hi))
            y = hi - 1.0;
        if (i > 14 && (i & 1))
            y = hi > 16.0 * (lo + 2.0) ? floor(sqrt(lo + 2.0) * sqrt(hi)) : floor(lo + 0.5 * (hi - lo));
        if (!(y > lo && y < hi))
            break;
        double f;
        dd e = rank_part(size, y, 1, 1, &f);
        double logp = rank_value(e, f, 1);
        int enough;
        if (l > -600.0) {
            double value = rank_value(e, f, 0);
            enough = upper ? value > t : value >= t;
        } else
            enough = upper ? logp > l : logp >= l;
        if (enough)
            hi = y;
        else
            lo = y;
        double eta = sqrt(-2.0 * fmin(logp, -1e-300));
        if (i > 0 && y != y0 && eta != eta0)
            slope = (eta - eta0) / (y - y0);
        y0 = y;
        eta0 = eta;
        y = ceil(y + (goal - eta) / slope);
        if (enough && y >= hi)
            y = hi - 1.0;
    }
    return upper ? size.top - hi : hi;
}

#endif
