/* host_fixed_avx2.c -- see host_fixed.h. Nothing but the last function may run on every machine. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32) /* whose stack is not aligned for AVX */ && \
    !defined(NMATH_AS_GPU)

#include "host/host_avx2_begin.h"

#define NMATH_VECTORS
#define NMATH_FIXED_FAR 8.0 /* log1p_parts.cl: the general form is asked for single elements */

#include "host/host_fixed.h"

/* `at` are the arguments of the form's function of an element, `of` those of its function of the parameters. */
enum { at_once = 64 };
#define NMATH_HOST_FIXED_RUN(row, stem, at, of)                                                               \
  static __attribute__((flatten)) void run_block_##row(const double* restrict x, double* restrict out,        \
                                                       int* restrict off, const stem* restrict form) {        \
    const stem fixed = *form;                                                                                 \
    for (int i = 0; i < at_once; ++i) {                                                                       \
      int needs_general = 0;                                                                                            \
      out[i] = stem##_at at;                                                                                  \
      off[i] = needs_general;                                                                                           \
    }                                                                                                         \
  }                                                                                                           \
  static int run_##row(const double* x, double* out, int begin, int end, const double* p,                     \
                       void (*general)(const nmath_host_argument*, int, int), const nmath_host_argument* a) { \
    int needs_general = 0, off[at_once];                                                                                \
    const stem fixed = stem##_of of;                                                                          \
    if (needs_general) return 0;                                                                                        \
    for (int first = begin; first < end; first += at_once) {                                                  \
      const int n = end - first < at_once ? end - first : at_once;                                            \
      if (n == at_once) {                                                                                     \
        run_block_##row(x + first, out + first, off, &fixed);                                                 \
      } else {                                                                                                \
        double some[at_once], values[at_once];                                                                \
        for (int i = 0; i < at_once; ++i) some[i] = x[first + (i < n ? i : 0)];                               \
        run_block_##row(some, values, off, &fixed);                                                           \
        memcpy(out + first, values, (size_t)n * sizeof(double));                                              \
      }                                                                                                       \
      for (int i = 0; i < n; ++i)                                                                             \
        if (off[i]) general(a, first + i, first + i + 1);                                                     \
    }                                                                                                         \
    return 1;                                                                                                 \
  }

#include "host/host_fixed_gen.h"

const nmath_host_fixed_run nmath_host_fixed_table[] = {NMATH_HOST_FIXED_RUNS};

#include "host/host_avx2_end.h"
#include "host/host_machine.h"

int nmath_host_fixed_plain = 0;

nmath_host_fixed_run nmath_host_fixed_find(int row) {
  if (nmath_host_fixed_plain) return NULL;
  return nmath_host_has_avx2() ? nmath_host_fixed_table[row] : NULL;
}

#else

#include <stddef.h>

#include "host/host_fixed.h"

const nmath_host_fixed_run nmath_host_fixed_table[] = {NULL};

int nmath_host_fixed_plain = 0;

nmath_host_fixed_run nmath_host_fixed_find(int row) {
  (void)row;
  return NULL;
}

#endif
