// registration -- the kinds of devices that the package has: the one place that knows them all.
#include <algorithm>

#include "base/process_mutex.h"
#include "device/devices.h"
#include "host/host_kind.h"
#include "opencl/opencl_kind.h"

namespace openclPort {

namespace {

struct Kinds {
  ProcessMutex mutex;
  std::vector<DeviceKind*> kinds = {
      host_kind(),
      opencl_kind(),
  };
};

Kinds& known() {  // never destroyed: at process exit the drivers may be gone before static objects are
  static Kinds* const instance = new Kinds;
  return *instance;
}

}  // namespace

std::vector<DeviceKind*> device_kinds() {
  const std::lock_guard<ProcessMutex> lock(known().mutex);
  return known().kinds;
}

void add_device_kind(DeviceKind* kind) {
  const std::lock_guard<ProcessMutex> lock(known().mutex);
  known().kinds.push_back(kind);
  note_device_change();
}

void remove_device_kind(DeviceKind* kind) {
  const std::lock_guard<ProcessMutex> lock(known().mutex);
  std::vector<DeviceKind*>& kinds = known().kinds;
  kinds.erase(std::remove(kinds.begin() + 1, kinds.end(), kind), kinds.end());
  note_device_change();
}

}  // namespace openclPort
