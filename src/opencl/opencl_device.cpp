// opencl_device -- an OpenCL session behind the interface of a device: buffers, queues, events.
#include "opencl/opencl_device.h"

#include "device/kernel_bundle.h"
#include "opencl/builtin_declarations.h"
#include "opencl/opencl_launch.h"
#include "opencl/session.h"

namespace openclPort {

namespace {

// `source.options`, and the bound of its registers where the compiler knows such an option (cl_nv_compiler_options).
std::string compiler_options(const ProgramSource& source, const DeviceInfo& info) {
  if (source.registers == 0 || info.platform_name.find("NVIDIA CUDA") == std::string::npos) return source.options;
  return source.options + (source.options.empty() ? "" : " ") +
         "-cl-nv-maxrregcount=" + std::to_string(source.registers);
}

class OpenCLStaging : public Buffer::Memory {
 public:
  explicit OpenCLStaging(Staging staging) : staging_(std::move(staging)) {}
  void* data() const { return staging_.data(); }

 private:
  Staging staging_;
};

class OpenCLEvent : public Event {
 public:
  OpenCLEvent(EventHandle event, const DeviceInfo& device) : event_(std::move(event)), device_(device.name) {}

  bool ended() const override { return status() <= CL_COMPLETE; }  // below: it failed, which finishing the queue tells
  bool begun() const override { return status() <= CL_RUNNING; }
  std::uint64_t start() const override { return time(CL_PROFILING_COMMAND_START); }
  std::uint64_t end() const override { return time(CL_PROFILING_COMMAND_END); }

 private:
  cl_int status() const {
    cl_int status = CL_COMPLETE;
    check_cl(clGetEventInfo(event_.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
             "clGetEventInfo", device_);
    return status;
  }
  // A driver that does not tell times must not fail a finished call.
  std::uint64_t time(cl_profiling_info which) const {
    cl_ulong value = 0;
    return clGetEventProfilingInfo(event_.get(), which, sizeof value, &value, nullptr) == CL_SUCCESS ? value : 0;
  }

  const EventHandle event_;
  const std::string device_;
};

class OpenCLQueue : public Queue {
 public:
  OpenCLQueue(QueueLease lease, std::shared_ptr<Session> session)
      : session_(std::move(session)), lease_(std::move(lease)) {}

  void write(const Buffer& to, std::size_t offset, const void* from, std::size_t bytes, EventSlot event) override {
    EventHandle handle;
    check_cl(clEnqueueWriteBuffer(lease_.use(), handle_of(to), CL_FALSE, offset, bytes, from, 0, nullptr,
                                  place(handle, event)),
             "clEnqueueWriteBuffer", device().name, "copying arguments to the device");
    keep(std::move(handle), event);
  }

  void read(const Buffer& from, std::size_t offset, void* to, std::size_t bytes, EventSlot event) override {
    EventHandle handle;
    check_cl(clEnqueueReadBuffer(lease_.use(), handle_of(from), CL_FALSE, offset, bytes, to, 0, nullptr,
                                 place(handle, event)),
             "clEnqueueReadBuffer", device().name, "reading results");
    keep(std::move(handle), event);
  }

  void run(const Launch& launch, EventSlot event) override {
    const Range& range = launch.range();
    EventHandle handle;
    const cl_int status = clEnqueueNDRangeKernel(
        lease_.use(), static_cast<const OpenCLLaunch&>(launch).get(), static_cast<cl_uint>(range.dimensions), nullptr,
        range.global.data(), range.group[0] == 0 ? nullptr : range.group.data(), 0, nullptr, place(handle, event));
    if (status != CL_SUCCESS)
      check_cl(status, "clEnqueueNDRangeKernel", device().name, ("starting kernel '" + launch.kernel() + "'").c_str());
    keep(std::move(handle), event);
  }

  void publish(const Buffer& borrowed) override {
    cl_int status = CL_SUCCESS;
    const cl_mem memory = handle_of(borrowed);
    void* mapped = clEnqueueMapBuffer(lease_.use(), memory, CL_TRUE, CL_MAP_READ, 0, borrowed.bytes(), 0, nullptr,
                                      nullptr, &status);
    check_cl(status, "clEnqueueMapBuffer", device().name, "reading results");
    check_cl(clEnqueueUnmapMemObject(lease_.get(), memory, mapped, 0, nullptr, nullptr), "clEnqueueUnmapMemObject",
             device().name, "reading results");
  }

  void flush() override { check_cl(clFlush(lease_.get()), "clFlush", device().name); }
  void finish() override { lease_.finish(); }
  cl_command_queue get() { return lease_.use(); }

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
  const void* identity() const override { return session_->where().get(); }

  SharedProgram program(const ProgramSource& source, RunReport* report) override {
    enter_opencl("program");
    const std::string options = compiler_options(source, info());
    if (source.of_package() && session_->declares_builtins()) {
      try {
        const ProgramText text = [&source] { return with_builtin_declarations(source.text()); };
        return built(source.name, text, without_drivers_header(options), report);
      } catch (const NmathError& error) {
        if (error.status().find("CL_BUILD_PROGRAM_FAILURE") != 0) throw;
        SharedProgram made = built(source.name, source.text, options, report);  // throws where the text is wrong
        session_->leave_builtins_to_driver();
        return made;
      }
    }
    return built(source.name, source.text, options, report);
  }

  Buffer allocate(ElementType type, std::size_t elements) override {
    return own(session_->buffer(elements * element_bytes(type)), type, elements, nullptr);
  }

  Buffer part(const Buffer& whole, ElementType type, std::size_t first, std::size_t elements) override {
    return own(session_->part(handle_of(whole), first, elements * element_bytes(type)), type, elements, nullptr);
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

  bool give_up(Unfinished work) override {
    give_up_device(info(), std::move(work));
    return true;
  }

 private:
  SharedProgram built(const std::string& name, const ProgramText& text, const std::string& options,
                      RunReport* report) const {
    const KernelBundle executable =
        name.empty() ? session_->program(text(), options, report) : session_->program(name, text, options, report);
    return executable.program();
  }

  static Buffer own(DeviceBuffer buffer, ElementType type, std::size_t elements, void* borrowed) {
    return Buffer(std::make_unique<OpenCLMemory>(std::move(buffer)), type, elements, borrowed, borrowed != nullptr);
  }

  const std::shared_ptr<Session> session_;
};

}  // namespace

SharedDevice open_opencl_device(const DeviceInfo& device) {
  return std::make_shared<OpenCLDevice>(session_for(device));
}

}  // namespace openclPort
