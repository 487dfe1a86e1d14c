// test_opencl_faults -- every OpenCL call that a use of the run time makes is failed in turn, with several statuses.
//
// Each time there must be an error that names step, status and remedy, or right results where the call is one that can
// be done without; no handle may be left; and the next use must work.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "fault_test.h"

using namespace fault_test;

namespace {

constexpr int kUnknownStatus = -12345;

// Calls whose failure may be made good: a second try, doing without, nothing lost.
bool may_be_absorbed(const fault_layer::Fired& fired) {
  return fired.harmless || fired.function.rfind("clRelease", 0) == 0 || fired.function == "clGetEventProfilingInfo" ||
         fired.function == "clCreateKernelsInProgram" || fired.function == "clGetKernelArgInfo" ||
         fired.function == "clCreateBuffer" || fired.function == "clEnqueueMapBuffer" ||
         fired.function == "clRetainCommandQueue";
}

// `function`: the call that failed; "" where a later one may have met the lost device.
void expect_telling(const Outcome& outcome, const std::string& function, int status) {
  const std::string text = outcome.error.what();
  EXPECT_TRUE(has(text, function)) << text;
  EXPECT_TRUE(has(text, opencl_status_name(status)) && has(text, std::to_string(status))) << text;
  EXPECT_FALSE(outcome.error.step().empty()) << text;
  EXPECT_FALSE(outcome.error.hint().empty()) << text;
}

// Each call in turn; NMATH_FAULT_STRIDE=n: every n-th one, for sanitizers, under which drivers build slowly.
long stride() {
  const char* text = std::getenv("NMATH_FAULT_STRIDE");
  return text == nullptr ? 1 : std::max(1L, std::atol(text));
}

// Fails each call of `use` in turn; gives their number. Cold: devices are listed, probed and programs built anew.
long fail_each_call(const Use& use, bool cold, int status, bool lasting, const std::string& only = "*") {
  const long step = only == "*" ? stride() : 1;
  for (long k = 1;; k += step) {
    if (cold)
      opencl_reset_fp64_selection();
    else
      EXPECT_EQ("", attempt_text(use));
    fault_layer::fail_call({only, k, status, lasting});
    const Outcome outcome = attempt(use);
    const fault_layer::Fired fired = fault_layer::fired();
    fault_layer::stop_failing();
    SCOPED_TRACE(use.name + (cold ? ", cold" : ", warm") + ", call " + std::to_string(k) + " (" + fired.function +
                 ") fails with " + opencl_status_name(status) + (lasting ? " for good" : ""));
    if (fired.function.empty()) {
      EXPECT_EQ("", outcome.failed ? outcome.error.what() : outcome.wrong);
      return k - step;
    }
    if (outcome.failed)
      expect_telling(outcome, lasting ? "" : fired.function, status);
    else
      EXPECT_EQ("", outcome.wrong);
    if (!outcome.failed) {
      EXPECT_TRUE(may_be_absorbed(fired));
    }
    // A device lost at the very end of a use is met by the next one.
    const Outcome next = lasting && !outcome.failed ? attempt(use) : Outcome();
    if (next.failed) expect_telling(next, "", status);
    EXPECT_EQ("", attempt_text(use)) << "in the use that follows";
    if (cold) {
      drop_sessions();
      EXPECT_EQ("nothing", fault_layer::live().text());
    }
    if (::testing::Test::HasFailure()) return k;  // one report is enough
  }
}

}  // namespace

TEST_F(UnderFaultsWithKeptBuilds, each_call_of_a_warm_use_fails_once) {
  for (const bool gpu : {false, true}) {
    Lies lies;
    lies.gpu = gpu;
    lie(lies);
    const std::vector<int> statuses = gpu ? std::vector<int>{CL_OUT_OF_RESOURCES}
                                          : std::vector<int>{CL_OUT_OF_HOST_MEMORY, CL_INVALID_VALUE, kUnknownStatus};
    for (const Use& use : all_uses()) {
      long calls = 0;
      for (const int status : statuses) calls = fail_each_call(use, false, status, false);
      std::printf("warm %s%s: %ld calls, each failed %zu times\n", use.name.c_str(), gpu ? " on a GPU" : "", calls,
                  statuses.size());
      drop_sessions();
      EXPECT_EQ("nothing", fault_layer::live().text());
    }
  }
}

TEST_F(UnderFaultsWithKeptBuilds, each_call_of_a_cold_use_fails_once) {
  for (const Use& use : all_uses()) {
    // dnorm is elementwise, with all before it that a first call does; f2_f3 and kernel calls begin in the same way.
    if (use.name != "dnorm" && use.name != "bundles" && use.name != "selection and probe") continue;
    const long calls = fail_each_call(use, true, CL_OUT_OF_HOST_MEMORY, false);
    EXPECT_GT(calls, 20);
    std::printf("cold %s: %ld calls, each failed\n", use.name.c_str(), calls);
  }
}

// From one call on, everything fails until a new context is made: the next use must make it.
TEST_F(UnderFaultsWithKeptBuilds, device_lost_at_each_call) {
  for (const Use& use : all_uses()) {
    fail_each_call(use, false, CL_DEVICE_NOT_AVAILABLE, true);
    if (use.name == "kernel call" || use.name == "dnorm")
      for (const int status : {CL_OUT_OF_RESOURCES, CL_INVALID_COMMAND_QUEUE, -9999})
        fail_each_call(use, false, status, true);
  }
}

// The driver itself makes a context and builds again.
TEST_F(UnderFaults, device_lost_and_made_anew_by_the_driver) {
  fail_each_call({"kernel call", use_kernel_call}, false, CL_DEVICE_NOT_AVAILABLE, true);
}

TEST_F(UnderFaultsWithKeptBuilds, what_drivers_really_answer) {
  const std::pair<const char*, int> answers[] = {{"clCreateContext", CL_DEVICE_NOT_AVAILABLE},
                                                 {"clBuildProgram", CL_COMPILER_NOT_AVAILABLE},
                                                 {"clCompileProgram", CL_COMPILE_PROGRAM_FAILURE},
                                                 {"clLinkProgram", CL_LINKER_NOT_AVAILABLE},
                                                 {"clLinkProgram", CL_LINK_PROGRAM_FAILURE},
                                                 {"clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE},
                                                 {"clCreateBuffer", CL_INVALID_BUFFER_SIZE},
                                                 {"clCreateKernel", CL_INVALID_PROGRAM_EXECUTABLE},
                                                 {"clGetKernelWorkGroupInfo", CL_INVALID_DEVICE},
                                                 {"clGetKernelInfo", CL_INVALID_KERNEL},
                                                 {"clEnqueueNDRangeKernel", CL_INVALID_WORK_GROUP_SIZE},
                                                 {"clEnqueueNDRangeKernel", CL_MEM_OBJECT_ALLOCATION_FAILURE},
                                                 {"clEnqueueWriteBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE},
                                                 {"clFinish", CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST},
                                                 {"clFinish", -9999}};
  for (const auto& answer : answers) {
    long failed = 0;
    for (const Use& use : all_uses()) {
      if (use.name != "elementwise, copied" && use.name != "bundles" && use.name != "f2_f3") continue;
      const bool building =
          answer.first == std::string("clBuildProgram") || answer.first == std::string("clCreateContext");
      failed += fail_each_call(use, building, answer.second, false, answer.first);
    }
    EXPECT_GT(failed, 0) << answer.first;
  }
}

// Page-locked memory is mapped by the queue that it keeps: a mapping without one could never end.
TEST_F(UnderFaultsWithKeptBuilds, a_queue_that_cannot_be_kept_leaves_no_mapping) {
  for (const Use& use : all_uses()) {
    if (use.name != "elementwise, in workers") continue;
    EXPECT_GT(fail_each_call(use, true, CL_OUT_OF_HOST_MEMORY, false, "clRetainCommandQueue"), 0);
  }
}

TEST_F(UnderFaults, a_failed_build_shows_its_log_and_is_tried_again) {
  use_select();  // the probe has been built
  fault_layer::fail_call({"clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE, false});
  const Outcome outcome = attempt({"kernel call", use_kernel_call});
  ASSERT_TRUE(outcome.failed);
  EXPECT_EQ("clBuildProgram", outcome.error.step());
  EXPECT_TRUE(has(outcome.error.build_log(), "injected.cl:3:1: error"));
  EXPECT_TRUE(has(outcome.error.what(), "failed: nmath/injected.cl:3:1")) << outcome.error.what();
  EXPECT_EQ("", use_kernel_call());
}

TEST_F(UnderFaults, a_group_too_large_says_so) {
  const Use call{"kernel call", use_kernel_call};
  EXPECT_EQ("", attempt_text(call));
  fault_layer::fail_call({"clEnqueueNDRangeKernel", 1, CL_INVALID_WORK_GROUP_SIZE, false});
  const std::string text = attempt_text(call);
  EXPECT_TRUE(has(text, "starting kernel 'sum_k'") && has(text, "smaller work-group")) << text;
}

TEST_F(UnderFaults, a_platform_that_fails_is_reported_by_name) {
  const DriverReport whole = driver_reports().front();
  ASSERT_FALSE(whole.platforms.empty());
  EXPECT_EQ("", whole.platforms[0].problem);
  opencl_reset_fp64_selection();
  fault_layer::fail_call({"clGetDeviceIDs", 1, CL_OUT_OF_HOST_MEMORY, false});
  const DriverReport report = driver_reports().front();
  ASSERT_FALSE(report.platforms.empty());
  EXPECT_EQ(whole.platforms[0].name, report.platforms[0].name);
  EXPECT_TRUE(has(report.platforms[0].problem, "CL_OUT_OF_HOST_MEMORY")) << report.platforms[0].problem;
  opencl_reset_fp64_selection();
  EXPECT_EQ("", driver_reports().front().platforms[0].problem);
}

// Nothing may bypass the layer.
TEST_F(UnderFaults, the_layer_sees_what_runs) {
  fault_layer::start_counting();
  opencl_reset_fp64_selection();
  EXPECT_EQ("", use_kernel_call());
  const auto calls = fault_layer::calls_by_function();
  for (const char* function : {"clGetPlatformIDs", "clCreateContext", "clBuildProgram", "clEnqueueNDRangeKernel"})
    EXPECT_GT(calls.count(function), 0u) << function;
  EXPECT_GT(fault_layer::live().total(), 0);
}

// Making a kernel and asking for its limits takes a driver longer than launching it.
TEST_F(UnderFaults, a_second_call_makes_no_kernel_and_asks_for_no_limits) {
  for (const bool gpu : {false, true}) {
    Lies lies;
    lies.gpu = gpu;
    lie(lies);
    for (const Use& use : {Use{"function", use_function}, Use{"GLM", use_glm}}) {
      EXPECT_EQ("", attempt_text(use));
      fault_layer::start_counting();
      EXPECT_EQ("", attempt_text(use));
      const auto calls = fault_layer::calls_by_function();
      for (const char* function : {"clGetKernelWorkGroupInfo", "clGetKernelInfo"})
        EXPECT_EQ(0u, calls.count(function)) << use.name << ": " << function;
      // A kernel that had the caller's own memory among its arguments is not kept.
      for (const char* function : {"clCreateKernel", "clReleaseKernel"})
        EXPECT_EQ(gpu ? 0u : 1u, calls.count(function)) << use.name << ": " << function;
      EXPECT_EQ(1u, calls.count("clEnqueueNDRangeKernel")) << use.name;
    }
  }
}

// Arguments that an earlier launch has set are none of the next one's.
TEST_F(UnderFaults, a_launch_without_an_argument_does_not_run_with_that_of_an_earlier_one) {
  const SharedDevice device = open_device(first_device());
  const SharedProgram program = KernelBundle::from_source(first_device(), kSumKernel).build().program();
  const Buffer x = device->allocate(ElementType::f64, 8), w = device->allocate(ElementType::i32, 8);
  const Buffer out = device->allocate(ElementType::f64, 8);
  const std::unique_ptr<Queue> queue = device->queue(false);
  const auto launched = [&](bool all) {
    const std::unique_ptr<Launch> launch = program->launch("sum_k");
    launch->set_buffer(0, x);
    launch->set_buffer(1, w);
    launch->set(2, 1.5);
    launch->set_local(3, 8 * sizeof(double));
    launch->set_buffer(4, out);
    if (all) launch->set(5, std::int32_t{0});
    launch->range(range_of({8}, {8}));
    queue->run(*launch);
    queue->finish();
  };
  launched(true);
  const std::string text = attempt_text({"launch", [&] {
                                           launched(false);
                                           return std::string();
                                         }});
  EXPECT_TRUE(has(text, "starting kernel 'sum_k'") && has(text, "CL_INVALID_KERNEL_ARGS")) << text;
  launched(true);
}
