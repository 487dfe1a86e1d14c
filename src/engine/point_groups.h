// point_groups -- sums by codes at many points: of each point's elements, what those of a group are together. A point's
// sums are added in the order that a call at this point alone has.
#pragma once

#include "engine/fused_points.h"

namespace openclPort {

// `call` has a grouping; its values are a number for each group of each point. `there`: the points' numbers, where they
// are on the device; else null, and the call has them.
void run_point_groups(const SharedDevice& device, FusedKernel& kernel, const PointsCall& call, const Buffer* there,
                      RunReport& report, const CallHooks& hooks);

}  // namespace openclPort
