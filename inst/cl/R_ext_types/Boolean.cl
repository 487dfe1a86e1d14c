// @source_type: h
// @source_origin: Boolean.h
// @provides: Rboolean, FALSE, TRUE
// @depends:
// @all_depends_count: 0

#ifndef R_EXT_BOOLEAN_H_
#define R_EXT_BOOLEAN_H_
typedef enum { FALSE = 0, TRUE } Rboolean;
#endif
