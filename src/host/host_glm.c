/* host_glm.c -- the GLM kernels of the host device for every machine, and the choice among what was compiled.
 *
 * -O2 leaves most loops scalar in gcc; contraction is off as in host_device.c. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("O3", "fp-contract=off", "no-math-errno", "no-trapping-math")
#endif

#define NMATH_HOST_GLM_TABLE nmath_host_glm_table
#include "host/host_glm_kernels.h"

static int has_avx2(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return 0;
#endif
}

const nmath_host_glm_kernels *nmath_host_glm_find(const char *kernel)
{
    const nmath_host_glm_kernels *row = has_avx2() ? nmath_host_glm_table_avx2 : nmath_host_glm_table;
    if (row->kernel == NULL)
        row = nmath_host_glm_table;
    while (row->kernel != NULL && strcmp(row->kernel, kernel) != 0)
        ++row;
    return row->kernel == NULL ? NULL : row;
}
