/* host_philox -- blocks of many pairs of draws at once, on the vector units of this machine. The same function as
 * nmath_philox in inst/cl/nmath/sunif.cl, which says what it is; a test compares them. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Blocks of this kind (sunif.cl) of the pairs first ... first + n - 1: low halves to out[0 .. n), high ones to out[n ..
 * 2 n). n is a multiple of 16. */
void nmath_host_philox(uint64_t seed, uint64_t first, uint32_t kind, int n, uint64_t* out);

#ifdef __cplusplus
}
#endif
