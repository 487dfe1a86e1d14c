// test_engine -- the engines on a device that counts what it is asked for: they need nothing but the interface.
#include <gtest/gtest.h>

#include <climits>
#include <cmath>

#include "base/nmath_error.h"
#include "device/device_selection.h"
#include "device/kernel_call.h"
#include "engine/elementwise.h"
#include "engine/multinomial.h"
#include "glm/ex_glmbayes_grid.h"
#include "glm_problem.h"
#include "host_test.h"
#include "logging/logging_device.h"

using namespace openclPort;
using logging_device::counts;

namespace {

class Engine : public ::testing::Test {
 protected:
  void SetUp() override {
    add_device_kind(logging_device::kind());
    counts().clear();
  }
  void TearDown() override {
    remove_device_kind(logging_device::kind());
    logging_device::info().wide_cores = true;
    EXPECT_EQ(0u, counts().alive);
  }
};

template <typename T>
Column column(const std::vector<T>& data) {
  return {data.data(), data.size(), std::is_same<T, double>::value ? Column::Type::f64 : Column::Type::i32};
}

}  // namespace

TEST_F(Engine, a_kind_that_is_registered_is_listed_and_chosen) {
  const DeviceInfo device = select_device("a device that counts");
  EXPECT_EQ("accelerator", device.type);
  EXPECT_EQ(list_devices().back().index, device.index);
  EXPECT_EQ(device.name, select_device(std::to_string(device.index)).name);
  EXPECT_EQ(device.name, select_device("accelerator").name);
  EXPECT_EQ("host", select_device("host").name);
}

TEST_F(Engine, elements_travel_once_each_way) {
  const std::size_t n = 100000;
  std::vector<double> x(n), want(n), got(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 1e-4 * static_cast<double>(i) - 5.0;
  const std::vector<double> mean{0.5}, sd{2.0};
  const std::vector<int> log{0};
  const KernelSpec& spec = find_kernel_spec("dnorm");
  const std::vector<Column> columns{column(x), column(mean), column(sd), column(log)};
  RunReport report, own;
  run_on_host(spec, columns, n, want.data(), own);
  run_elementwise("a device that counts", spec, columns, n, got.data(), report);
  EXPECT_EQ(want, got);
  EXPECT_EQ(n * sizeof(double), counts().written);
  EXPECT_EQ(n * sizeof(double), counts().read);
  EXPECT_EQ(report.chunks, counts().launches);
  EXPECT_EQ("a device that counts", report.device);
  EXPECT_EQ("accelerator", report.device_type);
}

TEST_F(Engine, what_the_device_does_not_do_is_done_for_it) {
  const std::size_t n = 5003;
  std::vector<int> x(n), flags{0, 1, 1};
  for (std::size_t i = 0; i < n; ++i) x[i] = i % 100 == 7 ? INT_MIN : static_cast<int>(i % 9) - 4;
  const std::vector<double> mean{0.0, 0.5}, sd{2.0};
  const KernelSpec& spec = find_kernel_spec("dnorm");
  const std::vector<Column> columns{column(x), column(mean), column(sd), column(flags)};
  for (const int workers : {1, 3}) {
    for (const std::size_t chunk_size : {std::size_t{0}, std::size_t{512}}) {
      std::vector<double> want(n), got(n, -1.0);
      RunReport report, own;
      ElementwiseOptions options;
      options.workers = workers;
      options.chunk_size = chunk_size;
      run_on_host(spec, columns, n, want.data(), own);
      run_elementwise(select_device("a device that counts"), spec, nullptr, columns, n, got.data(), report, {},
                      options);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(std::isnan(want[i]), std::isnan(got[i])) << i;
        if (!std::isnan(want[i])) {
          ASSERT_EQ(want[i], got[i]) << i;
        }
        ASSERT_EQ(x[i] == INT_MIN, std::isnan(want[i])) << i;
      }
    }
  }
}

TEST_F(Engine, draws_are_the_hosts) {
  const std::size_t n = 70000;
  const std::vector<double> one{1.0}, zero{0.0};
  std::vector<double> want(n), got(n);
  RunReport report, own;
  run_on_host(find_kernel_spec("rnorm"), {column(zero), column(one)}, n, want.data(), own, {}, 7);
  run_elementwise("a device that counts", find_kernel_spec("rnorm"), {column(zero), column(one)}, n, got.data(), report,
                  {}, 7);
  EXPECT_EQ(want, got);
  const std::vector<double> prob{1, 2, 3};
  std::vector<int> counted(3 * 1000), cells(3 * 1000);
  run_multinomial("host", find_kernel_spec("rmultinom"), {50, prob.data(), 3}, 1000, counted.data(), own, {}, 3);
  run_multinomial("a device that counts", find_kernel_spec("rmultinom"), {50, prob.data(), 3}, 1000, cells.data(),
                  report, {}, 3);
  EXPECT_EQ(counted, cells);
}

TEST_F(Engine, a_grid_of_coefficients_by_what_the_device_is_said_to_like) {
  const glm_test::GlmKernelSpec& spec = glm_test::glm_kernel_registry().front();
  const glm_test::Problem a = glm_test::random_problem(spec.kernel_name, 60, 4, 200, true, 1);
  for (const glm_test::GlmMethod method : {glm_test::GlmMethod::lanes, glm_test::GlmMethod::plain}) {
    counts().clear();
    glm_test::GlmTuning tuning;
    tuning.method = method;
    glm_test::Result got;
    const glm_test::GlmProblem problem = glm_test::problem_of(a, got);
    RunReport report;
    run_glm_grid(select_device("a device that counts"), spec, problem, report, {}, tuning);
    glm_test::expect_same(got, glm_test::plain_result(spec, a), "counting device");
    EXPECT_EQ(200 * 5 * sizeof(double), counts().read);
    EXPECT_EQ(1u, counts().launches);
  }
}

TEST_F(Engine, a_device_without_a_compiler_says_so_of_users_texts) {
  EXPECT_THROW(KernelCall(open_device(select_device("a device that counts")), user_source("__kernel void k() {}"), "k"),
               NmathError);
}
