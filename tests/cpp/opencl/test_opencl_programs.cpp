// test_opencl_programs -- which programs a session keeps: the library's all, of users' the last ones used.
#include "opencl/builtin_declarations.h"
#include "opencl_test.h"

using namespace opencl_test;

namespace {

class Programs : public OnEveryDevice {
 protected:
  void TearDown() override { set_user_programs(kDefaultUserPrograms); }
};

std::string adding(int k) {
  return "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
         "__kernel void add(__global double* out, const int n)\n"
         "{ int i = get_global_id(0); if (i < n) out[i] = i + " +
         std::to_string(k) + "; }\n";
}

RunReport run_adding(const DeviceInfo& device, int k) {
  std::vector<double> out(3);
  RunReport report;
  kernel_call(device, adding(k), "add", "", &report).output("out", out.data(), 3).value("n", 3).items(3).run();
  EXPECT_EQ(k + 2.0, out[2]);
  return report;
}

}  // namespace

TEST_F(Programs, users_programs_leave_by_age_and_those_in_use_live_on) {
  set_user_programs(3);
  for (const DeviceInfo& device : working_devices()) {
    drop_sessions();
    for (int k = 0; k < 3; ++k) EXPECT_EQ(1, run_adding(device, k).built);
    EXPECT_EQ(0, run_adding(device, 0).built);  // used again: 1 is the oldest now
    const std::shared_ptr<Session> session = session_for(device);
    const KernelBundle oldest = session->program(adding(1), "", nullptr);
    run_adding(device, 0);
    run_adding(device, 2);
    EXPECT_EQ(1, run_adding(device, 3).built);
    EXPECT_EQ(0, run_adding(device, 0).built);
    EXPECT_EQ(0, run_adding(device, 2).built);
    KernelCall call = kernel_call(oldest, "add");
    std::vector<double> out(3);
    call.output("out", out.data(), 3).value("n", 3).items(3).run();
    EXPECT_EQ(3.0, out[2]);
    EXPECT_EQ(1, run_adding(device, 1).built);
  }
}

TEST_F(Programs, the_librarys_own_programs_stay) {
  set_user_programs(1);
  for (const DeviceInfo& device : working_devices()) {
    drop_sessions();
    int asked = 0;
    const auto library = [&] {
      RunReport report;
      session_for(device)->program(
          "a key",
          [&] {
            ++asked;
            return adding(-1);
          },
          "", &report);
      return report.built;
    };
    EXPECT_EQ(1, library());
    for (int k = 0; k < 5; ++k) run_adding(device, k);
    EXPECT_EQ(0, library());
    EXPECT_EQ(1, asked);
    EXPECT_EQ(0, run_adding(device, -1).built);  // the same text
    EXPECT_EQ(0, run_adding(device, 4).built);
  }
}

TEST_F(Programs, a_users_text_that_the_library_asks_for_stays_from_then_on) {
  set_user_programs(1);
  for (const DeviceInfo& device : working_devices()) {
    drop_sessions();
    EXPECT_EQ(1, run_adding(device, 7).built);
    RunReport report;
    session_for(device)->program(
        "seven", [] { return adding(7); }, "", &report);
    EXPECT_EQ(0, report.built);
    for (int k = 0; k < 3; ++k) run_adding(device, k);
    EXPECT_EQ(0, run_adding(device, 7).built);
  }
}

TEST_F(Programs, a_builtin_that_is_not_declared_comes_from_the_drivers_header) {
  for (const DeviceInfo& device : working_devices()) {
    if (!takes_builtin_declarations(device)) continue;
    drop_sessions();
    const auto root = [&](const std::string& call) {
      const std::string text =
          "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
          "__kernel void k(__global double* out) { out[0] = " +
          call + "; }\n";
      double out = 0;
      RunReport report;
      KernelCall(open_device(device), written_source([text] { return text; }), "k", &report)
          .output("out", &out, 1)
          .items(1)
          .run();
      EXPECT_EQ(1, report.built);
      return out;
    };
    const std::shared_ptr<Session> session = session_for(device);
    EXPECT_EQ(1.5, root("sqrt(2.25)"));
    EXPECT_TRUE(has(error_of([&] { root("no_such_function(1.0)"); }), "no_such_function"));
    EXPECT_TRUE(session->declares_builtins());
    EXPECT_EQ(5.0, root("length((double2)(3.0, 4.0))"));
    EXPECT_FALSE(session->declares_builtins());
    EXPECT_EQ(2.5, root("sqrt(6.25)"));
    EXPECT_TRUE(has(error_of([&] { root("no_such_function(1.0)"); }), "no_such_function"));
    drop_sessions();
    EXPECT_TRUE(session_for(device)->declares_builtins());
  }
}
