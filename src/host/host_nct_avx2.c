/* host_nct_avx2.c -- the sum of nct_sum.cl for x86-64 with AVX2 and FMA, but not for Windows, where gcc does not align the
 * stack for them (its bug 54412). */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32)

#include "host/host_avx2_begin.h"

#include "host/host_nct.h"

#include "host/host_nct_unity_gen.h"

double nmath_host_nct_sum_avx2(const struct nct_frame *f, int kind, double rest) { return nct_sum(*f, kind, rest); }

#include "host/host_avx2_end.h"

#else

typedef int nmath_host_nct_nothing; /* a file of C is not empty */

#endif
