/* host_shim -- what turns an OpenCL C kernel into a C function: qualifiers vanish, the work-item is a variable. */
#pragma once

#define __kernel static inline
#define __global
#define __constant static const
#define __private

#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_THREADS__)
#define NMATH_THREAD_LOCAL _Thread_local
#else
#define NMATH_THREAD_LOCAL __thread
#endif

/* An elementwise kernel has a parameter of this name (NMATH_WORK_ITEM in OPENCL.cl), which hides the variable and
 * keeps thread-local storage out of its loop; a kernel with a signature of its own reads the variable. */
static NMATH_THREAD_LOCAL int nmath_gid;
#define get_global_id(dimension) nmath_gid

#define NMATH_RECYCLE 1
