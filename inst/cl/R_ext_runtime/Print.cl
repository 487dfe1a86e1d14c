// @source_type: h
// @source_origin: Print.h
// @provides: Rprintf, REprintf
// @depends:
// @all_depends_count: 0

// A device has no console. Use as Rprintf(("text %d", n)): the doubled parentheses make one macro argument of it.
#ifndef R_EXT_PRINT_H_
#define R_EXT_PRINT_H_
#define Rprintf(arguments) ((void)0)
#define REprintf(arguments) ((void)0)
#endif
