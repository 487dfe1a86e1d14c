// host_program -- programs that the host device compiled from their text, and launches of their kernels.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/shared_object.h"
#include "base/stopwatch.h"
#include "device/host_compiler.h"
#include "device/program.h"
#include "device/queue.h"
#include "host/host_device.h"

namespace openclPort {

struct RunReport;

constexpr std::size_t kHostGroup = 1024;                // most work-items of a group
constexpr std::uint64_t kHostLocalMemory = 1 << 20;     // bytes
constexpr std::uint64_t kHostPrivateMemory = 64 << 20;  // bytes of a work-item's arrays

// Compiled, or read from the disk cache, at the first call in the process. Without a compiler: an error that says why.
SharedProgram compiled_program(const ProgramSource& source, RunReport* report);

// As HOST.cl has them.
extern "C" {
struct nmath_range {
  std::size_t global[3], group[3];
  unsigned dimensions;
  void (*wait)(void* group);
  const volatile unsigned char* stopped;
};
struct nmath_work_item {
  std::size_t id[3];
  const nmath_range* range;
  void* group;
};
struct nmath_kernel {
  const char *name, *signature;
  unsigned arguments, barrier, required[3];
  void (*run)(const nmath_host_argument* arguments, const nmath_range* range, std::size_t begin, std::size_t end);
  void (*item)(const nmath_host_argument* arguments, const nmath_work_item* item);
};
}

class CompiledProgram : public Program, public std::enable_shared_from_this<CompiledProgram> {
 public:
  // `tables`: the symbols of its kernels; of one name the first is meant.
  CompiledProgram(const std::string& object, const std::string& folder, bool from_disk,
                  const std::vector<std::string>& tables = {"nmath_kernels"});
  std::unique_ptr<Launch> launch(const std::string& kernel) const override;
  KernelInfo kernel_info(const std::string& kernel) const override;
  KernelSignature signature(const std::string& kernel) const override;
  std::vector<std::string> kernel_names() const;
  bool has(const std::string& kernel) const { return kernels_.count(kernel) > 0; }
  bool from_disk() const { return from_disk_; }
  std::uint64_t stack_bytes() const { return stack_bytes_; }  // of private arrays; 0: few, which any stack has room for

 private:
  const nmath_kernel& row_of(const std::string& kernel) const;

  const SharedObject object_;
  const std::map<std::string, const nmath_kernel*> kernels_;
  const bool from_disk_;
  const std::uint64_t stack_bytes_;
};

// ---- for bundles: a text as it is, its options -D and -U words; errors as of compiled_program() ----

HostCompiler present_compiler();  // throws where there is none
std::shared_ptr<const CompiledProgram> built_program(const std::string& text, const std::string& options);
std::shared_ptr<const CompiledProgram> program_built_once(const std::string& text, const std::string& options, bool own,
                                                          RunReport* report);

// A text compiled for itself, to be linked with others.
struct HostPart {
  std::string bytes, log, table;  // an object file; the compiler's words; the symbol of its kernels
  std::set<std::string> waits;    // its functions that have their callers wait at barriers
};
HostPart compiled_part(const std::string& text, const std::string& options, const std::set<std::string>& waiting = {});
std::shared_ptr<const CompiledProgram> linked_program(const std::vector<HostPart>& parts);

// One run of a compiled kernel, with all that it needs: it may outlive everybody who asked for it.
class HostJob {
 public:
  HostJob(std::shared_ptr<const CompiledProgram> program, const nmath_kernel& kernel,
          std::vector<nmath_host_argument> arguments, std::vector<std::size_t> local, const nmath_range& range);

  void run();  // on this thread and others
  // On another thread, which goes on for as long as the kernel does.
  static void start(const std::shared_ptr<HostJob>& job);
  void stop() { stopped_ = true; }  // work-items that have not begun do not, and long ones that ask end
  bool ended() const;
  double seconds() const;  // of a run that has ended
  void finish();           // waits; throws what the run threw

 private:
  class Worker;
  void run_all();
  void end(std::exception_ptr failure);

  const std::shared_ptr<const CompiledProgram> program_;
  const nmath_kernel& kernel_;
  const std::vector<nmath_host_argument> arguments_;
  const std::vector<std::size_t> local_;  // bytes of each argument that is local memory; 0: it is none
  nmath_range range_;
  const std::uint64_t private_bytes_;  // of each work-item, beyond what every stack has room for
  std::size_t units_, unit_items_;     // handed out to threads: work-items, or groups where these wait for one another
  std::atomic<bool> stopped_{false};
  mutable std::mutex mutex_;
  std::condition_variable change_;
  bool ended_ = false;
  Stopwatch watch_;
  double seconds_ = 0.0;
  std::exception_ptr failure_;
};

class CompiledLaunch : public Launch {
 public:
  CompiledLaunch(std::shared_ptr<const CompiledProgram> program, const nmath_kernel& kernel);

  const std::string& kernel() const override { return name_; }
  const KernelInfo& info() const override { return info_; }
  void set_value(unsigned index, const void* value, std::size_t bytes) override;
  void set_buffer(unsigned index, const Buffer& buffer) override;
  void set_local(unsigned index, std::size_t bytes) override;
  void items(std::size_t count, Cost) override;
  std::shared_ptr<HostJob> job() const;  // throws where the range does not fit

 private:
  void check_index(unsigned index) const;
  void check_private_memory(const nmath_range& range) const;

  const std::shared_ptr<const CompiledProgram> program_;
  const nmath_kernel& row_;
  const std::string name_;
  KernelInfo info_;
  std::vector<nmath_host_argument> arguments_;
  std::vector<std::size_t> local_;
};

}  // namespace openclPort
