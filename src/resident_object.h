// resident_object -- an opencl_vector as R sees it: an external pointer, so that R's own functions find no elements in
// it.
#pragma once

#include "r_door.h"

namespace resident_object {

// Fields of the list that new_resident() in R/opencl_vector.R makes. The pointer protects it; no attribute holds it,
// since R's functions copy attributes from one object to another.
enum Field { handle, type, length, names, dim, dimnames, origin, n_fields };

inline SEXP tag() {
  static SEXP const symbol = Rf_install("nmathopencl opencl_vector");
  return symbol;
}

inline bool is(SEXP x) {
  return TYPEOF(x) == EXTPTRSXP && R_ExternalPtrTag(x) == tag() && TYPEOF(R_ExternalPtrProtected(x)) == VECSXP &&
         Rf_xlength(R_ExternalPtrProtected(x)) == n_fields;
}

inline SEXP field(SEXP x, Field which) { return VECTOR_ELT(R_ExternalPtrProtected(x), which); }
inline double length_of(SEXP x) { return REAL(field(x, length))[0]; }

// Whether it is one of the data of an opencl_function, which R has in its own memory as well, with attributes.
inline bool origin_has_shape(SEXP x) {
  SEXP const from = field(x, origin);
  return from != R_NilValue && LOGICAL(VECTOR_ELT(from, 2))[0] != 0;
}

// Inside r::enter(): what new_resident() makes of the handle of doubles without names and dimensions.
SEXP of_doubles(SEXP handle, double length);

}  // namespace resident_object
