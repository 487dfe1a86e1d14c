// discovery -- finds the OpenCL devices of this machine, and probes their double precision.
#include "opencl/discovery.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "base/apart.h"
#include "base/process_mutex.h"
#include "base/text.h"
#include "device/kernel_call.h"
#include "opencl/OpenCL_helper.h"
#include "opencl/opencl_device.h"
#include "opencl/session.h"

namespace openclPort {

namespace {

// Never destroyed: at process exit the drivers may be gone before static objects are.
struct DeviceRegistry {
  ProcessMutex mutex;
  bool looked = false;  // once at least: `skipped` is of the last look
  bool listed = false;
  std::vector<DeviceInfo> devices;
  std::vector<std::string> skipped;
  std::vector<PlatformReport> platforms;
  struct Probed {
    Fp64Probe result;
    bool settled = false;  // says something of the device, not of the moment
    int failures = 0;
  };
  std::map<void*, Probed> probes;
  std::set<void*> tried_again;  // a kernel was left on it
};

DeviceRegistry& registry() {
  static DeviceRegistry* const instance = new DeviceRegistry;
  return *instance;
}

constexpr int kProbeAttempts = 3;

template <typename T>
T device_value(cl_device_id device, cl_device_info param) {
  T value{};
  check_cl(clGetDeviceInfo(device, param, sizeof value, &value, nullptr), "clGetDeviceInfo");
  return value;
}

// A device may declare several types (simulators do).
std::string type_label(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return "gpu";
  if (type & CL_DEVICE_TYPE_ACCELERATOR) return "accelerator";
  if (type & CL_DEVICE_TYPE_CPU) return "cpu";
  return "other";
}

bool declares_fp64(cl_device_id device) {
  const std::string extensions = " " + opencl_read_device_info_str(device, CL_DEVICE_EXTENSIONS) + " ";
  if (extensions.find(" cl_khr_fp64 ") != std::string::npos) return true;
  // Since OpenCL 1.2 it is an optional core feature, which need not be repeated among the extensions.
  cl_device_fp_config config = 0;
  return clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config, &config, nullptr) == CL_SUCCESS &&
         config != 0;
}

// Compute capability of a device of NVIDIA's own driver (cl_nv_device_attribute_query), 0 of others: what uses matrix
// units is written in the assembly language of that driver's compiler.
int nvidia_capability(cl_device_id device, const DeviceInfo& info) {
  if (info.platform_name.find("NVIDIA CUDA") == std::string::npos) return 0;
  constexpr cl_device_info kMajor = 0x4000;
  cl_uint major = 0;
  return clGetDeviceInfo(device, kMajor, sizeof major, &major, nullptr) == CL_SUCCESS ? static_cast<int>(major) : 0;
}

void read_item_sizes(cl_device_id device, DeviceInfo& info) {
  std::size_t sizes[16] = {}, bytes = 0;
  check_cl(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, &bytes), "clGetDeviceInfo",
           info.name);
  std::copy(sizes, sizes + std::min<std::size_t>(bytes / sizeof *sizes, 3), info.max_work_items);
}

DeviceInfo read_device(cl_platform_id platform, cl_device_id device, const DeviceInfo& of_platform) {
  DeviceInfo info = of_platform;
  info.platform = platform;
  info.device = device;
  info.name = opencl_read_device_info_str(device, CL_DEVICE_NAME);
  info.vendor = opencl_read_device_info_str(device, CL_DEVICE_VENDOR);
  info.version = opencl_read_device_info_str(device, CL_DEVICE_VERSION);
  info.driver_version = opencl_read_device_info_str(device, CL_DRIVER_VERSION);
  const auto type = device_value<cl_device_type>(device, CL_DEVICE_TYPE);
  info.type = type_label(type);
  info.compute_units = device_value<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
  info.global_mem = device_value<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
  info.max_alloc = device_value<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  info.local_mem = device_value<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
  info.max_work_group = device_value<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  read_item_sizes(device, info);
  info.fp64_extension = declares_fp64(device);
  info.host_memory =
      (type & CL_DEVICE_TYPE_CPU) != 0 || device_value<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY) == CL_TRUE;
  info.wide_cores =
      info.type == "cpu" && environment("NMATHOPENCL_GROUPS").empty();  // tests want groups where no GPU is
  if (info.type == "gpu") {
    info.unit_speed = 2.5;
    info.unit_range = 16.0;
  }
  info.matrix_units = nvidia_capability(device, info);
  if (info.type == "cpu" && environment("NMATHOPENCL_GROUPS") == "matrix")
    info.matrix_units = DeviceInfo::kPretendedMatrixUnits;
  return info;
}

// What is known of the platform stands in its report when it fails.
void list_platform(cl_platform_id platform, PlatformReport& report, DeviceRegistry& found) {
  DeviceInfo common;
  common.platform_index = report.index;
  common.platform_name = report.name = opencl_read_platform_info_str(platform, CL_PLATFORM_NAME);
  common.platform_vendor = report.vendor = opencl_read_platform_info_str(platform, CL_PLATFORM_VENDOR);
  common.platform_version = report.version = opencl_read_platform_info_str(platform, CL_PLATFORM_VERSION);

  cl_uint count = 0;
  const cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (status == CL_DEVICE_NOT_FOUND || (status == CL_SUCCESS && count == 0)) return;
  check_cl(status, "clGetDeviceIDs");
  report.devices = static_cast<int>(count);
  std::vector<cl_device_id> devices(count);
  check_cl(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr), "clGetDeviceIDs");

  for (cl_uint i = 0; i < count; ++i) {
    common.device_index = static_cast<int>(i);
    try {
      DeviceInfo info = read_device(platform, devices[i], common);
      found.devices.push_back(std::move(info));
    } catch (const NmathError& error) {
      found.skipped.push_back("device " + std::to_string(i) + " of platform '" + common.platform_name +
                              "': " + error.what());
    }
  }
}

void list_all(DeviceRegistry& found) {
  cl_uint count = 0;
  const cl_int status = clGetPlatformIDs(0, nullptr, &count);
  if (status == CL_PLATFORM_NOT_FOUND_KHR || (status == CL_SUCCESS && count == 0)) return;
  std::vector<cl_platform_id> platforms(count);
  try {
    check_cl(status, "clGetPlatformIDs");
    check_cl(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  } catch (const NmathError& error) {
    found.skipped.push_back(std::string("all platforms: ") + error.what());
    return;
  }
  for (cl_uint i = 0; i < count; ++i) {
    PlatformReport report;
    report.index = static_cast<int>(i);
    try {
      list_platform(platforms[i], report, found);
      if (report.devices == 0) report.problem = "it has no devices";
    } catch (const NmathError& error) {
      found.skipped.push_back("platform " + std::to_string(i) + ": " + error.what());
      report.problem = error.what();
    }
    found.platforms.push_back(std::move(report));
  }
}

void ensure_listed(DeviceRegistry& devices) {  // with the lock held
  if (devices.listed) return;
  const OwnInterrupts own;  // this is where drivers are loaded
  devices.devices.clear();
  devices.skipped.clear();
  devices.platforms.clear();
  list_all(devices);
  devices.looked = true;
  devices.listed = !devices.devices.empty();  // drivers that were not ready get another chance
}

// Each line needs what single precision has not: 2^-50 beside 1, a quotient to 53 bits, a range beyond 1e38.
constexpr const char* kProbeSource =
    "#ifdef cl_khr_fp64\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#endif\n"
    "__kernel void fp64_probe(__global const double* x, __global double* out) {\n"
    "  out[0] = (x[0] + x[1]) - x[0];\n"
    "  out[1] = x[0] / x[2];\n"
    "  out[2] = x[3] * x[3];\n"
    "}\n";

Fp64Probe run_probe(const DeviceInfo& device, bool& settled) {
  Fp64Probe probe;
  settled = true;
  try {
    const double x[4] = {1.0, 0x1p-50, 3.0, 1e150};
    double out[3] = {0.0, 0.0, 0.0};
    KernelCall(open_opencl_device(device), user_source(kProbeSource), "fp64_probe")
        .input("x", x, 4)
        .output("out", out, 3)
        .nd_range({1}, {1})
        .run();
    probe.works = out[0] == 0x1p-50 && out[1] == 1.0 / 3.0 && out[2] == 1e150 * 1e150;
    if (!probe.works) probe.reason = "a kernel in double precision gives wrong results";
  } catch (const NmathError& error) {
    settled = !device.fp64_extension || error.status().find("CL_BUILD_PROGRAM_FAILURE") == 0;
    probe.reason = !device.fp64_extension ? "the device has no double precision (cl_khr_fp64)"
                   : settled              ? "double precision is declared, but a small kernel in doubles does not build"
                                          : "a small kernel in double precision fails";
    probe.log = error.what();
  }
  return probe;
}

// Whether this is a device that a kernel was left on when devices were last reset: nobody knows what it does.
bool tried_again(const DeviceInfo& device) {
  DeviceRegistry& known = registry();
  std::lock_guard<ProcessMutex> lock(known.mutex);
  return known.tried_again.erase(device.device) > 0;
}

// On a thread of its own, which may never come back: the device is then given up again.
Fp64Probe run_probe_apart(const DeviceInfo& device, bool& settled) {
  constexpr double kPatience = 3;
  struct Result {
    std::promise<std::pair<Fp64Probe, bool>> promise;
    std::shared_future<std::pair<Fp64Probe, bool>> future = promise.get_future().share();
  };
  const auto result = std::make_shared<Result>();
  const std::shared_future<std::pair<Fp64Probe, bool>> future = result->future;
  std::thread([result, device] {
    bool found = false;
    Fp64Probe probe;
    try {
      probe = run_probe(device, found);
    } catch (...) {
      probe.reason = "it cannot be tried";
    }
    result->promise.set_value({probe, found});
  }).detach();
  if (future.wait_for(std::chrono::duration<double>(kPatience)) == std::future_status::ready) {
    settled = future.get().second;
    return future.get().first;
  }
  give_up_device(device,
                 {"fp64_probe", [] { return true; },
                  [future] { return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }, nullptr});
  Fp64Probe refused;
  refused.busy = true;
  refused.reason = "it was tried again, and did not end, after a kernel that did not end";
  return refused;
}

}  // namespace

std::vector<DeviceInfo> list_opencl_devices() {
  if (!has_opencl()) return {};
  enter_opencl("list_devices");
  DeviceRegistry& found = registry();
  std::lock_guard<ProcessMutex> lock(found.mutex);
  ensure_listed(found);
  return found.devices;
}

std::vector<std::string> skipped_opencl_devices() {
  if (!has_opencl()) return {};
  enter_opencl("list_devices");
  DeviceRegistry& found = registry();
  std::lock_guard<ProcessMutex> lock(found.mutex);
  if (!found.looked)
    ensure_listed(found);  // a second look might find what the caller's list lacks, and no reason for it
  return found.skipped;
}

DriverReport opencl_report() {
  DriverReport report;
#ifdef USE_OPENCL
  report.headers = true;
#endif
  report.library = opencl_library_file();
  try {
    enter_opencl("report");
    report.library_version = opencl_library_version();
    DeviceRegistry& found = registry();
    std::lock_guard<ProcessMutex> lock(found.mutex);
    ensure_listed(found);
    report.platforms = found.platforms;
  } catch (const NmathError& error) {
    report.problem = error.what();
  }
  return report;
}

Fp64Probe opencl_fp64_probe(const DeviceInfo& device, bool keep_session) {
  const std::string kernel = given_up_for(device);
  if (!kernel.empty()) {
    Fp64Probe refused;
    refused.busy = true;
    refused.reason = "kernel '" + kernel + "' was interrupted and did not end";
    return refused;
  }
  enter_opencl("fp64_probe");
  DeviceRegistry& known = registry();
  {
    std::lock_guard<ProcessMutex> lock(known.mutex);
    const auto cached = known.probes.find(device.device);
    if (cached != known.probes.end() && cached->second.settled) return cached->second.result;
  }
  // Probed outside the lock: two threads may both do it, with the same answer.
  const bool drop_after = !keep_session && !has_session(device);
  bool settled = false;
  const Fp64Probe probe = tried_again(device) ? run_probe_apart(device, settled) : run_probe(device, settled);
  if (probe.busy) return probe;
  if (drop_after || !probe.works) drop_session(device);
  std::lock_guard<ProcessMutex> lock(known.mutex);
  DeviceRegistry::Probed& entry = known.probes[device.device];
  entry.result = probe;
  // What may pass (memory taken by others, a lost context) is tried again, but not at every call for ever.
  entry.settled = settled || ++entry.failures >= kProbeAttempts;
  return probe;
}

void reset_opencl_devices() {
  if (opencl_forked()) return;  // the parent's, mutex included
  DeviceRegistry& known = registry();
  {
    std::lock_guard<ProcessMutex> lock(known.mutex);
    for (const DeviceInfo& device : known.devices)
      if (forget_unfinished(device)) known.tried_again.insert(device.device);
  }
  drop_sessions();
  retry_opencl_library();
  std::lock_guard<ProcessMutex> lock(known.mutex);
  known.looked = known.listed = false;
  known.probes.clear();
}

}  // namespace openclPort
