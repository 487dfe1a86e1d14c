// ex_glmbayes_grid -- how a grid of coefficients is computed on an OpenCL device: which kernels, cut into what.
#include "engine/ex_glmbayes_pieces.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/host_glm.h"
#include "loader/kernel_loader.h"
#include "base/nmath_error.h"
#include "engine/opencl_kernel_runners.h"
#include "opencl/launch.h"

namespace ex_glmbayes {
namespace opencl {

using openclPort::DeviceInfo;
using openclPort::InterruptCheck;
using openclPort::NmathError;
using openclPort::RunReport;
using openclPort::stop_if;

namespace {

std::string define(const char* name, int value) { return std::string(" -D") + name + "=" + std::to_string(value); }

constexpr int kMatrixColumns = 64;  // more do not fit in registers
constexpr int kTileHead = 6, kMatrixHead = 12;
constexpr int kGranule = 8;  // observations of a split: a multiple of all steps

// The kernel for matrix units is written in the assembly language of NVIDIA's compiler.
GlmMethod choose_method(const DeviceInfo& device, int l2) {
  if (device.type == "cpu") return GlmMethod::lanes;
  return openclPort::nvidia_capability(device) >= 8 && l2 <= kMatrixColumns ? GlmMethod::matrix : GlmMethod::tile;
}

// Coefficients of a work-item: as many as there are up to 16, multiples of 4 to 32, and beyond that several work-items
// for a grid point. So the programs of one kernel number some two dozen, whatever l2.
void plan_tile(GlmPlan& plan, const DeviceInfo& device, int l2, const GlmTuning& tuning) {
  constexpr int kBlock = 32, kMaxBlocks = 8;
  const int blocks = std::min(divide_up(l2, kBlock), kMaxBlocks);
  const int each = divide_up(l2, blocks);
  const int block = blocks == 1 && each <= 16 ? each : std::min(round_up(each, 4), kBlock);
  const int points = blocks == 1 ? 128 : blocks == 2 ? 64 : 32;
  int rows = blocks == 1 ? 32 : 16;
  const auto local_bytes = [&] { return 8ull * rows * (blocks * block + 7 + (blocks > 1 ? blocks * points : 0)); };
  while (rows > 4 && local_bytes() > std::min<std::uint64_t>(device.local_mem, 40 << 10)) rows /= 2;
  const int step = std::min(rows, tuning.step > 0 ? tuning.step : block <= 16 ? 4 : 2);
  plan.group = points * blocks;
  plan.group_points = points;
  plan.passes = divide_up(l2, blocks * block);
  plan.row = round_up(kTileHead + plan.passes * blocks * block, 2);
  plan.options = define("F2_F3_TILE_BLOCK", block) + define("F2_F3_TILE_BLOCKS", blocks) +
                 define("F2_F3_TILE_POINTS", points) + define("F2_F3_TILE_ROWS", rows) +
                 define("F2_F3_TILE_STEP", step);
}

void plan_matrix(GlmPlan& plan, const DeviceInfo& device, int l2, const GlmTuning& tuning) {
  plan.group = 128;
  plan.group_points = 64;
  plan.row = kMatrixHead + round_up(l2, 8);
  const int depth = tuning.depth > 0 ? tuning.depth : openclPort::nvidia_capability(device) >= 9 ? 8 : 4;
  plan.options = define("F2_F3_HEAD", kMatrixHead) + define("F2_F3_MATRIX_COLUMNS", round_up(l2, 8)) +
                 define("F2_F3_MATRIX_DEPTH", depth);
}

// Enough groups for every compute unit to have several, so that none waits long for the last; each has at least some 16
// observations to do.
void plan_splits(GlmPlan& plan, const DeviceInfo& device, int l1, int m1, int wanted) {
  const std::int64_t groups = static_cast<std::int64_t>(divide_up(m1, plan.group_points)) * plan.passes;
  const std::int64_t target = static_cast<std::int64_t>(std::max(device.compute_units, 1u)) * 12;
  const int splits = wanted > 0 ? wanted : static_cast<int>(std::max<std::int64_t>(1, target / groups));
  plan.split = round_up(divide_up(l1, std::min(splits, std::max(1, l1 / 16))), kGranule);
  plan.splits = divide_up(l1, plan.split);
}

// One work-item per grid point, in pieces, each with a gradient of its own.
void run_plain(const DeviceInfo& device, const GlmKernelSpec& spec, const nmath_host_glm_launch& p, RunReport& report,
               const InterruptCheck& interrupted, const GlmTuning& tuning) {
  const std::size_t l1 = p.l1, l2 = p.l2;
  openclPort::Pace pace = grid_pace(p, kFirstTerms, 64, p.m1, tuning);
  std::vector<double> slopes;
  for (int first = 0, points = 0; first < p.m1; first += points) {
    if (first > 0) stop_if(interrupted);
    openclPort::Stopwatch watch;
    points = next_points(pace, 64, p.m1 - first);
    const bool whole = points == p.m1;
    const std::size_t m1 = points;
    if (!whole) slopes.resize(m1 * l2);
    double* grad = whole ? p.grad : slopes.data();
    openclPort::KernelCall call(
        device, spec.kernel_file, [&] { return build_glm_program(spec); }, spec.kernel_name, "", &report);
    call.input("X", p.X, l1 * l2).input("B", p.B + first * l2, m1 * l2).input("mu", p.mu, l2).input("P", p.P, l2 * l2);
    call.input("alpha", p.alpha, l1).input("y", p.y, l1).input("wt", p.wt, l1);
    call.output("qf", p.qf + first, m1).output("grad", grad, m1 * l2);
    call.value("l1", p.l1).value("l2", p.l2).value("m1", points).items(m1).run();
    for (std::size_t k = 0; k < l2 && !whole; ++k) std::copy_n(grad + k * m1, m1, p.grad + k * p.m1 + first);
    pace.took(m1, watch.lap());
  }
}

// The host's processor prepares for itself. Where it shares memory with the device, the grid is done in rounds, between
// which `interrupted` is polled.
void run_lanes(const DeviceInfo& device, const GlmKernelSpec& spec, const nmath_host_glm_launch& p, RunReport& report,
               const InterruptCheck& interrupted, const GlmTuning& tuning) {
  const std::size_t l1 = p.l1, l2 = p.l2, m1 = p.m1;
  const nmath_host_glm_kernels* host = nmath_host_glm_find(spec.kernel_name);
  if (host == nullptr) throw NmathError(std::string("the host device lacks the kernel ") + spec.kernel_name);
  std::vector<double> records(4 * l1);
  const double constants = host->prepare(&p, records.data());
  const int lanes = nmath_host_glm_lanes;
  openclPort::Pace pace = grid_pace(p, device.host_memory ? kFirstTerms : 1e300, lanes, p.m1, tuning);
  for (int start = 0, points = 0; start < p.m1; start += points) {
    if (start > 0) stop_if(interrupted);
    openclPort::Stopwatch watch;
    points = next_points(pace, lanes, p.m1 - start);
    openclPort::KernelCall call(
        device, std::string(spec.kernel_file) + "|lanes",
        [&] { return build_glm_grid_program(spec, GlmMethod::lanes); }, "f2_f3_lanes", "", &report);
    call.input("X", p.X, l1 * l2).input("B", p.B, m1 * l2).input("mu", p.mu, l2).input("P", p.P, l2 * l2);
    call.input("alpha", p.alpha, l1).input("wt", p.wt, l1).input("records", records);
    call.output("qf", p.qf, m1).output("grad", p.grad, m1 * l2);
    call.value("l1", p.l1).value("l2", p.l2).value("m1", p.m1).value("constants", constants).value("start", start);
    call.nd_range({static_cast<std::size_t>(divide_up(points, lanes))}, {1}).run();
    pace.took(static_cast<std::size_t>(points), watch.lap());
  }
}

}  // namespace

GlmPlan plan_glm_grid(const DeviceInfo& device, int l1, int l2, int m1, const GlmTuning& tuning) {
  GlmPlan plan;
  plan.method = tuning.method == GlmMethod::automatic ? choose_method(device, l2) : tuning.method;
  if (plan.method != GlmMethod::tile && plan.method != GlmMethod::matrix) return plan;
  if (plan.method == GlmMethod::tile)
    plan_tile(plan, device, l2, tuning);
  else
    plan_matrix(plan, device, l2, tuning);
  plan_splits(plan, device, l1, m1, tuning.splits);
  return plan;
}

std::string build_glm_grid_program(const GlmKernelSpec& spec, GlmMethod method) {
  std::string text = build_glm_program(spec);
  if (method == GlmMethod::plain) return text;
  const bool gpu = method != GlmMethod::lanes;
  std::vector<std::string> stems;
  if (gpu) stems.push_back("f2_f3_steps");
  stems.push_back(file_of(method));
  for (const std::string& stem : stems) {
    const std::string file = "ex_glmbayes_body/" + stem + ".cl";
    text += "#line 1 \"" + file + "\"\n" + openclPort::load_kernel_source(file) + "\n";
  }
  return text;
}

void run_glm_grid(const DeviceInfo& device, const GlmKernelSpec& spec, const nmath_host_glm_launch& problem,
                  RunReport& report, const InterruptCheck& interrupted, const GlmTuning& tuning) {
  const GlmPlan plan = plan_glm_grid(device, problem.l1, problem.l2, problem.m1, tuning);
  if (plan.method == GlmMethod::plain) return run_plain(device, spec, problem, report, interrupted, tuning);
  if (plan.method == GlmMethod::lanes) return run_lanes(device, spec, problem, report, interrupted, tuning);
  if (!run_glm_groups(device, spec, problem, tuning, report, interrupted))
    run_plain(device, spec, problem, report, interrupted, tuning);
}

}  // namespace opencl
}  // namespace ex_glmbayes
