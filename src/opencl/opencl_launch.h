// opencl_launch -- a kernel of an OpenCL program with its arguments, and the memory that it takes.
//
// Kernels are created per launch: arguments are the kernel's state.
#ifndef NMATHOPENCL_OPENCL_LAUNCH_H
#define NMATHOPENCL_OPENCL_LAUNCH_H

#include <string>
#include <utility>

#include "device/launch.h"
#include "opencl/session.h"

namespace openclPort {

class OpenCLMemory : public Buffer::Memory {
 public:
  explicit OpenCLMemory(DeviceBuffer buffer) : buffer_(std::move(buffer)) {}
  cl_mem get() const { return buffer_.get(); }

 private:
  DeviceBuffer buffer_;
};

inline cl_mem handle_of(const Buffer& buffer) {
  return buffer.memory() == nullptr ? nullptr : static_cast<const OpenCLMemory*>(buffer.memory())->get();
}

class OpenCLLaunch : public Launch {
 public:
  OpenCLLaunch(KernelHandle handle, const std::string& kernel, const DeviceInfo& device);

  const std::string& kernel() const override { return kernel_; }
  const KernelInfo& info() const override { return info_; }
  cl_kernel get() const { return handle_.get(); }

  void set_value(unsigned index, const void* value, std::size_t bytes) override { set_argument(index, value, bytes); }
  void set_buffer(unsigned index, const Buffer& buffer) override {
    const cl_mem memory = handle_of(buffer);
    set_argument(index, &memory, sizeof memory);
  }
  void set_local(unsigned index, std::size_t bytes) override { set_argument(index, nullptr, bytes); }
  void items(std::size_t count, Cost cost) override;

 private:
  void set_argument(unsigned index, const void* value, std::size_t bytes);

  const std::string kernel_;
  const DeviceInfo device_;
  const KernelHandle handle_;
  const KernelInfo info_;
};

}  // namespace openclPort

#endif
