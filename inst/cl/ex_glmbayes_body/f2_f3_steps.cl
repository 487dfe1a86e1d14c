// @source_type: shim
// @source_origin: f2_f3_steps.c
// @provides: f2_f3_prepare, f2_f3_take, f2_f3_finish
// @depends: f2_f3_math, f2_f3_body
// @all_depends: f2_f3_math, f2_f3_body
// @all_depends_count: 2

// f2_f3_steps -- the kernels before and after those that work on many grid points at a time: what does not depend on the
// grid point is computed once, before; prior and parts of a sum over observations come together after. Compiled behind
// the file of a family (F2_F3_FAMILY), and then a program of its own; a library of functions for nobody else.
//
// X (l1 x l2), alpha, y, wt (l1 each), and mu (l2) with P (l2 x l2) behind it are each a buffer and where they begin in
// it: what travels shares one. Layout of `rows`, which f2_f3_prepare makes of them: one row per observation, F2_F3_HEAD numbers of which the first five are the offset and what
// the family keeps of the observation, then the row of X with zeros up to the row's end. Rows of observations of weight
// 0, and those past the last, are all zeros, which contribute nothing.

#ifdef F2_F3_FAMILY
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

#ifndef F2_F3_HEAD
#define F2_F3_HEAD 6
#endif

#define F2_F3_PREPARE_GROUP 64
#define F2_F3_PREPARE_COLUMNS 8

// Rows for as many observations as the range has work-items; `length` is a row's. Groups 0 of the second dimension write
// heads and the sum of the constants of their observations, the others eight columns each.
__kernel __attribute__((reqd_work_group_size(F2_F3_PREPARE_GROUP, 1, 1)))
void f2_f3_prepare(
    __global const double* X,
    const nmath_i64 X_begins,
    __global const double* alpha,
    const nmath_i64 alpha_begins,
    __global const double* y,
    const nmath_i64 y_begins,
    __global const double* wt,
    const nmath_i64 wt_begins,
    __global double* rows,
    __global double* constants,
    const int l1,
    const int l2,
    const int length)
{
    __local double part[F2_F3_PREPARE_GROUP];
    const int item = get_local_id(0), chunk = get_group_id(1);
    const nmath_i64 i = get_global_id(0);
    __global double *row = rows + i * length;
    const int used = i < l1 && wt[wt_begins + (i < l1 ? i : 0)] != 0.0;
    if (chunk > 0) {
        for (int k = (chunk - 1) * F2_F3_PREPARE_COLUMNS; k < chunk * F2_F3_PREPARE_COLUMNS; ++k)
            if (F2_F3_HEAD + k < length)
                row[F2_F3_HEAD + k] = used && k < l2 ? X[X_begins + (nmath_i64)k * l1 + i] : 0.0;
        return;
    }
    f2_f3_obs o = {0.0, 0.0, 0.0, 0.0};
    double offset = 0.0, c = 0.0;
    if (used) {
        const double value = y[y_begins + i], weight = wt[wt_begins + i];
        offset = alpha[alpha_begins + i];
        o = F2_F3_MEMBER(_obs)(value, weight);
        c = F2_F3_MEMBER(_constant)(value, weight);
    }
    row[0] = offset;
    row[1] = o.p;
    row[2] = o.q;
    row[3] = o.r;
    row[4] = o.s;
    for (int k = 5; k < F2_F3_HEAD; ++k)
        row[k] = 0.0;
    part[item] = c;
    // In two rounds, of eight each: one work-item alone would take longer than all else here.
    for (int step = 1; step < F2_F3_PREPARE_GROUP; step *= 8) {
        f2_f3_sum sum = {0.0, 0.0};
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item % (8 * step) == 0) {
            for (int k = 0; k < 8; ++k)
                sum = f2_f3_add(sum, part[item + k * step]);
            part[item] = f2_f3_value(sum);
        }
    }
    if (item == 0)
        constants[get_group_id(0)] = part[0];
}

// Some of the grid, where all of it is resident.
__kernel void f2_f3_take(__global const double* B, const nmath_i64 first, __global double* grid, const int n)
{
    const int i = get_global_id(0);
    if (i < n) grid[i] = B[first + i];
}

#define F2_F3_FINISH_POINTS 32
#define F2_F3_FINISH_LANES 8
#define F2_F3_FINISH_ROWS 4
#define F2_F3_FINISH_STEP 32

// Rows k, k + 8, ... of P (b - mu) at one point; a block of 32 coefficients of the group's points goes through local
// memory at a time. All work-items of the group call it together.
NMATH_FN void f2_f3_prior_rows(__global const double *mu, __global const double *B, int l2, int m1, int k,
                               __local double *centred, double *row)
{
    const int item = get_local_id(0), point = item % F2_F3_FINISH_POINTS;
#pragma unroll
    for (int r = 0; r < F2_F3_FINISH_ROWS; ++r)
        row[r] = 0.0;
    for (int first = 0; first < l2; first += F2_F3_FINISH_STEP) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int e = item; e < F2_F3_FINISH_POINTS * F2_F3_FINISH_STEP; e += F2_F3_FINISH_POINTS * F2_F3_FINISH_LANES) {
            const int t = e % F2_F3_FINISH_STEP, p = e / F2_F3_FINISH_STEP;
            const nmath_i64 j = (nmath_i64)get_group_id(0) * F2_F3_FINISH_POINTS + p;
            centred[t * (F2_F3_FINISH_POINTS + 1) + p] =
                j < m1 && first + t < l2 ? B[j * l2 + first + t] - mu[first + t] : 0.0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const int n = l2 - first < F2_F3_FINISH_STEP ? l2 - first : F2_F3_FINISH_STEP;
        for (int t = 0; t < n; ++t) {
            const double c = centred[t * (F2_F3_FINISH_POINTS + 1) + point];
            __global const double *column = mu + l2 + (nmath_i64)(first + t) * l2; // of P
            // Rows past the last are computed from the first, and not used.
#pragma unroll
            for (int r = 0; r < F2_F3_FINISH_ROWS; ++r)
                row[r] = NMATH_FMA(column[k + r * F2_F3_FINISH_LANES < l2 ? k + r * F2_F3_FINISH_LANES : 0], c, row[r]);
        }
    }
}

// qf and grad from the prior, the constants and `splits` parts of the sum over observations, which are added in their
// order. part_grad may be grad. 32 grid points per group, 8 work-items for the terms of each.
__kernel __attribute__((reqd_work_group_size(F2_F3_FINISH_POINTS * F2_F3_FINISH_LANES, 1, 1)))
void f2_f3_finish(
    __global const double* prior,
    const nmath_i64 prior_begins,
    __global const double* B,
    __global const double* constants,
    __global const double* part_value,
    __global const double* part_grad,
    __global double* qf,
    __global double* grad,
    const int l2,
    const int m1,
    const int n_constants,
    const int splits)
{
    __local double centred[F2_F3_FINISH_STEP * (F2_F3_FINISH_POINTS + 1)];
    __local double part[F2_F3_FINISH_POINTS * F2_F3_FINISH_LANES];
    const int item = get_local_id(0), lane = item / F2_F3_FINISH_POINTS;
    const nmath_i64 j = (nmath_i64)get_group_id(0) * F2_F3_FINISH_POINTS + item % F2_F3_FINISH_POINTS;
    __global const double *mu = prior + prior_begins;
    double row[F2_F3_FINISH_ROWS];
    f2_f3_sum sum = {0.0, 0.0};
    for (int k = 0; k < l2; k += F2_F3_FINISH_ROWS * F2_F3_FINISH_LANES) {
        f2_f3_prior_rows(mu, B, l2, m1, k + lane, centred, row);
#pragma unroll
        for (int r = 0; r < F2_F3_FINISH_ROWS; ++r) {
            const int at = k + lane + r * F2_F3_FINISH_LANES;
            if (j >= m1 || at >= l2)
                continue;
            sum = f2_f3_add(sum, 0.5 * (B[j * l2 + at] - mu[at]) * row[r]);
            double slope = 0.0;
            for (int s = 0; s < splits; ++s)
                slope += part_grad[((nmath_i64)s * l2 + at) * m1 + j];
            grad[(nmath_i64)at * m1 + j] = row[r] - slope;
        }
    }
    for (int k = lane; k < n_constants; k += F2_F3_FINISH_LANES)
        sum = f2_f3_add(sum, -constants[k]);
    if (j < m1)
        for (int s = lane; s < splits; s += F2_F3_FINISH_LANES)
            sum = f2_f3_add(sum, -part_value[(nmath_i64)s * m1 + j]);
    part[item] = f2_f3_value(sum);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane != 0 || j >= m1)
        return;
    f2_f3_sum all = {0.0, 0.0};
    for (int k = 0; k < F2_F3_FINISH_LANES; ++k)
        all = f2_f3_add(all, part[k * F2_F3_FINISH_POINTS + item]);
    qf[j] = f2_f3_value(all);
}

#endif
#endif
