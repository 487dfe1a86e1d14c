// columns -- arguments of a call at their own lengths: recycling, widening, R's missing values, memory for results.
#pragma once

#include <cstddef>
#include <cstdint>

namespace openclPort {

// One kernel argument at its own length: a scalar stays one, and a short vector is recycled. Integers may stand for
// doubles, R's missing integer for NA. The memory is the caller's.
struct Column {
  enum class Type { f64, i32 };
  const void* data;
  std::size_t length;
  Type type;
};

// R's NA_real_: a NaN whose low word is 1954. A device may lose the payload, so the host restores it.
bool is_na(double x);
double na_real();
double widened(int x);  // R's missing integer becomes NA

inline std::size_t item_bytes(const Column& column) {
  return column.type == Column::Type::f64 ? sizeof(double) : sizeof(int);
}

// Elements [first, first + count) of the column, recycled, in its own type.
void copy_chunk(const Column& column, std::size_t first, std::size_t count, void* target);

// The same as doubles.
void widen_chunk(const Column& column, std::size_t first, std::size_t count, double* target);

// The first element as a kernel takes a scalar: the bits of a double, or, of a flag, the int.
std::int64_t scalar_bits(const Column& column, bool flag);

// Tells the system that `bytes` of new memory will soon be written in full: large pages make that several times
// cheaper.
void expect_writes(void* data, std::size_t bytes);

}  // namespace openclPort
