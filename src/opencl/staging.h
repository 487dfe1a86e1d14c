// staging -- page-locked host memory, through which data travels to and from a device at the bus's speed.
//
// Locking pages is slow, so a session keeps what was used for the next call. Thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/process_mutex.h"
#include "opencl/OpenCL_helper.h"

namespace openclPort {

struct DeviceContext;

// A buffer that the driver allocates in page-locked memory, mapped for as long as it lives.
class PinnedMemory {
 public:
  PinnedMemory(const DeviceContext& where, cl_command_queue queue, std::size_t bytes);
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  ~PinnedMemory();

  void* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return bytes_; }

 private:
  BufferHandle buffer_;
  QueueHandle queue_;  // for the unmapping at the end
  void* data_ = nullptr;
  std::size_t bytes_;
};

class StagingPool {
 public:
  // Empty if none is idle that holds `bytes`.
  std::unique_ptr<PinnedMemory> take(std::size_t bytes);
  void give_back(std::unique_ptr<PinnedMemory> memory) noexcept;
  void clear() noexcept;

 private:
  ProcessMutex mutex_;
  std::vector<std::unique_ptr<PinnedMemory>> idle_;
  std::size_t idle_bytes_ = 0;
};

// Memory of a session's pool for one call, given back when it goes away.
class Staging {
 public:
  Staging() = default;
  Staging(std::unique_ptr<PinnedMemory> memory, StagingPool* pool) : memory_(std::move(memory)), pool_(pool) {}
  Staging(Staging&&) noexcept = default;
  Staging& operator=(Staging&&) = delete;
  ~Staging();

  void* data() const noexcept { return memory_->data(); }
  explicit operator bool() const noexcept { return memory_ != nullptr; }

 private:
  std::unique_ptr<PinnedMemory> memory_;
  StagingPool* pool_ = nullptr;
};

}  // namespace openclPort
