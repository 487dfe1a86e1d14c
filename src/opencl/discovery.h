// discovery -- finds the OpenCL devices of this machine, and probes their double precision.
//
// The list is read once per process and kept; handles are plain pointers owned by the driver. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "device/devices.h"

namespace openclPort {

// All devices of all platforms. What cannot be queried is left out, with the reason in skipped_opencl_devices(). Empty
// where has_opencl() is false; throws NmathError in a forked child of a process that had used OpenCL.
std::vector<DeviceInfo> list_opencl_devices();
std::vector<std::string> skipped_opencl_devices();

// The library and its platforms, each with why it is not used. Does not throw.
DriverReport opencl_report();

// Builds and runs a small kernel in doubles, once per device and process. Unless `keep_session`, a session made for the
// probe alone is dropped again, so that listing devices leaves no context behind on each of them.
Fp64Probe opencl_fp64_probe(const DeviceInfo& device, bool keep_session);

// Drops the session of every device, the list and the probes: the next use looks again, for the OpenCL library too if
// there was none.
void reset_opencl_devices();

}  // namespace openclPort
