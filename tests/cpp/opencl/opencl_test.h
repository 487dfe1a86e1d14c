// opencl_test -- what the tests of the OpenCL side share: devices, a test kernel, error texts.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>
#include <type_traits>

#include "device/kernel_bundle.h"
#include "device/kernel_call.h"
#include "device/selected_device.h"
#include "engine/elementwise.h"
#include "engine/opencl_kernel_runners.h"
#include "opencl/opencl_device.h"
#include "opencl/opencl_kind.h"
#include "opencl/session.h"

namespace opencl_test {

using namespace openclPort;

inline std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::string prelude() { return read_file(std::string(NMATHOPENCL_CL_DIR) + "/OPENCL.cl") + "\n"; }

template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const NmathError& error) {
    return error.what();
  } catch (const Interrupted&) {
    return "interrupted";
  }
  return "no error";
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Three columns of doubles, one of ints: every way of recycling, and which element was meant.
inline constexpr const char* kAffineKernel =
    "__kernel void affine_kernel(__global const double* x, __global const double* a, __global const double* b,\n"
    "                            __global const int* flag, __global double* out, const int len NMATH_LENGTHS(4)) {\n"
    "  int i = (int)get_global_id(0);\n"
    "  if (i >= len) return;\n"
    "  double y = NMATH_AT(a, 1) * NMATH_AT(x, 0) + NMATH_AT(b, 2);\n"
    "  out[i] = NMATH_FLAG(flag, 3) ? y : -y;\n"
    "}\n";

inline const KernelSpec kAffine{"affine", "affine_kernel", "test/affine_kernel.cl", 3, 1, ""};

inline std::string affine_text() { return prelude() + "#line 1 \"test/affine_kernel.cl\"\n" + kAffineKernel; }

inline KernelCall kernel_call(const DeviceInfo& device, const std::string& text, const std::string& kernel,
                              const std::string& options = "", RunReport* report = nullptr) {
  return KernelCall(open_device(device), user_source(text, options), kernel, report);
}

inline KernelCall kernel_call(const KernelBundle& executable, const std::string& kernel, RunReport* report = nullptr) {
  return KernelCall(open_device(executable.device()), program_of_bundle(executable), kernel, report);
}

// As OpenCL lists one; a handle it has not.
inline DeviceInfo no_device() {
  DeviceInfo device;
  device.kind = opencl_kind();
  return device;
}

// A device with working doubles, or none; picked once.
inline const std::vector<DeviceInfo>& working_devices() {
  static const std::vector<DeviceInfo> devices = [] {
    std::vector<DeviceInfo> found;
    for (const DeviceInfo& device : list_devices())
      if (fp64_probe(device).works) found.push_back(device);
    return found;
  }();
  return devices;
}

template <typename T>
Column column(const std::vector<T>& data) {
  return {data.data(), data.size(), std::is_same<T, double>::value ? Column::Type::f64 : Column::Type::i32};
}

class OnEveryDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (working_devices().empty()) GTEST_SKIP() << "no OpenCL device with double precision here";
    for (const DeviceInfo& device : working_devices()) wait_for(device);
  }

 private:
  // A kernel that the test before has interrupted may still run, on a machine with other work for a while.
  static void wait_for(const DeviceInfo& device) {
    for (int tenth = 0; tenth < 300; ++tenth) {
      try {
        open_device(device);
        return;
      } catch (const NmathError&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    }
  }
};

}  // namespace opencl_test
