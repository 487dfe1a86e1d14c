// opencl_device -- an OpenCL session behind the interface of a device.
#ifndef NMATHOPENCL_OPENCL_DEVICE_H
#define NMATHOPENCL_OPENCL_DEVICE_H

#include "device/device.h"

namespace openclPort {

// On the present session of a device; throws if it cannot be had.
SharedDevice open_opencl_device(const DeviceInfo& device);

}  // namespace openclPort

#endif
