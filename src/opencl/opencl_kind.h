// opencl_kind -- the devices that OpenCL drivers have, as devices of this package.
#pragma once

#include "device/devices.h"

namespace openclPort {

DeviceKind* opencl_kind();

}  // namespace openclPort
