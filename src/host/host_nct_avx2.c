/* host_nct_avx2.c -- the sum of nct_sum.cl for x86-64 with AVX2 and FMA, but not for Windows, where gcc does not align the stack
 * for them (its bug 54412). As in host_glm_avx2.c, system headers come before the
 * target is set, and everything is static but the one function. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32)

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
#pragma GCC optimize("O3", "fp-contract=off", "no-math-errno", "no-trapping-math")
#pragma GCC target("avx2,fma")
#endif

#undef FP_FAST_FMA
#define FP_FAST_FMA 1

#include "host/host_nct.h"

#include "host/host_nct_unity_gen.h"

double nmath_host_nct_sum_avx2(const struct nct_frame *f, int kind, double rest) { return nct_sum(*f, kind, rest); }

#if defined(__clang__)
#pragma clang attribute pop
#endif

#else

typedef int nmath_host_nct_nothing; /* a file of C is not empty */

#endif
