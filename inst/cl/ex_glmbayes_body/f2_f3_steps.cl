// @source_type: shim
// @source_origin: f2_f3_steps.c
// @provides: f2_f3_prepare, f2_f3_finish
// @depends: f2_f3_math, f2_f3_body
// @all_depends: f2_f3_math, f2_f3_body
// @all_depends_count: 2
// @load_order: 4

// f2_f3_steps -- the kernels before and after those that work on many grid points at a time: what does not depend on the
// grid point is computed once, before; prior and parts of a sum over observations come together after. Compiled behind
// the file of a family (F2_F3_FAMILY), and then a program of its own; a library of functions for nobody else.
//
// Layout of `problem`, one buffer: X (l1 x l2), alpha, y, wt (l1 each), mu (l2), P (l2 x l2).

#ifdef F2_F3_FAMILY
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

#define F2_F3_ALPHA(problem) ((problem) + (nmath_i64)l1 * l2)
#define F2_F3_Y(problem) (F2_F3_ALPHA(problem) + l1)
#define F2_F3_WT(problem) (F2_F3_ALPHA(problem) + 2 * (nmath_i64)l1)
#define F2_F3_MU(problem) (F2_F3_ALPHA(problem) + 3 * (nmath_i64)l1)
#define F2_F3_P(problem) (F2_F3_MU(problem) + l2)

#define F2_F3_PREPARE_GROUP 64
#define F2_F3_PREPARE_EACH 4

// What the family makes of each observation, and the sum of the constants of each group's observations. An observation
// of weight 0 becomes one that contributes nothing.
__kernel __attribute__((reqd_work_group_size(F2_F3_PREPARE_GROUP, 1, 1)))
void f2_f3_prepare(
    __global const double* problem,
    __global double* records,
    __global double* constants,
    const int l1,
    const int l2)
{
    __local double part[F2_F3_PREPARE_GROUP];
    const int item = get_local_id(0);
    const nmath_i64 first = (nmath_i64)get_global_id(0) * F2_F3_PREPARE_EACH;
    f2_f3_sum sum = {0.0, 0.0};
    for (nmath_i64 i = first; i < first + F2_F3_PREPARE_EACH && i < l1; ++i) {
        double y = F2_F3_Y(problem)[i], wt = F2_F3_WT(problem)[i];
        f2_f3_obs o = {0.0, 0.0, 0.0, 0.0};
        if (wt != 0.0) {
            o = F2_F3_MEMBER(_obs)(y, wt);
            sum = f2_f3_add(sum, F2_F3_MEMBER(_constant)(y, wt));
        }
        records[4 * i] = o.p;
        records[4 * i + 1] = o.q;
        records[4 * i + 2] = o.r;
        records[4 * i + 3] = o.s;
    }
    part[item] = f2_f3_value(sum);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        f2_f3_sum all = {0.0, 0.0};
        for (int k = 0; k < F2_F3_PREPARE_GROUP; ++k)
            all = f2_f3_add(all, part[k]);
        constants[get_group_id(0)] = f2_f3_value(all);
    }
}

#define F2_F3_FINISH_POINTS 32
#define F2_F3_FINISH_LANES 8
#define F2_F3_FINISH_ROWS 4
#define F2_F3_FINISH_STEP 32

// Rows k, k + 8, ... of P (b - mu) at one point; a block of 32 coefficients of the group's points goes through local
// memory at a time. All work-items of the group call it together.
NMATH_FN void f2_f3_prior_rows(__global const double *problem, __global const double *B, int l1, int l2, int m1, int k,
                               __local double *centred, double *row)
{
    const int item = get_local_id(0), point = item % F2_F3_FINISH_POINTS;
    for (int r = 0; r < F2_F3_FINISH_ROWS; ++r)
        row[r] = 0.0;
    for (int first = 0; first < l2; first += F2_F3_FINISH_STEP) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int e = item; e < F2_F3_FINISH_POINTS * F2_F3_FINISH_STEP; e += F2_F3_FINISH_POINTS * F2_F3_FINISH_LANES) {
            const int t = e % F2_F3_FINISH_STEP, p = e / F2_F3_FINISH_STEP;
            const nmath_i64 j = (nmath_i64)get_group_id(0) * F2_F3_FINISH_POINTS + p;
            centred[t * (F2_F3_FINISH_POINTS + 1) + p] =
                j < m1 && first + t < l2 ? B[j * l2 + first + t] - F2_F3_MU(problem)[first + t] : 0.0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const int n = l2 - first < F2_F3_FINISH_STEP ? l2 - first : F2_F3_FINISH_STEP;
        for (int t = 0; t < n; ++t) {
            const double c = centred[t * (F2_F3_FINISH_POINTS + 1) + point];
            for (int r = 0; r < F2_F3_FINISH_ROWS; ++r) {
                const int at = k + r * F2_F3_FINISH_LANES;
                if (at < l2)
                    row[r] = NMATH_FMA(F2_F3_P(problem)[(nmath_i64)(first + t) * l2 + at], c, row[r]);
            }
        }
    }
}

// qf and grad from the prior, the constants and `splits` parts of the sum over observations, which are added in their
// order. part_grad may be grad. 32 grid points per group, 8 work-items for the coefficients of each.
__kernel __attribute__((reqd_work_group_size(F2_F3_FINISH_POINTS * F2_F3_FINISH_LANES, 1, 1)))
void f2_f3_finish(
    __global const double* problem,
    __global const double* B,
    __global const double* constants,
    __global const double* part_value,
    __global const double* part_grad,
    __global double* qf,
    __global double* grad,
    const int l1,
    const int l2,
    const int m1,
    const int n_constants,
    const int splits)
{
    __local double centred[F2_F3_FINISH_STEP * (F2_F3_FINISH_POINTS + 1)];
    __local double quadratic[F2_F3_FINISH_POINTS * F2_F3_FINISH_LANES];
    const int item = get_local_id(0), lane = item / F2_F3_FINISH_POINTS;
    const nmath_i64 j = (nmath_i64)get_group_id(0) * F2_F3_FINISH_POINTS + item % F2_F3_FINISH_POINTS;
    double row[F2_F3_FINISH_ROWS], quad = 0.0;
    for (int k = 0; k < l2; k += F2_F3_FINISH_ROWS * F2_F3_FINISH_LANES) {
        f2_f3_prior_rows(problem, B, l1, l2, m1, k + lane, centred, row);
        for (int r = 0; r < F2_F3_FINISH_ROWS; ++r) {
            const int at = k + lane + r * F2_F3_FINISH_LANES;
            if (j >= m1 || at >= l2)
                continue;
            quad = NMATH_FMA(0.5 * (B[j * l2 + at] - F2_F3_MU(problem)[at]), row[r], quad);
            double slope = 0.0;
            for (int s = 0; s < splits; ++s)
                slope += part_grad[((nmath_i64)s * l2 + at) * m1 + j];
            grad[(nmath_i64)at * m1 + j] = row[r] - slope;
        }
    }
    quadratic[item] = quad;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane != 0 || j >= m1)
        return;
    f2_f3_sum sum = {0.0, 0.0};
    for (int k = 0; k < F2_F3_FINISH_LANES; ++k)
        sum = f2_f3_add(sum, quadratic[k * F2_F3_FINISH_POINTS + item]);
    for (int k = 0; k < n_constants; ++k)
        sum = f2_f3_add(sum, -constants[k]);
    for (int s = 0; s < splits; ++s)
        sum = f2_f3_add(sum, -part_value[(nmath_i64)s * m1 + j]);
    qf[j] = f2_f3_value(sum);
}

#endif
#endif
