// test_opencl_lies -- drivers that claim what is not so: double precision, group sizes, memory.
#include "fault_test.h"

using namespace fault_test;

namespace {

void lie(const Lies& lies) {
  fault_layer::set_lies(lies);
  opencl_reset_fp64_selection();
}

}  // namespace

TEST_F(UnderFaults, claimed_double_precision_that_is_single_is_found_out) {
  Lies lies;
  lies.single_precision = true;
  for (const bool gpu : {false, true}) {
    lies.gpu = gpu;
    lie(lies);
    const DeviceInfo device = first_device();
    EXPECT_TRUE(device.fp64_extension);
    const Fp64Probe probe = fp64_probe(device);
    EXPECT_FALSE(probe.works);
    EXPECT_TRUE(has(probe.reason, "wrong results")) << probe.reason;
    EXPECT_EQ("host", select_device("auto").type);
    const std::string text = error_of([] { select_device("opencl"); });
    EXPECT_TRUE(has(text, "working double precision") && has(text, device.name) && has(text, "wrong results")) << text;
    EXPECT_TRUE(has(text, "device = \"host\"")) << text;
    EXPECT_FALSE(opencl_ensure_fp64_selection(false));
    EXPECT_FALSE(opencl_fp64_selection().reason.empty());
  }
  lie(Lies());
  EXPECT_EQ("", use_function());
}

TEST_F(UnderFaults, claimed_double_precision_that_does_not_build_is_found_out) {
  const DeviceInfo device = first_device();
  fault_layer::fail_call({"clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE, false});
  const Fp64Probe probe = fp64_probe(device);
  EXPECT_FALSE(probe.works);
  EXPECT_TRUE(has(probe.reason, "does not build")) << probe.reason;
  EXPECT_TRUE(has(probe.log, "injected.cl:3:1")) << probe.log;
  // A compiler that rejects doubles once does so always; the driver is asked again only after a reset.
  fault_layer::stop_failing();
  EXPECT_FALSE(fp64_probe(device).works);
  const std::string text = error_of([] { select_device("opencl"); });
  EXPECT_TRUE(has(text, "does not build")) << text;
  opencl_reset_fp64_selection();
  EXPECT_EQ("", use_function());
}

TEST_F(UnderFaults, a_probe_that_fails_for_the_moment_is_repeated) {
  const DeviceInfo device = first_device();
  fault_layer::fail_call({"clCreateBuffer", 1, CL_INVALID_BUFFER_SIZE, false});
  EXPECT_FALSE(fp64_probe(device).works);
  EXPECT_TRUE(fp64_probe(device).works);
}

TEST_F(UnderFaults, double_precision_need_not_be_declared_to_be_denied) {
  Lies lies;
  lies.no_fp64 = true;
  lie(lies);
  EXPECT_FALSE(first_device().fp64_extension);
  lies.single_precision = true;
  lie(lies);
  const std::string text = error_of([] { select_device("opencl"); });
  EXPECT_TRUE(has(text, "working double precision")) << text;
}

TEST_F(UnderFaults, small_groups_are_kept_to) {
  for (const bool gpu : {false, true}) {
    for (const std::size_t limit : {1, 3, 16}) {
      Lies lies;
      lies.gpu = gpu;
      lies.group_limit = limit;
      lie(lies);
      for (const Use& use : all_uses()) {
        if (use.name == "kernel call" || use.name == "bundles") continue;  // they ask for groups of 8
        EXPECT_EQ("", attempt_text(use)) << use.name << " in groups of " << limit << (gpu ? " on a GPU" : "");
      }
    }
  }
  Lies lies;
  lies.group_limit = 4;
  lie(lies);
  const std::string text = attempt_text({"kernel call", use_kernel_call});
  EXPECT_TRUE(has(text, "CL_INVALID_WORK_GROUP_SIZE") && has(text, "sum_k")) << text;
}

// Buffers kept for reuse give way to those that are needed, and what does not fit is an error that says so.
TEST_F(UnderFaults, little_memory_is_enough_or_an_error) {
  Lies lies;
  lies.gpu = true;
  lies.memory_limit = std::size_t{24} << 20;
  lie(lies);
  const std::vector<double> one{1.0};
  const std::vector<int> flag{1};
  const DeviceInfo device = first_device();
  const auto run = [&](std::size_t n, std::size_t budget) {
    std::vector<double> x(n, 2.0), out(n, -1.0);
    ElementwiseOptions options;
    options.memory_budget = budget;
    RunReport report;
    run_elementwise(device, kAffine, affine_text, {column(x), column(one), column(one), column(flag)}, n, out.data(),
                    report, {}, options);
    for (const double value : out) ASSERT_EQ(3.0, value);
  };
  // Each leaves buffers of another size behind, more in all than there is room for.
  for (const std::size_t mebibytes : {16, 9, 16, 5, 9, 16})
    EXPECT_EQ("no error", error_of([&] { run(3000000, mebibytes << 20); })) << mebibytes;
  drop_sessions();  // with the buffers that would do
  lies.memory_limit = 100000;
  fault_layer::set_lies(lies);
  const std::string text = error_of([&] { run(3000000, std::size_t{5} << 20); });
  EXPECT_TRUE(has(text, "CL_MEM_OBJECT_ALLOCATION_FAILURE") && has(text, "too little free memory")) << text;
  lies.memory_limit = std::size_t{24} << 20;
  fault_layer::set_lies(lies);
  EXPECT_EQ("no error", error_of([&] { run(3000000, std::size_t{5} << 20); }));
  EXPECT_EQ("no error", error_of([&] { run(100, 0); }));
}

// The device's memory stays within the budget however long the vectors are.
TEST_F(UnderFaults, device_memory_keeps_to_the_budget) {
  Lies lies;
  lies.gpu = true;
  lie(lies);
  const DeviceInfo device = first_device();
  fault_layer::start_counting();
  const std::size_t n = 3000000, budget = std::size_t{6} << 20;
  std::vector<double> x(n, 2.0), out(n);
  const std::vector<double> one{1.0};
  const std::vector<int> flag{1};
  ElementwiseOptions options;
  options.memory_budget = budget;
  RunReport report;
  run_elementwise(device, kAffine, affine_text, {column(x), column(x), column(one), column(flag)}, n, out.data(),
                  report, {}, options);
  EXPECT_EQ(5.0, out[n - 1]);
  EXPECT_GT(report.chunks, 5u);
  // Buffers come in whole MiB: at most one more for each of two columns and the results, in two slots.
  EXPECT_LE(fault_layer::peak_device_bytes(), budget + 6 * (std::size_t{1} << 20));
}
