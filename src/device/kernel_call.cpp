// kernel_call -- arguments to a device, a launch, results back.
#include "device/kernel_call.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/apart.h"
#include "base/sizes.h"
#include "base/stopwatch.h"
#include "device/first_run.h"
#include "device/pair_device.h"

namespace openclPort {

namespace {

// Thrown by a run that has to be left behind as it is.
struct LeftRunning {
  bool begun;
};

// What a driver says of a command; where it fails, `otherwise`.
template <typename Ask>
bool answer_of(const Ask& ask, bool otherwise) {
  try {
    return ask();
  } catch (const NmathError&) {
    return otherwise;
  }
}

constexpr double kAskSeconds = 0.05, kGraceSeconds = 0.5;

}  // namespace

// One run of a KernelCall. Members are destroyed in reverse order: the queue is finished first.
class KernelRun {
 public:
  explicit KernelRun(const KernelCall& call, const InterruptCheck& interrupted = nullptr)
      : call_(call),
        interrupted_(interrupted),
        device_(call.device_),
        info_(device_->info()),
        launch_(call.program_->launch(call.kernel_name_)),
        queue_(device_->queue()) {}

  void run() {
    stop_if(interrupted_);  // while the program was built, say
    launch_->check_arguments(call_.arguments_.size(), info_.name);
    check_local_memory();
    check_range();
    Stopwatch watch;
    buffers_.reserve(call_.arguments_.size());
    for (const KernelCall::Argument& argument : call_.arguments_) bind(argument);
    queue_->finish();
    double transfer = watch.lap();
    start();
    wait();
    const double compute = watch.lap();
    for (std::size_t i = 0; i < call_.arguments_.size(); ++i) collect(call_.arguments_[i], buffers_[i]);
    queue_->finish();
    transfer += watch.lap();
    if (call_.report_ != nullptr) {
      call_.report_->transfer += transfer;
      call_.report_->compute += compute;
    }
  }

  // Of a run that was left behind.
  bool begun() const { return started_->begun(); }
  bool ended() const { return started_->ended(); }

 private:
  using Kind = KernelCall::Argument::Kind;

  // Without an event nothing was started.
  void wait() {
    if (interrupted_ && started_ != nullptr) {
      queue_->flush();
      Stopwatch watch;
      const OwnInterrupts own;
      double waited = 0, asked = 0, stopped = -1;
      while (!started_->ended()) {
        std::this_thread::sleep_for(std::chrono::duration<double>(std::min(waited / 8 + 1e-6, 2e-3)));
        waited += watch.lap();
        if (stopped < 0 && waited - asked > kAskSeconds) {
          asked = waited;
          own.restore();
          if (interrupted_()) {
            stopped = waited;
            started_->stop();
          }
        }
        // What the driver compiles may take any time, and what it has not begun need not be waited for here.
        if (stopped >= 0 && !started_->begun()) throw LeftRunning{false};
        if (stopped >= 0 && waited - stopped > kGraceSeconds) throw LeftRunning{true};
      }
      if (stopped >= 0) throw Interrupted();
    }
    queue_->finish();
  }

  // Not left to the driver: some abort the process.
  void check_local_memory() const {
    std::uint64_t needed = launch_->info().local_mem;
    for (const KernelCall::Argument& argument : call_.arguments_)
      if (argument.kind == Kind::local) needed += std::min<std::uint64_t>(argument.bytes, info_.local_mem + 1);
    if (needed > info_.local_mem)
      throw NmathError("kernel '" + call_.kernel_name_ + "' needs " + std::to_string(needed) +
                           " bytes of local memory, the device has " + std::to_string(info_.local_mem),
                       "clEnqueueNDRangeKernel", "", "Use smaller work-groups or tiles.", info_.name);
  }

  // Nor this: some compute nothing, divide by 0 or write where they must not.
  void check_range() const {
    const Range& range = call_.range_;
    std::size_t items = 1, group = 1;
    for (int d = 0; d < range.dimensions; ++d) {
      const std::size_t k = static_cast<std::size_t>(d);
      items =
          product_of_sizes(items, range.global[k], "the number of work-items of kernel '" + call_.kernel_name_ + "'");
      group = product_of_sizes(group, std::max<std::size_t>(range.group[k], 1), "the size of its groups");
      if (info_.max_work_items[k] > 0 && range.group[k] > info_.max_work_items[k])
        refuse_group(std::to_string(range.group[k]) + " work-items in dimension " + std::to_string(d + 1),
                     info_.max_work_items[k]);
    }
    const std::size_t of_kernel = launch_->info().work_group_size, of_device = info_.max_work_group;
    const std::size_t most = of_kernel == 0 || (of_device > 0 && of_device < of_kernel) ? of_device : of_kernel;
    if (most > 0 && group > most) refuse_group(std::to_string(group) + " work-items", most);
  }

  [[noreturn]] void refuse_group(const std::string& what, std::size_t most) const {
    throw NmathError(
        "kernel '" + call_.kernel_name_ + "': a group of " + what + " is more than " + std::to_string(most),
        "clEnqueueNDRangeKernel", "CL_INVALID_WORK_GROUP_SIZE", "Use smaller groups.", info_.name);
  }

  bool shared(const KernelCall::Argument& argument) const { return info_.host_memory && argument.bytes > 0; }

  // The same vector may be given twice, but no two buffers may lie over the same memory.
  const Buffer* known_buffer(const KernelCall::Argument& argument) const {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const KernelCall::Argument& earlier = call_.arguments_[i];
      if (argument.kind == Kind::input && earlier.kind == argument.kind && argument.bytes > 0 && buffers_[i] &&
          earlier.data == argument.data && earlier.bytes == argument.bytes)
        return &buffers_[i];
    }
    return nullptr;
  }

  void bind(const KernelCall::Argument& argument) {
    const unsigned index = static_cast<unsigned>(buffers_.size());
    Buffer buffer;
    if (argument.kind == Kind::value) {
      launch_->set_value(index, argument.scalar.data(), argument.bytes);
    } else if (argument.kind == Kind::local) {
      launch_->set_local(index, argument.bytes);
    } else if (argument.kind == Kind::memory) {
      launch_->set_buffer(index, *argument.buffer);
    } else if (const Buffer* known = known_buffer(argument)) {
      launch_->set_buffer(index, *known);
    } else {
      buffer = make_buffer(argument);
      launch_->set_buffer(index, buffer);
    }
    buffers_.push_back(std::move(buffer));
  }

  Buffer make_buffer(const KernelCall::Argument& argument) {
    if (argument.bytes > info_.max_alloc)
      throw NmathError("argument '" + argument.name + "' of kernel '" + call_.kernel_name_ + "' has " +
                           std::to_string(argument.bytes) + " bytes, the device allows " +
                           std::to_string(info_.max_alloc) + " in one buffer",
                       "clCreateBuffer", "", "Split the call into smaller ones, or use device = \"host\".", info_.name);
    const Access access = argument.kind == Kind::input    ? Access::read
                          : argument.kind == Kind::output ? Access::write
                                                          : Access::both;
    if (shared(argument)) return device_->borrow(ElementType::bytes, argument.data, argument.bytes, access);
    const std::size_t item = element_bytes(argument.type);
    Buffer buffer = device_->allocate(argument.type, std::max<std::size_t>((argument.bytes + item - 1) / item, 1));
    if (access != Access::write && argument.bytes > 0) queue_->write(buffer, 0, argument.data, argument.bytes);
    return buffer;
  }

  void start() {
    const Range& range = call_.range_;
    if (range.dimensions == 0) throw NmathError("no range was given", "clEnqueueNDRangeKernel", "", "", info_.name);
    if (std::find(range.global.begin(), range.global.end(), std::size_t{0}) != range.global.end())
      return;  // nothing to do
    if (call_.rounded_)
      launch_->items(range.global[0]);
    else
      launch_->range(range);
    if (call_.ahead_ && !launch_->compiled() && user_listens()) compile_ahead();
    queue_->run(*launch_, interrupted_ ? &started_ : nullptr);
  }

  // Of one group, or few, on zeros: what a run that waits until it has ended waits for most.
  void compile_ahead() {
    const auto first = std::make_shared<FirstRun>(device_, call_.program_->launch(call_.kernel_name_));
    unsigned index = 0;
    for (const KernelCall::Argument& argument : call_.arguments_) {
      if (argument.kind == Kind::value)
        first->set_value(index, argument.scalar.data(), argument.bytes);
      else if (argument.kind == Kind::local)
        first->set_local(index, argument.bytes);
      else
        first->set_memory(index, argument.kind == Kind::memory ? argument.buffer->bytes() : argument.bytes);
      ++index;
    }
    FirstRun::of(first, *launch_, user_interrupts);
  }

  void collect(const KernelCall::Argument& argument, const Buffer& buffer) {
    if ((argument.kind != Kind::output && argument.kind != Kind::changed) || argument.bytes == 0) return;
    if (shared(argument))
      queue_->publish(buffer);
    else
      queue_->read(buffer, 0, argument.data, argument.bytes);
  }

  const KernelCall& call_;
  const InterruptCheck interrupted_;
  const SharedDevice device_;
  const DeviceInfo& info_;
  std::unique_ptr<Event> started_;
  const std::unique_ptr<Launch> launch_;
  std::vector<Buffer> buffers_;  // one per argument, empty where it needs none or shares an earlier one's
  const std::unique_ptr<Queue> queue_;
};

KernelCall::KernelCall(SharedDevice device, const ProgramSource& source, const std::string& kernel_name,
                       RunReport* report)
    : device_(std::move(device)),
      program_(device_->program(source, report)),
      kernel_name_(kernel_name),
      report_(report) {}

KernelCall::KernelCall(SharedDevice device, SharedProgram program, const std::string& kernel_name, RunReport* report)
    : device_(std::move(device)), program_(std::move(program)), kernel_name_(kernel_name), report_(report) {}

void KernelCall::run() {
  Stopwatch watch;
  KernelRun(*this).run();
  finish_report(watch.lap());
}

void KernelCall::run_interruptible(const InterruptCheck& interrupted, std::shared_ptr<void> data) {
  Stopwatch watch;
  // Whatever the run refers to goes with it where it is left behind: this call may be gone by then.
  const auto own = std::make_shared<KernelCall>(*this);
  auto run = std::make_shared<KernelRun>(*own, interrupted);
  try {
    run->run();
  } catch (const LeftRunning& left) {
    // Neither the run, its queue and buffers nor the memory of the arguments may go: the kernel may be using them.
    struct Held {
      std::shared_ptr<KernelCall> call;
      std::shared_ptr<void> data;
      SharedDevice device;
      std::shared_ptr<KernelRun> run;  // the first to go
    };
    const auto held = std::make_shared<Held>(Held{own, std::move(data), device_, run});
    KernelRun* const command = run.get();
    const bool stays =
        device_->give_up({kernel_name_, [command] { return answer_of([&] { return command->begun(); }, true); },
                          [command] { return answer_of([&] { return command->ended(); }, false); }, held});
    if (!stays) new std::shared_ptr<void>(held);
    if (stays && !left.begun) throw KernelLeft();
    const std::string what = "kernel '" + kernel_name_ + "' was interrupted and does not end; ";
    if (stays)
      throw DeviceGivenUp(what + "its device is not used until it has ended", "KernelCall", "",
                          "OpenCL cannot stop a kernel. Other devices go on. The device is used again once the kernel "
                          "has ended; nmathopencl_opencl_reset_device_selection() tries it before, and where the "
                          "kernel never ends only a new session of R may help.",
                          device_->info().name);
    throw DeviceGivenUp(
        what + "it keeps threads of this session of R", "KernelCall", "",
        "Nothing can stop a kernel. The device goes on, with less of the processor; restart R to end it.",
        device_->info().name);
  }
  finish_report(watch.lap());
}

void KernelCall::finish_report(double seconds) {
  if (report_ == nullptr) return;
  report_->device = device_->info().name;
  report_->device_type = device_->info().type;
  report_->arithmetic = device_->info().arithmetic();
  ++report_->chunks;
  report_->total += seconds;
}

KernelCall& KernelCall::add(Argument::Kind kind, const std::string& name, const void* data, std::size_t bytes,
                            ElementType type) {
  const bool travels =
      kind == Argument::Kind::input || kind == Argument::Kind::output || kind == Argument::Kind::changed;
  if (travels && data == nullptr && bytes > 0)
    throw NmathError("argument '" + name + "' of kernel '" + kernel_name_ + "' has no data", "KernelCall");
  arguments_.push_back({kind, name, const_cast<void*>(data), bytes, {}, nullptr, type});
  return *this;
}

KernelCall& KernelCall::add_scalar(const std::string& name, const void* value, std::size_t bytes) {
  add(Argument::Kind::value, name, nullptr, bytes);
  std::memcpy(arguments_.back().scalar.data(), value, bytes);
  return *this;
}

KernelCall& KernelCall::input(const std::string& name, const double* data, std::size_t length) {
  return add(Argument::Kind::input, name, data, length * sizeof(double), ElementType::f64);
}
KernelCall& KernelCall::input(const std::string& name, const int* data, std::size_t length) {
  return add(Argument::Kind::input, name, data, length * sizeof(int));
}
KernelCall& KernelCall::input(const std::string& name, const std::vector<double>& data) {
  return input(name, data.data(), data.size());
}
KernelCall& KernelCall::input(const std::string& name, const std::vector<int>& data) {
  return input(name, data.data(), data.size());
}
KernelCall& KernelCall::output(const std::string& name, double* data, std::size_t length) {
  return add(Argument::Kind::output, name, data, length * sizeof(double), ElementType::f64);
}
KernelCall& KernelCall::value(const std::string& name, int value) { return add_scalar(name, &value, sizeof value); }
KernelCall& KernelCall::value(const std::string& name, std::int64_t value) {
  return add_scalar(name, &value, sizeof value);
}
KernelCall& KernelCall::value(const std::string& name, double value) {
  check_pair_number(device_->info(), value);
  return add_scalar(name, &value, sizeof value);
}
KernelCall& KernelCall::input_bytes(const std::string& name, const void* data, std::size_t bytes, ElementType type) {
  return add(Argument::Kind::input, name, data, bytes, type);
}
KernelCall& KernelCall::output_bytes(const std::string& name, void* data, std::size_t bytes, ElementType type) {
  return add(Argument::Kind::output, name, data, bytes, type);
}
KernelCall& KernelCall::changed_bytes(const std::string& name, void* data, std::size_t bytes, ElementType type) {
  return add(Argument::Kind::changed, name, data, bytes, type);
}
KernelCall& KernelCall::value_bytes(const std::string& name, const void* value, std::size_t bytes) {
  return add_scalar(name, value, bytes);
}
KernelCall& KernelCall::memory(const std::string& name, const Buffer& buffer) {
  add(Argument::Kind::memory, name, nullptr, 0);
  arguments_.back().buffer = &buffer;
  return *this;
}
KernelCall& KernelCall::local(const std::string& name, std::size_t bytes) {
  return add(Argument::Kind::local, name, nullptr, bytes);
}

KernelCall& KernelCall::compile_ahead() {
  ahead_ = true;
  return *this;
}

KernelCall& KernelCall::items(std::size_t count) {
  range_ = range_of({count});
  rounded_ = true;
  return *this;
}

KernelCall& KernelCall::nd_range(const std::vector<std::size_t>& global, const std::vector<std::size_t>& group) {
  if (global.empty() || global.size() > 3 || (!group.empty() && group.size() != global.size()))
    throw NmathError("the range of kernel '" + kernel_name_ + "' has " + std::to_string(global.size()) +
                         " dimensions and its group " + std::to_string(group.size()) +
                         "; one to three are possible, the same for both",
                     "KernelCall");
  range_ = range_of(global, group);
  rounded_ = false;
  return *this;
}

}  // namespace openclPort
