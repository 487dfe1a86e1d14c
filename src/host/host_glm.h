/* host_glm -- the GLM kernels of the host device: inst/cl/ex_glmbayes_body/f2_f3_lanes.cl compiled as C.
 *
 * The same text is compiled once for every x86-64 machine and once for those with AVX2 and FMA; which one runs is found
 * out at run time. All functions are reentrant. */
#pragma once

#include "host/host_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A GLM kernel's arguments, as in inst/cl/ex_glmbayes_src. */
typedef struct {
  const double *X, *B, *mu, *P, *alpha, *y, *wt;
  double *qf, *grad;
  int l1, l2, m1;
} nmath_host_glm_launch;

/* A problem with what does not depend on the grid point: four numbers per observation, the sum of all constants. */
typedef struct {
  const nmath_host_glm_launch* problem;
  const double* records;
  double constant;
} nmath_host_glm_prepared;

typedef struct {
  const char* kernel;
  /* Fills records (4 l1 numbers) and returns the constant. */
  double (*prepare)(const nmath_host_glm_launch* problem, double* records);
  /* Computes grid points [begin, end); begin is a multiple of nmath_host_glm_lanes, and end is too or is m1. */
  void (*grid)(const nmath_host_glm_prepared* prepared, int begin, int end);
} nmath_host_glm_kernels;

enum { nmath_host_glm_lanes = 8 };

/* One row per kernel; the last has no name. The second is empty where the compiler cannot make it. */
extern const nmath_host_glm_kernels nmath_host_glm_table[];
extern const nmath_host_glm_kernels nmath_host_glm_table_avx2[];

/* Programs "|prepare" and "|lanes" of a kernel's file, arguments in this order:
 *   prepare: y, wt, records (4 l1 numbers, written), constants (one number, written), l1; a single work-item
 *   lanes:   those of f2_f3_lanes (f2_f3_lanes.cl); one work-item per nmath_host_glm_lanes grid points from `start` on
 */
void nmath_host_glm_prepare(const char* kernel, const nmath_host_argument* a);
void nmath_host_glm_run_lanes(const char* kernel, const nmath_host_argument* a, int begin, int end);

/* The row to use on this machine; a null pointer if there is none of this name. */
const nmath_host_glm_kernels* nmath_host_glm_find(const char* kernel);

#ifdef __cplusplus
}
#endif
