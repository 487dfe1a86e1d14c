// @source_type: h
// @source_origin: Visibility.h
// @provides: attribute_visible, attribute_hidden
// @depends:
// @all_depends_count: 0

// A program string has one translation unit: nothing to hide.
#ifndef R_EXT_VISIBILITY_H_
#define R_EXT_VISIBILITY_H_
#define attribute_visible
#define attribute_hidden
#endif
