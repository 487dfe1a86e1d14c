// @source_type: shim
// @source_origin: rankprob.c
// @provides: rank_part, rank_mass, rank_probability
// @depends: nmath, dpq, dd, logdd, log1p, choose, rankcount, rankgf, rankseries
// @method: counts, saddle point contour or series in closed form, by size
// @accuracy: see wilcox.cl and signrank.cl
// @all_depends: Rmath, nmath, cospi, dd, dpq, log1p, poly, rankcount, expm1, logdd, stirlerr_cycle_free, bd0, lgamma, pgamma_utils, dpois, choose, dhyper, phyper, rankgf, rankseries
// @all_depends_count: 20
// @load_order: 146

// rankprob -- mass and distribution function of the rank statistics, relative to the smaller tail.
//
// m = 1, 2, 3           partitions into few parts, in closed form
// large samples         rankseries.cl, where it converges
// k below RANK_ROOM     the counts summed (rankcount.cl)
// else                  the contour integral (rankgf.cl), for min(m, n) up to 16384 or k up to 2e5
// the rest              the saddle point expansion of rankseries.cl: far tails, for their logarithms
//
// The distributions are symmetric, so that k is at most half of the top.

// The number of partitions of k into at most m = 1, 2, 3 parts, or those of 0, ..., k
NMATH_FN double rank_few_parts(double k, double m, int cumulative)
{
    if (k < 0.0)
        return 0.0;
    if (m == 1.0)
        return cumulative ? k + 1.0 : 1.0;
    if (m == 2.0)
        return cumulative ? floor(0.25 * (k + 2.0) * (k + 2.0)) : floor(0.5 * k) + 1.0;
    return cumulative ? floor(k * (k * (2.0 * k + 21.0) + 66.0) / 72.0) + 1.0 : floor(((k + 3.0) * (k + 3.0) + 6.0) / 12.0);
}

#define RANK_DIRECT 16384.0
#define RANK_DIRECT_K 2e5
#define RANK_LONGEST 0x1p+38

// k of the distribution of (m, n) as k + low of that of (m, short_n), at the same distance from the centre in standard
// deviations; masses are scaled by the result. The standardized distributions differ by terms in (m/n)^2 only.
NMATH_FN double rank_rescale(rank_size size, double short_n, int cumulative, double *k, double *low)
{
    double m = size.m, step = cumulative ? 0.5 : 0.0;
    double scale = sqrt(short_n / size.n) * sqrt((m + short_n + 1.0) / (m + size.n + 1.0));
    // the distance from the centre over n, and then in the units of the shorter one
    dd q = {*k / size.n, 0.0}, D;
    q.lo = (fma(-q.hi, size.n, *k) + step) / size.n;
    D = dd_two_sum(0.5 * m, -q.hi);
    D = dd_mul_d(dd_fast_two_sum(D.hi, D.lo - q.lo), size.n * scale);
    q = dd_two_sum(0.5 * m * short_n - step, -D.hi);
    q = dd_fast_two_sum(q.hi, q.lo - D.lo);
    *k = q.hi;
    *low = q.lo;
    return cumulative ? 1.0 : scale;
}

// P(X = k) or P(X <= k) = f exp(e), for k at most half of the top
NMATH_HEAVY dd rank_part(rank_size size, double k, int cumulative, double *f)
{
    dd e = {0.0, 0.0};
    rank_size part = size;
    int probability = 0; // of part; else a number of arrangements
    if (!size.signs && size.m <= 3.0) {
        double count = rank_few_parts(k, size.m, cumulative);
        for (double i = 1.0; i <= size.m; i += 1.0)
            count -= rank_few_parts(k - size.n - i, size.m, cumulative);
        *f = count;
        if (k > 1e90) { // the sum of m uniform variables, times n
            double y = fmax(1.0 - size.n / k, 0.0), order = cumulative ? size.m : size.m - 1.0;
            e = dd_mul_d(dd_log_ratio(k, size.n), order);
            if (!cumulative) {
                dd c = dd_log_ratio(1.0, size.n);
                e = dd_add(e, c);
            }
            *f = size.m == 3.0 ? (cumulative ? (1.0 - 3.0 * y * y * y) / 6.0 : 0.5 * (1.0 - 3.0 * y * y))
                               : size.m == 2.0 && cumulative ? 0.5 : 1.0;
            return e;
        }
    } else if (size.m >= 40.0 && rank_series(size, k, cumulative, f, &e)) {
        return e;
    } else if (k < RANK_ROOM) {
        double a[RANK_ROOM];
        int j = (int)k;
        rank_counts(a, j, size);
        *f = cumulative ? rank_sum_counts(a, j) : a[j];
    } else {
        // parts above k do not occur
        part = rank_size_of(fmin(size.m, k), fmin(size.n, k), size.signs);
        if (part.m <= RANK_DIRECT || k <= RANK_DIRECT_K) {
            double x = k, low = 0.0, scale = 1.0;
            rank_size short_part = part;
            if (!size.signs && part.n > RANK_LONGEST) {
                scale = rank_rescale(part, RANK_LONGEST, cumulative, &x, &low);
                short_part = rank_size_of(part.m, RANK_LONGEST, 0);
            }
            e = rank_contour(short_part, x, low, cumulative, f);
            *f *= scale;
            if (part.n == size.n && part.m == size.m)
                return e;
            probability = 1;
        } else {
            *f = 1.0;
            e.hi = rank_deep(part, k, cumulative);
        }
    }
    if (!probability) {
        double total = 1.0;
        if (size.signs)
            total = size.n < 1000.0 ? nmath_from_bits((nmath_u64)(1023 + (int)size.n) << 52) : ML_POSINF;
        else
            for (double i = 1.0; i <= size.m && total < 0x1p+46; i += 1.0)
                total *= (size.n + i) / i;
        if (total < (size.signs ? ML_POSINF : 0x1p+46) && e.hi == 0.0) {
            *f /= size.signs ? total : R_forceint(total);
            return e;
        }
    }
    // times C(part)/C(size), or over C(size)
    for (int i = probability; i >= 0; --i) {
        double g;
        dd c = rank_total(i ? part : size, &g);
        if (i) {
            *f *= g;
        } else {
            *f /= g;
            c.hi = -c.hi;
            c.lo = -c.lo;
        }
        e = dd_add(e, c);
    }
    return e;
}

#undef RANK_DIRECT
#undef RANK_DIRECT_K
#undef RANK_LONGEST

NMATH_FN double rank_value(dd e, double f, int log_p)
{
    if (!log_p)
        return e.hi == 0.0 ? f : dd_exp(e) * f;
    dd l = dd_log_ratio(f, 1.0);
    return dd_add(l, e).hi;
}

NMATH_FN double rank_mass(rank_size size, double x, int log_p)
{
    if (isinf(x)) // which a top beyond the doubles does not exclude
        return R_D__0;
    double f;
    dd e = rank_part(size, fmin(x, size.top - x), 0, &f);
    return rank_value(e, f, log_p);
}

NMATH_FN double rank_probability(rank_size size, double x, int lower_tail, int log_p)
{
    if (x < 0.0)
        return R_DT_0;
    if (x >= size.top)
        return R_DT_1;
    int upper = x >= 0.5 * size.top, direct = upper == !lower_tail;
    double f;
    dd e = rank_part(size, upper ? size.top - x - 1.0 : x, 1, &f);
    double p = rank_value(e, f, log_p && direct);
    p = p > (log_p && direct ? 0.0 : 1.0) ? (log_p && direct ? 0.0 : 1.0) : p;
    if (direct)
        return p;
    return log_p ? log1p(-p) : 1.0 - p;
}
