// score_pairs -- scores functions in pairs of floats, on one device, against their reference tables.
//
//   score_pairs ROOT DEVICE [NAME ...]
//
// ROOT: the source tree; DEVICE: as `device =` in R ("host", "gpu", "opencl", a name); NAME: functions, without any all
// of those that have a table. Prints a TSV: function, rows, rows outside of a float's range (an argument, or the value,
// which is then 0 or infinite; or the next pair of floats has another value), failing rows, the worst error in units of
// 2^-40 (1 + condition number), seconds until the program was built, and the worst row. A row fails beyond one such
// unit. The environment variable NMATH_BUILD_OPTIONS goes to an OpenCL compiler ("-cl-ext=-cl_khr_fp64"),
// NMATH_ONE_PROGRAM=1 builds all functions as one program, the library's text of which is translated and compiled once
// and not for each function; NMATH_ALL_ROWS=1 prints every failing row. Exits with 1 if a row fails.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "../../../bench/reference_tables.h"
#include "device/device_selection.h"
#include "device/functions.h"
#include "pair/pair_test.h"

namespace {

using namespace pair_test;
using namespace reference_tables;

struct Score {
  std::size_t rows = 0, outside = 0, failing = 0;
  double worst = 0;
  std::string where;
};

constexpr double kLargest = 3.4028234663852886e38, kSmallest = 0x1p-126;

// Whether a pair has all of its bits.
bool is_outside(double x) {
  if (x == 0 || !std::isfinite(x)) return false;
  return std::fabs(x) > kLargest || std::fabs(x) < kSmallest ||
         std::fabs(joined(split(x)) - x) > 0x1p-46 * std::fabs(x);
}

// The error in units of 2^-40 (1 + cond); `failing` where it is more than one, or wrong at all.
double error_of(double value, double ref, double cond, bool* failing) {
  *failing = false;
  if (std::isnan(ref) || std::isnan(value)) {
    *failing = std::isnan(ref) != std::isnan(value);
    return *failing ? INFINITY : 0;
  }
  if (std::isinf(ref) || std::fabs(ref) > kLargest) {
    *failing =
        !(std::isinf(value) && (value > 0) == (ref > 0)) && !(std::isfinite(ref) && std::fabs(value) > 0.99 * kLargest);
    return *failing ? INFINITY : 0;
  }
  const double unit = 0x1p-40 * (1 + cond), size = std::fabs(ref), difference = std::fabs(value - ref);
  // What a low part below the floats leaves, and what is itself below them.
  const double left = size < kSmallest ? kSmallest : 0x1p-148;
  *failing = !(difference <= unit * size + left);
  return ref == 0 || difference <= left ? 0 : difference / size / unit;
}

// A program in pairs, on a device.
struct PairKernel {
  SharedDevice device;
  SharedProgram program;
  std::string name;
};

std::vector<double> computed(const PairKernel& kernel, const std::vector<std::vector<Pair>>& arguments,
                             const Row& flags, std::size_t n) {
  KernelCall call(kernel.device, kernel.program, kernel.name);
  for (const auto& argument : arguments) call.input_bytes("x", argument.data(), n * sizeof(Pair));
  std::vector<std::vector<int>> switches;
  for (const std::string& flag : flags) switches.emplace_back(n, std::atoi(flag.c_str()));
  for (const auto& flag : switches) call.input("flag", flag);
  std::vector<Pair> out(n);
  call.output_bytes("out", out.data(), n * sizeof(Pair)).value("len", static_cast<int>(n)).items(n).run();
  std::vector<double> values;
  for (const Pair& p : out) values.push_back(joined(p));
  return values;
}

Score score_table(const openclPort::KernelSpec& spec, const PairKernel& kernel, const std::string& arguments,
                  const Table& table) {
  std::vector<int> flags, reals;
  for (const char* name : {"log", "lower.tail", "log.p"})
    if (table.column(name) >= 0) flags.push_back(table.column(name));
  std::stringstream names(arguments);
  for (int k = 0; k < spec.n_real; ++k) {
    std::string name;
    std::getline(names >> std::ws, name, ',');
    reals.push_back(table.column(name) >= 0 ? table.column(name) : k);
  }
  std::map<Row, std::vector<const Row*>> groups;
  for (const Row& row : table.rows) {
    Row key;
    for (int f : flags) key.push_back(row[f]);
    groups[key].push_back(&row);
  }
  Score score;
  const int ref = table.column("ref"), cond = table.column("cond");
  for (const auto& group : groups) {
    const std::size_t n = group.second.size();
    std::vector<std::vector<Pair>> numbers(reals.size(), std::vector<Pair>(n));
    std::vector<bool> outside(n);
    for (std::size_t k = 0; k < reals.size(); ++k)
      for (std::size_t i = 0; i < n; ++i) {
        const double x = std::strtod((*group.second[i])[reals[k]].c_str(), nullptr);
        numbers[k][i] = split(x);
        outside[i] = outside[i] || is_outside(x);
      }
    const std::vector<double> values = computed(kernel, numbers, group.first, n);
    for (std::size_t i = 0; i < n; ++i) {
      const Row& row = *group.second[i];
      ++score.rows;
      const double exact = std::strtod(row[ref].c_str(), nullptr);
      score.outside += outside[i] || is_outside(exact);
      const double condition = cond < 0 ? 0 : std::strtod(row[cond].c_str(), nullptr);
      if (outside[i]) continue;
      if (condition > 0x1p38) {  // the next pair is a different argument altogether
        score.outside += !is_outside(exact);
        continue;
      }
      bool failing = false;
      const double error = error_of(values[i], exact, condition, &failing);
      score.failing += failing;
      const bool told = std::getenv("NMATH_ALL_ROWS") != nullptr && failing;
      if (!(error <= score.worst) || (failing && score.where.empty()) || told) {
        std::ostringstream where;
        where.precision(17);
        for (int k : reals) where << std::strtod(row[k].c_str(), nullptr) << " ";
        for (const std::string& flag : group.first) where << flag << " ";
        where << "-> " << values[i] << " not " << exact;
        if (told) std::printf("  %s\t%.3g\t%s\n", spec.name, error, where.str().c_str());
        score.where = where.str();
        score.worst = error;
      }
    }
  }
  return score;
}

// What its compiler predefines that OPENCL.cl asks for.
PairDefinitions definitions_of(const DeviceInfo& device) {
  if (device.type == "host") return pair_definitions_of_host();
  PairDefinitions definitions = pair_definitions_of_opencl();
  if (device.platform_name.find("NVIDIA") != std::string::npos) definitions.push_back({"__NV_CL_C_VERSION", "120"});
  if (device.platform_name.find("Portable") != std::string::npos)
    definitions.push_back({"POCL_DEVICE_ADDRESS_BITS", "64"});
  return definitions;
}

// A function with its reference table.
struct Scored {
  const openclPort::KernelSpec* spec;
  std::string arguments;
  Table table;
};

// The functions of these names that have a table, without names all of them.
std::vector<Scored> scored_functions(const std::string& root, const std::vector<std::string>& only) {
  Table functions;
  if (!read_table(root + "/inst/spec/functions.tsv", functions)) throw NmathError("no functions.tsv in " + root);
  std::vector<Scored> found;
  for (const Row& row : functions.rows) {
    const std::string name = row[functions.column("name")], of_table = row[functions.column("table")];
    if (of_table.empty() || (!only.empty() && std::find(only.begin(), only.end(), name) == only.end())) continue;
    Scored scored{&openclPort::find_kernel_spec(name), row[functions.column("columns")], {}};
    if (scored.spec->draws() || !read_table(root + "/tests/testthat/ref/" + of_table + ".tsv", scored.table)) continue;
    found.push_back(std::move(scored));
  }
  return found;
}

// The whole library with the kernels of all these functions.
std::string program_of_all(const std::vector<Scored>& functions) {
  std::string text = openclPort::load_program_preload() + openclPort::load_kernel_library("nmath");
  for (const Scored& scored : functions) text += openclPort::load_kernel_source(scored.spec->kernel_file);
  return text;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int run(const std::string& root, const std::string& device_name, const std::vector<std::string>& only) {
  set_cl_root("nmathopencl", root + "/inst/cl");
  HostCompiler compiler;
  compiler.command = {"cc"};
  const bool together = std::getenv("NMATH_ONE_PROGRAM") != nullptr;
  // Many programs take longer to compile than to run, one takes longer to run. What optimizes more is R's, in
  // test-pair-tables.R.
  compiler.flags = {"-fPIC", together ? "-Og" : "-O0", "-w"};
  compiler.link_flags = {"-shared", "-lm"};
  set_host_compiler(compiler);
  const DeviceInfo device = select_device(device_name);
  // No device that has doubles shows that it needs none, but its compiler may be told to refuse them.
  const char* without = device.type == "host" ? "" : std::getenv("NMATH_BUILD_OPTIONS");
  std::cerr << "device: " << device.name << "\n";
  const std::vector<Scored> functions = scored_functions(root, only);
  const std::string library = pair_library();
  const SharedDevice opened = open_device(device);
  const auto in_pairs = [&](const std::string& text) {
    return opened->program(
        user_source(pair_program(text, definitions_of(device), library), without == nullptr ? "" : without), nullptr);
  };
  const SharedProgram all = together ? in_pairs(program_of_all(functions)) : nullptr;
  std::size_t failures = 0;
  std::printf("function\trows\toutside\tfail\tworst\tbuild_s\tworst row\n");
  for (const Scored& scored : functions) {
    const openclPort::KernelSpec& spec = *scored.spec;
    const auto begin = std::chrono::steady_clock::now();
    const PairKernel kernel{opened, together ? all : in_pairs(kernel_program_text(spec)), spec.kernel_name};
    const double built = seconds_since(begin);
    const Score score = score_table(spec, kernel, scored.arguments, scored.table);
    std::printf("%s\t%zu\t%zu\t%zu\t%.3g\t%.2f\t%s\n", spec.name, score.rows, score.outside, score.failing, score.worst,
                built, score.where.c_str());
    std::fflush(stdout);
    failures += score.failing;
  }
  std::cerr << failures << " failing rows\n";
  return failures > 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3) throw NmathError("usage: score_pairs ROOT DEVICE [NAME ...]");
    return run(argv[1], argv[2], {argv + 3, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "score_pairs: " << error.what() << "\n";
    return 2;
  }
}
