/* host_glm_avx2.c -- the GLM kernels of the host device for x86-64 with AVX2 and FMA. */
#if defined(__x86_64__) && defined(__GNUC__)

#include "host/host_avx2_begin.h"

#define NMATH_HOST_GLM_TABLE nmath_host_glm_table_avx2
#include "host/host_glm.h"
#include "host/host_glm_kernels.h"

#include "host/host_avx2_end.h"

#else

#include "host/host_glm.h"

const nmath_host_glm_kernels nmath_host_glm_table_avx2[] = {{0, 0, 0}};

#endif
