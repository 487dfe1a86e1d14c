// kernel_call -- one launch of one kernel, from its arguments in this process to its results there, on any device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/nmath_error.h"
#include "device/device.h"

namespace openclPort {

// Thrown where an interrupted kernel was left behind that the driver had not begun with: it is compiled at its first
// run. Nothing is lost: the device's next call waits for it.
class KernelLeft : public Interrupted {};

// Thrown where a kernel was left running, for ever or until it ends.
class DeviceGivenUp : public NmathError {
 public:
  using NmathError::NmathError;
};

// Arguments in the kernel's order, then a range, then run(). Data stays the caller's until run() returns; names appear
// in error messages only. May be run again, with the data as it is then.
//
//   KernelCall(device, source, "f2_f3_poisson").input("X", x, n).output("qf", qf, m1).value("l1", l1).items(m1).run();
class KernelCall {
 public:
  KernelCall(SharedDevice device, const ProgramSource& source, const std::string& kernel_name,
             RunReport* report = nullptr);
  // A program that is there already, of this device.
  KernelCall(SharedDevice device, SharedProgram program, const std::string& kernel_name, RunReport* report = nullptr);

  KernelCall& input(const std::string& name, const double* data, std::size_t length);
  KernelCall& input(const std::string& name, const int* data, std::size_t length);
  KernelCall& input(const std::string& name, const std::vector<double>& data);
  KernelCall& input(const std::string& name, const std::vector<int>& data);
  KernelCall& output(const std::string& name, double* data, std::size_t length);
  KernelCall& value(const std::string& name, int value);
  KernelCall& value(const std::string& name, std::int64_t value);
  KernelCall& value(const std::string& name, double value);
  KernelCall& local(const std::string& name, std::size_t bytes);  // local memory
  // Buffers of any element type; `value_bytes`: a scalar of up to 8 bytes.
  // `type` f64: doubles, which are pairs of floats on some devices.
  KernelCall& input_bytes(const std::string& name, const void* data, std::size_t bytes,
                          ElementType type = ElementType::bytes);
  KernelCall& output_bytes(const std::string& name, void* data, std::size_t bytes,
                           ElementType type = ElementType::bytes);
  KernelCall& changed_bytes(const std::string& name, void* data, std::size_t bytes,
                            ElementType type = ElementType::bytes);  // an output that goes there first
  // Memory of the device: nothing travels.
  KernelCall& memory(const std::string& name, const Buffer& buffer);
  KernelCall& value_bytes(const std::string& name, const void* value, std::size_t bytes);

  // At least `count` work-items, rounded up to whole groups of a size that suits device and kernel: the kernel guards
  // against get_global_id(0) >= count.
  KernelCall& items(std::size_t count);
  // Exactly this range of one to three dimensions; an empty `group` leaves the group's size to the driver.
  KernelCall& nd_range(const std::vector<std::size_t>& global, const std::vector<std::size_t>& group = {});

  const SharedProgram& program() const { return program_; }
  const SharedDevice& device() const { return device_; }

  void run();  // adds its times to the report, if there is one

  // For run(): what a driver compiles at a kernel's first run it compiles where the user may interrupt it, by a run of
  // a group on zeros in the place of all memory (first_run.h). For kernels that come to an end whatever their data.
  KernelCall& compile_ahead();

  // The same, asking `interrupted` on this thread while the device works. A kernel that has been told to stop and does
  // not end within half a second cannot be stopped: its device is given up for this process, with all that the kernel
  // may still use, `data` among it, and an error says so. `data` owns the memory of the arguments.
  void run_interruptible(const InterruptCheck& interrupted, std::shared_ptr<void> data);

 private:
  friend class KernelRun;
  struct Argument {
    enum class Kind { input, output, changed, value, local, memory };
    Kind kind;
    std::string name;
    void* data;
    std::size_t bytes;
    std::array<unsigned char, 8> scalar;
    const Buffer* buffer;  // of memory
    ElementType type;
  };
  void finish_report(double seconds);
  KernelCall& add(Argument::Kind kind, const std::string& name, const void* data, std::size_t bytes,
                  ElementType type = ElementType::bytes);
  KernelCall& add_scalar(const std::string& name, const void* value, std::size_t bytes);

  SharedDevice device_;
  SharedProgram program_;
  std::string kernel_name_;
  RunReport* report_;
  std::vector<Argument> arguments_;
  Range range_;  // of no dimension: none was given
  bool rounded_ = false, ahead_ = false;
};

}  // namespace openclPort
