// columns -- recycling, widening, missing values, and the memory that results go to.
#include "base/columns.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace openclPort {

namespace {

// Calls chunk(from, done, count) for the runs of consecutive elements that make up [first, first + count).
template <typename Chunk>
void for_runs(std::size_t length, std::size_t first, std::size_t count, Chunk chunk) {
  for (std::size_t done = 0; done < count;) {
    const std::size_t from = (first + done) % length;
    const std::size_t run = std::min(count - done, length - from);
    chunk(from, done, run);
    done += run;
  }
}

}  // namespace

double na_real() {
  const std::uint64_t bits = 0x7FF00000000007A2u;
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

bool is_na(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return std::isnan(x) && static_cast<std::uint32_t>(bits) == 1954u;
}

double widened(int x) { return x == INT_MIN ? na_real() : static_cast<double>(x); }

void copy_chunk(const Column& column, std::size_t first, std::size_t count, void* target) {
  const std::size_t item = item_bytes(column);
  const unsigned char* data = static_cast<const unsigned char*>(column.data);
  unsigned char* to = static_cast<unsigned char*>(target);
  for_runs(column.length, first, count, [&](std::size_t from, std::size_t done, std::size_t run) {
    std::memcpy(to + done * item, data + from * item, run * item);
  });
}

void widen_chunk(const Column& column, std::size_t first, std::size_t count, double* target) {
  if (column.type == Column::Type::f64) return copy_chunk(column, first, count, target);
  const int* data = static_cast<const int*>(column.data);
  for_runs(column.length, first, count, [&](std::size_t from, std::size_t done, std::size_t run) {
    for (std::size_t i = 0; i < run; ++i) target[done + i] = widened(data[from + i]);
  });
}

std::int64_t scalar_bits(const Column& column, bool flag) {
  if (flag) return *static_cast<const int*>(column.data);
  double value;
  widen_chunk(column, 0, 1, &value);
  std::int64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

void expect_writes(void* data, std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (bytes < (std::size_t{1} << 22)) return;
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // advice: may be refused
#else
  (void)data;
  (void)bytes;
#endif
}

}  // namespace openclPort
