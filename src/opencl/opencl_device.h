// opencl_device -- an OpenCL session behind the interface of a device.
#ifndef NMATHOPENCL_OPENCL_DEVICE_H
#define NMATHOPENCL_OPENCL_DEVICE_H

#include "device/device.h"
#include "opencl/kernel_bundle.h"

namespace openclPort {

// On the present session of a device; throws if it cannot be had.
SharedDevice open_opencl_device(const DeviceInfo& device);

// An executable bundle as a program; throws where its device was reset since it was built.
SharedProgram program_of_bundle(const KernelBundle& executable);

}  // namespace openclPort

#endif
