// host_test -- what the tests of the host device share.
#pragma once

#include "device/devices.h"
#include "engine/elementwise.h"

namespace openclPort {

inline void run_on_host(const KernelSpec& spec, const std::vector<Column>& columns, std::size_t n, double* out,
                        RunReport& report, const CallHooks& hooks = {}, DrawStream stream = 0) {
  run_elementwise(host_device(), spec, nullptr, columns, n, out, report, hooks, {}, stream);
}

}  // namespace openclPort
