// constant_parameters -- calls whose parameters are one number each, on devices with programs of their own: by the
// kernel that precomputes what depends on the parameters alone (inst/spec/fixed.tsv). It is that of the function as an
// expression, so that resident vectors have the same values. (The host device's launchers have such kernels in the
// library: host/host_fixed.h.)
#pragma once

#include <vector>

#include "engine/elementwise_plan.h"

namespace openclPort {

// Computes all elements of a call, the parts of which the devices take. False where there is no such kernel, or some
// element is one for the general kernel: the results are to be computed by that then. Nobody looks through the results
// (`arrived`): none is missing but where x is, and that as x is. Whoever counts elements (`finished`) counts those
// twice that are computed again.
bool run_constant_parameters(const std::vector<SharedDevice>& devices, const ElementwiseCall& call, RunReport& report,
                             const CallHooks& hooks);

}  // namespace openclPort
