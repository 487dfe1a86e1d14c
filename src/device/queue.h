// queue -- the commands of one call to a device, in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "device/buffer.h"
#include "device/launch.h"

namespace openclPort {

// A command on its way. Times in nanoseconds of the device's own clock, 0 where it tells none; they only inform.
class Event {
 public:
  virtual ~Event() = default;
  virtual bool ended() const = 0;
  virtual bool begun() const { return true; }  // false: the driver prepares it still (some compile kernels here)
  virtual void stop() {}                       // nobody waits for its results any more: it may end early, if it can
  virtual std::uint64_t start() const = 0;
  virtual std::uint64_t end() const = 0;
};

// From the start of one finished command to the end of another; 0 where the device tells no times.
inline double seconds_between(const Event& first, const Event& last) {
  const std::uint64_t start = first.start(), end = last.end();
  return start != 0 && end > start ? static_cast<double>(end - start) * 1e-9 : 0.0;
}

// The time in which one or several of a device's finished commands ran: those of two queues overlap.
class BusyTime {
 public:
  // The seconds that this command adds; commands come in the order in which they began, or nearly so.
  double add(const Event& command) {
    const std::uint64_t start = std::max(command.start(), end_), end = command.end();
    if (command.start() == 0 || end <= start) return 0.0;
    end_ = end;
    return static_cast<double>(end - start) * 1e-9;
  }

 private:
  std::uint64_t end_ = 0;
};

// Belongs to one thread. Whatever way a call ends, the queue is finished before it goes, and so before buffers and
// memory that were declared ahead of it.
class Queue {
 public:
  using EventSlot = std::unique_ptr<Event>*;  // where a command leaves its event, if it is wanted

  virtual ~Queue() = default;
  // `bytes` from or to byte `offset` of the buffer. The caller's memory must live until the queue is finished.
  virtual void write(const Buffer& to, std::size_t offset, const void* from, std::size_t bytes,
                     EventSlot event = nullptr) = 0;
  virtual void read(const Buffer& from, std::size_t offset, void* to, std::size_t bytes, EventSlot event = nullptr) = 0;
  virtual void run(const Launch& launch, EventSlot event = nullptr) = 0;
  // What the device wrote into borrowed memory is the caller's to see once the queue is finished.
  virtual void publish(const Buffer& borrowed) = 0;
  virtual void flush() = 0;   // commands so far are on their way
  virtual void finish() = 0;  // they are over
  // The seconds of launches without events that were over when run() returned, since this was asked last.
  virtual double take_run_seconds() { return 0.0; }
};

}  // namespace openclPort
