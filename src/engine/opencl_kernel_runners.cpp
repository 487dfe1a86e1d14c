// opencl_kernel_runners -- the generic runners of the documented C++ interface, on the selected device.
#include "engine/opencl_kernel_runners.h"

#include "base/nmath_error.h"
#include "base/process_mutex.h"
#include "device/kernel_call.h"
#include "device/selected_device.h"

namespace openclPort {

namespace {

ProcessMutex report_mutex;
std::optional<RunReport> last_report;

RunReport runner_report(const std::string& kernel, int elements) {
  RunReport report;
  report.function = kernel;
  report.elements = static_cast<std::size_t>(elements);
  return report;
}

std::string required_name(const char* kernel_name) {
  if (kernel_name == nullptr || *kernel_name == '\0') throw NmathError("kernel_name must not be empty", "KernelCall");
  return kernel_name;
}

template <typename T>
void add_column(KernelCall& call, const std::string& name, const std::vector<T>& column, int len) {
  if (column.size() != static_cast<std::size_t>(len))
    throw NmathError(name + " has " + std::to_string(column.size()) + " elements, but len is " + std::to_string(len),
                     "KernelCall", "", "Columns are passed at full length; expand scalars before the call.");
  call.input(name, column);
}

struct RunnerFlags {
  const char* name;
  const std::vector<int>& values;
};

void run_columns(const std::string& source, const char* kernel_name, int len,
                 const std::vector<std::vector<double>>& columns, const std::vector<RunnerFlags>& flags,
                 std::vector<double>& out) {
  const std::string kernel = required_name(kernel_name);
  if (len < 0) throw NmathError("len must not be negative, it is " + std::to_string(len), "KernelCall");
  RunReport report = runner_report(kernel, len);
  KernelCall call(open_device(runner_device()), user_source(source), kernel, &report);
  for (std::size_t k = 0; k < columns.size(); ++k)
    add_column(call, "column " + std::to_string(k + 1) + " of arg_cols", columns[k], len);
  for (const RunnerFlags& flag : flags) add_column(call, flag.name, flag.values, len);
  out.resize(static_cast<std::size_t>(len));
  call.output("out", out.data(), out.size()).value("len", len).items(out.size()).run();
  note_runner_report(report);
}

}  // namespace

void note_runner_report(const RunReport& report) {
  const std::lock_guard<ProcessMutex> guard(report_mutex);
  last_report = report;
}

std::optional<RunReport> take_runner_report() {
  const std::lock_guard<ProcessMutex> guard(report_mutex);
  std::optional<RunReport> report;
  report.swap(last_report);
  return report;
}

void opencl_numeric_cols_kernel_runner(const std::string& kernel_source, const char* kernel_name, int len,
                                       const std::vector<std::vector<double>>& arg_cols,
                                       std::vector<double>& out_flat) {
  run_columns(kernel_source, kernel_name, len, arg_cols, {}, out_flat);
}

void opencl_pq_tail_kernel_runner(const std::string& kernel_source, const char* kernel_name, int len,
                                  const std::vector<std::vector<double>>& arg_cols, const std::vector<int>& lower_tail,
                                  const std::vector<int>& log_p, std::vector<double>& out_flat) {
  run_columns(kernel_source, kernel_name, len, arg_cols, {{"lower_tail", lower_tail}, {"log_p", log_p}}, out_flat);
}

void opencl_d_givelog_kernel_runner(const std::string& kernel_source, const char* kernel_name, int len,
                                    const std::vector<std::vector<double>>& arg_cols, const std::vector<int>& give_log,
                                    std::vector<double>& out_flat) {
  run_columns(kernel_source, kernel_name, len, arg_cols, {{"give_log", give_log}}, out_flat);
}

void opencl_dbl_scalar_kernel_runner(const std::string& kernel_source, const char* kernel_name,
                                     const std::vector<double>& dargs, int n_out, std::vector<double>& out_flat) {
  const std::string kernel = required_name(kernel_name);
  if (n_out < 0) throw NmathError("n_out must not be negative, it is " + std::to_string(n_out), "KernelCall");
  RunReport report = runner_report(kernel, n_out);
  KernelCall call(open_device(runner_device()), user_source(kernel_source), kernel, &report);
  for (std::size_t k = 0; k < dargs.size(); ++k) call.value("dargs[" + std::to_string(k) + "]", dargs[k]);
  out_flat.resize(static_cast<std::size_t>(n_out));
  call.output("out", out_flat.data(), out_flat.size()).value("n_out", n_out).nd_range({1}, {1}).run();
  note_runner_report(report);
}

}  // namespace openclPort
