// fused_points -- a reduction at many points: its kernel has a dimension of points, whose numbers lie in memory one
// point after the other. What a point gives depends neither on how many there are nor on the chunks that they come in,
// and is what a call of the same reduction at this point alone gives.
#pragma once

#include <functional>
#include <vector>

#include "engine/fused.h"

namespace openclPort {

struct PointsCall {
  FusedCall call;                  // columns, scalars and n; results go elsewhere
  const double* points = nullptr;  // the numbers of each
  std::size_t count = 0, numbers = 0;
  // By output, points_width() numbers for each point, and by groups as many for each of their blocks; null of elements
  // that nobody reads but a kernel after this one.
  std::vector<double*> values;
  // Where `values` have room for `together` points alone: takes those of points [first, last), and whoever comes next
  // has their place.
  std::size_t together = 0;
  std::function<void(std::size_t first, std::size_t last)> take;
  // Empty, or for each output that has elements memory of the device for those of all points.
  std::vector<const Buffer*> resident_out;
  int* flags = nullptr;  // FusedSpec::flags words for each point, 0 before
};

// Numbers that a point has of an output.
std::size_t points_width(const FusedSpec& spec, const FusedCall& call, std::size_t output);

// Rows times points that a launch may have, by the kernel's cost and by how fast its last call was.
std::size_t rows_and_points_of_launch(const DeviceInfo& device, Cost cost, double rate);

// Whether the columns fit the device's memory all together.
bool fits_points(const DeviceInfo& device, const FusedCall& call);

void run_points(const SharedDevice& device, FusedKernel& kernel, const PointsCall& call, RunReport& report,
                const CallHooks& hooks);

}  // namespace openclPort
