// device_wrappers -- the R boundary of device listing and selection, and of kernels that users bring.
#include <Rcpp.h>

#include <algorithm>
#include <optional>

#include "kernel_signature.h"
#include "nmath_library.h"
#include "opencl_selection.h"
#include "opencl_session.h"
#include "plain_kernel.h"
#include "r_boundary.h"
#include "work_threads.h"

using openclPort::DeviceInfo;

// [[Rcpp::export(rng = false)]]
bool has_opencl_cpp() { return openclPort::has_opencl(); }

// [[Rcpp::export(rng = false)]]
int host_threads_cpp() {
  apply_thread_option();
  return openclPort::host_threads();
}

// [[Rcpp::export(rng = false)]]
Rcpp::List devices_cpp(bool probe) {
  std::vector<DeviceInfo> devices;
  try {
    devices = openclPort::list_devices();
  } catch (const openclPort::NmathError& error) {
    Rcpp::warning("OpenCL devices cannot be listed: %s", error.what());
  }
  const R_xlen_t n = devices.size();
  Rcpp::IntegerVector index(n), compute_units(n);
  Rcpp::CharacterVector name(n), type(n), platform(n), vendor(n), version(n), driver(n);
  Rcpp::NumericVector global_mem(n);
  Rcpp::LogicalVector fp64(n);
  for (R_xlen_t k = 0; k < n; ++k) {
    const DeviceInfo& device = devices[k];
    index[k] = device.index;
    compute_units[k] = device.compute_units;
    name[k] = device.name;
    type[k] = device.type;
    platform[k] = device.platform_name;
    vendor[k] = device.vendor;
    version[k] = device.version;
    driver[k] = device.driver_version;
    global_mem[k] = static_cast<double>(device.global_mem);
    fp64[k] = probe ? static_cast<int>(openclPort::fp64_probe(device).works) : NA_LOGICAL;
  }
  return Rcpp::List::create(Rcpp::Named("index") = index, Rcpp::Named("name") = name, Rcpp::Named("type") = type,
                            Rcpp::Named("platform") = platform, Rcpp::Named("vendor") = vendor,
                            Rcpp::Named("version") = version, Rcpp::Named("driver") = driver,
                            Rcpp::Named("compute_units") = compute_units, Rcpp::Named("global_mem") = global_mem,
                            Rcpp::Named("fp64") = fp64);
}

// Whether device = "auto" could find any OpenCL device with working doubles, GPU or not.
// [[Rcpp::export(rng = false)]]
bool any_opencl_device_cpp() {
  try {
    return openclPort::select_device("opencl").has_value();
  } catch (const openclPort::NmathError&) {
    return false;
  }
}

// The index that a specification means: 0 for the host device.
// [[Rcpp::export(rng = false)]]
int device_index_cpp(const std::string& device) {
  const auto chosen = openclPort::select_device(device);
  return chosen ? chosen->index : 0;
}

// Checks a specification; NULL, or the error as a list.
// [[Rcpp::export(rng = false)]]
Rcpp::RObject select_device_cpp(const std::string& device) {
  try {
    if (openclPort::select_device(device)) openclPort::set_selected_device(device);
  } catch (const openclPort::NmathError& error) {
    return error_to_list(error);
  }
  return R_NilValue;
}

// [[Rcpp::export(rng = false)]]
void reset_devices_cpp() { openclPort::opencl_reset_fp64_selection(); }

// [[Rcpp::export(rng = false)]]
Rcpp::List device_info_cpp(bool force) {
  openclPort::opencl_ensure_fp64_selection(force);
  const openclPort::OpenCLFp64DeviceCache& info = openclPort::opencl_fp64_selection();
  return Rcpp::List::create(
      Rcpp::Named("valid") = info.valid, Rcpp::Named("reason") = info.reason,
      Rcpp::Named("platform_index") = info.platform_index, Rcpp::Named("device_index") = info.device_index,
      Rcpp::Named("platform_vendor") = info.platform_vendor, Rcpp::Named("platform_name") = info.platform_name,
      Rcpp::Named("device_vendor") = info.device_vendor, Rcpp::Named("device_name") = info.device_name,
      Rcpp::Named("device_version") = info.device_version, Rcpp::Named("driver_version") = info.driver_version,
      Rcpp::Named("device_type_label") = info.device_type_label,
      Rcpp::Named("extension_cl_khr_fp64") = info.extension_cl_khr_fp64,
      Rcpp::Named("probe_fp64_ok") = info.probe_fp64_ok, Rcpp::Named("probe_failure_log") = info.probe_failure_log,
      Rcpp::Named("selection_policy") = info.selection_policy);
}

// [[Rcpp::export(rng = false)]]
void drop_sessions_cpp() { openclPort::drop_sessions(); }

// What a runner of the C and C++ interface did since the last call from R; NULL if there was none.
// [[Rcpp::export(rng = false)]]
Rcpp::RObject runner_report_cpp() {
  const std::optional<openclPort::RunReport> report = openclPort::take_runner_report();
  return report ? Rcpp::RObject(report_to_list(*report)) : Rcpp::RObject(R_NilValue);
}

// runner_setting() of R/devices.R says which device the runners take, each time anew: options may change.
// [[Rcpp::init]]
void runners_connect_to_r(DllInfo* dll) {
  (void)dll;
  openclPort::set_device_setting_resolver([] {
    const Rcpp::Function setting("runner_setting", Rcpp::Environment::namespace_env("nmathopencl"));
    return Rcpp::as<std::string>(setting());
  });
}

// A kernel of the user's in the plain shape: columns of n doubles or ints, then out and len.
// [[Rcpp::export(rng = false)]]
Rcpp::List run_kernel_cpp(const std::string& program, const std::string& kernel_name, const Rcpp::List& columns, int n,
                          const std::string& device) {
  return guard_core([&]() -> Rcpp::List {
    const auto chosen = openclPort::select_device(device);
    if (!chosen)
      throw openclPort::NmathError("the host device runs only this package's own kernels", "", "",
                                   "choose an OpenCL device, e.g. device = \"opencl\"");
    openclPort::RunReport report;
    report.function = kernel_name;
    report.elements = n;
    // Types that the text hides in macros the driver can tell, if it is asked to keep them.
    const auto signature = openclPort::parse_kernel_signature(program, kernel_name);
    const bool hidden = signature && std::any_of(signature->begin(), signature->end(), [](const auto& parameter) {
                          return parameter.kind == openclPort::KernelParameter::Kind::unknown;
                        });
    return run_plain_kernel(
        [&] {
          return openclPort::KernelCall(
              *chosen, "user_program\n" + program, [&] { return openclPort::user_program(program); }, kernel_name,
              hidden ? "-cl-kernel-arg-info" : "", &report);
        },
        kernel_name, columns, n, report);
  });
}
