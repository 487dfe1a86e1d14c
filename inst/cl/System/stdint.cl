// @source_type: h
// @source_origin: stdint.h
// @provides: int64_t, uint64_t, int32_t, uint32_t
// @depends:
// @all_depends_count: 0

// The fixed-width names of C99, where layer 0 did not find <stdint.h>.
#ifndef OPENCL_STDINT_SHIM_H
#define OPENCL_STDINT_SHIM_H
#ifdef NMATH_NO_STDINT
#define int32_t int
#define uint32_t uint
#define int64_t long
#define uint64_t ulong
#endif
#endif
