// opencl_device -- an OpenCL session behind the interface of a device: buffers, launches, queues, events.
#include "opencl/opencl_device.h"

#include <algorithm>

#include "opencl/session.h"

namespace openclPort {

namespace {

class OpenCLMemory : public Buffer::Memory {
 public:
  explicit OpenCLMemory(DeviceBuffer buffer) : buffer_(std::move(buffer)) {}
  cl_mem get() const { return buffer_.get(); }

 private:
  DeviceBuffer buffer_;
};

class OpenCLStaging : public Buffer::Memory {
 public:
  explicit OpenCLStaging(Staging staging) : staging_(std::move(staging)) {}
  void* data() const { return staging_.data(); }

 private:
  Staging staging_;
};

cl_mem handle_of(const Buffer& buffer) {
  return buffer.memory() == nullptr ? nullptr : static_cast<const OpenCLMemory*>(buffer.memory())->get();
}

class OpenCLEvent : public Event {
 public:
  OpenCLEvent(EventHandle event, const DeviceInfo& device) : event_(std::move(event)), device_(device.name) {}

  bool ended() const override {
    cl_int status = CL_COMPLETE;
    check_cl(clGetEventInfo(event_.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
             "clGetEventInfo", device_);
    return status <= CL_COMPLETE;  // below: it failed, which finishing the queue tells
  }
  std::uint64_t start() const override { return time(CL_PROFILING_COMMAND_START); }
  std::uint64_t end() const override { return time(CL_PROFILING_COMMAND_END); }

 private:
  // A driver that does not tell times must not fail a finished call.
  std::uint64_t time(cl_profiling_info which) const {
    cl_ulong value = 0;
    return clGetEventProfilingInfo(event_.get(), which, sizeof value, &value, nullptr) == CL_SUCCESS ? value : 0;
  }

  const EventHandle event_;
  const std::string device_;
};

class OpenCLLaunch : public Launch {
 public:
  OpenCLLaunch(KernelHandle handle, const std::string& kernel, const DeviceInfo& device)
      : kernel_(kernel), device_(device), handle_(std::move(handle)), info_(read_kernel_info(handle_.get(), device)) {}

  const std::string& kernel() const override { return kernel_; }
  const KernelInfo& info() const override { return info_; }
  cl_kernel get() const { return handle_.get(); }

  void set_value(unsigned index, const void* value, std::size_t bytes) override { set_argument(index, value, bytes); }
  void set_buffer(unsigned index, const Buffer& buffer) override {
    const cl_mem memory = handle_of(buffer);
    set_argument(index, &memory, sizeof memory);
  }
  void set_local(unsigned index, std::size_t bytes) override { set_argument(index, nullptr, bytes); }

  // Groups are of one size per device and kernel: a size that varied with the number of items would make PoCL compile
  // the kernel anew for each. A group is computed by one core of a CPU: those of costly functions are small.
  void items(std::size_t count, Cost cost) override {
    static constexpr std::size_t cpu_groups[] = {64, 64, 8, 1};
    std::size_t group = info_.required_group[0];
    if (group == 0) {
      const std::size_t suits = device_.type == "gpu" ? 256 : cpu_groups[static_cast<int>(cost)];
      group = std::min(suits, std::max<std::size_t>(info_.work_group_size, 1));
      const std::size_t multiple = std::max<std::size_t>(info_.preferred_multiple, 1);
      if (group > multiple) group -= group % multiple;
    }
    range_ = Range();
    range_.dimensions = 1;
    range_.group[0] = group;
    range_.global[0] = (count + group - 1) / group * group;
  }

 private:
  void set_argument(unsigned index, const void* value, std::size_t bytes) {
    const cl_int status = clSetKernelArg(handle_.get(), index, bytes, value);
    if (status != CL_SUCCESS)
      check_cl(status, "clSetKernelArg", device_.name,
               ("setting argument " + std::to_string(index + 1) + " of kernel '" + kernel_ + "'").c_str());
  }

  const std::string kernel_;
  const DeviceInfo device_;
  const KernelHandle handle_;
  const KernelInfo info_;
};

class OpenCLProgram : public Program {
 public:
  explicit OpenCLProgram(const KernelBundle& bundle) : bundle_(bundle) {}

  std::unique_ptr<Launch> launch(const std::string& kernel) const override {
    return std::make_unique<OpenCLLaunch>(bundle_.create_kernel(kernel), kernel, bundle_.device());
  }
  KernelInfo kernel_info(const std::string& kernel) const override { return bundle_.kernel_info(kernel); }
  KernelSignature signature(const std::string& kernel) const override { return bundle_.signature(kernel); }

 private:
  const KernelBundle bundle_;
};

class OpenCLQueue : public Queue {
 public:
  OpenCLQueue(QueueLease lease, std::shared_ptr<Session> session)
      : session_(std::move(session)), lease_(std::move(lease)) {}

  void write(const Buffer& to, std::size_t offset, const void* from, std::size_t bytes, EventSlot event) override {
    EventHandle handle;
    check_cl(clEnqueueWriteBuffer(lease_.get(), handle_of(to), CL_FALSE, offset, bytes, from, 0, nullptr,
                                  place(handle, event)),
             "clEnqueueWriteBuffer", device().name, "copying arguments to the device");
    keep(std::move(handle), event);
  }

  void read(const Buffer& from, std::size_t offset, void* to, std::size_t bytes, EventSlot event) override {
    EventHandle handle;
    check_cl(clEnqueueReadBuffer(lease_.get(), handle_of(from), CL_FALSE, offset, bytes, to, 0, nullptr,
                                 place(handle, event)),
             "clEnqueueReadBuffer", device().name, "reading results");
    keep(std::move(handle), event);
  }

  void run(const Launch& launch, EventSlot event) override {
    const Range& range = launch.range();
    EventHandle handle;
    const cl_int status = clEnqueueNDRangeKernel(
        lease_.get(), static_cast<const OpenCLLaunch&>(launch).get(), static_cast<cl_uint>(range.dimensions), nullptr,
        range.global.data(), range.group[0] == 0 ? nullptr : range.group.data(), 0, nullptr, place(handle, event));
    if (status != CL_SUCCESS)
      check_cl(status, "clEnqueueNDRangeKernel", device().name, ("starting kernel '" + launch.kernel() + "'").c_str());
    keep(std::move(handle), event);
  }

  void publish(const Buffer& borrowed) override {
    cl_int status = CL_SUCCESS;
    const cl_mem memory = handle_of(borrowed);
    void* mapped = clEnqueueMapBuffer(lease_.get(), memory, CL_TRUE, CL_MAP_READ, 0, borrowed.bytes(), 0, nullptr,
                                      nullptr, &status);
    check_cl(status, "clEnqueueMapBuffer", device().name, "reading results");
    check_cl(clEnqueueUnmapMemObject(lease_.get(), memory, mapped, 0, nullptr, nullptr), "clEnqueueUnmapMemObject",
             device().name, "reading results");
  }

  void flush() override { check_cl(clFlush(lease_.get()), "clFlush", device().name); }
  void finish() override { lease_.finish(); }
  cl_command_queue get() const { return lease_.get(); }

 private:
  const DeviceInfo& device() const { return session_->device(); }
  static cl_event* place(EventHandle& handle, EventSlot event) { return event == nullptr ? nullptr : handle.receive(); }
  void keep(EventHandle handle, EventSlot event) const {
    if (event != nullptr) *event = std::make_unique<OpenCLEvent>(std::move(handle), device());
  }

  const std::shared_ptr<Session> session_;
  QueueLease lease_;
};

class OpenCLDevice : public Device {
 public:
  explicit OpenCLDevice(std::shared_ptr<Session> session) : session_(std::move(session)) {}

  const DeviceInfo& info() const override { return session_->device(); }

  SharedProgram program(const ProgramSource& source, RunReport* report) override {
    enter_opencl("program");
    return std::make_shared<const OpenCLProgram>(
        source.name.empty() ? session_->program(source.text(), source.options, report)
                            : session_->program(source.name, source.text, source.options, report));
  }

  Buffer allocate(ElementType type, std::size_t elements) override {
    return own(session_->buffer(elements * element_bytes(type)), type, elements, nullptr);
  }

  Buffer borrow(ElementType type, void* memory, std::size_t elements, Access access) override {
    const cl_mem_flags flags = access == Access::read    ? CL_MEM_READ_ONLY
                               : access == Access::write ? CL_MEM_WRITE_ONLY
                                                         : CL_MEM_READ_WRITE;
    return own(session_->host_buffer(memory, elements * element_bytes(type), flags), type, elements, memory);
  }

  Buffer stage(std::size_t bytes, Queue& queue) override {
    auto staging = std::make_unique<OpenCLStaging>(session_->staging(bytes, static_cast<OpenCLQueue&>(queue).get()));
    void* const data = staging->data();
    return Buffer(std::move(staging), ElementType::bytes, bytes, data, false);
  }

  std::unique_ptr<Queue> queue(bool timed) override {
    enter_opencl("queue");
    return std::make_unique<OpenCLQueue>(session_->queue(timed), session_);
  }

  bool give_up() override {
    new std::shared_ptr<Session>(session_);  // outlives everything: the kernel is in its context
    give_up_device(info());
    return true;
  }

 private:
  static Buffer own(DeviceBuffer buffer, ElementType type, std::size_t elements, void* borrowed) {
    return Buffer(std::make_unique<OpenCLMemory>(std::move(buffer)), type, elements, borrowed, borrowed != nullptr);
  }

  const std::shared_ptr<Session> session_;
};

}  // namespace

SharedDevice open_opencl_device(const DeviceInfo& device) {
  return std::make_shared<OpenCLDevice>(session_for(device));
}

SharedProgram program_of_bundle(const KernelBundle& executable) {
  if (session_for(executable.device())->where() != executable.where())
    throw NmathError("the bundle was built before its device was reset", "KernelCall", "", "Build it again.",
                     executable.device().name);
  return std::make_shared<const OpenCLProgram>(executable);
}

}  // namespace openclPort
