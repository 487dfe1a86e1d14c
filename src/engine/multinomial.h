// multinomial -- multinomial draws, as columns of a matrix: `size` balls over cells.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/report.h"
#include "device/device.h"
#include "device/functions.h"
#include "engine/draw_stream.h"

namespace openclPort {

struct Multinomial {
  double size;         // a whole number from 0 to INT_MAX
  const double* prob;  // weights, not negative, with a positive and finite sum; the caller's
  std::size_t cells;
};

// Columns stream.first ... stream.first + n - 1 into `out`, or `resident_out`, memory of ints on that device, one after
// the other, `finished` counts columns from 0. Memory beside `out` is bounded, but for one column.
struct Cells {
  int* out = nullptr;
  const Buffer* resident_out = nullptr;
};
void run_multinomial(const SharedDevice& device, const KernelSpec& spec, const Multinomial& what, std::size_t n,
                     const Cells& cells, RunReport& report, const CallHooks& hooks, DrawStream stream);
// The same into `out`, on the device given as for run_elementwise().
void run_multinomial(const std::string& device, const KernelSpec& spec, const Multinomial& what, std::size_t n,
                     int* out, RunReport& report, const CallHooks& hooks, DrawStream stream);

// And on several devices, each with some of the columns.
void run_multinomial(const std::vector<SharedDevice>& devices, const KernelSpec& spec, const Multinomial& what,
                     std::size_t n, int* out, RunReport& report, const CallHooks& hooks, DrawStream stream);

}  // namespace openclPort
