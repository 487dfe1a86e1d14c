// fault_test -- what the tests of faults share: ways of using OpenCL, each of which knows its right results.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "fault_layer.h"
#include "glm/ex_glmbayes_opencl.h"
#include "loader/kernel_loader.h"
#include "opencl_test.h"

namespace fault_test {

using namespace opencl_test;
using fault_layer::Fault;
using fault_layer::Lies;

// From the first call on.
inline const bool kUnderTheLayer = (use_opencl_library(fault_layer::file()), true);

// One way of using OpenCL. `run` throws NmathError, or tells what is wrong with the results; "": they are right.
struct Use {
  std::string name;
  std::function<std::string()> run;
};

inline DeviceInfo first_device() {
  const std::vector<DeviceInfo> devices = list_devices();
  if (devices.empty()) {
    std::string reasons;
    for (const std::string& reason : skipped_devices()) reasons += reason + "\n";
    throw NmathError("no device is listed", "list_devices", "", "see the reasons", "", reasons);
  }
  return devices.front();
}

// Several chunks, one column longer than what is used, one recycled, two scalars. Two workers: through page-locked
// memory.
inline std::string use_elementwise(ElementwiseOptions::Transfer transfer, int workers = 0) {
  constexpr std::size_t n = 450;
  std::vector<double> x(n + 3), out(n, -1.0);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
  const std::vector<double> a{1.0, 10.0, 100.0}, b{0.5};
  const std::vector<int> flag{1};
  ElementwiseOptions options;
  options.chunk_size = 100;
  options.transfer = transfer;
  options.workers = workers;
  RunReport report;
  run_elementwise(first_device(), kAffine, affine_text, {column(x), column(a), column(b), column(flag)}, n, out.data(),
                  report, {}, options);
  for (std::size_t i = 0; i < n; ++i)
    if (out[i] != a[i % 3] * x[i] + 0.5) return "element " + std::to_string(i) + " is " + std::to_string(out[i]);
  return "";
}

inline const char* const kSumKernel =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "__kernel void sum_k(__global const double* x, __global const int* w, const double c, __local double* scratch,\n"
    "                    __global double* out, const int n)\n"
    "{\n"
    "  int i = get_global_id(0), l = get_local_id(0);\n"
    "  scratch[l] = i < n ? x[i] * w[i] : 0.0;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (i < n) out[i] = scratch[l] + c;\n"
    "}\n";

inline std::string run_sum(KernelCall call) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6, 7};
  const std::vector<int> w{2, 2, 2, 3, 3, 3, 3};
  std::vector<double> out(7, -1.0);
  call.input("x", x).input("w", w).value("c", 0.25).local("scratch", 8 * sizeof(double));
  call.output("out", out.data(), out.size()).value("n", 7).nd_range({8}, {8}).run();
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i] != x[i] * w[i] + 0.25) return "element " + std::to_string(i) + " is " + std::to_string(out[i]);
  return "";
}

inline std::string use_kernel_call() { return run_sum(kernel_call(first_device(), kSumKernel, "sum_k")); }

inline std::string use_bundles() {
  const DeviceInfo device = first_device();
  const KernelBundle helper = KernelBundle::from_source(device, "double twice(double x) { return 2.0 * x; }\n");
  const KernelBundle user = KernelBundle::from_source(
      device, "double twice(double x);\n__kernel void k(__global double* out) { out[0] = twice(21.0); }\n");
  const KernelBundle program = KernelBundle::link({helper.compile(), user.compile()});
  if (program.kernel_names() != std::vector<std::string>{"k"}) return "kernel_names";
  if (program.kernel_info("k").arguments != 1) return "kernel_info";
  const KernelBundle other = KernelBundle::from_source(device, kSumKernel).build();
  if (!other.has_kernel("sum_k") || has(other.build_log(), "error")) return "has_kernel, build_log";
  double out = 0.0;
  kernel_call(program, "k").output("out", &out, 1).nd_range({1}).run();
  return out == 42.0 ? "" : "42 is " + std::to_string(out);
}

inline std::string use_select() { return select_device("opencl").name == first_device().name ? "" : "another device"; }

// exp is in the program of every family; Poisson needs lgamma besides.
inline std::string use_function() {
  std::vector<double> x{-1.0, 0.0, 2.0}, mean{0.5}, sd{2.0}, out(3, -1.0);
  const std::vector<int> log{1};
  RunReport report;
  // Somebody asks for the call to end, so that what a driver compiles at a first run has a run of its own.
  run_elementwise("opencl", find_kernel_spec("dnorm"), {column(x), column(mean), column(sd), column(log)}, 3,
                  out.data(), report, {[] { return false; }, nullptr});
  for (std::size_t i = 0; i < 3; ++i) {
    const double z = (x[i] - 0.5) / 2.0, want = -0.5 * z * z - std::log(2.0 * std::sqrt(2.0 * std::acos(-1.0)));
    if (!(std::fabs(out[i] - want) < 1e-14)) return "element " + std::to_string(i) + " is " + std::to_string(out[i]);
  }
  return report.device == first_device().name ? "" : "it ran on " + report.device;
}

// The Poisson log-posterior of a single coefficient, which plain C++ has in two lines.
inline std::string use_glm() {
  constexpr int l1 = 4, m1 = 300;
  const double x[l1] = {1, 1, 1, 1}, y[l1] = {0, 1, 2, 3}, alpha[l1] = {0, 0, 0, 0}, wt[l1] = {1, 1, 1, 1};
  const double mu = 0.0, prior = 1.0;
  std::vector<double> b(m1), qf(m1, -1.0), grad(m1, -1.0);
  for (int j = 0; j < m1; ++j) b[j] = 0.01 * (j - 150);
  ex_glmbayes::opencl::GlmProblem problem{};
  problem.X = x, problem.B = b.data(), problem.mu = &mu, problem.P = &prior, problem.alpha = alpha, problem.y = y;
  problem.wt = wt, problem.qf = qf.data(), problem.grad = grad.data(), problem.l1 = l1, problem.l2 = 1;
  problem.m1 = m1;
  RunReport report;
  ex_glmbayes::opencl::run_f2_f3("opencl", ex_glmbayes::opencl::find_glm_kernel("poisson", "log"), problem, report, {});
  for (int j = 0; j < m1; ++j) {
    double want = 0.5 * b[j] * b[j], slope = b[j];
    for (int i = 0; i < l1; ++i) {
      want -= y[i] * b[j] - std::exp(b[j]) - std::lgamma(y[i] + 1.0);
      slope -= y[i] - std::exp(b[j]);
    }
    if (!(std::fabs(qf[j] - want) < 1e-11 && std::fabs(grad[j] - slope) < 1e-11))
      return "grid point " + std::to_string(j) + " is " + std::to_string(qf[j]) + ", " + std::to_string(grad[j]);
  }
  return "";
}

inline std::vector<Use> all_uses() {
  using Transfer = ElementwiseOptions::Transfer;
  return {{"elementwise, copied", [] { return use_elementwise(Transfer::copy); }},
          {"elementwise, in workers", [] { return use_elementwise(Transfer::copy, 2); }},
          {"elementwise, automatic", [] { return use_elementwise(Transfer::automatic); }},
          {"kernel call", use_kernel_call},
          {"bundles", use_bundles},
          {"selection and probe", use_select},
          {"dnorm", use_function},
          {"f2_f3", use_glm}};
}

// What came of a use: its error, or what is wrong with its results.
struct Outcome {
  bool failed = false;
  NmathError error{""};
  std::string wrong;
};

inline Outcome attempt(const Use& use) {
  Outcome outcome;
  try {
    outcome.wrong = use.run();
  } catch (const NmathError& error) {
    outcome.failed = true;
    outcome.error = error;
  }
  return outcome;
}

inline std::string attempt_text(const Use& use) {
  const Outcome outcome = attempt(use);
  return outcome.failed ? outcome.error.what() : outcome.wrong;
}

inline void lie(const Lies& lies) {
  fault_layer::set_lies(lies);
  opencl_reset_fp64_selection();
}

// Every test begins and ends with an honest layer, no session and no handle.
class UnderFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    fault_layer::set_lies(Lies());
    set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR);
    if (working_devices().empty()) GTEST_SKIP() << "no OpenCL device with double precision here";
    opencl_reset_fp64_selection();
  }
  void TearDown() override {
    fault_layer::keep_builds(false);
    fault_layer::stop_failing();
    fault_layer::set_lies(Lies());
    opencl_reset_fp64_selection();
    EXPECT_EQ("nothing", fault_layer::live().text());
  }
};

// Of tests that run programs over and over and look at none of their builds.
class UnderFaultsWithKeptBuilds : public UnderFaults {
 protected:
  void SetUp() override {
    UnderFaults::SetUp();
    fault_layer::keep_builds(true);
  }
};

}  // namespace fault_test
