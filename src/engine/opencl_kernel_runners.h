// opencl_kernel_runners -- runs kernels on OpenCL devices: the elementwise engine, KernelCall, the documented runners.
//
// Nothing here names an OpenCL type, so callers need no OpenCL headers; in a build without OpenCL everything exists and
// throws. All functions may be called from several threads at once. They return when the device has finished.
#ifndef NMATHOPENCL_OPENCL_KERNEL_RUNNERS_H
#define NMATHOPENCL_OPENCL_KERNEL_RUNNERS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/elementwise.h"
#include "opencl/kernel_bundle.h"
#include "opencl/discovery.h"

namespace openclPort {

class Session;
using ProgramText = std::function<std::string()>;

struct ElementwiseOptions {
  enum class Transfer { automatic, copy, share };  // share: the device works on host memory; automatic: where it can
  std::size_t chunk = 0;                           // elements per launch at most; 0: by length and device
  std::size_t memory_budget = 0;                   // bytes of device memory at most, where data is copied; 0: 128 MiB
  Transfer transfer = Transfer::automatic;
  int lanes = 0;  // threads that feed the device, where data is copied; 0: by length, at most 16 and host_threads()
};

// `spec` applied to elements 0 ... n-1 of the recycled columns, results straight into `out`. Device memory, and page-
// locked host memory, are bounded for any n. `program_text` is called only if the program of spec.kernel_file is not yet
// built in this process; the text is built with NMATH_RECYCLE defined (see OPENCL.cl). `out` must not overlap the columns.
void run_elementwise_opencl(const DeviceInfo& device, const KernelSpec& spec, const ProgramText& program_text,
                            const std::vector<Column>& columns, std::size_t n, double* out, RunReport& report,
                            const CallHooks& hooks = {}, const ElementwiseOptions& options = {}, std::uint64_t seed = 0);

// Thrown where a kernel was left running for ever.
class DeviceGivenUp : public NmathError {
 public:
  using NmathError::NmathError;
};

// One launch of one kernel: arguments in the kernel's order, then a range, then run(). Data stays the caller's until
// run() returns; names appear in error messages only. May be run again, with the data as it is then.
//
//   KernelCall(device, text, "f2_f3_poisson").input("X", x, n).output("qf", qf, m1).value("l1", l1).items(m1).run();
class KernelCall {
 public:
  // The program of this text, built at its first use in the process.
  KernelCall(const DeviceInfo& device, const std::string& program_text, const std::string& kernel_name,
             const std::string& options = "", RunReport* report = nullptr);
  // The program that `key` stands for; its text is asked for only if it is not yet built.
  KernelCall(const DeviceInfo& device, const std::string& key, const ProgramText& program_text,
             const std::string& kernel_name, const std::string& options = "", RunReport* report = nullptr);
  // A bundle built by hand, of the device's present session.
  KernelCall(const KernelBundle& executable, const std::string& kernel_name, RunReport* report = nullptr);

  KernelCall& input(const std::string& name, const double* data, std::size_t length);
  KernelCall& input(const std::string& name, const int* data, std::size_t length);
  KernelCall& input(const std::string& name, const std::vector<double>& data);
  KernelCall& input(const std::string& name, const std::vector<int>& data);
  KernelCall& output(const std::string& name, double* data, std::size_t length);
  KernelCall& value(const std::string& name, int value);
  KernelCall& value(const std::string& name, std::int64_t value);
  KernelCall& value(const std::string& name, double value);
  KernelCall& local(const std::string& name, std::size_t bytes);  // __local memory
  // Buffers of any element type; `value_bytes`: a scalar of up to 8 bytes.
  KernelCall& input_bytes(const std::string& name, const void* data, std::size_t bytes);
  KernelCall& output_bytes(const std::string& name, void* data, std::size_t bytes);
  KernelCall& value_bytes(const std::string& name, const void* value, std::size_t bytes);

  // At least `count` work-items, rounded up to whole groups of a size that suits device and kernel: the kernel guards
  // against get_global_id(0) >= count.
  KernelCall& items(std::size_t count);
  // Exactly this range of one to three dimensions; an empty `group` leaves the group's size to the driver.
  KernelCall& nd_range(const std::vector<std::size_t>& global, const std::vector<std::size_t>& group = {});

  const KernelBundle& bundle() const { return bundle_; }

  void run();  // adds its times to the report, if there is one

  // The same, asking `interrupted` on this thread while the device works. A kernel that has been told to stop and does not
  // end within half a second cannot be stopped: its device is given up for this process, with all that the kernel may still
  // use, `data` among it, and an error says so. `data` owns the memory of the arguments.
  void run_interruptible(const InterruptCheck& interrupted, std::shared_ptr<void> data);

 private:
  friend class KernelLaunch;
  struct Argument {
    enum class Kind { input, output, value, local };
    Kind kind;
    std::string name;
    void* data;
    std::size_t bytes;
    std::array<unsigned char, 8> scalar;
  };
  void finish_report(double seconds);
  KernelCall& add(Argument::Kind kind, const std::string& name, const void* data, std::size_t bytes);
  KernelCall& add_scalar(const std::string& name, const void* value, std::size_t bytes);

  KernelCall(std::shared_ptr<Session> session, const KernelBundle& executable, const std::string& kernel_name,
             RunReport* report);

  std::shared_ptr<Session> session_;
  KernelBundle bundle_;
  std::string kernel_name_;
  RunReport* report_;
  std::vector<Argument> arguments_;
  std::vector<std::size_t> global_, group_;
  bool rounded_ = false;
};

// What the last documented runner did, for last_run(); it is told once.
void note_runner_report(const RunReport& report);
std::optional<RunReport> take_runner_report();

// The documented runners, on runner_device() (opencl_selection.h). Kernels in their plain shape: one work-item per
// element with a guard against `len`, every buffer of `len` elements, then `out` and `len`. out_flat is resized.
void opencl_numeric_cols_kernel_runner(const std::string& kernel_source, const char* kernel_name, int len,
                                       const std::vector<std::vector<double>>& arg_cols, std::vector<double>& out_flat);

void opencl_pq_tail_kernel_runner(const std::string& kernel_source, const char* kernel_name, int len,
                                  const std::vector<std::vector<double>>& arg_cols, const std::vector<int>& lower_tail,
                                  const std::vector<int>& log_p, std::vector<double>& out_flat);

void opencl_d_givelog_kernel_runner(const std::string& kernel_source, const char* kernel_name, int len,
                                    const std::vector<std::vector<double>>& arg_cols, const std::vector<int>& give_log,
                                    std::vector<double>& out_flat);

void opencl_pnorm_kernel_runner(const std::string& kernel_source, const char* kernel_name, int len,
                                const std::vector<double>& q, const std::vector<double>& mean,
                                const std::vector<double>& sd, const std::vector<int>& lower_tail,
                                const std::vector<int>& log_p, std::vector<double>& out_flat);

// Scalars by value, then `out` and `n_out`; a single work-item, which writes all of `out`.
void opencl_dbl_scalar_kernel_runner(const std::string& kernel_source, const char* kernel_name,
                                     const std::vector<double>& dargs, int n_out, std::vector<double>& out_flat);

}  // namespace openclPort

#endif
