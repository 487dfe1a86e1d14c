/* host_avx2_end -- ends what host_avx2_begin.h begins. */
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
