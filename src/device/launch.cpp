// launch -- ranges, and what is checked of every launch.
#include "device/launch.h"

#include <algorithm>

#include "base/nmath_error.h"

namespace openclPort {

Range range_of(const std::vector<std::size_t>& global, const std::vector<std::size_t>& group) {
  Range range;
  range.dimensions = static_cast<int>(global.size());
  std::copy(global.begin(), global.end(), range.global.begin());
  std::copy(group.begin(), group.end(), range.group.begin());
  return range;
}

void Launch::check_arguments(std::size_t given, const std::string& device) const {
  if (info().arguments == given) return;
  throw NmathError("kernel '" + kernel() + "' takes " + std::to_string(info().arguments) + " arguments, but " +
                       std::to_string(given) + " are given",
                   "clSetKernelArg", "CL_INVALID_KERNEL_ARGS",
                   "Compare the kernel's parameters with the arguments given, in number, order and type.", device);
}

}  // namespace openclPort
