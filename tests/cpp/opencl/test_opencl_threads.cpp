// test_opencl_threads -- the OpenCL side called by many threads at once, while others list, probe, drop and interrupt.
#include <atomic>
#include <cmath>
#include <thread>

#include "glm/ex_glmbayes_opencl.h"
#include "loader/kernel_loader.h"
#include "opencl_test.h"
#include "sanitizers.h"

using namespace opencl_test;

namespace {

// Threads that wait for one failing build get the same exception. libstdc++ counts its references without telling the
// thread sanitizer, which then takes its end for a race: there, each thread fails on a text of its own.
constexpr bool kSharedFailures = !kThreadSanitizer;

class Threads : public OnEveryDevice {
 protected:
  void SetUp() override {
    OnEveryDevice::SetUp();
    if (IsSkipped()) return;
    if (has(working_devices().front().platform_name, "Oclgrind")) GTEST_SKIP() << "it runs one kernel at a time";
    set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR);
  }
};

std::size_t wrong_elements(const DeviceInfo& device, int round) {
  const std::size_t n = 3000 + static_cast<std::size_t>(round);
  std::vector<double> x(n), out(n, -1.0);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i);
  const std::vector<double> a{2.0, 3.0}, b{0.5};
  const std::vector<int> flag{1};
  ElementwiseOptions options;
  options.chunk_size = round % 2 == 0 ? 0 : 1000;
  options.transfer = round % 3 == 0 ? ElementwiseOptions::Transfer::copy : ElementwiseOptions::Transfer::automatic;
  RunReport report;
  run_elementwise(device, kAffine, affine_text, {column(x), column(a), column(b), column(flag)}, n, out.data(), report,
                  {}, options);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += out[i] != a[i % 2] * x[i] + 0.5;
  return wrong;
}

std::size_t wrong_kernel_call(const DeviceInfo& device) {
  const std::string text =
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
      "__kernel void add(__global const double* x, const double c, __global double* out, const int n)\n"
      "{ int i = get_global_id(0); if (i < n) out[i] = x[i] + c; }\n";
  std::vector<double> x{1, 2, 3}, out(3);
  kernel_call(device, text, "add")
      .input("x", x)
      .value("c", 0.5)
      .output("out", out.data(), 3)
      .value("n", 3)
      .items(3)
      .run();
  return (out[0] != 1.5) + (out[1] != 2.5) + (out[2] != 3.5);
}

std::size_t wrong_grid(const std::string& device) {
  const double x = 1, y = 1, alpha = 0, wt = 1, mu = 0, prior = 1;
  std::vector<double> b(100), qf(100), grad(100);
  for (int j = 0; j < 100; ++j) b[j] = 0.01 * j;
  ex_glmbayes::opencl::GlmProblem problem{};
  problem.X = &x, problem.B = b.data(), problem.mu = &mu, problem.P = &prior, problem.alpha = &alpha, problem.y = &y;
  problem.wt = &wt, problem.qf = qf.data(), problem.grad = grad.data(), problem.l1 = 1, problem.l2 = 1;
  problem.m1 = 100;
  RunReport report;
  ex_glmbayes::opencl::run_f2_f3(device, ex_glmbayes::opencl::find_glm_kernel("poisson", "log"), problem, report, {});
  std::size_t wrong = 0;
  for (int j = 0; j < 100; ++j) wrong += !(std::fabs(qf[j] - (0.5 * b[j] * b[j] - b[j] + std::exp(b[j]))) < 1e-12);
  return wrong;
}

// Calls `body(thread, round)` from several threads; what it throws is a failure of the test.
template <typename Body>
void from_threads(int threads, int rounds, Body body) {
  std::vector<std::thread> callers;
  for (int t = 0; t < threads; ++t)
    callers.emplace_back([&, t] {
      for (int round = 0; round < rounds; ++round) {
        try {
          body(t, round);
        } catch (const NmathError& error) {
          ADD_FAILURE() << error.what();
        }
      }
    });
  for (std::thread& caller : callers) caller.join();
}

}  // namespace

TEST_F(Threads, every_kind_of_call_at_once) {
  const DeviceInfo device = working_devices().front();
  drop_sessions();
  std::atomic<std::size_t> wrong{0};
  from_threads(5, 10, [&](int thread, int round) {
    switch ((thread + round) % 5) {
      case 0:
        wrong += wrong_elements(device, round);
        break;
      case 1:
        wrong += wrong_kernel_call(device);
        break;
      case 2:
        wrong += wrong_grid("opencl");
        break;
      case 3:
        wrong += wrong_grid("host");
        break;
      case 4:
        wrong += !fp64_probe(device).works || list_devices().empty() || !select_device("opencl").compiles;
        break;
    }
  });
  EXPECT_EQ(0u, wrong);
}

TEST_F(Threads, sessions_may_be_dropped_under_running_calls) {
  const DeviceInfo device = working_devices().front();
  std::atomic<std::size_t> wrong{0};
  from_threads(4, 8, [&](int thread, int round) {
    if (thread == 0)
      round % 2 == 0 ? drop_sessions() : opencl_reset_fp64_selection();
    else
      wrong += wrong_elements(device, round) + wrong_kernel_call(device);
  });
  EXPECT_EQ(0u, wrong);
}

TEST_F(Threads, failing_builds_and_good_ones_at_once) {
  const DeviceInfo device = working_devices().front();
  std::atomic<std::size_t> wrong{0}, failed{0};
  from_threads(4, 5, [&](int thread, int round) {
    if (thread % 2 == 0) {
      const std::string text = "nonsense " + std::to_string(kSharedFailures ? round : 100 * thread + round);
      failed +=
          has(error_of([&] { session_for(device)->program(text, "", nullptr); }), "building the OpenCL program failed");
    } else {
      wrong += wrong_elements(device, round);
    }
  });
  EXPECT_EQ(0u, wrong);
  EXPECT_EQ(10u, failed);
}

TEST_F(Threads, an_interrupt_of_one_call_leaves_the_others_alone) {
  const DeviceInfo device = working_devices().front();
  std::atomic<std::size_t> wrong{0}, interrupted{0};
  from_threads(4, 6, [&](int thread, int round) {
    if (thread > 0) {
      wrong += wrong_elements(device, round);
      return;
    }
    std::vector<double> x(1000, 1.0), out(1000);
    const std::vector<int> flag{1};
    ElementwiseOptions options;
    options.chunk_size = 100;
    RunReport report;
    int polls = 0;
    interrupted += "interrupted" == error_of([&] {
                     run_elementwise(device, kAffine, affine_text, {column(x), column(x), column(x), column(flag)},
                                     1000, out.data(), report, {[&] { return ++polls == 3; }, nullptr}, options);
                   });
  });
  EXPECT_EQ(0u, wrong);
  EXPECT_EQ(6u, interrupted);
}
