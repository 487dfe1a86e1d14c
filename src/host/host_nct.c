/* host_nct.c -- the sum of nct_sum.cl for every machine, and the choice. Compiled as host_glm.c is. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("O3", "fp-contract=off", "no-math-errno", "no-trapping-math")
#endif

#include "host/host_machine.h"
#include "host/host_nct.h"

#include "host/host_nct_unity_gen.h"

double nmath_host_nct_sum_plain(const struct nct_frame *f, int kind, double rest) { return nct_sum(*f, kind, rest); }

double nmath_host_nct_sum(const struct nct_frame *f, int kind, double rest)
{
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32)
    if (nmath_host_has_avx2())
        return nmath_host_nct_sum_avx2(f, kind, rest);
#endif
    return nmath_host_nct_sum_plain(f, kind, rest);
}
