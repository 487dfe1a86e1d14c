// vector_columns -- R vectors as columns of an elementwise call.
#ifndef NMATHOPENCL_VECTOR_COLUMNS_H
#define NMATHOPENCL_VECTOR_COLUMNS_H

#include <Rcpp.h>

#include "elementwise.h"

// An R vector as it lies: integers and logicals are widened by the device.
inline openclPort::Column column_of(SEXP x) {
  using openclPort::Column;
  const std::size_t length = static_cast<std::size_t>(Rf_xlength(x));
  switch (TYPEOF(x)) {
    case REALSXP:
      return {REAL(x), length, Column::Type::f64};
    case INTSXP:
      return {INTEGER(x), length, Column::Type::i32};
    default:
      return {LOGICAL(x), length, Column::Type::i32};
  }
}

#endif
