// opencl_kernel_runners -- the generic runners of the documented C++ interface, on the selected device.
//
// Nothing here names an OpenCL type, so callers need no OpenCL headers. All functions may be called from several
// threads at once. They return when the device has finished.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/report.h"

namespace openclPort {

// What the last documented runner did, for last_run(); it is told once.
void note_runner_report(const RunReport& report);
std::optional<RunReport> take_runner_report();

// The documented runners, on runner_device() (device/selected_device.h). Elementwise kernels: one work-item
// per element with a guard against `len`, every buffer of `len` elements, then `out` and `len`. out_flat is resized.
void opencl_numeric_cols_kernel_runner(const std::string& kernel_source, const char* kernel_name, int len,
                                       const std::vector<std::vector<double>>& arg_cols, std::vector<double>& out_flat);

void opencl_pq_tail_kernel_runner(const std::string& kernel_source, const char* kernel_name, int len,
                                  const std::vector<std::vector<double>>& arg_cols, const std::vector<int>& lower_tail,
                                  const std::vector<int>& log_p, std::vector<double>& out_flat);

void opencl_d_givelog_kernel_runner(const std::string& kernel_source, const char* kernel_name, int len,
                                    const std::vector<std::vector<double>>& arg_cols, const std::vector<int>& give_log,
                                    std::vector<double>& out_flat);

// Scalars by value, then `out` and `n_out`; a single work-item, which writes all of `out`.
void opencl_dbl_scalar_kernel_runner(const std::string& kernel_source, const char* kernel_name,
                                     const std::vector<double>& dargs, int n_out, std::vector<double>& out_flat);

}  // namespace openclPort
