// @source_type: shim
// @source_origin: rankprob.c
// @provides: rank_part, rank_is_few, rank_goes_by_parts, rank_is_counted, rank_small_total, rank_value
// @depends: nmath, dpq, log1p, rankcount, ranktotal, rankfew, rankgf, rankseries, rankfar
// @method: closed forms, counts, saddle point contour or series, by size
// @accuracy: see wilcox.cl and signrank.cl
// @all_depends: Rmath, nmath, bd0, cospi, dpq, expm1, log1p, rankcount, stirlerr_cycle_free, lgamma, ranketa, rankseries, ranktotal, pgamma_utils, rankfew, ranknode, rankproduct, dhyper_far, rankgf, dhyper, phyper, rankfar_sums, rankfar
// @all_depends_count: 23

// rankprob -- mass and distribution function of the rank statistics, relative to the smaller tail.
//
// m = 1, ..., 8         partitions into few parts, in closed form (rankfew.cl)
// large samples         rankseries.cl, where it converges
// k below RANK_ROOM     the counts summed (rankcount.cl)
// m from RANK_FAR on    the tails by a Taylor series about the saddle point (rankfar.cl), where it is long enough
// else                  the contour integral with all factors (rankgf.cl)
//
// The distributions are symmetric, so that k is at most half of the top.

// Where methods take turns, chosen for speed on a host: m = 4, ..., 8 are counted below RANK_FEW_K; counts go by parts
// where m^2 > RANK_PARTS k; the Taylor series starts at m = RANK_FAR. Timed over sizes from 10 to 10^4 and both tails:
// the sum of all times is level within a tenth for RANK_FAR from 60 to 150 and RANK_PARTS from 9 to 36 (at 100 the
// slowest element takes twice as long). More than RANK_DIRECT factors are not multiplied out at a node whatever the
// series leaves out: there it is below 1e-15. tools/explore.py times them again.
#define RANK_FEW_K 128.0
#define RANK_PARTS 36.0
#define RANK_FAR 100.0
#define RANK_DIRECT 5000.0
#define RANK_LONGEST 0x1p+38

// k of the distribution of (m, n) as k + low of that of (m, short_n), at the same distance from the centre in standard
// deviations; masses are scaled by the result. The standardized distributions differ by terms in (m/n)^2 only.
NMATH_FN double rank_rescale(rank_size size, double short_n, int cumulative, double *k, double *low)
{
    double m = size.m, step = cumulative ? 0.5 : 0.0;
    double scale = sqrt(short_n / size.n) * sqrt((m + short_n + 1.0) / (m + size.n + 1.0));
    // the distance from the centre over n, and then in the units of the shorter one
    nmath_dd q = {*k / size.n, 0.0}, D;
    q.lo = (fma(-q.hi, size.n, *k) + step) / size.n;
    D = dd_two_sum(0.5 * m, -q.hi);
    D = dd_mul_d(dd_fast_two_sum(D.hi, D.lo - q.lo), size.n * scale);
    q = dd_two_sum(0.5 * m * short_n - step, -D.hi);
    q = dd_fast_two_sum(q.hi, q.lo - D.lo);
    *k = q.hi;
    *low = q.lo;
    return cumulative ? 1.0 : scale;
}

NMATH_FN int rank_is_few(rank_size size, double k) { return !size.signs && size.m <= (k < RANK_FEW_K ? 3.0 : 8.0); }
NMATH_FN int rank_goes_by_parts(rank_size size, double k)
{
    return RANK_BY_PARTS && size.m * size.m > RANK_PARTS * k && k > RANK_PARTS;
}

// Whether what rank_counts() gives is taken for k < RANK_ROOM, where no series reaches.
NMATH_FN int rank_is_counted(rank_size size, double k) { return !rank_is_few(size, k) && !rank_goes_by_parts(size, k); }

// The number of arrangements where it is exact, or 0
NMATH_FN double rank_small_total(rank_size size)
{
    double total = 1.0;
    if (size.signs)
        return size.n < NMATH_RANGE(1000.0, 120.0) ? nmath_from_bits((nmath_u64)(1023 + (int)size.n) << 52) : 0.0;
    NMATH_LOOP
    for (double i = 1.0; i <= size.m && total < 0x1p+46; i += 1.0)
        total *= (size.n + i) / i;
    return total < 0x1p+46 ? R_forceint(total) : 0.0;
}

// P(X = k) or P(X <= k) = f exp(e), for k at most half of the top; wanted: as in rankfar.cl
NMATH_HEAVY nmath_dd rank_part(rank_size size, double k, int cumulative, int wanted, double *f)
{
    nmath_dd e = {0.0, 0.0};
    rank_size part = size;
    int probability = 0; // of part; else a number of arrangements
    int start = wanted == RANK_START;
    if (!start && rank_is_few(size, k)) {
        return rank_few(size, k, cumulative, f);
    } else if (!start && rank_series_reaches(size) && rank_series(size, k, cumulative, f, &e)) {
        return e;
    } else if (!start && k < RANK_ROOM) {
        double a[RANK_ROOM];
        int j = (int)k;
        if (rank_goes_by_parts(size, k)) {
            *f = rank_count_by_parts(a, j, size, cumulative);
        } else {
            rank_counts(a, j, size);
            *f = cumulative ? rank_sum_counts(a, j) : a[j];
        }
    } else if ((start || size.m >= RANK_FAR) &&
               (rank_far(size, k, cumulative, wanted, f, &e) || (size.m > RANK_DIRECT && k > RANK_DIRECT))) {
        return e;
    } else {
        // parts above k do not occur
        part = rank_size_of(fmin(size.m, k), fmin(size.n, k), size.signs);
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
    }
    double total = probability ? 0.0 : rank_small_total(size);
    if (total > 0.0) {
        *f /= total;
        return e;
    }
    // times C(part)/C(size), or over C(size)
    NMATH_LOOP
    for (int i = probability; i >= 0; --i) {
        double g;
        nmath_dd c = rank_total(i ? part : size, &g);
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

#undef RANK_FEW_K
#undef RANK_PARTS
#undef RANK_FAR
#undef RANK_DIRECT
#undef RANK_LONGEST

NMATH_FN double rank_value(nmath_dd e, double f, int log_p)
{
    if (!log_p) {
        int far = e.hi < -NMATH_RANGE(600.0, 60.0); // f may be a count of many digits: the product is normal where exp(e) is not
        double h = exp(far ? 0.5 * e.hi : e.hi), g = h + h * e.lo;
        return far ? (h * f) * g : g * f;
    }
    nmath_dd l = rank_log_ratio(f, 1.0);
    return dd_add(l, e).hi;
}
