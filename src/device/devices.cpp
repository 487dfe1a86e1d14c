// devices -- lists the devices of all kinds.
#include "device/devices.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "base/nmath_error.h"
#include "base/process_mutex.h"
#include "device/pair_device.h"

namespace openclPort {

namespace {

std::atomic<unsigned long> changes{0};

std::vector<DeviceKind*> other_kinds() {
  std::vector<DeviceKind*> kinds = device_kinds();
  kinds.erase(kinds.begin());
  return kinds;
}

}  // namespace

// Asked for by every call, and never another.
DeviceInfo host_device() {
  static const DeviceInfo host = [] {
    DeviceKind* const kind = device_kinds().front();
    DeviceInfo info = kind->list().front();
    info.kind = kind;
    return info;
  }();
  DeviceInfo present = host;
  present.compiles = host.kind->compiles();
  return present;
}

static DeviceKind& kind_of(const DeviceInfo& device, const char* step) {
  if (device.kind == nullptr) throw NmathError("'" + device.name + "' is not a device of this list", step);
  return *device.kind;
}

SharedDevice open_device(const DeviceInfo& device) {
  SharedDevice opened = kind_of(device, "open_device").open(device);
  return device.pairs ? pair_device(std::move(opened), device.single) : opened;
}

SharedImage source_image(const DeviceInfo& device, ImageSource source) {
  if (device.pairs)
    throw NmathError("kernel bundles have no pairs of floats in the place of doubles", "from_source", "",
                     "Use run_opencl_kernel(), or a device with double precision" NMATHOPENCL_SEE_LIMITS ".",
                     device.name);
  return kind_of(device, "from_source").source_image(device, std::move(source));
}

SharedImage DeviceKind::source_image(const DeviceInfo& device, ImageSource) {
  throw NmathError("the " + device.type + " device has no compiler: a kernel bundle needs an OpenCL device", "", "",
                   "choose one, e.g. device = \"opencl\"");
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> all;
  for (DeviceKind* const kind : other_kinds()) {
    for (DeviceInfo& device : kind->list()) {
      device.kind = kind;
      device.index = static_cast<int>(all.size()) + 1;
      all.push_back(std::move(device));
    }
  }
  return all;
}

std::vector<std::string> skipped_devices() {
  std::vector<std::string> all;
  for (DeviceKind* const kind : other_kinds())
    for (std::string& reason : kind->skipped()) all.push_back(std::move(reason));
  return all;
}

std::vector<DriverReport> driver_reports() {
  std::vector<DriverReport> all;
  for (DeviceKind* const kind : other_kinds()) all.push_back(kind->report());
  return all;
}

Fp64Probe fp64_probe(const DeviceInfo& device, bool keep_open) { return device.kind->probe(device, keep_open); }

unsigned long device_changes() noexcept { return changes.load(); }
void note_device_change() noexcept { ++changes; }

namespace {

// Those who keep something of devices.
struct Keepers {
  ProcessMutex mutex;
  std::vector<void (*)()> all;
};

Keepers& keepers() {
  static Keepers* const known = new Keepers;  // is needed while the process ends, too
  return *known;
}

}  // namespace

void when_devices_close(void (*let_go)()) {
  const std::lock_guard<ProcessMutex> lock(keepers().mutex);
  keepers().all.push_back(let_go);
}

void let_go_of_devices() {
  std::vector<void (*)()> all;
  {
    const std::lock_guard<ProcessMutex> lock(keepers().mutex);
    all = keepers().all;
  }
  for (void (*const let_go)() : all) let_go();
}

void close_devices() {
  for (DeviceKind* const kind : other_kinds())
    if (!kind->forked()) kind->close();
}

void keep_user_programs(int most) {
  set_user_programs(most);
  for (DeviceKind* const kind : device_kinds()) kind->keep_programs(most);
}

void reset_devices() {
  for (DeviceKind* const kind : other_kinds())
    if (!kind->forked()) kind->reset();
  note_device_change();
}

bool devices_installed() noexcept {
  for (DeviceKind* const kind : other_kinds())
    if (kind->installed()) return true;
  return false;
}

bool devices_ready() noexcept {
  for (DeviceKind* const kind : other_kinds())
    if (kind->ready()) return true;
  return false;
}

bool devices_forked() noexcept {
  for (DeviceKind* const kind : other_kinds())
    if (kind->forked()) return true;
  return false;
}

void enter_devices(const char* step) {
  if (devices_ready()) return;
  for (DeviceKind* const kind : other_kinds()) kind->enter(step);
}

std::string describe_devices(const std::vector<DeviceInfo>& devices) {
  std::string text;
  for (const DeviceInfo& device : devices) {
    if (!text.empty()) text += "; ";
    text += std::to_string(device.index) + ": " + device.name + " (" + device.platform_name + ", " + device.type + ")";
  }
  return text.empty() ? "none" : text;
}

}  // namespace openclPort
