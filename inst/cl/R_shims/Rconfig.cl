// @source_type: h
// @source_origin: Rconfig.h
// @provides: IEEE_754, R_INLINE
// @depends:
// @all_depends_count: 0

#ifndef R_CONFIG_H
#define R_CONFIG_H
#define IEEE_754 1
#define R_INLINE NMATH_FN
#endif
