// @source_type: shim
// @source_origin: ranktable.c
// @provides: rank_smaller, rank_mass, rank_probability, rank_nearer, rank_is_sure, rank_count_quantile, RANK_R_FUZZ
// @depends: nmath, dpq, log1p, rankcount, ranktotal, rankprob
// @method: rankprob.cl, or a table of its values
// @accuracy: see wilcox.cl and signrank.cl
// @all_depends: Rmath, nmath, bd0, cospi, dpq, expm1, log1p, rankcount, stirlerr_cycle_free, lgamma, ranketa, rankseries, ranktotal, pgamma_utils, rankfew, ranknode, rankproduct, dhyper_far, rankgf, dhyper, phyper, rankfar_sums, rankfar, rankprob
// @all_depends_count: 24

// ranktable -- masses, probabilities and quantiles of the rank statistics, where the host keeps tables of them.
//
// Sizes mostly stay while x runs over a short range. The host device (NMATH_KEPT, host_kept.h) keeps tables for sizes that
// come again: the counts of all x come from one pass over the product, and a value is computed once. Which method gives a
// value depends on sizes and x alone, and the first coefficients are the same however many are asked for: a table holds
// bit for bit what is computed without.

#ifndef NMATH_RANKTABLE_CL
#define NMATH_RANKTABLE_CL

// P(X = k) or P(X <= k), for k at most half of the top
NMATH_FN double rank_smaller(rank_size size, double k, int cumulative, int log_p)
{
    double f;
    nmath_dd e = rank_part(size, k, cumulative, log_p ? RANK_LOG : RANK_DIGITS, &f);
    return rank_value(e, f, log_p);
}

#ifdef NMATH_KEPT

#define RANK_LEAST_FILL 64

// a[k] becomes a[0] + ... + a[k], added as rank_sum_counts() does, or one after the other
NMATH_FN void rank_running_sums(double *a, int length, int by_twos)
{
    double even = 0.0, odd = 0.0;
    NMATH_LOOP
    for (int k = 0; k < length; ++k) {
        double x = a[k];
        if (!by_twos || !(k & 1)) {
            a[k] = even + odd + x;
            even += x;
        } else {
            odd += x;
            a[k] = even + odd;
        }
    }
}

// Fills a table as far as k at least; NaN where a value does not come from counts.
static void rank_fill(nmath_kept_table *table, rank_size size, int k, int cumulative, int log_p)
{
    int length = (int)fmin(floor(0.5 * size.top) + 1.0, fmax(2.0 * (k + 1.0), RANK_LEAST_FILL));
    double *a = table->values, total = rank_small_total(size), g = total;
    nmath_dd e = {0.0, 0.0};
    table->filled = length;
    if (rank_series_reaches(size)) {
        NMATH_LOOP
        for (int j = 0; j < length; ++j)
            a[j] = ML_NAN;
        return;
    }
    rank_counts(a, length - 1, size);
    if (cumulative)
        rank_running_sums(a, length, 1);
    if (!(total > 0.0)) {
        nmath_dd c = rank_total(size, &g);
        c.hi = -c.hi;
        c.lo = -c.lo;
        e = dd_add(e, c);
    }
    NMATH_LOOP
    for (int j = 0; j < length; ++j)
        a[j] = rank_is_counted(size, j) ? rank_value(e, a[j] / g, log_p) : ML_NAN;
}

NMATH_FN double rank_kept(rank_size size, double k, int cumulative, int log_p)
{
    nmath_kept_table *table = 0;
    if (size.top < 2.0 * NMATH_KEPT_VALUES)
        table = nmath_kept_at(size.m, size.n, 1 + (size.signs ? 1 : 0) + (cumulative ? 2 : 0) + (log_p ? 4 : 0));
    if (!table)
        return rank_smaller(size, k, cumulative, log_p);
    int j = (int)k;
    if (j >= table->filled)
        rank_fill(table, size, j, cumulative, log_p);
    double value = table->values[j];
    if (ISNAN(value))
        table->values[j] = value = rank_smaller(size, k, cumulative, log_p);
    return value;
}

#else
#define rank_kept(size, k, cumulative, log_p) rank_smaller(size, k, cumulative, log_p)
#endif

NMATH_FN double rank_mass(rank_size size, double x, int log_p)
{
    if (isinf(x)) // which a top beyond the doubles does not exclude
        return R_D__0;
    return rank_kept(size, fmin(x, size.top - x), 0, log_p != 0);
}

NMATH_FN double rank_probability(rank_size size, double x, int lower_tail, int log_p)
{
    if (x < 0.0)
        return R_DT_0;
    if (x >= size.top)
        return R_DT_1;
    int upper = x >= 0.5 * size.top, direct = upper == !lower_tail;
    double p = rank_kept(size, upper ? size.top - x - 1.0 : x, 1, log_p && direct);
    p = p > (log_p && direct ? 0.0 : 1.0) ? (log_p && direct ? 0.0 : 1.0) : p;
    if (direct)
        return p;
    return log_p ? log1p(-p) : 1.0 - p;
}

// What R moves a probability by.
#define RANK_R_FUZZ (10.0 * NMATH_EPS)

// The quantile of the tail t is k, with the tail `at`, `above` at k - 1. If t is within R's fuzz of the one that leads to a smaller
// quantile, and nearer to it: that one.
NMATH_FN double rank_nearer(double k, double t, int upper, double at, double above)
{
    if (upper)
        return at < t + RANK_R_FUZZ && at - t <= t - above ? k + 1.0 : k;
    return k > 0.0 && above >= t - RANK_R_FUZZ && t - above <= at - t ? k - 1.0 : k;
}

// Whether it is k, where tails up to `at` and from `above` on are known.
NMATH_FN int rank_is_sure(double t, int upper, double at, double above)
{
    return upper ? at >= t + RANK_R_FUZZ : above < t - RANK_R_FUZZ;
}

// The smallest k, at most half of the top and one more, with t < (upper) or t <= P(X <= k); half of the top is below RANK_ROOM.
// Where rank_nearer() is to be asked, of a tail `asked`, that is not 2.
NMATH_FN double rank_count_quantile(rank_size size, double t, int upper, double asked)
{
    double total, sum = 0.0, k = 0.0;
    int last = (int)(0.5 * size.top);
#ifdef NMATH_KEPT
    nmath_kept_table *table = last < NMATH_KEPT_VALUES ? nmath_kept_at(size.m, size.n, 9 + (size.signs ? 1 : 0)) : 0;
    if (table) {
        if (table->filled == 0) {
            table->filled = last + 1;
            rank_counts(table->values, last, size);
            rank_running_sums(table->values, last + 1, 0);
            nmath_dd c = rank_total(size, &total);
            table->scale = rank_value(c, total, 0);
        }
        t *= table->scale;
        int from = 0, left = last + 1;
        while (left > 0) {
            int half = left >> 1, enough = upper ? table->values[from + half] > t : table->values[from + half] >= t;
            from = enough ? from : from + half + 1;
            left = enough ? half : left - half - 1;
        }
        if (asked < 2.0 && from <= last)
            return rank_nearer(from, asked, upper, table->values[from] / table->scale, from > 0 ? table->values[from - 1] / table->scale : 0.0);
        return from;
    }
#endif
    double a[RANK_ROOM];
    rank_counts(a, last, size);
    nmath_dd c = rank_total(size, &total);
    double scale = rank_value(c, total, 0);
    t *= scale;
    while (k <= last) {
        sum += a[(int)k];
        if (upper ? sum > t : sum >= t)
            return asked < 2.0 ? rank_nearer(k, asked, upper, sum / scale, (sum - a[(int)k]) / scale) : k;
        k += 1.0;
    }
    return k;
}

#endif
