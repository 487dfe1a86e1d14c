// kernel_call -- KernelCall, and the launch helpers that it shares with the elementwise engine.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include "engine/opencl_kernel_runners.h"
#include "opencl/launch.h"

namespace openclPort {

LaunchShape launch_shape(const KernelInfo& kernel, const DeviceInfo& device, std::size_t items,
                         std::size_t cpu_group) {
  std::size_t group = kernel.required_group[0];
  if (group == 0) {
    group = std::min<std::size_t>(device.type == "gpu" ? 256 : cpu_group, std::max<std::size_t>(kernel.work_group_size, 1));
    const std::size_t multiple = std::max<std::size_t>(kernel.preferred_multiple, 1);
    if (group > multiple) group -= group % multiple;
  }
  return {group, (items + group - 1) / group * group};
}

void set_kernel_argument(cl_kernel kernel, unsigned index, const void* value, std::size_t bytes,
                         const std::string& kernel_name, const DeviceInfo& device) {
  const cl_int status = clSetKernelArg(kernel, index, bytes, value);
  if (status != CL_SUCCESS)
    check_cl(status, "clSetKernelArg", device.name,
             ("setting argument " + std::to_string(index + 1) + " of kernel '" + kernel_name + "'").c_str());
}

void check_argument_count(const KernelInfo& kernel, std::size_t given, const std::string& kernel_name,
                          const DeviceInfo& device) {
  if (kernel.arguments == given) return;
  throw NmathError("kernel '" + kernel_name + "' takes " + std::to_string(kernel.arguments) + " arguments, but " +
                       std::to_string(given) + " are given",
                   "clSetKernelArg", opencl_status_name(CL_INVALID_KERNEL_ARGS),
                   opencl_status_hint(CL_INVALID_KERNEL_ARGS), device.name);
}

double event_seconds(const EventHandle& event) {
  cl_ulong start = 0, end = 0;
  if (!event) return 0.0;
  // Times only inform: a driver that does not tell them must not fail a finished call.
  if (clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr) != CL_SUCCESS ||
      clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr) != CL_SUCCESS)
    return 0.0;
  return end > start ? static_cast<double>(end - start) * 1e-9 : 0.0;
}

void collect_shared(QueueLease& queue, cl_mem buffer, std::size_t bytes, const DeviceInfo& device) {
  cl_int status = CL_SUCCESS;
  void* mapped = clEnqueueMapBuffer(queue.get(), buffer, CL_TRUE, CL_MAP_READ, 0, bytes, 0, nullptr, nullptr, &status);
  check_cl(status, "clEnqueueMapBuffer", device.name, "reading results");
  check_cl(clEnqueueUnmapMemObject(queue.get(), buffer, mapped, 0, nullptr, nullptr), "clEnqueueUnmapMemObject",
           device.name, "reading results");
}

// Thrown by a launch that has to be left behind as it is.
struct EndlessKernel {};

// One run of a KernelCall. Members are destroyed in reverse order: the queue is finished first.
class KernelLaunch {
 public:
  explicit KernelLaunch(const KernelCall& call, const InterruptCheck& interrupted = nullptr)
      : call_(call),
        interrupted_(interrupted),
        device_(call.bundle_.device()),
        session_(call.session_),
        kernel_(call.bundle_.create_kernel(call.kernel_name_)),
        info_(read_kernel_info(kernel_.get(), device_)),
        queue_(session_->queue()) {}

  void run() {
    check_argument_count(info_, call_.arguments_.size(), call_.kernel_name_, device_);
    check_local_memory();
    Stopwatch watch;
    for (const KernelCall::Argument& argument : call_.arguments_) bind(argument);
    queue_.finish();
    double transfer = watch.lap();
    launch();
    wait();
    const double compute = watch.lap();
    for (std::size_t i = 0; i < call_.arguments_.size(); ++i) collect(call_.arguments_[i], buffers_[i]);
    queue_.finish();
    transfer += watch.lap();
    if (call_.report_ != nullptr) {
      call_.report_->transfer += transfer;
      call_.report_->compute += compute;
    }
  }

 private:
  // Without an event nothing was started.
  void wait() {
    if (interrupted_ && started_) {
      check_cl(clFlush(queue_.get()), "clFlush", device_.name);
      Stopwatch watch;
      double waited = 0, asked = 0, stopped = -1;
      while (!ended()) {
        std::this_thread::sleep_for(std::chrono::duration<double>(std::min(waited / 8 + 1e-6, 2e-3)));
        waited += watch.lap();
        if (stopped < 0 && waited - asked > kAskSeconds) {
          asked = waited;
          if (interrupted_()) stopped = waited;
        }
        if (stopped >= 0 && waited - stopped > kGraceSeconds) throw EndlessKernel();
      }
      if (stopped >= 0) throw Interrupted();
    }
    queue_.finish();
  }

  bool ended() const {
    cl_int status = CL_COMPLETE;
    check_cl(clGetEventInfo(started_.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
             "clGetEventInfo", device_.name);
    return status <= CL_COMPLETE;  // below: it failed, which finishing the queue tells
  }

  // Not left to the driver: PoCL aborts the process.
  void check_local_memory() const {
    std::uint64_t needed = info_.local_mem;
    for (const KernelCall::Argument& argument : call_.arguments_)
      if (argument.kind == KernelCall::Argument::Kind::local) needed += argument.bytes;
    if (needed > device_.local_mem)
      throw NmathError("kernel '" + call_.kernel_name_ + "' needs " + std::to_string(needed) +
                           " bytes of local memory, the device has " + std::to_string(device_.local_mem),
                       "clEnqueueNDRangeKernel", "", "Use smaller work-groups or tiles.", device_.name);
  }

  bool shared(const KernelCall::Argument& argument) const { return device_.host_memory && argument.bytes > 0; }

  // The same vector may be given twice, but no two buffers may lie over the same host memory.
  cl_mem known_buffer(const KernelCall::Argument& argument) const {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const KernelCall::Argument& earlier = call_.arguments_[i];
      if (argument.kind == KernelCall::Argument::Kind::input && earlier.kind == argument.kind && argument.bytes > 0 &&
          earlier.data == argument.data && earlier.bytes == argument.bytes)
        return memory_[i];
    }
    return nullptr;
  }

  void bind(const KernelCall::Argument& argument) {
    using Kind = KernelCall::Argument::Kind;
    const unsigned index = static_cast<unsigned>(buffers_.size());
    DeviceBuffer buffer;
    cl_mem memory = known_buffer(argument);
    if (memory == nullptr && (argument.kind == Kind::input || argument.kind == Kind::output)) {
      buffer = make_buffer(argument);
      memory = buffer.get();
    }
    buffers_.push_back(std::move(buffer));
    memory_.push_back(memory);
    const bool by_value = argument.kind == Kind::value || argument.kind == Kind::local;
    const void* value = argument.kind == Kind::value   ? argument.scalar.data()
                        : argument.kind == Kind::local ? nullptr
                                                       : static_cast<const void*>(&memory);
    set_kernel_argument(kernel_.get(), index, value, by_value ? argument.bytes : sizeof memory, call_.kernel_name_,
                        device_);
  }

  DeviceBuffer make_buffer(const KernelCall::Argument& argument) {
    if (argument.bytes > device_.max_alloc)
      throw NmathError("argument '" + argument.name + "' of kernel '" + call_.kernel_name_ + "' has " +
                           std::to_string(argument.bytes) + " bytes, the device allows " +
                           std::to_string(device_.max_alloc) + " in one buffer",
                       "clCreateBuffer", "", "Split the call into smaller ones, or use device = \"host\".",
                       device_.name);
    const bool input = argument.kind == KernelCall::Argument::Kind::input;
    if (shared(argument))
      return session_->host_buffer(argument.data, argument.bytes, input ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY);
    DeviceBuffer buffer = session_->buffer(std::max<std::size_t>(argument.bytes, 1));
    if (input && argument.bytes > 0)
      check_cl(clEnqueueWriteBuffer(queue_.get(), buffer.get(), CL_FALSE, 0, argument.bytes, argument.data, 0, nullptr,
                                    nullptr),
               "clEnqueueWriteBuffer", device_.name, "copying arguments to the device");
    return buffer;
  }

  void launch() {
    std::vector<std::size_t> global = call_.global_, group = call_.group_;
    if (global.empty()) throw NmathError("no range was given", "clEnqueueNDRangeKernel", "", "", device_.name);
    if (std::find(global.begin(), global.end(), std::size_t{0}) != global.end()) return;  // nothing to do
    if (call_.rounded_) {
      const LaunchShape shape = launch_shape(info_, device_, global[0]);
      global = {shape.global};
      group = {shape.group};
    }
    const cl_int status =
        clEnqueueNDRangeKernel(queue_.get(), kernel_.get(), static_cast<cl_uint>(global.size()), nullptr, global.data(),
                               group.empty() ? nullptr : group.data(), 0, nullptr,
                               interrupted_ ? started_.receive() : nullptr);
    if (status != CL_SUCCESS)
      check_cl(status, "clEnqueueNDRangeKernel", device_.name,
               ("starting kernel '" + call_.kernel_name_ + "'").c_str());
  }

  void collect(const KernelCall::Argument& argument, const DeviceBuffer& buffer) {
    if (argument.kind != KernelCall::Argument::Kind::output || argument.bytes == 0) return;
    if (shared(argument)) {
      collect_shared(queue_, buffer.get(), argument.bytes, device_);
      return;
    }
    check_cl(clEnqueueReadBuffer(queue_.get(), buffer.get(), CL_FALSE, 0, argument.bytes, argument.data, 0, nullptr,
                                 nullptr),
             "clEnqueueReadBuffer", device_.name, "reading results");
  }

  static constexpr double kAskSeconds = 0.05, kGraceSeconds = 0.5;

  const KernelCall& call_;
  const InterruptCheck interrupted_;
  const DeviceInfo& device_;
  std::shared_ptr<Session> session_;
  EventHandle started_;
  KernelHandle kernel_;
  KernelInfo info_;
  std::vector<DeviceBuffer> buffers_;  // one per argument, empty where it needs none or shares an earlier one's
  std::vector<cl_mem> memory_;         // what each argument was set to
  QueueLease queue_;
};

KernelCall::KernelCall(const KernelBundle& executable, const std::string& kernel_name, RunReport* report)
    : KernelCall(session_for(executable.device()), executable, kernel_name, report) {
  if (session_->where() != executable.where())
    throw NmathError("the bundle of kernel '" + kernel_name + "' was built before its device was reset", "KernelCall",
                     "", "Build it again.", executable.device().name);
}

KernelCall::KernelCall(const DeviceInfo& device, const std::string& program_text, const std::string& kernel_name,
                       const std::string& options, RunReport* report)
    : session_(session_for(device)),
      bundle_(session_->program(program_text, options, report)),
      kernel_name_(kernel_name),
      report_(report) {}

KernelCall::KernelCall(const DeviceInfo& device, const std::string& key, const ProgramText& program_text,
                       const std::string& kernel_name, const std::string& options, RunReport* report)
    : session_(session_for(device)),
      bundle_(session_->program(key, program_text, options, report)),
      kernel_name_(kernel_name),
      report_(report) {}

void KernelCall::run() {
  enter_opencl("KernelCall");
  Stopwatch watch;
  KernelLaunch(*this).run();
  finish_report(watch.lap());
}

void KernelCall::run_interruptible(const InterruptCheck& interrupted, std::shared_ptr<void> data) {
  enter_opencl("KernelCall");
  Stopwatch watch;
  auto launch = std::make_unique<KernelLaunch>(*this, interrupted);
  try {
    launch->run();
  } catch (const EndlessKernel&) {
    // Neither the launch, its queue and buffers nor the memory of the arguments may go: the kernel may be using them.
    launch.release();
    new std::shared_ptr<void>(std::move(data));
    new std::shared_ptr<Session>(session_);
    give_up_device(bundle_.device());
    throw DeviceGivenUp("kernel '" + kernel_name_ + "' was interrupted and does not end; its device is not used any more in "
                     "this session of R",
                     "KernelCall", "",
                     "OpenCL cannot stop a kernel. Other devices go on; restart R to use this one again.",
                     bundle_.device().name);
  }
  finish_report(watch.lap());
}

void KernelCall::finish_report(double seconds) {
  if (report_ == nullptr) return;
  report_->device = bundle_.device().name;
  report_->device_type = bundle_.device().type;
  ++report_->chunks;
  report_->total += seconds;
}

KernelCall::KernelCall(std::shared_ptr<Session> session, const KernelBundle& executable, const std::string& kernel_name,
                       RunReport* report)
    : session_(std::move(session)), bundle_(executable), kernel_name_(kernel_name), report_(report) {}

KernelCall& KernelCall::add(Argument::Kind kind, const std::string& name, const void* data, std::size_t bytes) {
  const bool buffer = kind == Argument::Kind::input || kind == Argument::Kind::output;
  if (buffer && data == nullptr && bytes > 0)
    throw NmathError("argument '" + name + "' of kernel '" + kernel_name_ + "' has no data", "KernelCall");
  arguments_.push_back({kind, name, const_cast<void*>(data), bytes, {}});
  return *this;
}

KernelCall& KernelCall::add_scalar(const std::string& name, const void* value, std::size_t bytes) {
  add(Argument::Kind::value, name, nullptr, bytes);
  std::memcpy(arguments_.back().scalar.data(), value, bytes);
  return *this;
}

KernelCall& KernelCall::input(const std::string& name, const double* data, std::size_t length) {
  return add(Argument::Kind::input, name, data, length * sizeof(double));
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
  return add(Argument::Kind::output, name, data, length * sizeof(double));
}
KernelCall& KernelCall::value(const std::string& name, int value) { return add_scalar(name, &value, sizeof value); }
KernelCall& KernelCall::value(const std::string& name, std::int64_t value) {
  return add_scalar(name, &value, sizeof value);
}
KernelCall& KernelCall::value(const std::string& name, double value) { return add_scalar(name, &value, sizeof value); }
KernelCall& KernelCall::input_bytes(const std::string& name, const void* data, std::size_t bytes) {
  return add(Argument::Kind::input, name, data, bytes);
}
KernelCall& KernelCall::output_bytes(const std::string& name, void* data, std::size_t bytes) {
  return add(Argument::Kind::output, name, data, bytes);
}
KernelCall& KernelCall::value_bytes(const std::string& name, const void* value, std::size_t bytes) {
  return add_scalar(name, value, bytes);
}
KernelCall& KernelCall::local(const std::string& name, std::size_t bytes) {
  return add(Argument::Kind::local, name, nullptr, bytes);
}

KernelCall& KernelCall::items(std::size_t count) {
  global_ = {count};
  group_.clear();
  rounded_ = true;
  return *this;
}

KernelCall& KernelCall::nd_range(const std::vector<std::size_t>& global, const std::vector<std::size_t>& group) {
  if (global.empty() || global.size() > 3 || (!group.empty() && group.size() != global.size()))
    throw NmathError("the range of kernel '" + kernel_name_ + "' has " + std::to_string(global.size()) +
                         " dimensions and its group " + std::to_string(group.size()) +
                         "; one to three are possible, the same for both",
                     "KernelCall");
  global_ = global;
  group_ = group;
  rounded_ = false;
  return *this;
}

}  // namespace openclPort
