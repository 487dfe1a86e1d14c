// opencl_device -- an OpenCL session behind the interface of a device.
#pragma once

#include "device/device.h"

namespace openclPort {

// On the present session of a device; throws if it cannot be had.
SharedDevice open_opencl_device(const DeviceInfo& device);

}  // namespace openclPort
