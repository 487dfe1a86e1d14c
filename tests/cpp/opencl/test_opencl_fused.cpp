// test_opencl_fused -- fused kernels on every OpenCL device found.
#include "engine/fused_cases.h"
#include "opencl_test.h"

using FusedOpenCL = opencl_test::OnEveryDevice;
using opencl_test::working_devices;

TEST_F(FusedOpenCL, elements_come_out_right) {
  for (const auto& device : working_devices()) fused_cases::elements_come_out_right(device);
}
TEST_F(FusedOpenCL, matrices_travel_by_rows) {
  for (const auto& device : working_devices()) fused_cases::matrices_travel_by_rows(device);
}
TEST_F(FusedOpenCL, results_of_blocks_are_joined) {
  for (const auto& device : working_devices()) fused_cases::results_of_blocks_are_joined(device);
}
TEST_F(FusedOpenCL, sums_have_the_same_bits_whatever_the_chunks) {
  for (const auto& device : working_devices()) fused_cases::sums_have_the_same_bits_whatever_the_chunks(device);
}
TEST_F(FusedOpenCL, groups_are_summed) {
  for (const auto& device : working_devices()) fused_cases::groups_are_summed(device);
}
TEST_F(FusedOpenCL, ends_within_a_second) {
  for (const auto& device : working_devices()) fused_cases::ends_within_a_second(device);
}
TEST_F(FusedOpenCL, says_what_does_not_fit) {
  for (const auto& device : working_devices()) fused_cases::says_what_does_not_fit(device);
}

TEST_F(FusedOpenCL, a_kernel_survives_a_reset_of_its_device) {
  using namespace fused_cases;
  for (const auto& info : working_devices()) {
    FusedKernel kernel(times());
    const std::vector<double> x{1.0, 2.0}, b{3.0};
    for (int round = 0; round < 3; ++round) {
      double y[2] = {0.0, 0.0};
      FusedCall call;
      call.n = 2;
      call.columns = {column(x), column(b)};
      call.scalars = {1.0};
      call.values = {y};
      openclPort::RunReport report;
      run_fused(open_device(info), kernel, call, report);
      EXPECT_EQ(6.0, y[1]);
      EXPECT_EQ(1, report.built + report.cache_hits);
      openclPort::drop_sessions();
    }
  }
}
