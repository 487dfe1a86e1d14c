// selected_device -- the one device of this process that the documented runners take, and its documented view.
// Thread-safe.
#pragma once

#include <functional>
#include <string>

#include "device/device_selection.h"

namespace openclPort {

void set_selected_device(const std::string& spec);  // resolves at once; on error the earlier selection stays
DeviceInfo selected_device();                       // "opencl" unless set; throws where it means the host

// The device of the documented runners: what the resolver says (set_opencl_device(), the option, the environment
// variable), where it says nothing selected_device(). The resolver is asked on the thread that set it only.
using DeviceSettingResolver = std::function<std::string()>;  // "": nothing was set
void set_device_setting_resolver(DeviceSettingResolver resolver);
DeviceInfo runner_device();

// The documented selection API. Its indices count from 0.
struct OpenCLFp64DeviceCache {
  bool valid = false;
  std::string reason;
  bool extension_cl_khr_fp64 = false;
  bool probe_fp64_ok = false;
  int platform_index = -1;
  int device_index = -1;
  std::string platform_vendor;
  std::string platform_name;
  std::string device_vendor;
  std::string device_name;
  std::string device_version;
  std::string driver_version;
  std::string device_type_label;
  std::string selection_policy;
  std::string probe_failure_log;
  void* platform = nullptr;
  void* device = nullptr;
};

bool opencl_ensure_fp64_selection(bool force);         // false: see `reason`; `force` looks at the machine again
const OpenCLFp64DeviceCache& opencl_fp64_selection();  // what the last ensure found; changes with the next
void opencl_reset_fp64_selection();                    // also drops sessions and the device list

}  // namespace openclPort
