// @source_type: h
// @source_origin: Arith.h
// @provides: ISNAN, R_FINITE, R_finite, R_IsNaN, NA_INTEGER, NA_LOGICAL
// @depends:
// @all_depends_count: 0

// NA_REAL is a NaN whose payload a device need not keep: device code treats NA and NaN alike, and the host puts NA
// back where an argument was NA.

#ifndef R_ARITH_H_
#define R_ARITH_H_
#define ISNAN(x) (isnan(x) != 0)
#define R_FINITE(x) (isfinite(x) != 0)
#define R_finite(x) R_FINITE(x)
#define R_IsNaN(x) ISNAN(x)
#define NA_INTEGER (-2147483647 - 1)
#define NA_LOGICAL NA_INTEGER
#endif
