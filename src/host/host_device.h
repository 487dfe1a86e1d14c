/* host_device -- the device library compiled as C99 into this package: a device that every machine has.
 *
 * host_device.c includes every file of inst/cl in load order; this header is its whole interface. All functions are
 * reentrant: the only state is the work-item number, which is thread-local. */
#pragma once

#include "host/host_argument.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes work-items [begin, end) of a launch with these arguments, which are in the kernel's own order. */
typedef void (*nmath_host_kernel)(const nmath_host_argument* arguments, int begin, int end);

typedef struct {
  const char* program; /* the name of the program, see device/program.h */
  const char* kernel;
  unsigned arguments;
  nmath_host_kernel run;
} nmath_host_row;

/* Generated; the last row has no kernel. */
extern const nmath_host_row nmath_host_table[];

#ifdef __cplusplus
}
#endif
