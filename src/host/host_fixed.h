/* host_fixed -- elementwise functions of the host device in the forms for fixed parameters (inst/spec/fixed.tsv),
 * several elements at a time, for x86-64 with AVX2 and FMA. Other machines have the launchers of host_device.c alone.
 */
#pragma once

#include "host/host_argument.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes elements [begin, end) of x into out, which may not overlap; `general` is a launcher, with its arguments `a`,
 * that computes elements that the form does not know. Returns 0, and has computed nothing, where it does not know the
 * parameters. */
typedef int (*nmath_host_fixed_run)(const double* x, double* out, int begin, int end, const double* parameters,
                                    void (*general)(const nmath_host_argument* a, int begin, int end),
                                    const nmath_host_argument* a);

/* By row of fixed.tsv, from 0; null pointers where the compiler cannot make it. */
extern const nmath_host_fixed_run nmath_host_fixed_table[];

/* The one to use on this machine, or a null pointer; that alone if nmath_host_fixed_plain is not 0, for tests. */
extern int nmath_host_fixed_plain;
nmath_host_fixed_run nmath_host_fixed_find(int row);

#ifdef __cplusplus
}
#endif
