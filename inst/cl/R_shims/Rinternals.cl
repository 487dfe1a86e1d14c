// @source_type: h
// @source_origin: Rinternals.h
// @provides: R_len_t, R_xlen_t
// @depends:
// @all_depends_count: 0

// Lengths only: R objects never reach a device.
#ifndef R_INTERNALS_H_
#define R_INTERNALS_H_
typedef int R_len_t;
typedef nmath_i64 R_xlen_t;
#endif
