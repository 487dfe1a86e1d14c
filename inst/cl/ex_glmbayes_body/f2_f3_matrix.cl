// @source_type: shim
// @source_origin: f2_f3_matrix.c
// @provides: f2_f3_matrix
// @depends: f2_f3_math, f2_f3_body, f2_f3_steps
// @all_depends: f2_f3_math, f2_f3_body, f2_f3_steps
// @all_depends_count: 3
// @load_order: 5

// f2_f3_matrix -- the sum over observations on NVIDIA's double-precision matrix units (compute capability 8 and up).
//
// A warp owns 16 grid points. Their coefficients stand in registers as the left operand of eta' = B' X', 8 observations
// at a time; the result's layout is, up to the order of the observations, that of the left operand of slope' = d' X. So
// derivatives replace linear predictors in place, and nothing but X passes through local memory.
//
// In a warp of lanes 4 g + t the units hold (PTX ISA, mma .f64): left operand, row g (and g + 8), column t; right
// operand, row t, column g; result, row g (and g + 8), columns 2 t and 2 t + 1. Column 2 t of eta' is taken to be
// observation t of the 8, and column 2 t + 1 observation 4 + (t ^ 2): then both products read X without bank conflicts
// from rows that are 4 more than a multiple of 8 doubles long.
//
// F2_F3_MATRIX_COLUMNS, a multiple of 8, is the number of coefficients, F2_F3_MATRIX_DEPTH the depth of one instruction: 4 for 8 x 8
// results in pairs, 8 for one of 16 x 8 (compute capability 9).

#if defined(F2_F3_FAMILY) && defined(F2_F3_MATRIX_COLUMNS)

#define F2_F3_MATRIX_ROWS 32
#define F2_F3_MATRIX_POINTS 64
#define F2_F3_MATRIX_ITEMS 128
#define F2_F3_MATRIX_ROW (F2_F3_MATRIX_COLUMNS + 4)

// c += a b: a holds rows g, g + 8 of four columns, then of four more.
NMATH_FN void f2_f3_multiply(double *c, const double *a, double b0, double b1)
{
#if F2_F3_MATRIX_DEPTH == 8
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b0), "d"(b1));
#else
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(c[0]), "+d"(c[1]) : "d"(a[0]), "d"(b0));
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(c[2]), "+d"(c[3]) : "d"(a[1]), "d"(b0));
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(c[0]), "+d"(c[1]) : "d"(a[2]), "d"(b1));
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(c[2]), "+d"(c[3]) : "d"(a[3]), "d"(b1));
#endif
}

__kernel __attribute__((reqd_work_group_size(F2_F3_MATRIX_ITEMS, 1, 1)))
void f2_f3_matrix(
    __global const double* problem,
    __global const double* records,
    __global const double* B,
    __global double* part_value,
    __global double* part_grad,
    const int l1,
    const int l2,
    const int m1,
    const int split)
{
    __local double rows[F2_F3_MATRIX_ROWS * F2_F3_MATRIX_ROW];
    __local double kept[F2_F3_MATRIX_ROWS * 5];
    const int item = get_local_id(0), g = item % 32 / 4, t = item % 4;
    const nmath_i64 j = (nmath_i64)get_group_id(0) * F2_F3_MATRIX_POINTS + item / 32 * 16 + g;  // and j + 8
    double b[F2_F3_MATRIX_COLUMNS / 2], slope[F2_F3_MATRIX_COLUMNS / 2];
#pragma unroll
    for (int k = 0; k < F2_F3_MATRIX_COLUMNS / 4; ++k) {
        const int at = 4 * k + t;
        b[2 * k] = at < l2 && j < m1 ? B[j * l2 + at] : 0.0;
        b[2 * k + 1] = at < l2 && j + 8 < m1 ? B[(j + 8) * l2 + at] : 0.0;
        slope[2 * k] = slope[2 * k + 1] = 0.0;
    }
    f2_f3_sum sum0 = {0.0, 0.0}, sum1 = {0.0, 0.0};
    const nmath_i64 begin = (nmath_i64)get_group_id(1) * split, end = begin + split < l1 ? begin + split : l1;
    for (nmath_i64 first = begin; first < end; first += F2_F3_MATRIX_ROWS) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int e = item; e < F2_F3_MATRIX_ROWS * F2_F3_MATRIX_COLUMNS; e += F2_F3_MATRIX_ITEMS) {
            const int i = e % F2_F3_MATRIX_ROWS, k = e / F2_F3_MATRIX_ROWS;
            const int used = first + i < end && k < l2 && F2_F3_WT(problem)[first + i] != 0.0;
            rows[i * F2_F3_MATRIX_ROW + k] = used ? problem[(nmath_i64)k * l1 + first + i] : 0.0;
        }
        for (int e = item; e < F2_F3_MATRIX_ROWS * 5; e += F2_F3_MATRIX_ITEMS) {
            const int i = e / 5, part = e % 5;
            const int used = first + i < end && F2_F3_WT(problem)[first + i] != 0.0;
            kept[e] = !used ? 0.0 : part == 0 ? F2_F3_ALPHA(problem)[first + i] : records[4 * (first + i) + part - 1];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        double value0 = 0.0, value1 = 0.0, odds0 = 0.0, odds1 = 0.0;
        const int n = end - first < F2_F3_MATRIX_ROWS ? (int)(end - first) : F2_F3_MATRIX_ROWS;
        for (int i = 0; i < n; i += 8) {
            __local const double *kept0 = kept + 5 * (i + t), *kept1 = kept + 5 * (i + 4 + (t ^ 2));
            __local const double *row = rows + (i + (g & 1 ? 4 + (g >> 1 ^ 2) : g >> 1)) * F2_F3_MATRIX_ROW + t;
            double eta[4] = {kept0[0], kept1[0], kept0[0], kept1[0]}, d[4];
#pragma unroll
            for (int k = 0; k < F2_F3_MATRIX_COLUMNS; k += 8)
                f2_f3_multiply(eta, b + k / 2, row[k], row[k + 4]);
            const f2_f3_obs o0 = {kept0[1], kept0[2], kept0[3], kept0[4]};
            const f2_f3_obs o1 = {kept1[1], kept1[2], kept1[3], kept1[4]};
            // In the order of a left operand: rows g and g + 8 of the observations in columns 2 t, then 2 t + 1.
            const int product = F2_F3_PRODUCT(o0) && F2_F3_PRODUCT(o1);
            if (product) {
                value0 += F2_F3_MEMBER(_ll)(eta[0], o0, 1, d, &odds0);
                value1 += F2_F3_MEMBER(_ll)(eta[2], o0, 1, d + 1, &odds1);
                value0 += F2_F3_MEMBER(_ll)(eta[1], o1, 1, d + 2, &odds0);
                value1 += F2_F3_MEMBER(_ll)(eta[3], o1, 1, d + 3, &odds1);
            } else {
                value0 += F2_F3_MEMBER(_ll)(eta[0], o0, 0, d, &odds0);
                value1 += F2_F3_MEMBER(_ll)(eta[2], o0, 0, d + 1, &odds1);
                value0 += F2_F3_MEMBER(_ll)(eta[1], o1, 0, d + 2, &odds0);
                value1 += F2_F3_MEMBER(_ll)(eta[3], o1, 0, d + 3, &odds1);
            }
            __local const double *row0 = rows + (i + t) * F2_F3_MATRIX_ROW + g, *row1 = rows + (i + 4 + (t ^ 2)) * F2_F3_MATRIX_ROW + g;
#pragma unroll
            for (int k = 0; k < F2_F3_MATRIX_COLUMNS; k += 8)
                f2_f3_multiply(slope + k / 2, d, row0[k], row1[k]);
        }
        sum0 = f2_f3_add(f2_f3_add(sum0, value0), -log1p(odds0));
        sum1 = f2_f3_add(f2_f3_add(sum1, value1), -log1p(odds1));
    }
    // The four lanes of a point have seen different observations.
    barrier(CLK_LOCAL_MEM_FENCE);
    kept[item] = f2_f3_value(sum0);
    rows[item] = f2_f3_value(sum1);
    barrier(CLK_LOCAL_MEM_FENCE);
    const nmath_i64 part = get_group_id(1);
    if (t < 2 && j + 8 * t < m1) {
        __local const double *found = t == 0 ? kept : rows;
        f2_f3_sum all = {0.0, 0.0};
        for (int k = 0; k < 4; ++k)
            all = f2_f3_add(all, found[(item & ~3) + k]);
        part_value[part * m1 + j + 8 * t] = f2_f3_value(all);
    }
#pragma unroll
    for (int k = 0; k < F2_F3_MATRIX_COLUMNS / 2; ++k) {
        const int at = k / 4 * 8 + 2 * t + k % 2;
        const nmath_i64 point = j + (k % 4 < 2 ? 0 : 8);
        if (at < l2 && point < m1)
            part_grad[(part * l2 + at) * m1 + point] = slope[k];
    }
}

#endif
