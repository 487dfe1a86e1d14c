// host_programs -- programs from their text on the host device, for its tests: skipped where there is no C compiler.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/program_cache.h"
#include "device/devices.h"
#include "device/host_compiler.h"
#include "device/kernel_call.h"
#include "loader/kernel_loader.h"
#include "loader/nmath_library.h"

using namespace openclPort;

inline HostCompiler usual_compiler(const std::string& name = "cc") {
  HostCompiler compiler;
  compiler.command = {name};
  compiler.flags = {"-fPIC"};
#ifdef _WIN32
  compiler.link_flags = {"-shared", "-static", "-lm"};  // as R/host_compiler.R
#else
  compiler.link_flags = {"-shared", "-lm"};
#endif
  return compiler;
}

class HostPrograms : public ::testing::Test {
 protected:
  void SetUp() override {
    set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR);
    set_program_cache_folder("");
    set_host_compiler(usual_compiler());
    if (!host_compiler().missing.empty()) GTEST_SKIP() << host_compiler().missing;
  }
  void TearDown() override { set_program_cache_folder(""); }
};

inline KernelCall call_of(const std::string& text, const std::string& kernel = "k", RunReport* report = nullptr) {
  return KernelCall(open_device(host_device()), user_source(user_program(text)), kernel, report);
}

inline std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const NmathError& error) {
    return error.what();
  }
  return "no error";
}

inline bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
