// selected_device -- the process-wide selection, what sets it, and its documented view.
#include "device/selected_device.h"

#include <thread>
#include <utility>
#include <vector>

#include "base/nmath_error.h"
#include "base/process_mutex.h"

namespace openclPort {

namespace {

constexpr const char* kSelectedStep = "select_device";
constexpr const char* kPolicy =
    "GPU, then accelerator, then CPU; within a type the most compute units x memory; double precision proved by "
    "running a kernel; restricted by NMATHOPENCL_PLATFORM_INDEX and NMATHOPENCL_DEVICE_INDEX";

struct Selection {
  ProcessMutex mutex;
  std::string spec = "opencl";
  bool resolved = false;
  DeviceInfo device;
  OpenCLFp64DeviceCache view;
};

Selection& selection() {  // never destroyed, like all state that outlives a driver
  static Selection* const instance = new Selection;
  return *instance;
}

void fill_view(OpenCLFp64DeviceCache& view, const DeviceInfo& device) {
  view = OpenCLFp64DeviceCache();
  view.valid = view.probe_fp64_ok = true;
  view.extension_cl_khr_fp64 = device.fp64_extension;
  view.platform_index = device.platform_index;
  view.device_index = device.device_index;
  view.platform_vendor = device.platform_vendor;
  view.platform_name = device.platform_name;
  view.device_vendor = device.vendor;
  view.device_name = device.name;
  view.device_version = device.version;
  view.driver_version = device.driver_version;
  view.device_type_label = device.type;
  view.selection_policy = kPolicy;
  view.platform = device.platform;
  view.device = device.device;
}

void fill_view(OpenCLFp64DeviceCache& view, const NmathError& error) {
  view = OpenCLFp64DeviceCache();
  view.reason = error.what();
  view.probe_failure_log = error.build_log();
  view.selection_policy = kPolicy;
}

void resolve(Selection& chosen) {  // with the lock held
  if (chosen.resolved) return;
  chosen.device = select_device(chosen.spec);
  chosen.resolved = true;
}

}  // namespace

void set_selected_device(const std::string& spec) {
  DeviceInfo device = select_device(spec);
  if (devices_forked()) return;  // only the host is left here, and the selection is the parent's
  Selection& chosen = selection();
  std::lock_guard<ProcessMutex> lock(chosen.mutex);
  chosen.spec = spec;
  chosen.device = std::move(device);
  chosen.resolved = true;
}

[[noreturn]] static void fail_for_host() {
  throw NmathError("the selected device is the host, which has no C compiler; this needs one, or an OpenCL device",
                   kSelectedStep, "", "Select one with set_opencl_device(\"opencl\"), an index or a name.");
}

// Users' texts are built where there is a compiler.
static const DeviceInfo& compiling(const DeviceInfo& device) {
  if (!device.compiles) fail_for_host();
  return device;
}

DeviceInfo selected_device() {
  enter_devices(kSelectedStep);
  Selection& chosen = selection();
  std::lock_guard<ProcessMutex> lock(chosen.mutex);
  resolve(chosen);
  return compiling(chosen.device);
}

namespace {

struct DeviceSetting {
  DeviceSettingResolver resolver;
  std::thread::id thread;
};

DeviceSetting& device_setting() {
  static DeviceSetting* const instance = new DeviceSetting;
  return *instance;
}

}  // namespace

void set_device_setting_resolver(DeviceSettingResolver resolver) {
  device_setting() = {std::move(resolver), std::this_thread::get_id()};
}

DeviceInfo runner_device() {
  const DeviceSetting& setting = device_setting();
  const bool asked = setting.resolver && setting.thread == std::this_thread::get_id();
  const std::string spec = asked ? setting.resolver() : std::string();
  if (spec.empty()) return selected_device();
  return compiling(select_device(spec));
}

bool opencl_ensure_fp64_selection(bool force) {
  if (devices_forked()) return false;
  if (force) reset_devices();
  Selection& chosen = selection();
  if (force) {
    std::lock_guard<ProcessMutex> lock(chosen.mutex);
    chosen.resolved = false;
  }
  try {
    const DeviceInfo device = selected_device();
    std::lock_guard<ProcessMutex> lock(chosen.mutex);
    fill_view(chosen.view, device);
  } catch (const NmathError& error) {
    std::lock_guard<ProcessMutex> lock(chosen.mutex);
    fill_view(chosen.view, error);
  }
  return chosen.view.valid;
}

const OpenCLFp64DeviceCache& opencl_fp64_selection() {
  if (!devices_forked()) return selection().view;
  static const OpenCLFp64DeviceCache* const forked = [] {
    OpenCLFp64DeviceCache* view = new OpenCLFp64DeviceCache;
    try {
      enter_devices(kSelectedStep);
    } catch (const NmathError& error) {
      fill_view(*view, error);
    }
    return view;
  }();
  return *forked;
}

void opencl_reset_fp64_selection() {
  if (devices_forked()) return;
  reset_devices();
  Selection& chosen = selection();
  std::lock_guard<ProcessMutex> lock(chosen.mutex);
  chosen.spec = "opencl";
  chosen.resolved = false;
  chosen.device = DeviceInfo();
  chosen.view = OpenCLFp64DeviceCache();
}

}  // namespace openclPort
