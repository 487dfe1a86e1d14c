// @source_type: shim
// @source_origin: f2_f3_matrix.c
// @provides: f2_f3_matrix
// @depends: f2_f3_math, f2_f3_body, f2_f3_steps
// @all_depends: f2_f3_math, f2_f3_body, f2_f3_steps
// @all_depends_count: 3

// f2_f3_matrix -- the sum over observations on NVIDIA's double-precision matrix units (compute capability 8 and up).
//
// A warp owns 16 grid points. Their coefficients stand in registers as the left operand of eta' = B' X', 8 observations
// at a time; the result's layout is, up to the order of the observations, that of the left operand of slope' = d' X. So
// derivatives replace linear predictors in place, and nothing but X passes through local memory. Tiles of rows are
// copied there ahead of their use, by the hardware's asynchronous copy, into one of two buffers.
//
// In a warp of lanes 4 g + t the units hold (PTX ISA, mma .f64): left operand, row g (and g + 8), column t (and t + 4);
// right operand, row t (and t + 4), column g; result, row g (and g + 8), columns 2 t and 2 t + 1. What these indices
// stand for is free, if both operands agree:
// - columns 2 t and 2 t + 1 of eta' are observations t and 4 + (t ^ 2) of the 8;
// - of 8 coefficients, lanes t hold number 2 t as column t and number 2 t + 1 as column t + 4;
// - of 16 components of the slope, the even ones are the columns of one result, the odd ones of another.
// So every access to X is one of 16 bytes, and free of bank conflicts, since rows are 4 or 12 more than a multiple of 16
// doubles long.
//
// Specialization constants: F2_F3_MATRIX_COLUMNS, a multiple of 8, is the number of coefficients; F2_F3_MATRIX_DEPTH the
// depth of one instruction, 4 for 8 x 8 results in pairs, 8 for one of 16 x 8 (compute capability 9, where the former is
// a tenth to a third slower). F2_F3_HEAD is 12. Two or four times 8 observations under way at a time were no faster.

#if defined(F2_F3_FAMILY) && defined(F2_F3_MATRIX_COLUMNS)

#define F2_F3_MATRIX_ROWS 32
#define F2_F3_MATRIX_POINTS 64
#define F2_F3_MATRIX_ITEMS 128
#define F2_F3_MATRIX_ROW (F2_F3_HEAD + F2_F3_MATRIX_COLUMNS)
#define F2_F3_MATRIX_FLUSH 8

// c += a b: a holds rows g, g + 8 of column t, then of column t + 4.
NMATH_FN void f2_f3_multiply(double *c, const double *a, double b0, double b1)
{
#if F2_F3_MATRIX_DEPTH == 8
    __asm__ volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b0), "d"(b1));
#else
    __asm__ volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(c[0]), "+d"(c[1]) : "d"(a[0]), "d"(b0));
    __asm__ volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(c[2]), "+d"(c[3]) : "d"(a[1]), "d"(b0));
    __asm__ volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(c[0]), "+d"(c[1]) : "d"(a[2]), "d"(b1));
    __asm__ volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(c[2]), "+d"(c[3]) : "d"(a[3]), "d"(b1));
#endif
}

// Starts the copy of a tile. Rows follow one another without a gap, also past the tile's end.
NMATH_FN void f2_f3_fetch(__global const double *rows, __local double *tile)
{
    for (int e = 2 * get_local_id(0); e < F2_F3_MATRIX_ROWS * F2_F3_MATRIX_ROW; e += 2 * F2_F3_MATRIX_ITEMS)
        __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16;"
            : : "r"((uint)(uintptr_t)(tile + e)), "l"((ulong)(uintptr_t)(rows + e)) : "memory");
    __asm__ volatile("cp.async.commit_group;" : : : "memory");
}

// Log-likelihoods of two observations at points g and g + 8: eta as the result of a product has them, derivatives as a
// left operand has them.
NMATH_FN void f2_f3_matrix_ll(const double *eta, __local const double *head0, __local const double *head1, double *d,
                              double *value, double *odds)
{
    const f2_f3_obs o0 = {head0[1], head0[2], head0[3], head0[4]}, o1 = {head1[1], head1[2], head1[3], head1[4]};
    if (F2_F3_PRODUCT(o0) && F2_F3_PRODUCT(o1)) {
        value[0] += F2_F3_MEMBER(_ll)(eta[0], o0, 1, d, odds);
        value[1] += F2_F3_MEMBER(_ll)(eta[2], o0, 1, d + 1, odds + 1);
        value[0] += F2_F3_MEMBER(_ll)(eta[1], o1, 1, d + 2, odds);
        value[1] += F2_F3_MEMBER(_ll)(eta[3], o1, 1, d + 3, odds + 1);
    } else {
        value[0] += F2_F3_MEMBER(_ll)(eta[0], o0, 0, d, odds);
        value[1] += F2_F3_MEMBER(_ll)(eta[2], o0, 0, d + 1, odds + 1);
        value[0] += F2_F3_MEMBER(_ll)(eta[1], o1, 0, d + 2, odds);
        value[1] += F2_F3_MEMBER(_ll)(eta[3], o1, 0, d + 3, odds + 1);
    }
}

// Eight observations from `row` on: slope += X' d, value += l.
NMATH_FN void f2_f3_matrix_step(__local const double *row, int g, int t, const double *b, double *slope, double *value,
                                double *odds)
{
    __local const double *row0 = row + t * F2_F3_MATRIX_ROW, *row1 = row + (4 + (t ^ 2)) * F2_F3_MATRIX_ROW;
    __local const double *column = row + (g & 1 ? 4 + (g >> 1 ^ 2) : g >> 1) * F2_F3_MATRIX_ROW + F2_F3_HEAD + 2 * t;
    double eta[4] = {row0[0], row1[0], row0[0], row1[0]}, d[4];
#pragma unroll
    for (int k = 0; k < F2_F3_MATRIX_COLUMNS; k += 8) {
        const double2 x = *(__local const double2 *)(column + k);
        f2_f3_multiply(eta, b + k / 2, x.x, x.y);
    }
    f2_f3_matrix_ll(eta, row0, row1, d, value, odds);
    // Lanes may have parted over the weights, and the units take whole warps.
    __asm__ volatile("bar.warp.sync 0xffffffff;" : : : "memory");
    row0 += F2_F3_HEAD;
    row1 += F2_F3_HEAD;
#pragma unroll
    for (int k = 0; k + 16 <= F2_F3_MATRIX_COLUMNS; k += 16) {
        const double2 x0 = *(__local const double2 *)(row0 + k + 2 * g), x1 = *(__local const double2 *)(row1 + k + 2 * g);
        f2_f3_multiply(slope + k / 2, d, x0.x, x1.x);
        f2_f3_multiply(slope + k / 2 + 4, d, x0.y, x1.y);
    }
#if F2_F3_MATRIX_COLUMNS % 16 != 0
    f2_f3_multiply(slope + F2_F3_MATRIX_COLUMNS / 2 - 4, d, row0[F2_F3_MATRIX_COLUMNS - 8 + g],
                   row1[F2_F3_MATRIX_COLUMNS - 8 + g]);
#endif
}

// Which coefficient number k of a lane's slopes belongs to.
NMATH_FN int f2_f3_matrix_column(int k, int t)
{
    const int odd = k / 4 % 2, side = k % 2;
    return k / 8 * 16 + 16 <= F2_F3_MATRIX_COLUMNS ? k / 8 * 16 + 4 * t + 2 * side + odd
                                                   : F2_F3_MATRIX_COLUMNS - 8 + 2 * t + side;
}

__kernel __attribute__((reqd_work_group_size(F2_F3_MATRIX_ITEMS, 1, 1)))
void f2_f3_matrix(
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
    __local double tiles[2 * F2_F3_MATRIX_ROWS * F2_F3_MATRIX_ROW] __attribute__((aligned(16)));
    const int item = get_local_id(0), g = item % 32 / 4, t = item % 4;
    const nmath_i64 j = (nmath_i64)get_group_id(0) * F2_F3_MATRIX_POINTS + item / 32 * 16 + g;  // and j + 8
    const nmath_i64 begin = (nmath_i64)get_group_id(1) * split;
    const int n = (int)(begin + split < l1 ? split : l1 - begin);
    f2_f3_fetch(rows + begin * length, tiles);
    double b[F2_F3_MATRIX_COLUMNS / 2], slope[F2_F3_MATRIX_COLUMNS / 2];
#pragma unroll
    for (int k = 0; k < F2_F3_MATRIX_COLUMNS / 2; ++k) {
        const int at = k / 4 * 8 + 2 * t + k / 2 % 2;
        const nmath_i64 point = j + k % 2 * 8;
        b[k] = at < l2 && point < m1 ? B[point * l2 + at] : 0.0;
        slope[k] = 0.0;
    }
    f2_f3_sum sum0 = {0.0, 0.0}, sum1 = {0.0, 0.0};
    double value[2] = {0.0, 0.0}, odds[2] = {0.0, 0.0};
    for (int first = 0, turn = 0; first < n; first += F2_F3_MATRIX_ROWS, ++turn) {
        __local const double *tile = tiles + turn % 2 * (F2_F3_MATRIX_ROWS * F2_F3_MATRIX_ROW);
        if (first + F2_F3_MATRIX_ROWS < n) {
            f2_f3_fetch(rows + (begin + first + F2_F3_MATRIX_ROWS) * length,
                        tiles + (turn + 1) % 2 * (F2_F3_MATRIX_ROWS * F2_F3_MATRIX_ROW));
            __asm__ volatile("cp.async.wait_group 1;" : : : "memory");
        } else {
            __asm__ volatile("cp.async.wait_group 0;" : : : "memory");
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const int here = n - first < F2_F3_MATRIX_ROWS ? n - first : F2_F3_MATRIX_ROWS;
        for (int i = 0; i < here; i += 8)
            f2_f3_matrix_step(tile + i * F2_F3_MATRIX_ROW, g, t, b, slope, value, odds);
        if (turn % F2_F3_MATRIX_FLUSH == F2_F3_MATRIX_FLUSH - 1 || first + F2_F3_MATRIX_ROWS >= n) {
            sum0 = f2_f3_add(f2_f3_add(sum0, value[0]), -log1p(odds[0]));
            sum1 = f2_f3_add(f2_f3_add(sum1, value[1]), -log1p(odds[1]));
            value[0] = value[1] = odds[0] = odds[1] = 0.0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    // The four lanes of a point have seen different observations.
    tiles[item] = f2_f3_value(sum0);
    tiles[F2_F3_MATRIX_ITEMS + item] = f2_f3_value(sum1);
    barrier(CLK_LOCAL_MEM_FENCE);
    const nmath_i64 part = get_group_id(1);
    if (t < 2 && j + 8 * t < m1) {
        f2_f3_sum all = {0.0, 0.0};
        for (int k = 0; k < 4; ++k)
            all = f2_f3_add(all, tiles[t * F2_F3_MATRIX_ITEMS + (item & ~3) + k]);
        part_value[part * m1 + j + 8 * t] = f2_f3_value(all);
    }
#pragma unroll
    for (int k = 0; k < F2_F3_MATRIX_COLUMNS / 2; ++k) {
        const int at = f2_f3_matrix_column(k, t);
        const nmath_i64 point = j + k / 2 % 2 * 8;
        if (at < l2 && point < m1)
            part_grad[(part * l2 + at) * m1 + point] = slope[k];
    }
}

#endif
