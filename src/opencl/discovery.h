// discovery -- what OpenCL devices this machine has, and whether they really compute in double precision.
//
// The list is read once per process and kept; handles are plain pointers owned by the driver. Thread-safe.
#ifndef NMATHOPENCL_DISCOVERY_H
#define NMATHOPENCL_DISCOVERY_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace openclPort {

struct DeviceInfo {
  int index = 0;            // from 1, over all platforms: what users name a device by
  int platform_index = -1;  // from 0, as the driver lists them
  int device_index = -1;    // from 0, within the platform
  std::string platform_name, platform_vendor, platform_version;
  std::string name, vendor, version, driver_version;
  std::string type;  // "gpu", "accelerator", "cpu" or "other"
  unsigned compute_units = 0;
  std::uint64_t global_mem = 0, max_alloc = 0, local_mem = 0;  // bytes
  std::size_t max_work_group = 0;
  bool fp64_extension = false;  // declared by the driver; fp64_probe() tells whether it works
  bool host_memory = false;     // device and host share memory: nothing needs to be copied
  void* platform = nullptr;     // cl_platform_id
  void* device = nullptr;       // cl_device_id
};

// All devices of all platforms. What cannot be queried is left out, with the reason in skipped_devices(). Empty where
// has_opencl() is false; throws NmathError in a forked child of a process that had used OpenCL.
std::vector<DeviceInfo> list_devices();
std::vector<std::string> skipped_devices();

struct Fp64Probe {
  bool works = false;
  std::string reason;  // why not
  std::string log;     // build log or error text of the probe
};

// Builds and runs a small kernel in doubles, once per device and process. Unless `keep_session`, a session made for the
// probe alone is dropped again, so that listing devices leaves no context behind on each of them.
Fp64Probe fp64_probe(const DeviceInfo& device, bool keep_session = false);

// Drops the session of every device, the list and the probes: the next use looks again, for the OpenCL library too if
// there was none.
void reset_devices();

// Compute capability (its first number) of a device of NVIDIA's own driver, 0 of others.
int nvidia_capability(const DeviceInfo& device);

// "3: NVIDIA H200 (NVIDIA CUDA, gpu)" per device, joined by "; ".
std::string describe_devices(const std::vector<DeviceInfo>& devices);

// Documented counts: GPUs, and their compute units (at least 1).
int detect_num_gpus_internal();
int get_opencl_core_count();

}  // namespace openclPort

#endif
