// device_selection -- from a device specification to one device.
#include "device/device_selection.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/nmath_error.h"
#include "base/process_mutex.h"
#include "base/text.h"
#include "device/pair_device.h"
#include "device/pair_probe.h"

namespace openclPort {

namespace {

constexpr const char* kStep = "select_device";
constexpr const char* kBlanks = " \t\r\n";
constexpr const char* kPlatformVariable = "NMATHOPENCL_PLATFORM_INDEX";
constexpr const char* kDeviceVariable = "NMATHOPENCL_DEVICE_INDEX";

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

std::vector<DeviceInfo> admitted_of(const std::vector<DeviceInfo>& all, const Restriction& restriction) {
  std::vector<DeviceInfo> admitted;
  std::copy_if(all.begin(), all.end(), std::back_inserter(admitted),
               [&](const DeviceInfo& device) { return restriction.admits(device); });
  return admitted;
}

// What was asked for is there, and does something else: a call never goes elsewhere without saying so.
[[noreturn]] void fail_for_busy(const DeviceInfo& device, const Fp64Probe& probe, const Restriction& restriction) {
  fail("the OpenCL device '" + device.name + "' cannot be used now: " + probe.reason + NMATHOPENCL_SEE_LIMITS,
       list_devices(), restriction);
}

// Whether a device computes as it is asked to; then `device` says how.
Fp64Probe probe_of(DeviceInfo& device, Arithmetic asked) {
  Fp64Probe probe;
  const bool floats = asked == Arithmetic::pairs || asked == Arithmetic::single;
  if (!floats) probe = fp64_probe(device, true);
  if (asked == Arithmetic::doubles || probe.works || probe.busy) return probe;
  // A device that has doubles and could not be tried now is not one that has none.
  if (!floats && device.fp64_extension) return probe;
  const Fp64Probe pairs = pair_probe(device);
  if (pairs.works) {
    device = as_pair_device(device, asked == Arithmetic::single);
    return pairs;
  }
  probe.reason += (probe.reason.empty() ? "" : "; ") + pairs.reason;
  probe.log += pairs.log;
  return probe;
}

// First device of the given types that works; the reasons of those that do not are added to `log`.
std::optional<DeviceInfo> first_working(const std::vector<DeviceInfo>& devices, const std::vector<std::string>& types,
                                        Arithmetic asked, const Restriction& restriction, std::string& log) {
  for (const std::string& type : types) {
    for (DeviceInfo& device : of_type(devices, type)) {
      const Fp64Probe probe = probe_of(device, asked);
      if (probe.works) return device;
      if (probe.busy) fail_for_busy(device, probe, restriction);
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

DeviceInfo one_of(std::vector<DeviceInfo> matches, const std::string& what, Arithmetic asked,
                  const std::vector<DeviceInfo>& all, const Restriction& restriction) {
  if (matches.empty()) fail("there is no OpenCL device " + what, all, restriction);
  if (matches.size() > 1)
    fail("the OpenCL device " + what + " is ambiguous: " + describe_devices(matches), all, restriction);
  const Fp64Probe probe = probe_of(matches.front(), asked);
  if (!probe.works)
    fail("the OpenCL device '" + matches.front().name + "' cannot be used: " + probe.reason + NMATHOPENCL_SEE_LIMITS,
         all, restriction, probe.log);
  return matches.front();
}

DeviceInfo host_for(const DeviceSpec& spec) {
  const bool single = spec.arithmetic == Arithmetic::single;
  return single || spec.arithmetic == Arithmetic::pairs ? as_pair_device(host_device(), single) : host_device();
}

DeviceInfo select_best(const DeviceSpec& spec, const std::vector<DeviceInfo>& all,
                       const std::vector<DeviceInfo>& admitted, const Restriction& restriction, bool& certain) {
  const bool automatic = spec.kind == DeviceSpec::Kind::automatic;
  const std::vector<std::string> types = automatic ? std::vector<std::string>{"gpu"}
                                         : spec.kind == DeviceSpec::Kind::opencl
                                             ? std::vector<std::string>{"gpu", "accelerator", "cpu"}
                                             : std::vector<std::string>{spec.text};
  std::string log;
  const bool doubles = automatic && spec.arithmetic == Arithmetic::automatic;  // pairs are never taken unasked
  const std::optional<DeviceInfo> best =
      first_working(admitted, types, doubles ? Arithmetic::doubles : spec.arithmetic, restriction, log);
  certain = log.empty();  // a better one that fails may work at the next call
  if (best) return *best;
  if (automatic) return host_for(spec);
  const std::string type = spec.kind == DeviceSpec::Kind::type ? " of type " + spec.text : "";
  if (log.empty()) fail("there is no OpenCL device" + type, all, restriction);
  fail("no OpenCL device" + type + " has working double precision" NMATHOPENCL_SEE_LIMITS, all, restriction, log);
}

}  // namespace

Arithmetic parse_arithmetic(const std::string& name) {
  if (name == "double") return Arithmetic::doubles;
  if (name == "pair") return Arithmetic::pairs;
  if (name == "single") return Arithmetic::single;
  if (name.empty() || name == "auto") return Arithmetic::automatic;
  throw NmathError("'" + name + "' is no arithmetic: choose \"auto\", \"double\", \"pair\" or \"single\"", kStep);
}

std::string arithmetic_of(DeviceInfo device, Arithmetic asked) {
  const Fp64Probe probe = probe_of(device, asked);
  return !probe.works ? "" : device.single ? "single" : device.pairs ? "pair" : "double";
}

DeviceSpec parse_device_spec(const std::string& spec) {
  DeviceSpec parsed;
  parsed.text = lower(trimmed(spec, kBlanks));
  const std::size_t bar = parsed.text.find('|');
  if (bar != std::string::npos) {
    parsed.arithmetic = parse_arithmetic(parsed.text.substr(bar + 1));
    parsed.text.erase(bar);
  }
  if (parsed.text.empty()) throw NmathError("the name of a device must not be empty", kStep);
  if (parsed.text == "auto") return parsed;
  if (parsed.text == "all")
    throw NmathError(
        "this takes one device, and \"all\" may be several", kStep, "",
        "Elementwise functions, draws, opencl_function(), opencl_vector() and f2_f3_opencl() take several.");
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

namespace {

// What specifications meant, as long as there are the same devices. Thread-safe.
class KnownSelections {
 public:
  static std::string key(const DeviceSpec& spec, const Restriction& restriction) {
    return spec.text + '\n' + std::to_string(static_cast<int>(spec.arithmetic)) + '\n' +
           std::to_string(restriction.platform) + '\n' + std::to_string(restriction.device);
  }

  bool find(const std::string& key, DeviceInfo& device) {
    const std::lock_guard<ProcessMutex> lock(mutex_);
    const auto found = known_.find(key);
    if (changes_ != device_changes() || found == known_.end()) return false;
    device = found->second;
    return true;
  }

  // `changes`: as counted before anybody looked.
  void keep(const std::string& key, const DeviceInfo& device, unsigned long changes) {
    constexpr std::size_t kMost = 64;
    const std::lock_guard<ProcessMutex> lock(mutex_);
    if (changes_ != changes || known_.size() >= kMost) known_.clear();
    changes_ = changes;
    known_[key] = device;
  }

 private:
  ProcessMutex mutex_;
  unsigned long changes_ = 0;
  std::unordered_map<std::string, DeviceInfo> known_;
};

KnownSelections& known_selections() {  // never destroyed
  static KnownSelections* const instance = new KnownSelections;
  return *instance;
}

// `certain`: another look will find the same, while there are the same devices.
DeviceInfo look_for_device(const DeviceSpec& spec, const std::string& spec_text, const Restriction& restriction,
                           bool& certain);

}  // namespace

DeviceInfo select_device(const std::string& spec_text) {
  const DeviceSpec spec = parse_device_spec(spec_text);
  const bool automatic = spec.kind == DeviceSpec::Kind::automatic;
  if (spec.kind == DeviceSpec::Kind::host || (automatic && !devices_ready())) return host_for(spec);
  enter_devices(kStep);

  const Restriction restriction;
  const std::string key = KnownSelections::key(spec, restriction);
  DeviceInfo device;
  if (!known_selections().find(key, device)) {
    const unsigned long changes = device_changes();
    bool certain = false;
    device = look_for_device(spec, spec_text, restriction, certain);
    if (certain) known_selections().keep(key, device, changes);
  }
  return device.index == 0 ? host_for(spec) : device;
}

namespace {

DeviceInfo look_for_device(const DeviceSpec& spec, const std::string& spec_text, const Restriction& restriction,
                           bool& certain) {
  const bool automatic = spec.kind == DeviceSpec::Kind::automatic;
  const std::vector<DeviceInfo> all = list_devices();
  if (automatic && all.empty()) return host_for(spec);
  const std::vector<DeviceInfo> admitted = admitted_of(all, restriction);
  if (admitted.empty() && restriction.active() && !all.empty())
    fail("no OpenCL device fits " + restriction.text(), all, restriction);

  certain = true;
  if (spec.kind == DeviceSpec::Kind::index) {
    std::vector<DeviceInfo> matches;
    std::copy_if(admitted.begin(), admitted.end(), std::back_inserter(matches),
                 [&](const DeviceInfo& device) { return device.index == spec.index; });
    return one_of(std::move(matches), "with index " + std::to_string(spec.index), spec.arithmetic, all, restriction);
  }
  if (spec.kind == DeviceSpec::Kind::name)
    return one_of(named(admitted, spec.text), "named '" + trimmed(spec_text, kBlanks) + "'", spec.arithmetic, all,
                  restriction);
  return select_best(spec, all, admitted, restriction, certain);
}

// "all", with or without an arithmetic
bool means_all(const std::string& spec) {
  const std::string text = lower(trimmed(spec, kBlanks));
  return text.substr(0, text.find('|')) == "all";
}

std::vector<DeviceInfo> all_gpus(Arithmetic asked) {
  if (!devices_ready()) return {};
  std::vector<DeviceInfo> gpus = of_type(admitted_of(list_devices(), Restriction()), "gpu");
  gpus.erase(std::remove_if(gpus.begin(), gpus.end(),
                            [asked](DeviceInfo& device) {
                              const Fp64Probe probe = probe_of(device, asked);
                              if (probe.busy) fail_for_busy(device, probe, Restriction());
                              return !probe.works;
                            }),
             gpus.end());
  return gpus;
}

}  // namespace

std::vector<DeviceInfo> select_devices(const std::vector<std::string>& specs) {
  if (specs.empty()) throw NmathError("there must be a device", kStep);
  std::vector<DeviceInfo> chosen;
  if (specs.size() == 1 && means_all(specs.front())) {
    const std::size_t bar = specs.front().find('|');
    const std::string automatic = "auto" + (bar == std::string::npos ? "" : specs.front().substr(bar));
    const Arithmetic asked = parse_device_spec(automatic).arithmetic;
    chosen = all_gpus(asked == Arithmetic::automatic ? Arithmetic::doubles : asked);
    if (chosen.empty()) chosen.push_back(select_device(automatic));
  } else {
    for (const std::string& spec : specs) chosen.push_back(select_device(spec));
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const DeviceInfo& a, const DeviceInfo& b) { return a.index < b.index; });
  for (const DeviceInfo& one : chosen)
    if (one.pairs != chosen.front().pairs || one.single != chosen.front().single)
      throw NmathError("'" + one.name + "' and '" + chosen.front().name +
                           "' cannot share a call: one computes in double precision, one with pairs of floats",
                       kStep);
  for (std::size_t k = 1; k < chosen.size(); ++k)
    if (chosen[k].index == chosen[k - 1].index)
      throw NmathError("the device '" + chosen[k].name + "' is named twice", kStep);
  return chosen;
}

std::vector<SharedDevice> open_devices(const std::vector<std::string>& specs) {
  std::vector<SharedDevice> opened;
  for (const DeviceInfo& device : select_devices(specs)) opened.push_back(open_device(device));
  return opened;
}

}  // namespace openclPort
