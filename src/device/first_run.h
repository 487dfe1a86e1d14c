// first_run -- a run of a kernel ahead of a call's own, for drivers that compile it at its first run (PoCL does, for
// each size of groups): the caller may be interrupted while they do, and leaves a run that has nothing of his.
//
// Arguments are set as for the call's own launch. Values are taken as they are; memory is other memory of the same
// size, whose bytes are 0. It is a single group that runs, or as many work-items as the driver compiles for otherwise.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/interrupted.h"
#include "device/device.h"

namespace openclPort {

class FirstRun : public Launch {
 public:
  FirstRun(SharedDevice device, std::unique_ptr<Launch> launch);

  const std::string& kernel() const override { return launch_->kernel(); }
  const KernelInfo& info() const override { return launch_->info(); }
  void set_value(unsigned index, const void* value, std::size_t bytes) override {
    launch_->set_value(index, value, bytes);
  }
  void set_buffer(unsigned index, const Buffer& buffer) override { set_memory(index, buffer.bytes()); }
  void set_memory(unsigned index, std::size_t bytes);
  void set_local(unsigned index, std::size_t bytes) override { launch_->set_local(index, bytes); }
  void items(std::size_t count, Cost cost) override { launch_->items(count, cost); }

  // Compiles what `own` is about to run, which is the same kernel with its range. Where `interrupted` says so, the run
  // is left, which the device's next call waits for, and Interrupted thrown.
  static void of(const std::shared_ptr<FirstRun>& run, Launch& own, const InterruptCheck& interrupted);

 private:
  using Memory = std::unique_ptr<void, void (*)(void*)>;

  void start(const Launch& own);
  void wait(const InterruptCheck& interrupted, const std::shared_ptr<FirstRun>& self);

  // Destroyed in reverse order: the queue is finished first.
  const SharedDevice device_;
  std::unique_ptr<Event> event_;
  std::vector<Memory> memory_;
  std::vector<Buffer> buffers_;
  const std::unique_ptr<Launch> launch_;
  std::unique_ptr<Queue> queue_;
  bool possible_ = true;  // there is memory for it
};

// The same where the driver has not compiled `own` yet, whose range is set, and somebody may interrupt. `prepare` sets
// the arguments of a launch of the same kernel.
void compile_ahead(const SharedDevice& device, const Program& program, Launch& own, const InterruptCheck& interrupted,
                   const std::function<void(Launch&)>& prepare);

}  // namespace openclPort
