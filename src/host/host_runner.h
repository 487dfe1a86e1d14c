// host_runner -- runs kernels of the host device over the cores of this machine.
#ifndef NMATHOPENCL_HOST_RUNNER_H
#define NMATHOPENCL_HOST_RUNNER_H

#include "engine/elementwise.h"

namespace openclPort {

// As run_elementwise() (elementwise.h), on the host device.
void run_elementwise_host(const KernelSpec& spec, const std::vector<Column>& columns, std::size_t n, double* out,
                          RunReport& report, const CallHooks& hooks = {}, std::uint64_t seed = 0);

}  // namespace openclPort

#endif
