// @source_type: h
// @source_origin: Error.h
// @provides: error, warning
// @depends:
// @all_depends_count: 0

// A device cannot raise R conditions: the host does, from the values.
#ifndef R_ERROR_H_
#define R_ERROR_H_
#ifndef NMATH_NO_SHORT_NAMES
#define error(msg) ((void)0)
#define warning(msg) ((void)0)
#endif
#endif
