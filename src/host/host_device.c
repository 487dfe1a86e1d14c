/* host_device.c -- the device library as C: every file of inst/cl in load order, and a launcher per kernel.
 *
 * Contraction is off, as on the OpenCL side (OPENCL.cl), so that error-free transformations hold; gcc knows only the
 * second form of the request. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#include "host/host_device.h"
#include "host/host_launch_gen.h"
#include "host/host_philox.h"
#include "host/host_shim.h"

/* Launchers of elementwise kernels with up to 7 columns (doubles, then flags). The copy of the arguments tells the compiler
 * that no result changes them. */
#define NMATH_HOST_COLUMN(k) a.column[k],
#define NMATH_HOST_LENGTH(k) a.n[k], a.value[k],
#define NMATH_HOST_COLUMNS_0
#define NMATH_HOST_COLUMNS_1 NMATH_HOST_COLUMN(0)
#define NMATH_HOST_COLUMNS_2 NMATH_HOST_COLUMNS_1 NMATH_HOST_COLUMN(1)
#define NMATH_HOST_COLUMNS_3 NMATH_HOST_COLUMNS_2 NMATH_HOST_COLUMN(2)
#define NMATH_HOST_COLUMNS_4 NMATH_HOST_COLUMNS_3 NMATH_HOST_COLUMN(3)
#define NMATH_HOST_COLUMNS_5 NMATH_HOST_COLUMNS_4 NMATH_HOST_COLUMN(4)
#define NMATH_HOST_COLUMNS_6 NMATH_HOST_COLUMNS_5 NMATH_HOST_COLUMN(5)
#define NMATH_HOST_COLUMNS_7 NMATH_HOST_COLUMNS_6 NMATH_HOST_COLUMN(6)
#define NMATH_HOST_LENGTHS_0
#define NMATH_HOST_LENGTHS_1 NMATH_HOST_LENGTH(0)
#define NMATH_HOST_LENGTHS_2 NMATH_HOST_LENGTHS_1 NMATH_HOST_LENGTH(1)
#define NMATH_HOST_LENGTHS_3 NMATH_HOST_LENGTHS_2 NMATH_HOST_LENGTH(2)
#define NMATH_HOST_LENGTHS_4 NMATH_HOST_LENGTHS_3 NMATH_HOST_LENGTH(3)
#define NMATH_HOST_LENGTHS_5 NMATH_HOST_LENGTHS_4 NMATH_HOST_LENGTH(4)
#define NMATH_HOST_LENGTHS_6 NMATH_HOST_LENGTHS_5 NMATH_HOST_LENGTH(5)
#define NMATH_HOST_LENGTHS_7 NMATH_HOST_LENGTHS_6 NMATH_HOST_LENGTH(6)
#define NMATH_HOST_LAUNCHER(name, kernel, columns)                                                 \
    void nmath_host_##name(const nmath_host_launch *launch, int begin, int end)                    \
    {                                                                                              \
        const nmath_host_launch a = *launch;                                                       \
        for (int i = begin; i < end; ++i)                                                          \
            kernel(NMATH_HOST_COLUMNS_##columns a.out, a.len, NMATH_HOST_LENGTHS_##columns i);     \
    }

/* Launchers of kernels that draw: the first blocks of NMATH_BATCH draws are made together, see host_philox.h. */
#define NMATH_HOST_DRAW_LAUNCHER(name, kernel, columns)                                                         \
    void nmath_host_##name(const nmath_host_launch *launch, int begin, int end)                                 \
    {                                                                                                           \
        const nmath_host_launch a = *launch;                                                                    \
        nmath_u64 blocks[2 * NMATH_BATCH];                                                                      \
        for (int i = begin; i < end; ++i) {                                                                     \
            if (i == begin || i % NMATH_BATCH == 0)                                                             \
                nmath_host_philox(a.seed, a.first + (nmath_u64)(i - i % NMATH_BATCH), NMATH_BATCH, blocks);     \
            kernel(NMATH_HOST_COLUMNS_##columns a.out, a.len, a.seed, a.first, blocks,                          \
                   NMATH_HOST_LENGTHS_##columns i);                                                             \
        }                                                                                                       \
    }

/* Launchers of kernels whose draws are columns of a matrix: column 0 is the probabilities, one per cell, value[0] the bits
 * of the size. */
#define NMATH_HOST_CELLS_LAUNCHER(name, kernel, columns)                                                        \
    void nmath_host_##name(const nmath_host_launch *launch, int begin, int end)                                 \
    {                                                                                                           \
        const nmath_host_launch a = *launch;                                                                    \
        nmath_u64 blocks[2 * NMATH_BATCH];                                                                      \
        for (int i = begin; i < end; ++i) {                                                                     \
            if (i == begin || i % NMATH_BATCH == 0)                                                             \
                nmath_host_philox(a.seed, a.first + (nmath_u64)(i - i % NMATH_BATCH), NMATH_BATCH, blocks);     \
            kernel(nmath_from_bits((nmath_u64)a.value[0]), a.column[0], a.out, a.len, a.n[0], a.seed, a.first,  \
                   blocks, i);                                                                                  \
        }                                                                                                       \
    }

/* Launchers of the GLM kernels: one work-item per grid point. */
#define NMATH_HOST_GLM_LAUNCHER(kernel)                                                             \
    void nmath_host_##kernel(const nmath_host_glm_launch *a, int begin, int end)                    \
    {                                                                                              \
        for (nmath_gid = begin; nmath_gid < end; ++nmath_gid)                                      \
            kernel(a->X, a->B, a->mu, a->P, a->alpha, a->y, a->wt, a->qf, a->grad, a->l1, a->l2,   \
                   a->m1);                                                                         \
    }

#include "host/host_unity_gen.h"
