// column_pieces -- consecutive elements of a recycled column, as the devices take them.
#ifndef NMATHOPENCL_COLUMN_PIECES_H
#define NMATHOPENCL_COLUMN_PIECES_H

#include <cstddef>
#include <cstdint>

#include "engine/elementwise.h"

namespace openclPort {

inline std::size_t item_bytes(const Column& column) {
  return column.type == Column::Type::f64 ? sizeof(double) : sizeof(int);
}

// Elements [first, first + count) of the column, recycled, in its own type.
void copy_piece(const Column& column, std::size_t first, std::size_t count, void* target);

// The same as doubles; R's missing integer becomes NA.
void widen_piece(const Column& column, std::size_t first, std::size_t count, double* target);

// The first element as a kernel takes a scalar: the bits of a double, or, of a flag, the int.
std::int64_t scalar_bits(const Column& column, bool flag);

// Tells the system that `bytes` of new memory will soon be written in full: large pages make that several times cheaper.
void expect_writes(void* data, std::size_t bytes);

}  // namespace openclPort

#endif
