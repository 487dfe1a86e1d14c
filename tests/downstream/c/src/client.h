/* client -- what R calls. */
#ifndef CLIENT_H
#define CLIENT_H

#ifndef R_NO_REMAP
#define R_NO_REMAP
#endif
#include <R.h>
#include <Rinternals.h>

#ifdef __cplusplus
extern "C" {
#endif

SEXP from_cplusplus(SEXP x);

#ifdef __cplusplus
}
#endif

#endif
