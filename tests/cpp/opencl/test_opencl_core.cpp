// test_opencl_core -- device selection, sessions, kernel bundles and forks, on every OpenCL device found.
//
// Suites named *DeathTest run first (GoogleTest's rule): they fork while this process has not entered OpenCL yet.
#include <algorithm>
#include <chrono>

#include "opencl_test.h"
#include "sanitizers.h"
#include "scratch.h"

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace opencl_test;

TEST(Status, every_code_has_a_name_and_unknown_ones_do_too) {
  EXPECT_STREQ("CL_SUCCESS", opencl_status_name(0));
  EXPECT_STREQ("CL_BUILD_PROGRAM_FAILURE", opencl_status_name(-11));
  EXPECT_STREQ("CL_PLATFORM_NOT_FOUND_KHR", opencl_status_name(-1001));
  EXPECT_STREQ("CL_UNKNOWN_STATUS", opencl_status_name(-12345));
  for (int status = -68; status < 0; ++status) {
    if (status < -19 && status > -30) continue;  // not assigned
    EXPECT_STRNE("CL_UNKNOWN_STATUS", opencl_status_name(status)) << status;
    EXPECT_STRNE("", opencl_status_hint(status)) << status;
  }
}

TEST(DeviceSpec, every_form) {
  using Kind = DeviceSpec::Kind;
  EXPECT_EQ(Kind::automatic, parse_device_spec(" Auto ").kind);
  EXPECT_EQ(Kind::host, parse_device_spec("host").kind);
  EXPECT_EQ(Kind::opencl, parse_device_spec("OpenCL").kind);
  EXPECT_EQ("gpu", parse_device_spec("GPU").text);
  EXPECT_EQ(2, parse_device_spec("2").index);
  EXPECT_EQ(Kind::name, parse_device_spec("H200").kind);
  EXPECT_EQ("h200", parse_device_spec("H200").text);
  EXPECT_TRUE(has(error_of([] { parse_device_spec("  "); }), "must not be empty"));
  EXPECT_TRUE(has(error_of([] { parse_device_spec("0"); }), "counted from 1"));
  EXPECT_TRUE(has(error_of([] { parse_device_spec("-3"); }), "counted from 1"));
}

namespace {

// Exits with 0 if `body` returns true; killed after `seconds`. Gives the exit status, or -1 when killed.
template <typename Body>
int in_child(unsigned seconds, Body body) {
#ifdef _WIN32
  (void)seconds;
  (void)body;
  return 0;
#else
  const pid_t child = fork();
  if (child == 0) {
    alarm(seconds);
    bool good = false;
    try {
      good = body();
    } catch (const std::exception& error) {
      fprintf(stderr, "in the child: %s\n", error.what());
    }
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
#endif
}

}  // namespace

TEST(ForkDeathTest, child_of_an_untouched_process_works) {
  if (opencl_touched()) GTEST_SKIP() << "only where nothing used OpenCL before";
  EXPECT_EQ(0, in_child(120, [] {
              for (const DeviceInfo& device : list_devices())
                if (!device.fp64_extension || !fp64_probe(device).works) return !device.fp64_extension;
              return !opencl_forked();
            }));
  EXPECT_FALSE(opencl_touched());
}

TEST(ForkDeathTest, without_any_driver_auto_means_host_and_the_rest_is_an_error) {
  if (opencl_touched()) GTEST_SKIP() << "only where nothing used OpenCL before";
  EXPECT_EQ(0, in_child(60, [] {
              set_variable("OCL_ICD_VENDORS", "/nonexistent");
              set_variable("OPENCL_VENDOR_PATH", "/nonexistent");
              if (!list_devices().empty()) return true;  // a driver that no loader finds (simulators)
              return select_device("auto").type == "host" &&
                     has(error_of([] { select_device("opencl"); }), "no OpenCL device") &&
                     has(error_of([] { select_device("1"); }), "devices here: none") &&
                     !opencl_ensure_fp64_selection(false) && !opencl_fp64_selection().reason.empty();
            }));
}

TEST_F(OnEveryDevice, fork_after_use_errs_at_once) {
  const DeviceInfo device = working_devices().front();
  const KernelBundle bundle = session_for(device)->program(affine_text(), "", nullptr);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(0, in_child(20, [&] {
              const std::string forked = "forked process";
              RunReport report;
              std::vector<double> one{1.0}, out(1);
              bool good =
                  opencl_forked() && select_device("auto").type == "host" && select_device("host").type == "host";
              good = good && has(error_of([] { list_devices(); }), forked);
              good = good && has(error_of([] { select_device("opencl"); }), forked);
              good = good && has(error_of([] { selected_device(); }), forked);
              good = good && has(error_of([&] { session_for(device); }), forked);
              good = good && has(error_of([&] { fp64_probe(device); }), forked);
              good = good && has(error_of([&] { bundle.kernel_names(); }), forked);
              good = good && has(error_of([&] { kernel_call(device, affine_text(), "affine_kernel"); }), forked);
              good = good && has(error_of([&] {
                                   run_elementwise(device, kAffine, affine_text, {column(one)}, 1, out.data(), report);
                                 }),
                                 forked);
              good = good && has(error_of([&] { list_devices(); }), "device = \"host\"");
              good = good && !opencl_ensure_fp64_selection(true) && has(opencl_fp64_selection().reason, forked);
              drop_sessions();
              opencl_reset_fp64_selection();
              return good;
            }));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_LT(elapsed.count(), 5.0);
  EXPECT_TRUE(has_session(device));  // the parent's is untouched
  EXPECT_TRUE(bundle.has_kernel("affine_kernel"));
}

TEST_F(OnEveryDevice, devices_are_described) {
  int index = 0;
  for (const DeviceInfo& device : list_devices()) {
    EXPECT_EQ(++index, device.index);
    EXPECT_FALSE(device.name.empty());
    EXPECT_FALSE(device.platform_name.empty());
    EXPECT_FALSE(device.driver_version.empty());
    EXPECT_GT(device.compute_units, 0u);
    EXPECT_GT(device.global_mem, 0u);
    EXPECT_GE(device.global_mem, device.max_alloc);
    EXPECT_GT(device.max_work_group, 0u);
    EXPECT_NE("other", device.type);
  }
}

TEST_F(OnEveryDevice, selection_by_index_name_and_type) {
  const DeviceInfo device = working_devices().front();
  EXPECT_EQ(device.device, select_device(std::to_string(device.index)).device);
  EXPECT_EQ(device.type, select_device(device.type).type);
  EXPECT_TRUE(select_device("opencl").compiles);
  if (working_devices().size() == 1) {
    EXPECT_EQ(device.device, select_device(device.name.substr(1, device.name.size() - 2)).device);
  }
  const std::string unknown = error_of([] { select_device("no such card"); });
  EXPECT_TRUE(has(unknown, "named 'no such card'")) << unknown;
  EXPECT_TRUE(has(unknown, device.name)) << unknown;
  EXPECT_TRUE(has(error_of([] { select_device("99"); }), "with index 99"));
  const std::vector<DeviceInfo> all = list_devices();
  for (const std::string type : {"gpu", "cpu", "accelerator"}) {
    if (std::none_of(all.begin(), all.end(), [&](const DeviceInfo& d) { return d.type == type; })) {
      EXPECT_TRUE(has(error_of([&] { select_device(type); }), "of type " + type));
    }
  }
  const auto automatic = select_device("auto");
  EXPECT_TRUE(automatic.type == "host" || automatic.type == "gpu");
}

TEST_F(OnEveryDevice, environment_restricts_the_choice) {
  const DeviceInfo device = working_devices().front();
  set_variable("NMATHOPENCL_PLATFORM_INDEX", std::to_string(device.platform_index));
  set_variable("NMATHOPENCL_DEVICE_INDEX", std::to_string(device.device_index));
  EXPECT_EQ(device.device, select_device("opencl").device);
  for (const char* bad : {"one", "-1", "1x", "99999999999999999999"}) {
    set_variable("NMATHOPENCL_DEVICE_INDEX", bad);
    for (const char* spec : {"auto", "opencl", "1"}) {
      EXPECT_TRUE(has(error_of([&] { select_device(spec); }), "NMATHOPENCL_DEVICE_INDEX must be a whole number"))
          << spec << " " << bad;
    }
  }
  set_variable("NMATHOPENCL_DEVICE_INDEX", "77");
  EXPECT_TRUE(has(error_of([] { select_device("opencl"); }), "NMATHOPENCL_DEVICE_INDEX=77"));
  unset_variable("NMATHOPENCL_DEVICE_INDEX");
  unset_variable("NMATHOPENCL_PLATFORM_INDEX");
}

TEST_F(OnEveryDevice, documented_selection_interface) {
  opencl_reset_fp64_selection();
  EXPECT_FALSE(opencl_fp64_selection().valid);
  EXPECT_TRUE(opencl_ensure_fp64_selection(false));
  const OpenCLFp64DeviceCache& chosen = opencl_fp64_selection();
  EXPECT_TRUE(chosen.valid && chosen.probe_fp64_ok && chosen.reason.empty());
  EXPECT_FALSE(chosen.selection_policy.empty());
  const cl_device_id device = static_cast<cl_device_id>(runner_device().device);
  EXPECT_EQ(chosen.platform, runner_device().platform);
  EXPECT_EQ(chosen.device, device);
  EXPECT_EQ(chosen.device_name, opencl_read_device_info_str(device, CL_DEVICE_NAME));

  set_selected_device("host");
  EXPECT_TRUE(has(error_of([] { selected_device(); }), "selected device is the host"));
  EXPECT_FALSE(opencl_ensure_fp64_selection(false));
  EXPECT_TRUE(has(error_of([] { set_selected_device("nonsense"); }), "nonsense"));
  EXPECT_TRUE(has(error_of([] { selected_device(); }), "selected device is the host"));  // stays as it was
  EXPECT_TRUE(has(error_of([] { runner_device(); }), "host"));
  opencl_reset_fp64_selection();
  EXPECT_TRUE(opencl_ensure_fp64_selection(true));
}

TEST_F(OnEveryDevice, listing_leaves_no_session_behind) {
  opencl_reset_fp64_selection();
  for (const DeviceInfo& device : list_devices()) {
    fp64_probe(device);
    EXPECT_FALSE(has_session(device));
  }
}

TEST_F(OnEveryDevice, bundle_states_and_introspection) {
  for (const DeviceInfo& device : working_devices()) {
    const KernelBundle source = KernelBundle::from_source(device, affine_text());
    EXPECT_EQ(BundleState::source, source.state());
    EXPECT_TRUE(has(error_of([&] { source.kernel_names(); }), "this one is in state 'source'"));
    const KernelBundle executable = source.build();
    EXPECT_EQ(BundleState::executable, executable.state());
    EXPECT_EQ(std::vector<std::string>{"affine_kernel"}, executable.kernel_names());
    EXPECT_FALSE(executable.has_kernel("other"));
    EXPECT_TRUE(has(error_of([&] { executable.build(); }), "needs a bundle in state 'source'"));
    const KernelInfo info = executable.kernel_info("affine_kernel");
    EXPECT_GT(info.work_group_size, 0u);
    EXPECT_GT(info.preferred_multiple, 0u);
    EXPECT_EQ(6u, info.arguments);
    const std::string unknown = error_of([&] { executable.launch("nothing"); });
    EXPECT_TRUE(has(unknown, "'nothing'") && has(unknown, "affine_kernel") && has(unknown, device.name)) << unknown;
    EXPECT_TRUE(has(error_of([&] { KernelBundle::from_source(device, ""); }), "program text is empty"));
  }
}

TEST_F(OnEveryDevice, compile_and_link) {
  for (const DeviceInfo& device : working_devices()) {
    const KernelBundle helper = KernelBundle::from_source(device, "double twice(double x) { return 2.0 * x; }\n");
    const KernelBundle user = KernelBundle::from_source(
        device, "double twice(double x);\n__kernel void k(__global double* out) { out[0] = twice(21.0); }\n");
    KernelBundle program = user;
    try {
      program = KernelBundle::link({helper.compile(), user.compile()});
    } catch (const NmathError& error) {  // not every driver has a linker; it must say so clearly
      EXPECT_TRUE(has(error.what(), device.name)) << error.what();
      continue;
    }
    EXPECT_EQ(BundleState::executable, program.state());
    double out = 0.0;
    kernel_call(program, "k").output("out", &out, 1).nd_range({1}).run();
    EXPECT_EQ(42.0, out);
    EXPECT_TRUE(has(error_of([&] { KernelBundle::link({helper}); }), "needs a bundle in state 'object'"));
    const KernelBundle object = helper.compile();
    drop_sessions();
    EXPECT_TRUE(has(error_of([&] {
                      KernelBundle::link({object, user.compile(),
                                          KernelBundle::from_source(device, "int f(void) { return 1; }").compile()});
                    }),
                    "different contexts"));
    EXPECT_TRUE(has(error_of([&] { kernel_call(program, "k"); }), "before its device was reset"));
  }
  EXPECT_TRUE(has(error_of([] { KernelBundle::link({}); }), "no bundle"));
}

TEST_F(OnEveryDevice, build_failure_names_device_file_and_line) {
  for (const DeviceInfo& device : working_devices()) {
    const std::string text = prelude() + "#line 7 \"nmath/broken.cl\"\n__kernel void k(void) { no_such_thing; }\n";
    try {
      session_for(device)->program(text, "", nullptr);
      FAIL() << "it must not build";
    } catch (const NmathError& error) {
      EXPECT_EQ("clBuildProgram", error.step());
      EXPECT_TRUE(has(error.status(), "CL_BUILD_PROGRAM_FAILURE")) << error.status();
      EXPECT_EQ(device.name, error.device());
      if (!has(device.platform_name, "Oclgrind")) {  // which ignores #line
        EXPECT_TRUE(has(error.build_log(), "broken.cl:7")) << error.build_log();
      }
      EXPECT_TRUE(has(error.what(), "no_such_thing")) << error.what();
      EXPECT_FALSE(error.hint().empty());
    }
  }
}

TEST_F(OnEveryDevice, a_thousand_failed_builds_then_a_good_one) {
  const DeviceInfo device = working_devices().front();
  const std::shared_ptr<Session> session = session_for(device);
  // One in twenty reaches the compiler; the others fail on their options, which takes microseconds.
  for (int i = 0; i < 1000 / kSampled; ++i) {
    const std::string text = "__kernel void k(void) { missing_" + std::to_string(i) + "(); }\n";
    const std::string options = i % 20 == 0 ? "" : "-no-such-option";
    ASSERT_TRUE(has(error_of([&] { session->program(text, options, nullptr); }), "building the OpenCL program failed"));
  }
  RunReport report;
  session->program(affine_text() + "// after failures\n", "", &report);
  EXPECT_EQ(1, report.built);
  session->program(affine_text() + "// after failures\n", "", &report);
  EXPECT_EQ(1, report.built);
  EXPECT_EQ(1, report.cache_hits);
  session->program(affine_text() + "// after failures\n", "-DOTHER=1", &report);
  EXPECT_EQ(2, report.built);  // options are part of the key
}

TEST_F(OnEveryDevice, dropped_sessions_come_back) {
  const DeviceInfo device = working_devices().front();
  const std::shared_ptr<Session> held = session_for(device);
  const KernelBundle bundle = held->program(affine_text(), "", nullptr);
  drop_sessions();
  EXPECT_FALSE(has_session(device));
  EXPECT_TRUE(bundle.has_kernel("affine_kernel"));  // outlives the session
  EXPECT_NE(held, session_for(device));
  RunReport report;
  session_for(device)->program(affine_text(), "", &report);
  EXPECT_EQ(1, report.built);
}
