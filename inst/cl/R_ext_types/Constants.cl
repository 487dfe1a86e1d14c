// @source_type: h
// @source_origin: Constants.h
// @provides: M_PI
// @depends:
// @all_depends_count: 0

#ifndef R_EXT_CONSTANTS_H_
#define R_EXT_CONSTANTS_H_
#ifndef M_PI
#define M_PI 3.141592653589793238462643383280
#endif
#endif
