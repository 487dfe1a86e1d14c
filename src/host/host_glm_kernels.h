/* host_glm_kernels -- the body of host_glm.c and host_glm_avx2.c, which define NMATH_HOST_GLM_TABLE, the table's name,
 * and include host_glm.h.
 */
#include "host/host_shim.h"

/* gcc's loop vectorizer would take the loops over observations, at the price of shuffles. */
#if defined(__GNUC__) && !defined(__clang__)
#define F2_F3_LANES_FN static __attribute__((noinline, optimize("O3", "fp-contract=off", "no-tree-loop-vectorize")))
#endif

#define NMATH_HOST_GLM_KERNELS(kernel)                                                                      \
  static double kernel##_host_prepare(const nmath_host_glm_launch* a, double* records) {                    \
    f2_f3_sum sum = {0.0, 0.0};                                                                             \
    for (int i = 0; i < a->l1; ++i) {                                                                       \
      f2_f3_obs o = {0.0, 0.0, 0.0, 0.0};                                                                   \
      if (a->wt[i] != 0.0) {                                                                                \
        o = kernel##_obs(a->y[i], a->wt[i]);                                                                \
        sum = f2_f3_add(sum, kernel##_constant(a->y[i], a->wt[i]));                                         \
      }                                                                                                     \
      records[4 * (size_t)i] = o.p;                                                                         \
      records[4 * (size_t)i + 1] = o.q;                                                                     \
      records[4 * (size_t)i + 2] = o.r;                                                                     \
      records[4 * (size_t)i + 3] = o.s;                                                                     \
    }                                                                                                       \
    return f2_f3_value(sum);                                                                                \
  }                                                                                                         \
  static void kernel##_host_grid(const nmath_host_glm_prepared* a, int begin, int end) {                    \
    const nmath_host_glm_launch* p = a->problem;                                                            \
    const kernel##_grid grid = {p->X, p->B, p->mu, p->P, p->alpha, p->wt, a->records, p->l1, p->l2, p->m1}; \
    for (nmath_i64 first = begin; first < end; first += nmath_host_glm_lanes)                               \
      kernel##_lanes(&grid, a->constant, p->qf, p->grad, (int)first);                                       \
  }

#define NMATH_HOST_GLM_ROW(kernel) {#kernel, kernel##_host_prepare, kernel##_host_grid},

#include "host/host_glm_unity_gen.h"
