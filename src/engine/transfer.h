// transfer -- copies vectors to a device and back at the speed of the bus: through page-locked memory, long ones by
// several threads.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/report.h"
#include "device/device.h"

namespace openclPort {

// Bytes [offset, offset + bytes) of a buffer. `interrupted` is asked in between; what was asked to stop has moved some.
void send_bytes(const SharedDevice& device, const Buffer& to, std::size_t offset, const void* from, std::size_t bytes,
                const InterruptCheck& interrupted = nullptr);
void fetch_bytes(const SharedDevice& device, const Buffer& from, std::size_t offset, void* to, std::size_t bytes,
                 const InterruptCheck& interrupted = nullptr);

// The queue of one call, and what travels in it beside the call's launches. A driver takes what lies in page-locked
// memory at once, and anything else by way of such memory of its own, waiting for it. Belongs to one thread.
class CallTransfers {
 public:
  CallTransfers(SharedDevice device, std::unique_ptr<Queue> queue)
      : device_(std::move(device)), queue_(std::move(queue)) {}

  Queue& queue() { return *queue_; }

  // For launches to come: none that is under way may use those bytes. The caller's memory is free afterwards, but where
  // the device works on it.
  void send(const Buffer& to, std::size_t offset, const void* from, std::size_t bytes);
  // What launches so far leave; it is there after finish().
  void fetch(const Buffer& from, std::size_t offset, void* to, std::size_t bytes);
  void finish();  // the queue, and all that was to be fetched

 private:
  struct Landing {
    const void* staged;
    void* to;
    std::size_t bytes;
  };
  struct Long {
    const Buffer* from;
    std::size_t offset;
    void* to;
    std::size_t bytes;
  };
  bool by_threads(std::size_t bytes) const;
  void* place(std::size_t bytes);
  void land();

  const SharedDevice device_;
  std::vector<Buffer> blocks_;  // of page-locked memory; the queue is finished before it goes
  std::unique_ptr<Queue> queue_;
  std::size_t block_ = 0, used_ = 0;
  std::vector<Landing> landings_;
  std::vector<Long> long_;
};

}  // namespace openclPort
