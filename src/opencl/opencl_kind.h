// opencl_kind -- the devices that OpenCL drivers have, as devices of this package.
#ifndef NMATHOPENCL_OPENCL_KIND_H
#define NMATHOPENCL_OPENCL_KIND_H

#include "device/devices.h"

namespace openclPort {

DeviceKind* opencl_kind();

}  // namespace openclPort

#endif
