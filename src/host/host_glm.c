/* host_glm.c -- the GLM kernels of the host device for every machine, and the choice among what was compiled.
 *
 * -O2 leaves most loops scalar in gcc; contraction is off as in host_device.c. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("O3", "fp-contract=off", "no-math-errno", "no-trapping-math")
#endif

#define NMATH_HOST_GLM_TABLE nmath_host_glm_table
#include "host/host_glm.h"
#include "host/host_glm_kernels.h"
#include "host/host_machine.h"

const nmath_host_glm_kernels *nmath_host_glm_find(const char *kernel)
{
    const nmath_host_glm_kernels *row = nmath_host_has_avx2() ? nmath_host_glm_table_avx2 : nmath_host_glm_table;
    if (row->kernel == NULL)
        row = nmath_host_glm_table;
    while (row->kernel != NULL && strcmp(row->kernel, kernel) != 0)
        ++row;
    return row->kernel == NULL ? NULL : row;
}

void nmath_host_glm_prepare(const char *kernel, const nmath_host_argument *a)
{
    nmath_host_glm_launch problem = {0};
    problem.y = a[0].memory;
    problem.wt = a[1].memory;
    problem.l1 = a[4].i32;
    *(double *)a[3].memory = nmath_host_glm_find(kernel)->prepare(&problem, a[2].memory);
}

void nmath_host_glm_run_lanes(const char *kernel, const nmath_host_argument *a, int begin, int end)
{
    const nmath_host_glm_launch problem = {a[0].memory, a[1].memory, a[2].memory, a[3].memory, a[4].memory, 0, a[5].memory,
                                           a[7].memory, a[8].memory, a[9].i32,    a[10].i32,   a[11].i32};
    const nmath_host_glm_prepared prepared = {&problem, a[6].memory, a[12].f64};
    const int64_t first = a[13].i32 + (int64_t)begin * nmath_host_glm_lanes, last = a[13].i32 + (int64_t)end * nmath_host_glm_lanes;
    nmath_host_glm_find(kernel)->grid(&prepared, (int)first, last < problem.m1 ? (int)last : problem.m1);
}
