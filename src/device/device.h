// device -- the interface of a device: programs, memory, queues. Engines use devices through it alone.
#pragma once

#include <memory>

#include "base/report.h"
#include "device/buffer.h"
#include "device/device_info.h"
#include "device/program.h"
#include "device/queue.h"
#include "device/unfinished.h"

namespace openclPort {

// One opened device. Thread-safe; what it gives out belongs to one thread, and keeps alive what it needs of the device.
class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceInfo& info() const = 0;
  // What its programs and buffers belong to; another one once the device was reset. They keep it alive.
  virtual const void* identity() const = 0;
  // Built once per process; the report, if there is one, counts builds and what was found.
  virtual SharedProgram program(const ProgramSource& source, RunReport* report) = 0;
  virtual Buffer allocate(ElementType type, std::size_t elements) = 0;
  // Elements of a buffer of the device's own, from byte `first` on, a multiple of kPartBytes. The buffer outlives them.
  virtual Buffer part(const Buffer& whole, ElementType type, std::size_t first, std::size_t elements) = 0;
  static constexpr std::size_t kPartBytes = 1024;
  // The caller's memory for the device to work on, where info().host_memory; else a device may refuse.
  virtual Buffer borrow(ElementType type, void* memory, std::size_t elements, Access access) = 0;
  // Memory of this process through which data travels to and from the device at its best; host() says where it is.
  virtual Buffer stage(std::size_t bytes, Queue& queue) = 0;
  virtual std::unique_ptr<Queue> queue(bool timed = true) = 0;  // timed: its events tell times
  // A kernel on it was left running. True: the device does nothing else until it has ended, and is then taken back;
  // false: it goes on, and the kernel keeps threads of its own, and what it holds for ever.
  virtual bool give_up(Unfinished work) = 0;
};

using SharedDevice = std::shared_ptr<Device>;

// What a report says of a call before its work begins.
inline void begin_report(RunReport& report, const std::string& function, const DeviceInfo& device,
                         std::size_t elements) {
  report.function = function;
  report.device = device.name;
  report.device_type = device.type;
  report.arithmetic = device.arithmetic();
  report.elements = elements;
}

}  // namespace openclPort
