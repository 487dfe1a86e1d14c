// resident -- counts of vectors on devices, their limits, and the queue of those that nobody wants any more.
#include "device/resident.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/process_mutex.h"
#include "device/devices.h"

namespace openclPort {

namespace {

constexpr const char* kVectorStep = "opencl_vector";
constexpr double kReserve = 1073741824.0;  // bytes for the pieces of calls, at most an eighth of the device's

// Never destroyed: at process exit the drivers may be gone before static objects are.
struct Counts {
  ProcessMutex mutex;
  std::vector<ResidentMemory> devices;
  double limit = 0;
  std::vector<std::shared_ptr<Resident>> abandoned;
};

Counts& counts() {
  static Counts* const instance = new Counts;
  return *instance;
}

double limit_of(const DeviceInfo& device, double asked) {
  if (device.host_memory && device.immediate) return std::numeric_limits<double>::infinity();
  if (asked > 0) return asked;
  const double all = static_cast<double>(device.global_mem);
  return all - std::min(kReserve, all / 8);
}

// With the lock held.
ResidentMemory& entry_of(Counts& known, const DeviceInfo& device) {
  for (ResidentMemory& entry : known.devices)
    if (entry.device == device.name && entry.index == device.index) {
      entry.limit = limit_of(device, known.limit);
      return entry;
    }
  known.devices.push_back({device.name, device.index, 0, 0, limit_of(device, known.limit)});
  return known.devices.back();
}

void count(const DeviceInfo& device, std::size_t bytes, bool more) {
  const std::lock_guard<ProcessMutex> lock(counts().mutex);
  ResidentMemory& entry = entry_of(counts(), device);
  entry.vectors += more ? 1 : -1;
  entry.bytes += more ? static_cast<double>(bytes) : -static_cast<double>(bytes);
}

std::string size_text(double bytes) {
  const char* const units[] = {"bytes", "kB", "MB", "GB", "TB"};
  int unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
  const long long tenths = std::llround(10 * bytes);  // not by printf, whose point depends on the locale
  const std::string part = unit == 0 ? "" : "." + std::to_string(tenths % 10);
  return std::to_string(tenths / 10) + part + " " + units[unit];
}

[[noreturn]] void full(const DeviceInfo& device, std::size_t bytes, const std::string& status) {
  const std::string there = describe_resident_memory();
  throw DeviceMemoryFull("a vector of " + size_text(static_cast<double>(bytes)) + " does not fit on the device",
                         kVectorStep, status,
                         (there.empty() ? "" : "There are " + there + ". ") +
                             "Release vectors with opencl_free(), or drop them and call gc(); opencl_memory() "
                             "tells what there is" NMATHOPENCL_SEE_LIMITS ".",
                         device.name);
}

}  // namespace

bool is_out_of_memory(const NmathError& error) {
  const std::string& status = error.status();
  return dynamic_cast<const DeviceMemoryFull*>(&error) != nullptr || status == "CL_MEM_OBJECT_ALLOCATION_FAILURE" ||
         status == "CL_OUT_OF_RESOURCES" || status == "CL_OUT_OF_HOST_MEMORY" || status == "CL_INVALID_BUFFER_SIZE";
}

Resident::Resident(SharedDevice device, Buffer buffer, std::size_t elements)
    : device_(std::move(device)), buffer_(std::move(buffer)), elements_(elements) {
  count(device_->info(), buffer_.bytes(), true);
}

Resident::~Resident() { count(device_->info(), buffer_.bytes(), false); }

std::unique_ptr<Resident> Resident::make(SharedDevice device, ElementType type, std::size_t elements) {
  release_abandoned();
  const DeviceInfo& info = device->info();
  const std::size_t bytes = std::max<std::size_t>(elements, 1) * element_bytes(type);
  {
    Counts& known = counts();
    std::unique_lock<ProcessMutex> lock(known.mutex);
    const ResidentMemory entry = entry_of(known, info);
    lock.unlock();
    if (entry.bytes + static_cast<double>(bytes) > entry.limit) full(info, bytes, "");
  }
  if (bytes > info.max_alloc)
    throw NmathError("a vector of " + size_text(static_cast<double>(bytes)) + " is longer than the device allows, " +
                         size_text(static_cast<double>(info.max_alloc)),
                     kVectorStep, "", "Use several shorter vectors" NMATHOPENCL_SEE_LIMITS ".", info.name);
  Buffer buffer;
  try {
    buffer = device->allocate(type, std::max<std::size_t>(elements, 1));
  } catch (const NmathError& error) {
    if (!is_out_of_memory(error)) throw;
    full(info, bytes, error.status());
  }
  return std::unique_ptr<Resident>(new Resident(std::move(device), std::move(buffer), elements));
}

std::unique_ptr<Resident> Resident::lend(SharedDevice device, ElementType type, void* memory, std::size_t elements) {
  Buffer buffer = device->borrow(type, memory, elements, Access::read);
  return std::unique_ptr<Resident>(new Resident(std::move(device), std::move(buffer), elements));
}

void Resident::check() const {
  const DeviceInfo& info = device_->info();
  if (info.kind != nullptr && info.kind->forked())
    throw NmathError(
        "a vector on a device cannot be used in a forked process: it belongs to the parent", kVectorStep, "",
        "Bring it back with as.vector() before the fork, or make it in the worker" NMATHOPENCL_SEE_LIMITS ".",
        info.name);
}

const SharedDevice& Resident::device() const {
  check();
  return device_;
}

const Buffer& Resident::buffer() const {
  check();
  return buffer_;
}

void abandon(std::shared_ptr<Resident> vector) noexcept {
  try {
    const std::lock_guard<ProcessMutex> lock(counts().mutex);
    counts().abandoned.reserve(counts().abandoned.size() + 1);
    counts().abandoned.push_back(std::move(vector));
  } catch (...) {  // no memory for the queue: it goes at once
  }
}

void release_abandoned() noexcept {
  std::vector<std::shared_ptr<Resident>> gone;
  const std::lock_guard<ProcessMutex> lock(counts().mutex);
  gone.swap(counts().abandoned);
}

std::vector<ResidentMemory> resident_memory() {
  release_abandoned();
  const std::lock_guard<ProcessMutex> lock(counts().mutex);
  return counts().devices;
}

std::string describe_resident_memory() {
  std::string text;
  for (const ResidentMemory& entry : resident_memory()) {
    if (entry.vectors == 0) continue;
    text += (text.empty() ? "" : "; ") + std::to_string(entry.vectors) + " vectors of " + size_text(entry.bytes) +
            " on " + entry.device + ", of " + size_text(entry.limit);
  }
  return text;
}

void set_resident_limit(double bytes) {
  const std::lock_guard<ProcessMutex> lock(counts().mutex);
  counts().limit = bytes;
}

}  // namespace openclPort
