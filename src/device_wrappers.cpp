// device_wrappers -- the R boundary of device listing and selection, and of kernels that users bring.
#include <algorithm>
#include <optional>

#include "base/apart.h"
#include "base/work_threads.h"
#include "device/selected_device.h"
#include "elementwise_user_kernel.h"
#include "engine/opencl_kernel_runners.h"
#include "loader/kernel_signature.h"
#include "loader/nmath_library.h"
#include "nd_range_kernel.h"
#include "r_boundary.h"

using openclPort::DeviceInfo;

// [[Rcpp::export(rng = false)]]
bool has_opencl_cpp() { return openclPort::devices_installed(); }

// [[Rcpp::export(rng = false)]]
int host_threads_cpp() {
  apply_thread_option();
  return openclPort::host_threads();
}

// The columns of opencl_devices(), and as the last element why devices cannot be listed.
// [[Rcpp::export(rng = false)]]
SEXP devices_cpp(bool probe, const std::string& arithmetic) {
  std::vector<DeviceInfo> devices;
  std::string problem;
  try {
    devices = interruptible(openclPort::list_devices);
  } catch (const openclPort::NmathError& error) {
    problem = error.what();
  }
  std::vector<int> fp64;
  std::vector<std::string> numbers;
  for (const DeviceInfo& device : devices) {
    fp64.push_back(probe ? interruptible([&] { return static_cast<int>(openclPort::fp64_probe(device).works); })
                         : NA_LOGICAL);
    numbers.push_back(probe ? interruptible([&] {
      return openclPort::arithmetic_of(device, openclPort::parse_arithmetic(arithmetic));
    })
                            : std::string());
  }
  const auto global_mem = [](const DeviceInfo& device) { return static_cast<double>(device.global_mem); };
  return r::enter([&] {
    SEXP const told = PROTECT(r::value(numbers));
    for (std::size_t k = 0; k < numbers.size(); ++k)
      if (numbers[k].empty()) SET_STRING_ELT(told, static_cast<R_xlen_t>(k), NA_STRING);
    r::List result(12);
    result.add("index", r::column(devices, &DeviceInfo::index)).add("name", r::column(devices, &DeviceInfo::name));
    result.add("type", r::column(devices, &DeviceInfo::type));
    result.add("platform", r::column(devices, &DeviceInfo::platform_name));
    result.add("vendor", r::column(devices, &DeviceInfo::vendor));
    result.add("version", r::column(devices, &DeviceInfo::version));
    result.add("driver", r::column(devices, &DeviceInfo::driver_version));
    result.add("compute_units", r::column(devices, &DeviceInfo::compute_units));
    result.add("global_mem", r::column(devices, global_mem)).add("fp64", r::value(fp64, LGLSXP));
    SEXP const list = result.add("arithmetic", told).add("problem", problem).done();
    UNPROTECT(1);
    return list;
  });
}

// Whether device = "auto" could find any OpenCL device with working doubles, GPU or not.
// [[Rcpp::export(rng = false)]]
bool any_opencl_device_cpp() {
  try {
    interruptible([] { return openclPort::select_device("opencl"); });
    return true;
  } catch (const openclPort::NmathError&) {
    return false;
  }
}

// The indices that specifications mean: 0 for the host device.
// [[Rcpp::export(rng = false)]]
std::vector<int> device_index_cpp(const std::vector<std::string>& device) {
  std::vector<int> index;
  const auto devices = interruptible([&] { return openclPort::select_devices(device); });
  for (const DeviceInfo& one : devices) index.push_back(one.index);
  return index;
}

// Checks a specification; NULL, or the error as a list.
// [[Rcpp::export(rng = false)]]
SEXP select_device_cpp(const std::string& device) {
  try {
    const DeviceInfo found = interruptible([&] { return openclPort::select_device(device); });
    if (found.index > 0) openclPort::set_selected_device(device);  // not the host
  } catch (const openclPort::NmathError& error) {
    return r::enter([&] { return value(error); });
  }
  return R_NilValue;
}

// [[Rcpp::export(rng = false)]]
void reset_devices_cpp() { openclPort::opencl_reset_fp64_selection(); }

// [[Rcpp::export(rng = false)]]
SEXP device_info_cpp(bool force) {
  interruptible([force] {
    openclPort::opencl_ensure_fp64_selection(force);
    return true;
  });
  const openclPort::OpenCLFp64DeviceCache& info = openclPort::opencl_fp64_selection();
  return r::enter([&] {
    r::List result(15);
    result.add("valid", info.valid).add("reason", info.reason).add("platform_index", info.platform_index);
    result.add("device_index", info.device_index).add("platform_vendor", info.platform_vendor);
    result.add("platform_name", info.platform_name).add("device_vendor", info.device_vendor);
    result.add("device_name", info.device_name).add("device_version", info.device_version);
    result.add("driver_version", info.driver_version).add("device_type_label", info.device_type_label);
    result.add("extension_cl_khr_fp64", info.extension_cl_khr_fp64).add("probe_fp64_ok", info.probe_fp64_ok);
    result.add("probe_failure_log", info.probe_failure_log).add("selection_policy", info.selection_policy);
    return result.done();
  });
}

// [[Rcpp::export(rng = false)]]
void drop_sessions_cpp() { openclPort::close_devices(); }

// [[Rcpp::export(rng = false)]]
void note_end_cpp() { openclPort::note_end(); }

// What a runner of the C and C++ interface did since the last call from R; NULL if there was none.
// [[Rcpp::export(rng = false)]]
SEXP runner_report_cpp() {
  const std::optional<openclPort::RunReport> report = openclPort::take_runner_report();
  return report ? r::enter([&] { return value(*report); }) : R_NilValue;
}

// runner_setting() of R/devices.R says which device the runners take, each time anew: options may change.
// [[Rcpp::init]]
void runners_connect_to_r(DllInfo* dll) {
  (void)dll;
  openclPort::set_device_setting_resolver([] { return r::string_from("nmathopencl", "runner_setting", {}); });
}

namespace {

// user_program(), remembered for the text of the last call: it reads files.
const std::string& assembled(const std::string& text) {
  static std::string known, program;
  if (text.empty() || text != known) {
    program = openclPort::user_program(text);
    known = text;
  }
  return program;
}

}  // namespace

// A call of the user's kernel, built from its text.
static openclPort::KernelCall call_of(const std::string& program, const std::string& kernel_name,
                                      const DeviceInfo& device, openclPort::RunReport& report) {
  // Types that the text hides in macros the driver can tell, if it is asked to keep them.
  const auto signature = openclPort::parse_kernel_signature(program, kernel_name);
  const bool hidden = signature && std::any_of(signature->begin(), signature->end(), [](const auto& parameter) {
                        return parameter.kind == openclPort::KernelParameter::Kind::unknown;
                      });
  const auto source = openclPort::user_source(assembled(program), hidden ? "-cl-kernel-arg-info" : "");
  return openclPort::KernelCall(openclPort::open_device(device), source, kernel_name, &report);
}

// run(make_call, report), where make_call() gives that call on the device that `device` chooses.
template <typename Run>
static SEXP run_user_kernel(const std::string& program, const std::string& kernel_name, const std::string& device,
                            Run run) {
  return guard_core([&] {
    apply_program_option();
    apply_thread_option();
    const DeviceInfo chosen = openclPort::select_device(device);
    openclPort::RunReport report;
    report.function = kernel_name;
    return run([&] { return call_of(program, kernel_name, chosen, report); }, report);
  });
}

// A kernel of the user's with a work-item for each element, see elementwise_user_kernel.h.
// [[Rcpp::export(rng = false)]]
SEXP run_kernel_cpp(const std::string& program, const std::string& kernel_name, SEXP columns, int n,
                    const std::string& device, bool keep) {
  return run_user_kernel(program, kernel_name, device, [&](auto make_call, openclPort::RunReport& report) {
    report.elements = n;
    return run_elementwise_user_kernel(make_call, kernel_name, columns, n, keep, report);
  });
}

// One over an n-dimensional range, see nd_range_kernel.h.
// [[Rcpp::export(rng = false)]]
SEXP run_nd_range_kernel_cpp(const std::string& program, const std::string& kernel_name, SEXP given,
                             const std::string& device) {
  return run_user_kernel(program, kernel_name, device, [&](auto make_call, openclPort::RunReport& report) {
    return run_nd_range_kernel(make_call, kernel_name, given, report);
  });
}
