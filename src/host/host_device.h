/* host_device -- the device library compiled as C99 into this package: a device that every machine has.
 *
 * host_device.c includes every file of inst/cl in load order; this header is its whole interface. All functions are
 * reentrant: the only state is the work-item number, which is thread-local. */
#ifndef NMATHOPENCL_HOST_DEVICE_H
#define NMATHOPENCL_HOST_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NMATH_MAX_COLUMNS 7

/* Arguments of one launch of an elementwise kernel: columns in kernel order (doubles, then ints), their lengths
 * (see NMATH_AT in OPENCL.cl), and the elements [begin, end) of this launch's `len` to compute. */
typedef struct {
  const void* column[NMATH_MAX_COLUMNS];
  int n[NMATH_MAX_COLUMNS];          /* 0: a column of this launch; 1: the scalar below, as every flag */
  int64_t value[NMATH_MAX_COLUMNS];  /* the bits of a double, or an int */
  double* out;
  int len;
  uint64_t seed, first;              /* of random draws: the seed of the call, and the number of this launch's element 0 */
} nmath_host_launch;

typedef void (*nmath_host_kernel)(const nmath_host_launch* launch, int begin, int end);

/* A GLM kernel of ex_glmbayes: arguments as in inst/cl/ex_glmbayes_src, grid points [begin, end). */
typedef struct {
  const double *X, *B, *mu, *P, *alpha, *y, *wt;
  double *qf, *grad;
  int l1, l2, m1;
} nmath_host_glm_launch;

typedef void (*nmath_host_glm_kernel)(const nmath_host_glm_launch* launch, int begin, int end);

#ifdef __cplusplus
}
#endif

#endif
