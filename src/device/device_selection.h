// device_selection -- which device a call runs on: from "auto", "gpu", an index or a name to one device.
//
// The process has one selected device for the documented runners (set_selected_device). The environment variables
// NMATHOPENCL_PLATFORM_INDEX and NMATHOPENCL_DEVICE_INDEX (from 0) restrict every choice. Thread-safe.
#ifndef NMATHOPENCL_DEVICE_SELECTION_H
#define NMATHOPENCL_DEVICE_SELECTION_H

#include <functional>
#include <optional>
#include <string>

#include "opencl/OpenCL_helper.h"
#include "opencl/discovery.h"

namespace openclPort {

struct DeviceSpec {
  enum class Kind { automatic, host, opencl, type, index, name };
  Kind kind = Kind::automatic;
  int index = 0;     // Kind::index, from 1
  std::string text;  // Kind::type: the label; Kind::name: part of a name, lower case
};

DeviceSpec parse_device_spec(const std::string& spec);  // throws NmathError for an empty text or an index below 1

// The device that `spec` means; none is the host device. "auto": the best GPU with working double precision, else none.
// "host": none. "opencl": the best of GPUs, else accelerators, else CPUs. "gpu", "accelerator", "cpu": the best of that
// type. A number: that index. Else: a part of one device's name or of "platform device". Whatever was asked for by name
// and is not there, is ambiguous or lacks double precision, is an NmathError that lists what there is.
std::optional<DeviceInfo> select_device(const std::string& spec);

void set_selected_device(const std::string& spec);  // resolves at once; on error the earlier selection stays
DeviceInfo selected_device();                       // "opencl" unless set; throws where it means the host

// The device of the documented runners: what the resolver says (set_opencl_device(), the option, the environment variable),
// where it says nothing selected_device(). The resolver is asked on the thread that set it only.
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
bool opencl_fp64_available_impl(bool force = false);

void opencl_bind_selected_fp64_device_or_throw(cl_platform_id& platform, cl_device_id& device);

}  // namespace openclPort

#endif
