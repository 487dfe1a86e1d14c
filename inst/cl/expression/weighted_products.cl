// @all_depends_count: 0

// weighted_products -- t(A) W B of matrices with the same rows, W diagonal: second derivatives of a sum of rows in what
// enters by products with A and B. A matrix lies column by column. Rows are added in blocks, products of up to 32 rows as
// they come, with one rounding each on a GPU, and these sums without loss (Knuth's two-sum). Where A is B (same), what is above the diagonal is left out until the blocks are joined.

#define WEIGHTED_TILE 32
#define WEIGHTED_ROWS 32
#define WEIGHTED_ADD(s, c, x) { const double x_ = (x), t_ = (s) + x_, z_ = t_ - (s); (c) += ((s) - (t_ - z_)) + (x_ - z_); (s) = t_; }

// Tile number `tile` of those on and below the diagonal: its row; *column gets its column.
NMATH_FN int weighted_tile(int tile, int side, int same, int *column)
{
    int row = 0;
    if (!same) {
        *column = tile / side;
        return tile % side;
    }
    while (row < side && tile > row) {
        tile -= row + 1;
        ++row;
    }
    *column = tile;
    return row;
}

// A group of 64 work-items has a tile of 32 x 32 results and a block of rows, a work-item 4 x 4 of them.
__kernel void nmath_weighted_products(__global const double* a, __global const double* b, __global const double* w,
                                      __global double* out, const nmath_i64 n, const int p, const int q,
                                      const int same, const nmath_i64 rows, const int tiles)
{
    __local double x[WEIGHTED_TILE * (WEIGHTED_ROWS + 1)], y[WEIGHTED_TILE * (WEIGHTED_ROWS + 1)];
    const int item = get_local_id(0), across = item & 7, down = item >> 3, group = get_group_id(0);
    const nmath_i64 block = group / tiles, begin = block * rows, end = begin + rows < n ? begin + rows : n;
    int tile_b = 0;
    const int tile_a = weighted_tile(group % tiles, (p + WEIGHTED_TILE - 1) / WEIGHTED_TILE, same, &tile_b);
    const int first_a = tile_a * WEIGHTED_TILE, first_b = tile_b * WEIGHTED_TILE;
    double s[16], c[16];
    NMATH_STRAIGHT
    for (int k = 0; k < 16; ++k)
        s[k] = c[k] = 0.0;
    for (nmath_i64 at = begin; at < end; at += WEIGHTED_ROWS) {
        barrier(CLK_LOCAL_MEM_FENCE);
        NMATH_STRAIGHT
        for (int k = 0; k < WEIGHTED_TILE * WEIGHTED_ROWS / 64; ++k) {
            const int r = item & (WEIGHTED_ROWS - 1), column = item / WEIGHTED_ROWS + 64 / WEIGHTED_ROWS * k;
            const nmath_i64 row = at + r;
            const int there = row < end;
            double left = 0.0, right = 0.0;
            if (there && first_a + column < p)
                left = a[row + n * (first_a + column)];
            if (there && first_b + column < q)
                right = w[row] * b[row + n * (first_b + column)];
            x[column * (WEIGHTED_ROWS + 1) + r] = left;
            y[column * (WEIGHTED_ROWS + 1) + r] = right;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        double sum[16];
        NMATH_STRAIGHT
        for (int k = 0; k < 16; ++k)
            sum[k] = 0.0;
        NMATH_STRAIGHT
        for (int r = 0; r < WEIGHTED_ROWS; ++r) {
            double left[4], right[4];
            NMATH_STRAIGHT
            for (int k = 0; k < 4; ++k) {
                left[k] = x[(across + 8 * k) * (WEIGHTED_ROWS + 1) + r];
                right[k] = y[(down + 8 * k) * (WEIGHTED_ROWS + 1) + r];
            }
            NMATH_STRAIGHT
            for (int k = 0; k < 16; ++k)
                sum[k] = NMATH_FMA(left[k & 3], right[k >> 2], sum[k]);
        }
        NMATH_STRAIGHT
        for (int k = 0; k < 16; ++k)
            WEIGHTED_ADD(s[k], c[k], sum[k])
    }
    NMATH_STRAIGHT
    for (int k = 0; k < 16; ++k) {
        const int i = first_a + across + 8 * (k & 3), j = first_b + down + 8 * (k >> 2);
        if (i < p && j < q)
            out[(block * q + j) * (nmath_i64)p + i] = s[k] + c[k];
    }
}

// The blocks of a result as one: a group for each.
__kernel void nmath_weighted_join(__global const double* parts, __global double* out, const int p, const int q,
                                  const int same, const int blocks)
{
    __local double all_s[64], all_c[64];
    const int item = get_local_id(0), number = get_group_id(0), i = number % p, j = number / p;
    const int above = same && j / WEIGHTED_TILE > i / WEIGHTED_TILE;
    __global const double* from = parts + (above ? j + (nmath_i64)i * p : i + (nmath_i64)j * p);
    double s = 0.0, c = 0.0;
    for (int k = item; k < blocks; k += 64)
        WEIGHTED_ADD(s, c, from[(nmath_i64)k * p * q])
    all_s[item] = s;
    all_c[item] = c;
    for (int other = 32; other > 0; other /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < other) {
            double t = all_s[item], lost = all_c[item] + all_c[item + other];
            WEIGHTED_ADD(t, lost, all_s[item + other])
            all_s[item] = t;
            all_c[item] = lost;
        }
    }
    if (item == 0)
        out[number] = all_s[0] + all_c[0];
}

#define WEIGHTED_AT_ONCE 64  // rows, which stay in a cache
#if defined(NMATH_FLOAT_PAIRS) // which have no vectors
#define WEIGHTED_LANES 1
typedef double weighted_lanes;
#define WEIGHTED_LOAD(from) (*(from))
#define WEIGHTED_ZERO 0.0
#elif defined(NMATH_HOST_TEXT)
#define WEIGHTED_LANES 8
typedef double weighted_lanes __attribute__((vector_size(64), aligned(8)));
#define WEIGHTED_LOAD(from) (*(const weighted_lanes *)(from))
#define WEIGHTED_ZERO {0.0}
#else
#define WEIGHTED_LANES 8
typedef double8 weighted_lanes;
#define WEIGHTED_LOAD(from) vload8(0, from)
#define WEIGHTED_ZERO ((double8)(0.0))
#endif
#define WEIGHTED_LANE(x, l) (((double *)&(x))[l])

// Column `k` of a matrix of `count`, the last one where there are fewer.
#define WEIGHTED_COLUMN(x, k, count) ((x) + n * ((k) < (count) ? (k) : (count) - 1))

// What the rows from `at` to before `end` add to 4 x 2 results, those from i and j on: `out` has sums, and behind all of
// them what they lose.
NMATH_FN void weighted_rows(__global const double* a, __global const double* b, __global const double* w,
                            __global double* out, nmath_i64 n, int p, int q, nmath_i64 at, nmath_i64 end, int i, int j)
{
    __global const double *a0 = WEIGHTED_COLUMN(a, i, p), *a1 = WEIGHTED_COLUMN(a, i + 1, p),
                          *a2 = WEIGHTED_COLUMN(a, i + 2, p), *a3 = WEIGHTED_COLUMN(a, i + 3, p),
                          *b0 = WEIGHTED_COLUMN(b, j, q), *b1 = WEIGHTED_COLUMN(b, j + 1, q);
    weighted_lanes s0 = WEIGHTED_ZERO, s1 = WEIGHTED_ZERO, s2 = WEIGHTED_ZERO, s3 = WEIGHTED_ZERO, s4 = WEIGHTED_ZERO,
                   s5 = WEIGHTED_ZERO, s6 = WEIGHTED_ZERO, s7 = WEIGHTED_ZERO;
    nmath_i64 row = at;
    for (; row + WEIGHTED_LANES <= end; row += WEIGHTED_LANES) {
        const weighted_lanes weight = WEIGHTED_LOAD(w + row);
        const weighted_lanes right0 = weight * WEIGHTED_LOAD(b0 + row), right1 = weight * WEIGHTED_LOAD(b1 + row);
        const weighted_lanes x0 = WEIGHTED_LOAD(a0 + row), x1 = WEIGHTED_LOAD(a1 + row),
                             x2 = WEIGHTED_LOAD(a2 + row), x3 = WEIGHTED_LOAD(a3 + row);
        s0 += x0 * right0;
        s1 += x1 * right0;
        s2 += x2 * right0;
        s3 += x3 * right0;
        s4 += x0 * right1;
        s5 += x1 * right1;
        s6 += x2 * right1;
        s7 += x3 * right1;
    }
    weighted_lanes sums[8] = {s0, s1, s2, s3, s4, s5, s6, s7};
    for (; row < end; ++row)
        for (int k = 0; k < 8; ++k) {
            const int of_a = i + (k & 3), of_b = j + (k >> 2);
            const double left = WEIGHTED_COLUMN(a, of_a, p)[row];
            const double right = w[row] * WEIGHTED_COLUMN(b, of_b, q)[row];
            WEIGHTED_LANE(sums[k], row % WEIGHTED_LANES) += left * right;
        }
    for (int k = 0; k < 8; ++k) {
        const int of_a = i + (k & 3), of_b = j + (k >> 2);
        if (of_a >= p || of_b >= q)
            continue;
        __global double* to = out + of_a + (nmath_i64)of_b * p;
        double s = to[0], c = to[(nmath_i64)p * q];
        for (int l = 0; l < WEIGHTED_LANES; ++l)
            WEIGHTED_ADD(s, c, WEIGHTED_LANE(sums[k], l))
        to[0] = s;
        to[(nmath_i64)p * q] = c;
    }
}

// A work-item has a block of rows and all results.
__kernel void nmath_weighted_alone(__global const double* a, __global const double* b, __global const double* w,
                                   __global double* out, const nmath_i64 n, const int p, const int q, const int same,
                                   const nmath_i64 rows, const int blocks)
{
    const nmath_i64 block = get_global_id(0), begin = block * rows, end = begin + rows < n ? begin + rows : n;
    if (block >= blocks)
        return;
    __global double* own = out + block * 2 * p * q;
    for (nmath_i64 k = 0; k < 2 * (nmath_i64)p * q; ++k)
        own[k] = 0.0;
    for (nmath_i64 at = begin; at < end; at += WEIGHTED_AT_ONCE) {
        const nmath_i64 last = at + WEIGHTED_AT_ONCE < end ? at + WEIGHTED_AT_ONCE : end;
        for (int j = 0; j < q; j += 2)
            for (int i = same ? j - j % 4 : 0; i < p; i += 4)
                weighted_rows(a, b, w, own, n, p, q, at, last, i, j);
    }
}

__kernel void nmath_weighted_join_alone(__global const double* parts, __global double* out, const int p, const int q,
                                        const int same, const int blocks)
{
    const int number = get_global_id(0), i = number % p, j = number / p;
    if (number >= p * q)
        return;
    __global const double* from = parts + (same && j > i ? j + (nmath_i64)i * p : i + (nmath_i64)j * p);
    double s = 0.0, c = 0.0;
    for (int k = 0; k < blocks; ++k) {
        WEIGHTED_ADD(s, c, from[(nmath_i64)k * 2 * p * q])
        c += from[((nmath_i64)k * 2 + 1) * p * q];
    }
    out[number] = s + c;
}
