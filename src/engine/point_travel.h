// point_travel -- what a call at many points sends to its device and fetches from there: through page-locked memory,
// where the device has its own.
#pragma once

#include <memory>
#include <vector>

#include "engine/fused.h"

namespace openclPort {

class PointTravel {
 public:
  // `queue`: its owner's, which is finished before this goes.
  PointTravel(const SharedDevice& device, const std::unique_ptr<Queue>& queue)
      : device_(device), info_(device->info()), queue_(queue) {}

  // Room for `parts` parts of `bytes` bytes all together. What was fetched before has landed.
  void begin(std::size_t bytes, std::size_t parts);
  void send(const Buffer& to, const void* from, std::size_t bytes);
  void fetch(const Buffer& from, std::size_t first_element, void* to, std::size_t bytes);
  void land();  // once the queue is finished

  // By column a buffer with the caller's numbers; an empty one of those that are on the device.
  std::vector<Buffer> columns(const FusedCall& call);

 private:
  unsigned char* place(std::size_t bytes);

  struct Arrival {  // what a read puts into staging memory, and land() copies from there
    void *staged, *to;
    std::size_t bytes;
  };
  const SharedDevice device_;
  const DeviceInfo& info_;
  const std::unique_ptr<Queue>& queue_;
  Buffer staging_;
  std::size_t taken_ = 0;  // bytes of it
  std::vector<Arrival> arrivals_;
};

}  // namespace openclPort
