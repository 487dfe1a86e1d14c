/* host_glm_avx2.c -- the GLM kernels of the host device for x86-64 with AVX2 and FMA. Nothing here may run elsewhere:
 * system headers come before the target is set, and everything is static but the table. */
#if defined(__x86_64__) && defined(__GNUC__)

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC optimize("O3", "fp-contract=off", "no-math-errno", "no-trapping-math")
#pragma GCC target("avx2,fma")
#endif

/* math.h has spoken for the machine that everything else is compiled for. */
#undef FP_FAST_FMA
#define FP_FAST_FMA 1

#define NMATH_HOST_GLM_TABLE nmath_host_glm_table_avx2
#include "host/host_glm_kernels.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#else

#include "host/host_glm.h"

const nmath_host_glm_kernels nmath_host_glm_table_avx2[] = {{0, 0, 0}};

#endif
