// pair_test -- programs of doubles and of pairs of floats on the host device, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/nmath_error.h"
#include "base/program_cache.h"
#include "device/devices.h"
#include "device/host_compiler.h"
#include "device/kernel_call.h"
#include "loader/kernel_loader.h"
#include "loader/nmath_library.h"
#include "pair/pair_program.h"

namespace pair_test {

using namespace openclPort;

struct Pair {
  float hi, lo;
};

inline Pair split(double x) {
  const float hi = static_cast<float>(x);
  return {hi, std::isfinite(hi) ? static_cast<float>(x - static_cast<double>(hi)) : 0.0F};
}
inline double joined(Pair x) { return static_cast<double>(x.hi) + static_cast<double>(x.lo); }

inline std::vector<Pair> split(const std::vector<double>& x) {
  std::vector<Pair> pairs;
  for (const double v : x) pairs.push_back(split(v));
  return pairs;
}

// The package's own inst/cl, and a C compiler; a test is skipped where there is none.
class PairPrograms : public ::testing::Test {
 protected:
  void SetUp() override {
    set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR);
    set_program_cache_folder("");
    HostCompiler compiler;
    compiler.command = {"cc"};
    compiler.flags = {"-fPIC", "-O1"};
    compiler.link_flags = {"-shared", "-lm"};
    set_host_compiler(compiler);
    if (!host_compiler().missing.empty()) GTEST_SKIP() << host_compiler().missing;
  }

  // The kernel `k(x, out, len)` of a user's program.
  static std::vector<double> of_doubles(const std::string& text, const std::vector<double>& x, std::size_t results) {
    std::vector<double> out(results);
    KernelCall(open_device(host_device()), user_source(layered_program(text)), "k")
        .input("x", x)
        .output("out", out.data(), out.size())
        .value("len", static_cast<int>(x.size()))
        .items(x.size())
        .run();
    return out;
  }
  static std::vector<double> of_pairs(const std::string& text, const std::vector<double>& x, std::size_t results) {
    const std::string program = pair_program(layered_program(text), pair_definitions_of_host(), pair_library());
    const std::vector<Pair> given = split(x);
    std::vector<Pair> out(results);
    KernelCall(open_device(host_device()), user_source(program), "k")
        .input_bytes("x", given.data(), given.size() * sizeof(Pair))
        .output_bytes("out", out.data(), out.size() * sizeof(Pair))
        .value("len", static_cast<int>(x.size()))
        .items(x.size())
        .run();
    std::vector<double> result;
    for (const Pair& v : out) result.push_back(joined(v));
    return result;
  }
};

inline std::string message_of(const std::string& text) {
  try {
    pair_program(text, {}, "");
  } catch (const NmathError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace pair_test
