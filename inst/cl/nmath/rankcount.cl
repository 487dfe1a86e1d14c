// @source_type: shim
// @source_origin: rankcount.c
// @provides: rank_size, rank_size_of, rank_counts, rank_sum_counts, rank_count_by_parts, RANK_ROOM, RANK_BY_PARTS
// @depends: nmath
// @method: products of power series, whole numbers in doubles
// @accuracy: exact up to 2^53
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// rankcount -- the first coefficients of the generating functions of the rank statistics, as whole numbers:
//
//     rank sum      prod_{i=1}^{m} (1 - z^{n+i}) / (1 - z^i)     partitions into at most m parts, none above n,
//     signed rank   prod_{i=1}^{n} (1 + z^i)                     partitions into distinct parts, none above n
//
// (Andrews, The Theory of Partitions, 1976, ch. 3; Mann and Whitney 1947; Wilcoxon 1945). The product is multiplied out
// one factor after the other, only as far as the coefficient asked for. After every factor i the coefficients are those
// of the rank sum for (i, n), of degree i n, so that shorter stages stop there. Up to 2^53 all of it is exact.
//
// NMATH_LOOP, here and in the other files of the rank statistics: with several copies of each loop NVIDIA's compiler takes
// a third longer. The hottest are without it (rankproduct.cl, the sum of rankseries.cl), and those over a few elements.

#ifndef NMATH_RANKCOUNT_CL
#define NMATH_RANKCOUNT_CL

// The private array that a work-item may spend; the host has more, enough for what rankfar.cl does not reach.
#ifdef NMATH_LIBM
#define RANK_ROOM 5000
#define RANK_BY_PARTS 1
#else
#define RANK_ROOM 128
#define RANK_BY_PARTS 0
#endif

// signs: signed ranks of n = m observations; else rank sums with m <= n. The statistic runs from 0 to top.
typedef struct { double m, n, top, sd; int signs; } rank_size;

NMATH_FN rank_size rank_size_of(double m, double n, int signs)
{
    rank_size s;
    s.m = signs ? n : fmin(m, n);
    s.n = signs ? n : fmax(m, n);
    s.signs = signs;
    s.top = signs ? 0.5 * n * (n + 1.0) : m * n;
    s.sd = sqrt(s.top / 12.0) * sqrt(signs ? 2.0 * n + 1.0 : m + n + 1.0); // where the top is finite
    return s;
}

// a[j] += c a[j - lag] for j = last, ..., lag, where c is 1 or -1
NMATH_FN void rank_shift_down(double *a, int last, int lag, double c)
{
    int j = last;
    if (lag >= 8)
        NMATH_LOOP
        for (; j - 7 >= lag; j -= 8) {
            double *t = a + (j - 7), *s = t - lag, b[8];
            NMATH_UNROLL
            for (int i = 0; i < 8; ++i)
                b[i] = t[i] + c * s[i];
            NMATH_UNROLL
            for (int i = 0; i < 8; ++i)
                t[i] = b[i];
        }
    NMATH_LOOP
    for (; j >= lag; --j)
        a[j] += c * a[j - lag];
}

// a[j] += a[j - lag] for j = lag, ..., last
NMATH_FN void rank_shift_up(double *a, int last, int lag)
{
    int j = lag;
    if (lag >= 4)
        NMATH_LOOP
        for (; j + 3 <= last; j += 4) {
            double *t = a + j, *s = t - lag, b[4];
            NMATH_UNROLL
            for (int i = 0; i < 4; ++i)
                b[i] = t[i] + s[i];
            NMATH_UNROLL
            for (int i = 0; i < 4; ++i)
                t[i] = b[i];
        }
    else if (lag == 2) {
        double x = a[0], y = a[1];
        NMATH_LOOP
        for (; j + 1 <= last; j += 2) {
            x += a[j];
            y += a[j + 1];
            a[j] = x;
            a[j + 1] = y;
        }
    } else if (lag == 3) {
        double x = a[0], y = a[1], z = a[2];
        NMATH_LOOP
        for (; j + 2 <= last; j += 3) {
            x += a[j];
            y += a[j + 1];
            z += a[j + 2];
            a[j] = x;
            a[j + 1] = y;
            a[j + 2] = z;
        }
    }
    NMATH_LOOP
    for (; j <= last; ++j)
        a[j] += a[j - lag];
}

// The coefficients 0, ..., k < RANK_ROOM, k at most half of the top.
NMATH_HEAVY void rank_counts(double *a, int k, rank_size size)
{
    double room = k;
    int n = (int)fmin(size.n, room), m = (int)fmin(size.m, room);
    // the first factor
    int ones = size.signs ? (k < 1 ? k : 1) : n;
    NMATH_LOOP
    for (int j = 0; j <= k; ++j)
        a[j] = j <= ones ? 1.0 : 0.0;
    NMATH_LOOP
    for (int i = 2; i <= m; ++i) {
        double degree = size.signs ? 0.5 * i * (i + 1.0) : size.n * i;
        int last = degree < room ? (int)degree : k;
        if (size.signs)
            rank_shift_down(a, last, i, 1.0);
        else {
            if (size.n + i <= room)
                rank_shift_down(a, last, n + i, -1.0);
            rank_shift_up(a, last, i);
        }
    }
}

// a[0] + ... + a[k]
NMATH_FN double rank_sum_counts(const double *a, int k)
{
    double s = 0.0, t = 0.0;
    int j = 0;
    NMATH_LOOP
    for (; j < k; j += 2) {
        s += a[j];
        t += a[j + 1];
    }
    return j == k ? s + t + a[k] : s + t;
}

// One coefficient, of z^k, or the sum of those up to it, by the number d of parts: with a staircase or Durfee's square
// taken out of a partition (Andrews, ch. 2 and 3), the generating functions are
//     signed rank   sum_d z^{d(d+1)/2} [n, d],      rank sum   sum_d z^{d d} [m, d] [n, d],
// with Gaussian binomials [n, d] = [n, d-1] (1 - z^{n-d+1})/(1 - z^d): sqrt(2 k) or 2 sqrt(k) stages instead of k.
NMATH_FN double rank_count_by_parts(double *a, int k, rank_size size, int cumulative)
{
    double room = k, sum = cumulative ? 1.0 : 0.0;
    NMATH_LOOP
    for (int j = 0; j <= k; ++j)
        a[j] = j ? 0.0 : 1.0;
    NMATH_LOOP
    for (int d = 1; d <= size.m; ++d) {
        int last = k - (size.signs ? d * (d + 1) / 2 : d * d);
        if (last < 0)
            break;
        NMATH_LOOP
        for (int i = size.signs; i < 2; ++i) {
            double lag = (i ? size.n : size.m) - d + 1.0;
            if (lag <= room)
                rank_shift_down(a, last, (int)lag, -1.0);
            rank_shift_up(a, last, d);
        }
        sum += cumulative ? rank_sum_counts(a, last) : a[last];
    }
    return sum;
}

#endif
