// opencl_launch -- a kernel of an OpenCL program with its arguments, and the memory that it takes.
//
// A launch has a kernel of its own, since arguments are the kernel's state, and gives it back to its program.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "device/launch.h"
#include "opencl/kernels.h"
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
  // Of a program's kernel, which goes to its `pool`.
  OpenCLLaunch(const std::string& name, Kernel kernel, std::shared_ptr<KernelPool> pool,
               std::shared_ptr<const DeviceContext> where);
  ~OpenCLLaunch() override;
  OpenCLLaunch(const OpenCLLaunch&) = delete;
  OpenCLLaunch& operator=(const OpenCLLaunch&) = delete;

  const std::string& kernel() const override { return name_; }
  const KernelInfo& info() const override { return kernel_.facts->limits; }
  cl_kernel get() const;  // for a run: throws unless all arguments are set, whatever an earlier launch has set

  void set_value(unsigned index, const void* value, std::size_t bytes) override { set_argument(index, value, bytes); }
  void set_buffer(unsigned index, const Buffer& buffer) override {
    if (buffer.host() != nullptr) kept_ = false;  // the caller's memory, which a driver may hold on to by the kernel
    const cl_mem memory = handle_of(buffer);
    set_argument(index, &memory, sizeof memory);
  }
  void set_local(unsigned index, std::size_t bytes) override { set_argument(index, nullptr, bytes); }
  void items(std::size_t count, Cost cost) override;
  bool compiled() const override;
  void note_compiled() override;
  Range least_like() const override;

 private:
  std::uint64_t kind_of_range() const;
  static constexpr unsigned kWatched = 64;  // kernels with more arguments are not kept and not watched

  void set_argument(unsigned index, const void* value, std::size_t bytes);

  const std::string name_;
  const std::shared_ptr<KernelPool> pool_;
  const std::shared_ptr<const DeviceContext> where_;
  Kernel kernel_;
  std::uint64_t set_ = 0;  // a bit for each argument
  bool kept_ = true;
};

}  // namespace openclPort
