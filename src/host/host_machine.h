/* host_machine -- what the processor has, found out at run time. */
#pragma once

/* Whether what stands between host_avx2_begin.h and host_avx2_end.h may run. */
static inline int nmath_host_has_avx2(void) {
#if defined(__x86_64__) && defined(__GNUC__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return 0;
#endif
}
