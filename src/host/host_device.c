/* host_device.c -- the device library as C: every file of inst/cl in load order, and a launcher per kernel.
 *
 * Contraction is off, as on the OpenCL side (OPENCL.cl), so that error-free transformations hold; gcc knows only the
 * second form of the request. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#define NMATH_FIXED_FAR 8.0 /* log1p_parts.cl: the launchers below ask the general form for single elements */

#include "host/host_device.h"
#include "host/host_fixed.h"
#include "host/host_launch_gen.h"
#ifndef NMATH_AS_GPU
#include "host/host_nct.h"
#define NMATH_HOST_NCT_SUM nmath_host_nct_sum
#endif
#include "host/host_philox.h"
#include "host/host_shim.h"
#ifndef NMATH_AS_GPU /* which keeps nothing */
#include "host/host_kept.h"
#endif

/* Launchers of elementwise kernels with up to 7 columns (doubles, then flags): memory of the columns, out, len, then, from
 * argument `rest` on, a length and a value for each column (NMATH_AT in OPENCL.cl). The copies tell the compiler that no result
 * changes an argument. */
#define NMATH_HOST_TAKE(k)                                   \
    const void *const column##k = a[k].memory;               \
    const int n##k = a[rest + 2 * k].i32;                    \
    const int64_t value##k = a[rest + 2 * k + 1].i64;
#define NMATH_HOST_COLUMN(k) column##k,
#define NMATH_HOST_LENGTH(k) n##k, value##k,
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
#define NMATH_HOST_TAKEN_0
#define NMATH_HOST_TAKEN_1 NMATH_HOST_TAKE(0)
#define NMATH_HOST_TAKEN_2 NMATH_HOST_TAKEN_1 NMATH_HOST_TAKE(1)
#define NMATH_HOST_TAKEN_3 NMATH_HOST_TAKEN_2 NMATH_HOST_TAKE(2)
#define NMATH_HOST_TAKEN_4 NMATH_HOST_TAKEN_3 NMATH_HOST_TAKE(3)
#define NMATH_HOST_TAKEN_5 NMATH_HOST_TAKEN_4 NMATH_HOST_TAKE(4)
#define NMATH_HOST_TAKEN_6 NMATH_HOST_TAKEN_5 NMATH_HOST_TAKE(5)
#define NMATH_HOST_TAKEN_7 NMATH_HOST_TAKEN_6 NMATH_HOST_TAKE(6)
#define NMATH_HOST_BODY(kernel, columns, ...)                                                      \
    {                                                                                              \
        enum { rest = columns + 2 };                                                               \
        NMATH_HOST_TAKEN_##columns                                                                 \
        double *const out = a[columns].memory;                                                     \
        const int len = a[columns + 1].i32;                                                        \
        __VA_ARGS__                                                                                 \
        for (int i = begin; i < end; ++i)                                                          \
            kernel(NMATH_HOST_COLUMNS_##columns out, len, NMATH_HOST_LENGTHS_##columns i);         \
    }
/* Not by way of one another: `name` may be a macro of nmath. */
#define NMATH_HOST_LAUNCHER(name, kernel, columns)                                                 \
    void nmath_host_##name(const nmath_host_argument *a, int begin, int end)                       \
        NMATH_HOST_BODY(kernel, columns, )

/* Launchers of functions that have forms for fixed parameters: `cases` are NMATH_HOST_FIXED of each, with its row of
 * inst/spec/fixed.tsv, which serves the launch where its flags are `chosen`, x is a vector and the parameters are scalars that it
 * knows; `at` are the arguments of its function of an element. What an element has that it does not know is the kernel's. */
#define NMATH_HOST_FIXED(row, kernel, columns, chosen, stem, at, ...)                              \
    if (n0 == 0 && chosen) {                                                                       \
        const nmath_host_fixed_run run = nmath_host_fixed_find(row);                               \
        const double parameters[] = {__VA_ARGS__};                                                 \
        if (run != NULL) {                                                                         \
            if (run(column0, out, begin, end, parameters, general_##kernel, a))                    \
                return;                                                                            \
        } else {                                                                                   \
            int needs_general = 0;                                                                           \
            const stem fixed = stem##_of(__VA_ARGS__, &needs_general);                                       \
            for (int i = begin; i < end && !needs_general; ++i) {                                            \
                int off = 0;                                                                       \
                const double value = stem##_at at;                                                 \
                if (off)                                                                           \
                    kernel(NMATH_HOST_COLUMNS_##columns out, len, NMATH_HOST_LENGTHS_##columns i); \
                else                                                                               \
                    out[i] = value;                                                                \
            }                                                                                      \
            if (!needs_general)                                                                              \
                return;                                                                            \
        }                                                                                          \
    }
#define NMATH_HOST_REAL(k) nmath_from_bits((nmath_u64)value##k)
#define NMATH_HOST_FLAG(k) ((int)value##k != 0)
#define NMATH_HOST_FIXED_LAUNCHER(name, kernel, columns, cases)                                    \
    static void general_##kernel(const nmath_host_argument *a, int begin, int end)                 \
        NMATH_HOST_BODY(kernel, columns, )                                                         \
    void nmath_host_##name(const nmath_host_argument *a, int begin, int end)                       \
        NMATH_HOST_BODY(kernel, columns, cases)

/* Work-items [begin, end) of a kernel that draws, which `call` runs. A work-item is SUNIF_PAIRS pairs of draws; the blocks of
 * NMATH_BATCH pairs, of the kind that the function begins with, are made together (host_philox.h). */
#define NMATH_HOST_DRAWS(kind, call)                                                                                \
    nmath_u64 blocks[2 * NMATH_BATCH];                                                                              \
    for (int i = begin; i < end; ++i) {                                                                             \
        const int pair = SUNIF_PAIRS * i, within = pair % NMATH_BATCH;                                              \
        if (i == begin || within == 0)                                                                              \
            nmath_host_philox(seed, (first >> 1) + (nmath_u64)(pair - within), kind, NMATH_BATCH, blocks);          \
        call;                                                                                                       \
    }

/* Launchers of kernels that draw, whose seed and number of the first draw come before the lengths. */
#define NMATH_HOST_DRAW_LAUNCHER(name, kernel, columns, kind)                                                       \
    void nmath_host_##name(const nmath_host_argument *a, int begin, int end)                                        \
    {                                                                                                               \
        enum { rest = columns + 4 };                                                                                \
        NMATH_HOST_TAKEN_##columns                                                                                  \
        double *const out = a[columns].memory;                                                                      \
        const int len = a[columns + 1].i32;                                                                         \
        const nmath_u64 seed = a[columns + 2].u64, first = a[columns + 3].u64;                                      \
        NMATH_HOST_DRAWS(kind, kernel(NMATH_HOST_COLUMNS_##columns out, len, seed, first, blocks, kind,             \
                                      NMATH_HOST_LENGTHS_##columns i))                                              \
    }

/* Those of draws by a table: table, out, an int and a double of the table, len, seed, first. */
#define NMATH_HOST_TABLE_LAUNCHER(kernel)                                                                           \
    void nmath_host_##kernel(const nmath_host_argument *a, int begin, int end)                                      \
    {                                                                                                               \
        const nmath_u64 seed = a[5].u64, first = a[6].u64;                                                          \
        NMATH_HOST_DRAWS(SUNIF_WORDS, kernel(a[0].memory, a[1].memory, a[2].i32, a[3].f64, a[4].i32, seed, first,   \
                                             blocks, SUNIF_WORDS, i))                                               \
    }

/* That of values from a table: x, out, len, table, top, rule, shift, the length and the value of x. */
#define NMATH_HOST_LOOKUP_LAUNCHER(kernel)                                                                          \
    void nmath_host_##kernel(const nmath_host_argument *a, int begin, int end)                                      \
    {                                                                                                               \
        const void *const x = a[0].memory, *const table = a[3].memory;                                              \
        double *const out = a[1].memory;                                                                            \
        const int len = a[2].i32, rule = a[5].i32, n = a[7].i32;                                                    \
        const double top = a[4].f64;                                                                                \
        const int64_t shift = a[6].i64, value = a[8].i64;                                                           \
        for (int i = begin; i < end; ++i)                                                                           \
            kernel(x, out, len, table, top, rule, shift, n, value, i);                                              \
    }

/* Launchers of kernels whose draws are columns of a matrix: size, prob, out, len, cells, seed, first. */
#define NMATH_HOST_CELLS_LAUNCHER(name, kernel, columns)                                                            \
    void nmath_host_##name(const nmath_host_argument *a, int begin, int end)                                        \
    {                                                                                                               \
        for (int i = begin; i < end; ++i)                                                                           \
            kernel(a[0].f64, a[1].memory, a[2].memory, a[3].i32, a[4].i32, a[5].u64, a[6].u64, i);                  \
    }

/* Launchers of the GLM kernels: one work-item per grid point. */
#define NMATH_HOST_GLM_LAUNCHER(kernel)                                                             \
    void nmath_host_##kernel(const nmath_host_argument *a, int begin, int end)                      \
    {                                                                                              \
        for (nmath_gid = begin; nmath_gid < end; ++nmath_gid)                                      \
            kernel(a[0].memory, a[1].memory, a[2].memory, a[3].memory, a[4].memory, a[5].memory,   \
                   a[6].memory, a[7].memory, a[8].memory, a[9].i32, a[10].i32, a[11].i32);         \
    }

#include "host/host_unity_gen.h"
