// ex_glmbayes_kernel_runners -- runs a GLM kernel over a grid of coefficients, on any device.
#include "glm/ex_glmbayes_opencl.h"

#include <algorithm>

#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "device/device_selection.h"
#include "engine/device_split.h"
#include "glm/ex_glmbayes_grid.h"
#include "loader/kernel_loader.h"

namespace ex_glmbayes::opencl {

using openclPort::NmathError;
using openclPort::RunReport;

namespace {

std::string kernel_name_of(const std::string& family, const std::string& link) {
  std::string families, links;
  for (const GlmFamily& row : glm_families()) {
    if (family == row.family && link == row.link) return row.kernel;
    if (family == row.family) links += (links.empty() ? "" : ", ") + std::string(row.link);
    if (families.find(std::string("'") + row.family + "'") == std::string::npos)
      families += (families.empty() ? "'" : ", '") + std::string(row.family) + "'";
  }
  if (links.empty()) throw NmathError("`family` is '" + family + "', but must be one of " + families);
  throw NmathError("`link` is '" + link + "', but the family '" + family + "' has: " + links);
}

}  // namespace

const GlmKernelSpec& find_glm_kernel(const std::string& family, const std::string& link) {
  const std::string name = kernel_name_of(family, link);
  for (const GlmKernelSpec& spec : glm_kernel_registry())
    if (name == spec.kernel_name) return spec;
  throw NmathError("the package lacks the kernel " + name);
}

std::string build_glm_program(const GlmKernelSpec& spec) {
  return openclPort::build_opencl_program(spec.kernel_file, "nmathopencl",
                                          {{"ex_glmbayes_nmath", "all_depends_nmath"}});
}

void run_f2_f3(const openclPort::SharedDevice& device, const GlmKernelSpec& spec, const GlmProblem& problem,
               RunReport& report, const openclPort::CallHooks& hooks) {
  openclPort::Stopwatch watch;
  report.function = "f2_f3";
  report.elements = problem.m1;
  run_glm_grid(device, spec, problem, report, hooks);
  report.total = watch.lap();
}

// Grid points of a call as a problem of their own.
static GlmProblem part_of(const GlmProblem& all, const openclPort::DeviceRange& range) {
  GlmProblem problem = all;
  problem.B += range.first * static_cast<std::size_t>(all.l2);
  problem.qf += range.first;
  problem.grad += range.first;
  problem.rows = all.grad_rows();
  problem.m1 = static_cast<int>(range.count);
  return problem;
}

void run_f2_f3(const std::vector<openclPort::SharedDevice>& devices, const GlmKernelSpec& spec,
               const GlmProblem& problem, RunReport& report, const openclPort::CallHooks& hooks) {
  if (devices.size() == 1) return run_f2_f3(devices.front(), spec, problem, report, hooks);
  constexpr double kLeastTerms = 1e7;
  openclPort::Stopwatch watch;
  const auto make = [&](const openclPort::DeviceRange& range, RunReport& own) -> openclPort::RangeTask {
    const GlmProblem part = part_of(problem, range);
    build_glm_grid(range.device, spec, part, own);
    return [&spec, part, device = range.device](RunReport& done, const openclPort::CallHooks& its_hooks) {
      run_f2_f3(device, spec, part, done, its_hooks);
    };
  };
  const std::string name =
      std::string(spec.kernel_name) + " " + std::to_string(problem.l1) + " x " + std::to_string(problem.l2);
  const double terms = static_cast<double>(problem.l1) * (problem.l2 + 16.0);
  const std::size_t least = static_cast<std::size_t>(std::min(kLeastTerms / terms, 1e9)) + 1;
  run_divided(devices, {name, static_cast<std::size_t>(problem.m1), 64, least}, make, report, hooks);
  report.total = watch.lap();
}

void run_f2_f3(const std::string& device, const GlmKernelSpec& spec, const GlmProblem& problem, RunReport& report,
               const openclPort::CallHooks& hooks) {
  run_f2_f3(openclPort::open_device(openclPort::select_device(device)), spec, problem, report, hooks);
}

}  // namespace ex_glmbayes::opencl
