/* host_device.c -- the device library as C: every file of inst/cl in load order, and a launcher per kernel.
 *
 * Contraction is off, as on the OpenCL side (OPENCL.cl), so that error-free transformations hold; gcc knows only the
 * second form of the request. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#include "host_device.h"
#include "host_launch_gen.h"
#include "host_shim.h"

/* Launchers of elementwise kernels with 1 to 7 columns (doubles, then flags). */
#define NMATH_HOST_LAUNCHER_1(name, kernel)                                                       \
    void nmath_host_##name(const nmath_host_launch *a, int begin, int end)                         \
    {                                                                                              \
        for (int i = begin; i < end; ++i)                                                          \
            kernel(a->column[0], a->out, a->len, a->first, a->n[0], 1, 1, 1, 1, 1, 1, i);      \
    }
#define NMATH_HOST_LAUNCHER_2(name, kernel)                                                       \
    void nmath_host_##name(const nmath_host_launch *a, int begin, int end)                         \
    {                                                                                              \
        for (int i = begin; i < end; ++i)                                                          \
            kernel(a->column[0], a->column[1], a->out, a->len, a->first, a->n[0], a->n[1], 1, 1, 1, 1, 1, i);      \
    }
#define NMATH_HOST_LAUNCHER_3(name, kernel)                                                       \
    void nmath_host_##name(const nmath_host_launch *a, int begin, int end)                         \
    {                                                                                              \
        for (int i = begin; i < end; ++i)                                                          \
            kernel(a->column[0], a->column[1], a->column[2], a->out, a->len, a->first, a->n[0], a->n[1], a->n[2], 1, 1, 1, 1, i);      \
    }
#define NMATH_HOST_LAUNCHER_4(name, kernel)                                                       \
    void nmath_host_##name(const nmath_host_launch *a, int begin, int end)                         \
    {                                                                                              \
        for (int i = begin; i < end; ++i)                                                          \
            kernel(a->column[0], a->column[1], a->column[2], a->column[3], a->out, a->len, a->first, a->n[0], a->n[1], a->n[2], a->n[3], 1, 1, 1, i);      \
    }
#define NMATH_HOST_LAUNCHER_5(name, kernel)                                                       \
    void nmath_host_##name(const nmath_host_launch *a, int begin, int end)                         \
    {                                                                                              \
        for (int i = begin; i < end; ++i)                                                          \
            kernel(a->column[0], a->column[1], a->column[2], a->column[3], a->column[4], a->out, a->len, a->first, a->n[0], a->n[1], a->n[2], a->n[3], a->n[4], 1, 1, i);      \
    }
#define NMATH_HOST_LAUNCHER_6(name, kernel)                                                       \
    void nmath_host_##name(const nmath_host_launch *a, int begin, int end)                         \
    {                                                                                              \
        for (int i = begin; i < end; ++i)                                                          \
            kernel(a->column[0], a->column[1], a->column[2], a->column[3], a->column[4], a->column[5], a->out, a->len, a->first, a->n[0], a->n[1], a->n[2], a->n[3], a->n[4], a->n[5], 1, i);      \
    }
#define NMATH_HOST_LAUNCHER_7(name, kernel)                                                       \
    void nmath_host_##name(const nmath_host_launch *a, int begin, int end)                         \
    {                                                                                              \
        for (int i = begin; i < end; ++i)                                                          \
            kernel(a->column[0], a->column[1], a->column[2], a->column[3], a->column[4], a->column[5], a->column[6], a->out, a->len, a->first, a->n[0], a->n[1], a->n[2], a->n[3], a->n[4], a->n[5], a->n[6], i);      \
    }

/* Launchers of the GLM kernels: one work-item per grid point. */
#define NMATH_HOST_GLM_LAUNCHER(kernel)                                                             \
    void nmath_host_##kernel(const nmath_host_glm_launch *a, int begin, int end)                    \
    {                                                                                              \
        for (nmath_gid = begin; nmath_gid < end; ++nmath_gid)                                      \
            kernel(a->X, a->B, a->mu, a->P, a->alpha, a->y, a->wt, a->qf, a->grad, a->l1, a->l2,   \
                   a->m1);                                                                         \
    }

#include "host_unity_gen.h"
