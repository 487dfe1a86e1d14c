// resident -- vectors in device memory: their elements, the memory that they take, and when it is released.
//
// Made and released on R's thread only; what they hold may be read by any.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/nmath_error.h"
#include "device/device.h"

namespace openclPort {

// Thrown where a vector does not fit beside those there are. What lets go of some may try again.
class DeviceMemoryFull : public NmathError {
 public:
  using NmathError::NmathError;
};

// Whether memory of a device was what failed.
bool is_out_of_memory(const NmathError& error);

// A vector on one device. It never changes once it is filled; see engine/transfer.h for that.
class Resident {
 public:
  // Room for so many elements; throws DeviceMemoryFull.
  static std::unique_ptr<Resident> make(SharedDevice device, ElementType type, std::size_t elements);
  // The caller's memory, on a device that works there; the caller keeps it alive.
  static std::unique_ptr<Resident> lend(SharedDevice device, ElementType type, void* memory, std::size_t elements);
  Resident(const Resident&) = delete;
  Resident& operator=(const Resident&) = delete;
  ~Resident();

  // Both throw where it cannot be used: in a process that was forked from its own.
  const SharedDevice& device() const;
  const Buffer& buffer() const;
  const std::string& device_name() const { return device_->info().name; }
  bool computes_with_pairs() const { return device_->info().pairs; }
  int device_index() const { return device_->info().index; }
  ElementType type() const { return buffer_.type(); }
  std::size_t elements() const { return elements_; }

  // What calls have made of it for calls to come; it goes with the vector. Of the thread that uses the vector.
  mutable std::shared_ptr<void> beside;

 private:
  Resident(SharedDevice device, Buffer buffer, std::size_t elements);
  void check() const;

  const SharedDevice device_;
  const Buffer buffer_;
  const std::size_t elements_;
};

// Takes a vector whose owner may be in the middle of something, such as R's collection of garbage; it goes with the
// next call of release_abandoned(), which make() is one.
void abandon(std::shared_ptr<Resident> vector) noexcept;
void release_abandoned() noexcept;

// What there is, by device.
struct ResidentMemory {
  std::string device;
  int index = 0;  // of the device: several may have one name
  std::size_t vectors = 0;
  double bytes = 0, limit = 0;  // the limit: infinite where the device has none
};
std::vector<ResidentMemory> resident_memory();
std::string describe_resident_memory();  // "3 vectors of 2.4 GB on NVIDIA H200, of 139 GB"

// Bytes that vectors may take of any device; 0: what it has but for a reserve for calls.
void set_resident_limit(double bytes);

}  // namespace openclPort
