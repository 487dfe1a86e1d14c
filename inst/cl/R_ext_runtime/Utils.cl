// @source_type: h
// @source_origin: Utils.h
// @provides: R_CheckUserInterrupt
// @depends:
// @all_depends_count: 0

// A running kernel cannot be interrupted; the host polls between launches.
#ifndef R_EXT_UTILS_H_
#define R_EXT_UTILS_H_
#define R_CheckUserInterrupt() ((void)0)
#endif
