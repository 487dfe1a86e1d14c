// device_selection -- device specifications, the process-wide selection and its documented view.
#include "device/device_selection.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace openclPort {

namespace {

constexpr const char* kStep = "select_device";
constexpr const char* kPlatformVariable = "NMATHOPENCL_PLATFORM_INDEX";
constexpr const char* kDeviceVariable = "NMATHOPENCL_DEVICE_INDEX";
constexpr const char* kPolicy =
    "GPU, then accelerator, then CPU; within a type the most compute units x memory; double precision proved by "
    "running "
    "a kernel; restricted by NMATHOPENCL_PLATFORM_INDEX and NMATHOPENCL_DEVICE_INDEX";

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string trim(const std::string& text) {
  const char* blank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blank);
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

// True and the value if `text` is all of a whole number that fits an int.
bool whole_number(const std::string& text, int& value) {
  char* end = nullptr;
  errno = 0;
  const long number = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || errno != 0 || number < INT_MIN || number > INT_MAX) return false;
  value = static_cast<int>(number);
  return true;
}

// -1: not set.
int index_from_environment(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return -1;
  int value = -1;
  if (!whole_number(text, value) || value < 0)
    throw NmathError(std::string(variable) + " must be a whole number from 0 on, not '" + text + "'", kStep);
  return value;
}

struct Restriction {
  int platform = index_from_environment(kPlatformVariable);
  int device = index_from_environment(kDeviceVariable);

  bool active() const { return platform >= 0 || device >= 0; }
  bool admits(const DeviceInfo& d) const {
    return (platform < 0 || d.platform_index == platform) && (device < 0 || d.device_index == device);
  }
  std::string text() const {
    std::string out;
    if (platform >= 0) out += std::string(kPlatformVariable) + "=" + std::to_string(platform);
    if (device >= 0) out += (out.empty() ? "" : " ") + std::string(kDeviceVariable) + "=" + std::to_string(device);
    return out;
  }
};

[[noreturn]] void fail(const std::string& message, const std::vector<DeviceInfo>& all, const Restriction& restriction,
                       const std::string& log = "") {
  std::string hint = "OpenCL devices here: " + describe_devices(all) + ".";
  if (restriction.active()) hint += " " + restriction.text() + " restricts the choice.";
  for (const std::string& reason : skipped_devices()) hint += " Skipped " + reason + ".";
  hint += " device = \"host\" always works.";
  throw NmathError(message, kStep, "", hint, "", log);
}

// Best first: compute units x memory, and the driver's order among equals.
std::vector<DeviceInfo> of_type(const std::vector<DeviceInfo>& devices, const std::string& type) {
  std::vector<DeviceInfo> chosen;
  for (const DeviceInfo& device : devices)
    if (device.type == type) chosen.push_back(device);
  const auto power = [](const DeviceInfo& d) {
    return static_cast<double>(d.compute_units) * static_cast<double>(d.global_mem);
  };
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](const DeviceInfo& a, const DeviceInfo& b) { return power(a) > power(b); });
  return chosen;
}

// First device of the given types with working doubles; the reasons of those without are added to `log`.
std::optional<DeviceInfo> first_working(const std::vector<DeviceInfo>& devices, const std::vector<std::string>& types,
                                        std::string& log) {
  for (const std::string& type : types) {
    for (const DeviceInfo& device : of_type(devices, type)) {
      const Fp64Probe probe = fp64_probe(device, true);
      if (probe.works) return device;
      log += device.name + ": " + probe.reason + "\n" + probe.log + (probe.log.empty() ? "" : "\n");
    }
  }
  return std::nullopt;
}

std::vector<DeviceInfo> named(const std::vector<DeviceInfo>& devices, const std::string& part) {
  std::vector<DeviceInfo> exact, partial;
  for (const DeviceInfo& device : devices) {
    if (lower(device.name) == part) exact.push_back(device);
    if (lower(device.platform_name + " " + device.name).find(part) != std::string::npos) partial.push_back(device);
  }
  return exact.empty() ? partial : exact;
}

DeviceInfo one_of(const std::vector<DeviceInfo>& matches, const std::string& what, const std::vector<DeviceInfo>& all,
                  const Restriction& restriction) {
  if (matches.empty()) fail("there is no OpenCL device " + what, all, restriction);
  if (matches.size() > 1)
    fail("the OpenCL device " + what + " is ambiguous: " + describe_devices(matches), all, restriction);
  const Fp64Probe probe = fp64_probe(matches.front(), true);
  if (!probe.works)
    fail("the OpenCL device '" + matches.front().name + "' cannot be used: " + probe.reason, all, restriction,
         probe.log);
  return matches.front();
}

std::optional<DeviceInfo> select_best(const DeviceSpec& spec, const std::vector<DeviceInfo>& all,
                                      const std::vector<DeviceInfo>& admitted, const Restriction& restriction) {
  const bool automatic = spec.kind == DeviceSpec::Kind::automatic;
  const std::vector<std::string> types = automatic ? std::vector<std::string>{"gpu"}
                                         : spec.kind == DeviceSpec::Kind::opencl
                                             ? std::vector<std::string>{"gpu", "accelerator", "cpu"}
                                             : std::vector<std::string>{spec.text};
  std::string log;
  std::optional<DeviceInfo> best = first_working(admitted, types, log);
  if (best || automatic) return best;
  const std::string type = spec.kind == DeviceSpec::Kind::type ? " of type " + spec.text : "";
  if (log.empty()) fail("there is no OpenCL device" + type, all, restriction);
  fail("no OpenCL device" + type + " has working double precision", all, restriction, log);
}

struct Selection {
  std::mutex mutex;
  std::string spec = "opencl";
  bool resolved = false;
  std::optional<DeviceInfo> device;  // none: the host
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

DeviceSpec parse_device_spec(const std::string& spec) {
  DeviceSpec parsed;
  parsed.text = lower(trim(spec));
  if (parsed.text.empty()) throw NmathError("the name of a device must not be empty", kStep);
  if (parsed.text == "auto") return parsed;
  parsed.kind = DeviceSpec::Kind::name;
  if (parsed.text == "host") parsed.kind = DeviceSpec::Kind::host;
  if (parsed.text == "opencl") parsed.kind = DeviceSpec::Kind::opencl;
  if (parsed.text == "gpu" || parsed.text == "cpu" || parsed.text == "accelerator")
    parsed.kind = DeviceSpec::Kind::type;
  if (whole_number(parsed.text, parsed.index)) {
    parsed.kind = DeviceSpec::Kind::index;
    if (parsed.index < 1) throw NmathError("devices are counted from 1; there is no device " + parsed.text, kStep);
  }
  return parsed;
}

std::optional<DeviceInfo> select_device(const std::string& spec_text) {
  const DeviceSpec spec = parse_device_spec(spec_text);
  const bool automatic = spec.kind == DeviceSpec::Kind::automatic;
  if (spec.kind == DeviceSpec::Kind::host) return std::nullopt;
  if (automatic && (!has_opencl() || opencl_forked())) return std::nullopt;
  enter_opencl(kStep);

  const Restriction restriction;
  const std::vector<DeviceInfo> all = list_devices();
  if (automatic && all.empty()) return std::nullopt;
  std::vector<DeviceInfo> admitted;
  std::copy_if(all.begin(), all.end(), std::back_inserter(admitted),
               [&](const DeviceInfo& device) { return restriction.admits(device); });
  if (admitted.empty() && restriction.active() && !all.empty())
    fail("no OpenCL device fits " + restriction.text(), all, restriction);

  if (spec.kind == DeviceSpec::Kind::index) {
    std::vector<DeviceInfo> matches;
    std::copy_if(admitted.begin(), admitted.end(), std::back_inserter(matches),
                 [&](const DeviceInfo& device) { return device.index == spec.index; });
    return one_of(matches, "with index " + std::to_string(spec.index), all, restriction);
  }
  if (spec.kind == DeviceSpec::Kind::name)
    return one_of(named(admitted, spec.text), "named '" + trim(spec_text) + "'", all, restriction);
  return select_best(spec, all, admitted, restriction);
}

void set_selected_device(const std::string& spec) {
  std::optional<DeviceInfo> device = select_device(spec);
  if (opencl_forked()) return;  // only the host is left here, and the selection is the parent's
  Selection& chosen = selection();
  std::lock_guard<std::mutex> lock(chosen.mutex);
  chosen.spec = spec;
  chosen.device = std::move(device);
  chosen.resolved = true;
}

[[noreturn]] static void fail_for_host() {
  throw NmathError("the selected device is the host; this needs an OpenCL device", kStep, "",
                   "Select one with set_opencl_device(\"opencl\"), an index or a name.");
}

DeviceInfo selected_device() {
  enter_opencl(kStep);
  Selection& chosen = selection();
  std::lock_guard<std::mutex> lock(chosen.mutex);
  resolve(chosen);
  if (!chosen.device) fail_for_host();
  return *chosen.device;
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
  const std::optional<DeviceInfo> device = select_device(spec);
  if (!device) fail_for_host();
  return *device;
}

bool opencl_ensure_fp64_selection(bool force) {
  if (opencl_forked()) return false;
  if (force) reset_devices();
  Selection& chosen = selection();
  if (force) {
    std::lock_guard<std::mutex> lock(chosen.mutex);
    chosen.resolved = false;
  }
  try {
    const DeviceInfo device = selected_device();
    std::lock_guard<std::mutex> lock(chosen.mutex);
    fill_view(chosen.view, device);
  } catch (const NmathError& error) {
    std::lock_guard<std::mutex> lock(chosen.mutex);
    fill_view(chosen.view, error);
  }
  return chosen.view.valid;
}

const OpenCLFp64DeviceCache& opencl_fp64_selection() {
  if (!opencl_forked()) return selection().view;
  static const OpenCLFp64DeviceCache* const forked = [] {
    OpenCLFp64DeviceCache* view = new OpenCLFp64DeviceCache;
    fill_view(*view, opencl_fork_error(kStep));
    return view;
  }();
  return *forked;
}

void opencl_reset_fp64_selection() {
  if (opencl_forked()) return;
  reset_devices();
  Selection& chosen = selection();
  std::lock_guard<std::mutex> lock(chosen.mutex);
  chosen.spec = "opencl";
  chosen.resolved = false;
  chosen.device.reset();
  chosen.view = OpenCLFp64DeviceCache();
}

bool opencl_fp64_available_impl(bool force) { return opencl_ensure_fp64_selection(force); }

void opencl_bind_selected_fp64_device_or_throw(cl_platform_id& platform, cl_device_id& device) {
  const DeviceInfo chosen = selected_device();
  platform = static_cast<cl_platform_id>(chosen.platform);
  device = static_cast<cl_device_id>(chosen.device);
}

}  // namespace openclPort
