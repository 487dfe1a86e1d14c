// point_limits -- how much of a call at many points a launch has, what fits a device, and how many numbers a point
// leaves.
#include <algorithm>

#include "engine/fused_points.h"

namespace openclPort {

std::size_t rows_and_points_of_launch(const DeviceInfo& device, Cost cost, double rate) {
  static constexpr std::size_t here[] = {1 << 23, 1 << 21, 1 << 19, 1 << 16};
  static constexpr std::size_t there[] = {1 << 27, 1 << 25, 1 << 22, 1 << 18};
  constexpr double seconds = 0.1;  // after which an interrupt is seen
  const std::size_t first = (device.type == "gpu" ? there : here)[static_cast<int>(cost)];
  return std::max(first, static_cast<std::size_t>(std::min(seconds * rate, 1e15)));
}

std::size_t points_width(const FusedSpec& spec, const FusedCall& call, std::size_t output) {
  return spec.is_each(output) ? call.n : fused_width(spec, call, output);
}

bool fits_points(const DeviceInfo& device, const FusedCall& call) {
  if (device.host_memory) return true;
  std::size_t bytes = 0;
  for (const FusedColumn& column : call.columns)
    if (column.resident == nullptr) bytes += column.column.length * sizeof(double);
  return bytes <= device.global_mem / 2;
}

}  // namespace openclPort
