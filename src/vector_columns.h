// vector_columns -- R vectors as columns of an elementwise call.
#pragma once

#include <vector>

#include "base/columns.h"
#include "r_door.h"

// An R vector as it lies: integers and logicals are widened by the device. Inside r::enter(): R may have to expand it.
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

// A list of vectors, then integers one by one.
inline std::vector<openclPort::Column> columns_of(SEXP vectors, SEXP integers) {
  const R_xlen_t n = Rf_xlength(vectors), n_flags = Rf_xlength(integers);
  std::vector<openclPort::Column> columns(static_cast<std::size_t>(n + n_flags));
  r::enter([&] {
    for (R_xlen_t k = 0; k < n; ++k) columns[k] = column_of(VECTOR_ELT(vectors, k));
    for (R_xlen_t k = 0; k < n_flags; ++k) columns[n + k] = {INTEGER(integers) + k, 1, openclPort::Column::Type::i32};
    return R_NilValue;
  });
  return columns;
}
