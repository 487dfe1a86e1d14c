// @source_type: shim
// @source_origin: f2_f3_tile.c
// @provides: f2_f3_tile
// @depends: f2_f3_math, f2_f3_body, f2_f3_steps
// @all_depends: f2_f3_math, f2_f3_body, f2_f3_steps
// @all_depends_count: 3

// f2_f3_tile -- the sum over observations on a GPU, by ordinary arithmetic: log-likelihood and gradient of a range of
// observations at F2_F3_TILE_POINTS grid points per group.
//
// A work-item keeps F2_F3_TILE_BLOCK coefficients of one grid point in registers, with their components of the gradient;
// F2_F3_TILE_BLOCKS work-items share a point. Tiles of F2_F3_TILE_ROWS observations pass through local memory, from where all
// work-items of a block read the same element of X at a time. With one block per point a work-item forms eta,
// derivative and gradient by itself, F2_F3_TILE_STEP observations at a time. Otherwise each adds its block's share of eta, the
// work-items of a point divide the observations of the tile between them for the derivatives, and each takes all
// derivatives for its components of the gradient. Coefficients beyond what all blocks hold are further groups' (third
// dimension of the range); these read the others' coefficients from global memory, once per tile.
//
// The five numbers are specialization constants. An observation of weight 0, or past the end, is a row of zeros.

#if defined(F2_F3_FAMILY) && defined(F2_F3_TILE_BLOCK)

#define F2_F3_TILE_WIDTH (F2_F3_TILE_BLOCK * F2_F3_TILE_BLOCKS)
#define F2_F3_TILE_ROW ((F2_F3_HEAD + F2_F3_TILE_WIDTH + 1) / 2 * 2)
#define F2_F3_TILE_ITEMS (F2_F3_TILE_POINTS * F2_F3_TILE_BLOCKS)

// Heads and coefficients [from, from + width) of a tile of rows of `length` numbers.
NMATH_FN void f2_f3_stage(__global const double *rows, int from, int length, __local double *tile)
{
    for (int e = get_local_id(0); e < F2_F3_TILE_ROWS * F2_F3_TILE_ROW; e += F2_F3_TILE_ITEMS) {
        const int i = e / F2_F3_TILE_ROW, k = e % F2_F3_TILE_ROW, at = k < F2_F3_HEAD ? k : k + from;
        tile[e] = at < length ? rows[(nmath_i64)i * length + at] : 0.0;
    }
}

NMATH_FN double f2_f3_head_ll(double eta, __local const double *head, double *d, double *odds)
{
    const f2_f3_obs o = {head[1], head[2], head[3], head[4]};
    return F2_F3_MEMBER(_ll)(eta, o, F2_F3_PRODUCT(o), d, odds);
}

// eta[u] += this block's share for F2_F3_TILE_STEP observations from `row` on.
NMATH_FN void f2_f3_add_eta(__local const double *row, const double *b, double *eta)
{
#pragma unroll
    for (int k = 0; k < F2_F3_TILE_BLOCK; ++k)
#pragma unroll
        for (int u = 0; u < F2_F3_TILE_STEP; ++u)
            eta[u] = NMATH_FMA(row[u * F2_F3_TILE_ROW + k], b[k], eta[u]);
}

NMATH_FN void f2_f3_add_slope(__local const double *row, const double *d, double *g)
{
#pragma unroll
    for (int k = 0; k < F2_F3_TILE_BLOCK; ++k)
#pragma unroll
        for (int u = 0; u < F2_F3_TILE_STEP; ++u)
            g[k] = NMATH_FMA(row[u * F2_F3_TILE_ROW + k], d[u], g[k]);
}

__kernel __attribute__((reqd_work_group_size(F2_F3_TILE_ITEMS, 1, 1)))
void f2_f3_tile(
    __global const double* rows,
    __global const double* B,
    __global double* part_value,
    __global double* part_grad,
    const int l1,
    const int l2,
    const int m1,
    const int split,
    const int length)
{
    __local double tile[F2_F3_TILE_ROWS * F2_F3_TILE_ROW] __attribute__((aligned(16)));
#if F2_F3_TILE_BLOCKS > 1
    __local double shares[F2_F3_TILE_BLOCKS * F2_F3_TILE_ROWS * F2_F3_TILE_POINTS];
#endif
    const int item = get_local_id(0), point = item % F2_F3_TILE_POINTS, block = item / F2_F3_TILE_POINTS;
    const nmath_i64 j = (nmath_i64)get_group_id(0) * F2_F3_TILE_POINTS + point;
    __global const double *own = B + (j < m1 ? j : m1 - 1) * l2;  // work-items past the end repeat the last point
    const int offset = block * F2_F3_TILE_BLOCK, mine = get_group_id(2) * F2_F3_TILE_WIDTH;
    double b[F2_F3_TILE_BLOCK], g[F2_F3_TILE_BLOCK];
#pragma unroll
    for (int k = 0; k < F2_F3_TILE_BLOCK; ++k) {
        b[k] = mine + offset + k < l2 ? own[mine + offset + k] : 0.0;
        g[k] = 0.0;
    }
    f2_f3_sum sum = {0.0, 0.0};
    const nmath_i64 begin = (nmath_i64)get_group_id(1) * split, end = begin + split < l1 ? begin + split : l1;
    for (nmath_i64 first = begin; first < end; first += F2_F3_TILE_ROWS) {
        const int n = end - first < F2_F3_TILE_ROWS ? (int)(end - first) : F2_F3_TILE_ROWS;
        double value = 0.0, odds = 0.0;
#if F2_F3_TILE_BLOCKS == 1
        barrier(CLK_LOCAL_MEM_FENCE);
        f2_f3_stage(rows + first * length, 0, length, tile);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < n; i += F2_F3_TILE_STEP) {
            double eta[F2_F3_TILE_STEP], d[F2_F3_TILE_STEP];
            __local const double *row = tile + i * F2_F3_TILE_ROW;
#pragma unroll
            for (int u = 0; u < F2_F3_TILE_STEP; ++u)
                eta[u] = row[u * F2_F3_TILE_ROW];
            f2_f3_add_eta(row + F2_F3_HEAD, b, eta);
#pragma unroll
            for (int u = 0; u < F2_F3_TILE_STEP; ++u)
                value += f2_f3_head_ll(eta[u], row + u * F2_F3_TILE_ROW, d + u, &odds);
            f2_f3_add_slope(row + F2_F3_HEAD, d, g);
        }
#else
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int e = 0; e < F2_F3_TILE_ROWS; ++e)
            shares[(block * F2_F3_TILE_ROWS + e) * F2_F3_TILE_POINTS + point] = 0.0;
        for (int turn = 0; turn < l2; turn += F2_F3_TILE_WIDTH) {
            // The own coefficients come last: their rows then serve the gradient too.
            const int last = turn + F2_F3_TILE_WIDTH >= l2;
            const int from = last ? mine : turn < mine ? turn : turn + F2_F3_TILE_WIDTH;
            barrier(CLK_LOCAL_MEM_FENCE);
            f2_f3_stage(rows + first * length, from, length, tile);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i = 0; i < n; i += F2_F3_TILE_STEP) {
                double eta[F2_F3_TILE_STEP];
                __local const double *row = tile + i * F2_F3_TILE_ROW + F2_F3_HEAD + offset;
                __local double *share = shares + (block * F2_F3_TILE_ROWS + i) * F2_F3_TILE_POINTS + point;
#pragma unroll
                for (int u = 0; u < F2_F3_TILE_STEP; ++u)
                    eta[u] = share[u * F2_F3_TILE_POINTS];
                if (last) {
                    f2_f3_add_eta(row, b, eta);
                } else {
                    for (int k = 0; k < F2_F3_TILE_BLOCK && from + offset + k < l2; ++k) {
                        const double c = own[from + offset + k];
#pragma unroll
                        for (int u = 0; u < F2_F3_TILE_STEP; ++u)
                            eta[u] = NMATH_FMA(row[u * F2_F3_TILE_ROW + k], c, eta[u]);
                    }
                }
#pragma unroll
                for (int u = 0; u < F2_F3_TILE_STEP; ++u)
                    share[u * F2_F3_TILE_POINTS] = eta[u];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = block; i < n; i += F2_F3_TILE_BLOCKS) {
            double eta = tile[i * F2_F3_TILE_ROW], d;
            for (int q = 0; q < F2_F3_TILE_BLOCKS; ++q)
                eta += shares[(q * F2_F3_TILE_ROWS + i) * F2_F3_TILE_POINTS + point];
            value += f2_f3_head_ll(eta, tile + i * F2_F3_TILE_ROW, &d, &odds);
            shares[i * F2_F3_TILE_POINTS + point] = d;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < n; i += F2_F3_TILE_STEP) {
            double d[F2_F3_TILE_STEP];
#pragma unroll
            for (int u = 0; u < F2_F3_TILE_STEP; ++u)
                d[u] = shares[(i + u) * F2_F3_TILE_POINTS + point];
            f2_f3_add_slope(tile + i * F2_F3_TILE_ROW + F2_F3_HEAD + offset, d, g);
        }
#endif
        sum = f2_f3_add(sum, value);
        sum = f2_f3_add(sum, -log1p(odds));
    }
#if F2_F3_TILE_BLOCKS > 1
    barrier(CLK_LOCAL_MEM_FENCE);
    shares[item] = f2_f3_value(sum);
    barrier(CLK_LOCAL_MEM_FENCE);
    sum.hi = sum.lo = 0.0;
    for (int q = 0; q < F2_F3_TILE_BLOCKS; ++q)
        sum = f2_f3_add(sum, shares[q * F2_F3_TILE_POINTS + point]);
#endif
    if (j >= m1)
        return;
    if (block == 0 && mine == 0)
        part_value[(nmath_i64)get_group_id(1) * m1 + j] = f2_f3_value(sum);
#pragma unroll
    for (int k = 0; k < F2_F3_TILE_BLOCK; ++k)
        if (mine + offset + k < l2)
            part_grad[((nmath_i64)get_group_id(1) * l2 + mine + offset + k) * m1 + j] = g[k];
}

#endif
