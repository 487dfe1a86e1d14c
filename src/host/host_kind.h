// host_kind -- the processor of this machine as a device, which every machine has: the device library compiled as C.
#pragma once

#include "device/devices.h"
#include "host/host_device.h"

namespace openclPort {

DeviceKind* host_kind();

// A kernel beside those of the generated table, for tests; `row` stays the caller's.
void add_host_kernel(const nmath_host_row* row);

}  // namespace openclPort
