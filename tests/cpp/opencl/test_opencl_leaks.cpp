// test_opencl_leaks -- ten thousand failing calls of every kind leave no handle and no memory behind.
#include <algorithm>
#include <cstdio>
#ifdef __linux__
#include <malloc.h>
#include <unistd.h>
#endif

#include "fault_test.h"
#include "sanitizers.h"

using namespace fault_test;

namespace {

// Bytes of this process in memory; 0 where the system does not tell.
std::size_t resident() {
#ifdef __linux__
  malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  std::size_t size = 0, pages = 0;
  file >> size >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
#else
  return 0;
#endif
}

double mebibytes(std::size_t before, std::size_t after) {
  return (static_cast<double>(after) - static_cast<double>(before)) / 1048576.0;
}

constexpr bool kCountsMemory = !kSanitizer;  // a sanitizer keeps what was freed, on purpose

constexpr cl_int CL_INVALID_ARG_VALUE = -50;

struct Failure {
  const char* name;
  int times;
  std::function<void()> run;  // throws NmathError
};

void under(const Fault& fault, const std::function<std::string()>& use) {
  fault_layer::fail_call(fault);
  use();
}

std::vector<Failure> failures() {
  using Transfer = ElementwiseOptions::Transfer;
  const auto elementwise = [] { return use_elementwise(Transfer::copy); };
  const auto fresh_build = [] {
    static int number = 0;
    return run_sum(kernel_call(first_device(), kSumKernel + ("// " + std::to_string(++number) + "\n"), "sum_k"));
  };
  return {
      {"a build that the driver rejects", 2000,
       [=] {
         under({"clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE, false}, fresh_build);
       }},
      {"options that the driver rejects", 1000,
       [] { session_for(first_device())->program(kSumKernel, "-no-such-option", nullptr); }},
      {"an unknown kernel", 1000, [] { run_sum(kernel_call(first_device(), kSumKernel, "no_such_kernel")); }},
      {"too few arguments", 1000,
       [] {
         const std::vector<double> x{1.0};
         kernel_call(first_device(), kSumKernel, "sum_k").input("x", x).items(1).run();
       }},
      {"no memory", 1500,
       [] {
         fault_layer::fail_call({"clCreateBuffer", 2, CL_INVALID_BUFFER_SIZE, false});
         use_kernel_call();
       }},
      {"no memory for chunks", 1000,
       [=] {
         // Sizes change, or buffers kept for reuse would do.
         fault_layer::fail_call({"clEnqueueWriteBuffer", 3, CL_MEM_OBJECT_ALLOCATION_FAILURE, false});
         elementwise();
       }},
      {"a kernel that does not start", 1000,
       [=] {
         under({"clEnqueueNDRangeKernel", 2, CL_INVALID_WORK_GROUP_SIZE, false}, elementwise);
       }},
      {"results that cannot be read", 1000,
       [=] {
         under({"clEnqueueReadBuffer", 2, CL_OUT_OF_HOST_MEMORY, false}, elementwise);
       }},
      {"a failing GLM grid", 400,
       [] {
         under({"clSetKernelArg", 5, CL_INVALID_ARG_VALUE, false}, use_glm);
       }},
      {"a lost device", 100,
       [=] {
         under({"clFinish", 1, CL_DEVICE_NOT_AVAILABLE, true}, elementwise);
       }},
  };
}

}  // namespace

TEST_F(UnderFaults, ten_thousand_failing_calls_leak_nothing) {
  for (const Use& use : all_uses()) EXPECT_EQ("", attempt_text(use));
  int all = 0;
  for (const Failure& failure : failures()) {
    // A leak grows with the calls, all along; a thread's new heap or a longer log of the driver comes once. So the
    // calls after the first fifth, which fills pools and caches, are looked at in two parts, and what grows in one of
    // them only is no leak.
    std::size_t begin = 0, middle = 0;
    const int times = kCountsMemory ? failure.times : failure.times / 40;  // a sanitizer finds a single one
    for (int k = 0; k < times; ++k) {
      if (k == times / 5) begin = resident();
      if (k == 3 * times / 5) middle = resident();
      const std::string text = error_of(failure.run);
      fault_layer::stop_failing();
      ASSERT_NE("no error", text) << failure.name;
    }
    all += failure.times;
    const double first = mebibytes(begin, middle), second = mebibytes(middle, resident());
    std::printf("%5d times %s: %+.1f and %+.1f MiB\n", times, failure.name, first, second);
    if (kCountsMemory) {
      EXPECT_LT(std::min(first, second), 4.0) << failure.name << ": " << first << " and " << second << " MiB";
    }
    for (const Use& use : all_uses()) EXPECT_EQ("", attempt_text(use)) << "after " << failure.name;
    drop_sessions();
    EXPECT_EQ("nothing", fault_layer::live().text()) << "after " << failure.name;
  }
  EXPECT_EQ(10000, all);
}
