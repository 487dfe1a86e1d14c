// logging_device -- a third kind of device, for tests: it computes on the host, says that it has memory of its own, and
// counts what it is asked for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "device/devices.h"

namespace logging_device {

struct Counts {
  std::atomic<std::size_t> launches{0}, written{0}, read{0}, allocated{0}, borrowed{0}, alive{0}, alive_bytes{0};
  std::atomic<std::size_t> writes{0}, reads{0};  // commands
  std::atomic<std::size_t> memory{SIZE_MAX};     // bytes that can be allocated at a time
  void clear() {
    launches = written = read = allocated = borrowed = writes = reads = 0;
    memory = SIZE_MAX;
  }
};

Counts& counts();
openclPort::DeviceInfo& info();  // what the device says of itself; may be changed
openclPort::DeviceKind* kind();

}  // namespace logging_device
