// multinomial -- draws that are columns of a matrix: `size` balls over cells.
#ifndef NMATHOPENCL_MULTINOMIAL_H
#define NMATHOPENCL_MULTINOMIAL_H

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/report.h"
#include "device/functions.h"

namespace openclPort {

struct Multinomial {
  double size;         // a whole number from 0 to INT_MAX
  const double* prob;  // weights, not negative, with a positive and finite sum; the caller's
  std::size_t cells;
};

// Columns 0 ... n-1 into out, one after the other, on the device given as for run_elementwise(); `finished` counts
// columns. Memory beside `out` is bounded, but for one column.
void run_multinomial(const std::string& device, const KernelSpec& spec, const Multinomial& what, std::size_t n,
                     int* out, RunReport& report, const CallHooks& hooks, std::uint64_t seed);

}  // namespace openclPort

#endif
