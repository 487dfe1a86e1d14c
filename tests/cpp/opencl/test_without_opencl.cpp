// test_without_opencl -- the package built --without-opencl: the host computes, and everything else says why it does
// not.
#include "opencl_test.h"

using namespace opencl_test;

TEST(WithoutOpenCL, nothing_is_there_and_everything_says_so) {
  EXPECT_FALSE(devices_installed());
  EXPECT_TRUE(list_devices().empty());
  EXPECT_TRUE(skipped_devices().empty());
  ASSERT_EQ(1u, driver_reports().size());
  EXPECT_FALSE(driver_reports()[0].built);
  EXPECT_TRUE(has(driver_reports()[0].problem, "built without OpenCL"));
  EXPECT_EQ("host", select_device("auto").type);
  EXPECT_EQ("host", select_device("host").type);
  const std::string built_without = "built without OpenCL";
  EXPECT_TRUE(has(error_of([] { select_device("opencl"); }), built_without));
  EXPECT_TRUE(has(error_of([] { set_selected_device("gpu"); }), built_without));
  EXPECT_TRUE(has(error_of([] { open_device(no_device()); }), built_without));
  EXPECT_TRUE(has(error_of([] { KernelBundle::from_source(no_device(), "text"); }), built_without));
  EXPECT_TRUE(has(error_of([] { KernelBundle::from_source(host_device(), "text"); }), "no compiler"));
  std::vector<double> out;
  EXPECT_TRUE(has(error_of([&] { opencl_numeric_cols_kernel_runner("", "k", 0, {}, out); }), built_without));
  EXPECT_TRUE(has(error_of([&] { opencl_dbl_scalar_kernel_runner("", "k", {}, 1, out); }), built_without));
  EXPECT_FALSE(opencl_ensure_fp64_selection(true));
  EXPECT_TRUE(has(opencl_fp64_selection().reason, built_without));
  EXPECT_NO_THROW(close_devices());
  EXPECT_NO_THROW(keep_user_programs(3));
  EXPECT_NO_THROW(opencl_reset_fp64_selection());
}

TEST(WithoutOpenCL, the_host_computes) {
  const std::vector<double> x{0.0, 1.0}, mean{0.0}, sd{1.0};
  const std::vector<int> log{1};
  std::vector<double> out(2);
  RunReport report;
  run_elementwise("auto", find_kernel_spec("dnorm"), {column(x), column(mean), column(sd), column(log)}, 2, out.data(),
                  report, {});
  EXPECT_EQ("host", report.device);
  EXPECT_DOUBLE_EQ(-0.5, out[1] - out[0]);
}
