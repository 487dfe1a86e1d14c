// pair_probe -- see pair_probe.h
#include "device/pair_probe.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/nmath_error.h"
#include "base/process_mutex.h"
#include "device/kernel_call.h"
#include "device/pair_device.h"

namespace openclPort {

namespace {

constexpr int kProbed = 64;    // pairs of numbers
constexpr int kQuestions = 5;  // of each

const char* const kProbe =
    "__kernel void nmath_pair_probe(__global const double* x, __global const double* y, __global double* out,\n"
    "                               const int len)\n"
    "{\n"
    "    const int i = get_global_id(0);\n"
    "    if (i >= len) return;\n"
    "    out[5 * i] = x[i] + y[i];\n"
    "    out[5 * i + 1] = x[i] * y[i];\n"
    "    out[5 * i + 2] = x[i] / y[i];\n"
    "    out[5 * i + 3] = sqrt(x[i]);\n"
    "    out[5 * i + 4] = (x[i] + y[i]) - x[i];\n"
    "}\n";

Fp64Probe run_pair_probe(const DeviceInfo& info) {
  std::vector<double> x, y, out(kProbed * kQuestions);
  std::uint64_t state = 88172645463325252U;
  for (int i = 0; i < kProbed; ++i)
    for (std::vector<double>* const one : {&x, &y}) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      one->push_back(std::ldexp(static_cast<double>(state >> 17), -44 - i % 7));  // 47 bits
    }
  const SharedDevice opened = open_device(info);
  if (opened == nullptr) return {false, "it cannot be opened", "", false};
  KernelCall(pair_device(opened), user_source(kProbe), "nmath_pair_probe")
      .input("x", x)
      .input("y", y)
      .output("out", out.data(), out.size())
      .value("len", kProbed)
      .items(kProbed)
      .run();
  const char* const names[] = {"sum", "product", "quotient", "square root", "sum of three"};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double right[] = {x[i] + y[i], x[i] * y[i], x[i] / y[i], std::sqrt(x[i]), y[i]};
    for (std::size_t q = 0; q < kQuestions; ++q) {
      const double size = q == 4 ? x[i] + y[i] : right[q];
      if (!(std::fabs(out[kQuestions * i + q] - right[q]) <= 0x1p-44 * std::fabs(size)))
        return {false,
                std::string("pairs of floats lose digits on it, in a ") + names[q] +
                    ": its compiler does not keep to the rules of floating-point arithmetic",
                "", false};
    }
  }
  return {true, "", "", false};
}

const char* const kRounds =
    "__kernel void nmath_rounds_of_sums(__global double* out, const double by, const int rounds, const int len)\n"
    "{\n"
    "    const int i = get_global_id(0);\n"
    "    if (i >= len) return;\n"
    "    double x = 0.5 + 1e-6 * i, y = 0.25;\n"
    "    for (int k = 0; k < rounds; ++k) {\n"
    "        x = x * by + 0.125;\n"
    "        y = y * by + 0.375;\n"
    "    }\n"
    "    out[i] = x + y;\n"
    "}\n";

// The shortest of some runs, in seconds.
double time_of_rounds(const SharedDevice& device, int items, int rounds) {
  std::vector<double> out(static_cast<std::size_t>(items));
  double shortest = INFINITY;
  for (int run = 0; run < 4; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    KernelCall(device, user_source(kRounds), "nmath_rounds_of_sums")
        .output("out", out.data(), out.size())
        .value("by", 0.75)
        .value("rounds", rounds)
        .value("len", items)
        .items(out.size())
        .run();
    shortest = std::min(shortest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return shortest;
}

}  // namespace

double pair_speed(const DeviceInfo& device) {
  static ProcessMutex* const mutex = new ProcessMutex;
  static auto* const known = new std::map<std::pair<int, std::string>, double>;
  const std::pair<int, std::string> key(device.index, device.name);
  {
    const std::lock_guard<ProcessMutex> lock(*mutex);
    const auto found = known->find(key);
    if (found != known->end()) return found->second;
  }
  if (!fp64_probe(device, true).works || !pair_probe(device).works) return 0;
  double speed = 0;
  try {
    DeviceInfo plain = device;
    plain.pairs = plain.single = false;
    const SharedDevice opened = open_device(plain);
    const bool many = device.type == "gpu" || device.type == "accelerator";
    const int items = many ? 65536 : 1024, rounds = many ? 8192 : 256;
    if (opened != nullptr)
      speed = time_of_rounds(opened, items, rounds) / time_of_rounds(pair_device(opened), items, rounds);
  } catch (const NmathError&) {  // it only informs
    return 0;
  }
  const std::lock_guard<ProcessMutex> lock(*mutex);
  return (*known)[key] = speed;
}

Fp64Probe pair_probe(const DeviceInfo& device) {
  struct Known {
    ProcessMutex mutex;
    unsigned long changes = 0;
    std::map<std::pair<int, std::string>, Fp64Probe> probes;
  };
  static Known* const known = new Known;
  const std::pair<int, std::string> key(device.index, device.name);
  const unsigned long changes = device_changes();
  {
    const std::lock_guard<ProcessMutex> lock(known->mutex);
    if (known->changes != changes) known->probes.clear();
    known->changes = changes;
    const auto found = known->probes.find(key);
    if (found != known->probes.end()) return found->second;
  }
  Fp64Probe probe;
  try {
    DeviceInfo plain = device;
    plain.pairs = plain.single = false;
    probe = run_pair_probe(plain);
  } catch (const NmathError& error) {
    probe.reason = error.what();
    probe.log = error.build_log();
  }
  const std::lock_guard<ProcessMutex> lock(known->mutex);
  known->probes[key] = probe;
  return probe;
}

}  // namespace openclPort
