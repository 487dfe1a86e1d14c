// @source_type: h
// @source_origin: R_ext_internals.h
// @provides: R_EXT_INTERNALS_AGGREGATE_H_
// @depends:
// @all_depends_count: 0

// R's internal headers declare host services only; nmath on a device needs none of them.
#ifndef R_EXT_INTERNALS_AGGREGATE_H_
#define R_EXT_INTERNALS_AGGREGATE_H_
#endif
