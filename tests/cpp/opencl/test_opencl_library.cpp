// test_opencl_library -- the OpenCL library is opened late: not there, not one, found after all, never twice.
//
// Tests run in the order in which they stand here: a library that is open stays so.
#include <cstdio>
#include <thread>
#ifdef __linux__
#include <stdlib.h>
#include <unistd.h>
#endif

#include "loader/kernel_loader.h"
#include "opencl_test.h"

using namespace opencl_test;

namespace {

const char* const kNowhere = "/nonexistent/libOpenCL.so.1";

// dnorm on the device of this specification; gives the name of the one that ran.
std::string run_dnorm(const std::string& device) {
  const std::vector<double> x{0.0, 1.0}, mean{0.0}, sd{1.0};
  const std::vector<int> log{1};
  std::vector<double> out(2);
  RunReport report;
  run_elementwise(device, find_kernel_spec("dnorm"), {column(x), column(mean), column(sd), column(log)}, 2, out.data(),
                  report, {});
  EXPECT_DOUBLE_EQ(-0.5, out[1] - out[0]);
  return report.device;
}

#ifdef __linux__
// Files of this process's address space whose names have `part` in them: the first one, or "".
std::string mapped(const std::string& part) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (has(line, part)) return line.substr(line.find('/'));
  return "";
}
#endif

class Library : public ::testing::Test {
 protected:
  void SetUp() override { set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR); }
};

}  // namespace

#ifdef __linux__
TEST_F(Library, is_not_open_before_it_is_asked_for) {
  EXPECT_EQ("", mapped("libOpenCL"));
  EXPECT_EQ("host", run_dnorm("host"));
  EXPECT_EQ("", mapped("libOpenCL"));
}
#endif

TEST_F(Library, that_is_not_there_leaves_the_host_and_honest_errors) {
  use_opencl_library(kNowhere);
  EXPECT_FALSE(has_opencl());
  EXPECT_TRUE(list_devices().empty());
  EXPECT_TRUE(skipped_devices().empty());
  const DriverReport report = driver_reports().front();
  EXPECT_TRUE(report.built && report.library.empty() && report.platforms.empty());
  EXPECT_TRUE(has(report.problem, kNowhere)) << report.problem;
  EXPECT_EQ("host", run_dnorm("auto"));
  EXPECT_FALSE(opencl_ensure_fp64_selection(true));
  EXPECT_TRUE(has(opencl_fp64_selection().reason, "no OpenCL library"));
  for (const char* device : {"opencl", "gpu", "1", "H200"}) {
    const std::string text = error_of([&] { run_dnorm(device); });
    EXPECT_TRUE(has(text, "no OpenCL library on this machine") && has(text, kNowhere) && has(text, "nstall")) << text;
  }
  EXPECT_TRUE(has(error_of([] { session_for(DeviceInfo()); }), "no OpenCL library"));
  EXPECT_TRUE(has(error_of([] { KernelBundle::from_source(no_device(), "text"); }), "no OpenCL library"));
  EXPECT_FALSE(opencl_touched());
}

TEST_F(Library, calls_without_one_answer_a_status) {
  cl_uint count = 7;
  EXPECT_EQ(CL_INVALID_OPERATION, clGetPlatformIDs(0, nullptr, &count));
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(nullptr, clCreateBuffer(nullptr, CL_MEM_READ_WRITE, 8, nullptr, &status));
  EXPECT_EQ(CL_INVALID_OPERATION, status);
  EXPECT_EQ(nullptr, clCreateBuffer(nullptr, CL_MEM_READ_WRITE, 8, nullptr, nullptr));
}

#ifdef __linux__

TEST_F(Library, without_the_functions_of_OpenCL_is_none) {
  use_opencl_library("libm.so.6");
  EXPECT_FALSE(has_opencl());
  const std::string text = error_of([] { run_dnorm("opencl"); });
  EXPECT_TRUE(has(text, "libm.so.6 has no function clGetPlatformIDs")) << text;
}

TEST_F(Library, that_comes_later_is_found_after_a_reset) {
  char folder[] = "/tmp/nmathopencl-library-XXXXXX";
  ASSERT_NE(nullptr, mkdtemp(folder));
  const std::string link = std::string(folder) + "/libOpenCL.so.1";
  use_opencl_library(link);
  EXPECT_FALSE(has_opencl());
  const std::string real = OPENCL_LIBRARY_HERE;
  if (real.empty() || symlink(real.c_str(), link.c_str()) != 0) {
    rmdir(folder);
    GTEST_SKIP() << "no OpenCL library here";
  }
  EXPECT_FALSE(has_opencl());  // not looked for at each call
  opencl_reset_fp64_selection();
  std::vector<std::thread> threads;
  for (int k = 0; k < 8; ++k) threads.emplace_back([] { EXPECT_TRUE(has_opencl()); });
  for (std::thread& thread : threads) thread.join();
  remove(link.c_str());
  rmdir(folder);
  EXPECT_EQ("", opencl_library_problem());
  EXPECT_TRUE(has(error_of([] { use_opencl_library(kNowhere); }), "already open"));
  EXPECT_TRUE(has_opencl());
  const DriverReport report = driver_reports().front();
  EXPECT_EQ("", report.problem);
  EXPECT_TRUE(has(report.library, "libOpenCL")) << report.library;
  int devices = 0;
  for (const PlatformReport& platform : report.platforms) devices += platform.devices;
  EXPECT_EQ(list_devices().size() + skipped_devices().size(), static_cast<std::size_t>(devices));
  for (const DeviceInfo& device : working_devices()) EXPECT_EQ(device.name, run_dnorm(std::to_string(device.index)));
}

#endif
