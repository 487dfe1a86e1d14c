/* host_avx2_begin -- what follows, up to host_avx2_end.h, is compiled for x86-64 with AVX2 and FMA, and may not run
 * elsewhere: the system's headers come before, and everything in between is static but what nmath_host_has_avx2()
 * guards. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC optimize("O3", "fp-contract=off", "no-math-errno", "no-trapping-math")
#pragma GCC target("avx2,fma")
#endif

/* math.h has spoken for the machine that everything else is compiled for. */
#undef FP_FAST_FMA
#define FP_FAST_FMA 1
