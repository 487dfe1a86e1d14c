// c_api_compute -- shared by the parts of the C interface that compute.
#pragma once

#include <memory>
#include <string>

#include "base/stopwatch.h"
#include "c_api.h"
#include "device/device_selection.h"
#include "engine/opencl_kernel_runners.h"
#include "r_boundary.h"
#include "r_handles.h"

struct nmathopencl_vector {
  std::unique_ptr<handles::Vector> vector;
};

namespace c_api {

// "auto" is R's to say: set_opencl_device(), the option, the environment variable.
inline std::string device_setting(const char* device) {
  const std::string given = device == nullptr ? "auto" : device;
  if (given == "auto") return r::string_from("nmathopencl", "resolve_device", {{"", given}});
  return given == "0" ? "host" : given;
}

inline openclPort::SharedDevice open(const char* device) {
  return open_device(openclPort::select_device(device_setting(device)));
}

inline const openclPort::Resident& resident_of(const nmathopencl_vector* vector) {
  return *argument(vector, "vector")->vector->resident;
}

// `device`: of the arguments so far, null where none of them lies on one.
inline void same_device(openclPort::SharedDevice& device, const openclPort::Resident& resident) {
  if (device != nullptr && device->identity() != resident.device()->identity())
    throw openclPort::NmathError("arguments are resident on different devices, '" + device->info().name + "' and '" +
                                 resident.device_name() + "'");
  device = resident.device();
}

// Runs `body` over n elements and leaves its report to last_run().
template <typename Body>
void run_noted(std::size_t n, const Body& body) {
  CallMonitor monitor(R_NilValue, n);
  const openclPort::CallHooks hooks = hooks_of(monitor);
  handles::with_memory([&] {
    openclPort::Stopwatch watch;
    openclPort::RunReport report;
    body(report, hooks);
    report.total = watch.lap();
    openclPort::note_runner_report(report);
    return 0;
  });
}

}  // namespace c_api
