// ex_glmbayes_grid -- chooses the kernels for a grid of coefficients on a device, and runs them.
#include "glm/ex_glmbayes_grid.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/stopwatch.h"
#include "device/devices.h"
#include "device/kernel_call.h"
#include "engine/transfer.h"
#include "glm/ex_glmbayes_chunks.h"
#include "loader/kernel_loader.h"

namespace ex_glmbayes::opencl {

using openclPort::Buffer;
using openclPort::CallHooks;
using openclPort::DeviceInfo;
using openclPort::KernelCall;
using openclPort::RunReport;

namespace {

std::string define(const char* name, int value) { return std::string(" -D") + name + "=" + std::to_string(value); }

constexpr int kMatrixColumns = 64;  // more do not fit in registers
constexpr int kTileHead = 6, kMatrixHead = 12;
constexpr int kGranule = 8;  // observations of a split: a multiple of all steps

GlmMethod choose_method(const DeviceInfo& device, int l2) {
  if (device.pairs && device.type == "host") return GlmMethod::plain;  // C's lanes are vectors of doubles
  if (device.wide_cores) return GlmMethod::lanes;
  return device.matrix_units >= 8 && l2 <= kMatrixColumns ? GlmMethod::matrix : GlmMethod::tile;
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
  const int depth = tuning.depth > 0 ? tuning.depth : device.matrix_units >= 9 ? 8 : 4;
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

// Terms of a block where launches are over when they return: a millisecond between two looks for an interrupt.
constexpr double kBlockTerms = 2e6;

std::size_t block_of(const GlmProblem& p, int multiple) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(kBlockTerms / (terms_of_point(p) * multiple))) *
         static_cast<std::size_t>(multiple);
}

// An input that is resident on the device, or one that travels there.
void give(KernelCall& call, const char* name, const double* here, const Buffer* there, std::size_t length) {
  if (there != nullptr)
    call.memory(name, *there);
  else
    call.input(name, here, length);
}

// Copies in this process of what is resident on the device, for what needs them here.
class BroughtBack {
 public:
  explicit BroughtBack(const openclPort::SharedDevice& device) : device_(device) {}
  void bring(const double*& here, const Buffer*& there, std::size_t length) {
    if (there == nullptr) return;
    values_.emplace_back(length);
    fetch_bytes(device_, *there, 0, values_.back().data(), length * sizeof(double));
    here = values_.back().data();
    there = nullptr;
  }

 private:
  const openclPort::SharedDevice& device_;
  std::vector<std::vector<double>> values_;
};

openclPort::SharedProgram plain_program(const openclPort::SharedDevice& device, const GlmKernelSpec& spec,
                                        RunReport& report) {
  return device->program({spec.kernel_file, [&] { return build_glm_program(spec); }, ""}, &report);
}

openclPort::SharedProgram lanes_program(const openclPort::SharedDevice& device, const GlmKernelSpec& spec,
                                        RunReport& report) {
  const auto text = [&] { return build_glm_grid_program(spec, GlmMethod::lanes); };
  return device->program({std::string(spec.kernel_file) + "|lanes", text, ""}, &report);
}

// One work-item per grid point, in chunks, each with a gradient of its own. Chunks of the grid are the caller's memory.
void run_plain(const openclPort::SharedDevice& device, const GlmKernelSpec& spec, GlmProblem p, RunReport& report,
               const CallHooks& hooks, const GlmTuning& tuning) {
  BroughtBack back(device);
  back.bring(p.B, p.at.B, static_cast<std::size_t>(p.l2) * static_cast<std::size_t>(p.m1));
  const std::size_t l1 = p.l1, l2 = p.l2, all = p.m1, rows = p.grad_rows();
  const auto program = plain_program(device, spec, report);
  const auto chunk = [&](std::size_t begin, std::size_t end) {
    const std::size_t m1 = end - begin;
    std::vector<double> slopes(m1 == rows ? 0 : m1 * l2);
    double* grad = m1 == rows ? p.grad : slopes.data();
    KernelCall call(device, program, spec.kernel_name, device->info().immediate ? nullptr : &report);
    give(call, "X", p.X, p.at.X, l1 * l2);
    call.input("B", p.B + begin * l2, m1 * l2).input("mu", p.mu, l2).input("P", p.P, l2 * l2);
    give(call, "alpha", p.alpha, p.at.alpha, l1);
    give(call, "y", p.y, p.at.y, l1);
    give(call, "wt", p.wt, p.at.wt, l1);
    call.output("qf", p.qf + begin, m1).output("grad", grad, m1 * l2);
    call.value("l1", p.l1).value("l2", p.l2).value("m1", static_cast<int>(m1)).items(m1).compile_ahead().run();
    for (std::size_t k = 0; k < l2 && m1 != rows; ++k) std::copy_n(grad + k * m1, m1, p.grad + k * rows + begin);
    if (hooks.finished) hooks.finished(begin, end);
  };
  openclPort::Pace pace = grid_pace(p, kFirstTerms, 64, p.m1, tuning);
  openclPort::for_chunks(device->info(), all, block_of(p, 64), pace, 64, chunk, hooks.interrupted, report);
}

// What does not depend on the grid point is the host's to prepare. Several grid points for a work-item.
void run_lanes(const openclPort::SharedDevice& device, const GlmKernelSpec& spec, const GlmProblem& p,
               RunReport& report, const CallHooks& hooks, const GlmTuning& tuning) {
  constexpr int kLanes = 8;  // F2_F3_LANES of f2_f3_lanes.cl
  const std::size_t l1 = p.l1, l2 = p.l2, m1 = p.m1, rows = p.grad_rows();
  std::vector<double> slopes(m1 == rows ? 0 : m1 * l2);
  double* const grad = m1 == rows ? p.grad : slopes.data();
  std::vector<double> records(4 * l1);
  BroughtBack back(device);
  GlmProblem here = p;
  back.bring(here.y, here.at.y, l1);
  back.bring(here.wt, here.at.wt, l1);
  double constants = 0.0;
  KernelCall(openclPort::open_device(openclPort::host_device()),
             openclPort::ProgramSource{std::string(spec.kernel_file) + "|prepare", nullptr, ""}, "f2_f3_prepare")
      .input("y", here.y, l1)
      .input("wt", here.wt, l1)
      .output("records", records.data(), records.size())
      .output("constants", &constants, 1)
      .value("l1", p.l1)
      .nd_range({1})
      .run();
  const auto program = lanes_program(device, spec, report);
  const auto chunk = [&](std::size_t begin, std::size_t end) {
    KernelCall call(device, program, "f2_f3_lanes", device->info().immediate ? nullptr : &report);
    give(call, "X", p.X, p.at.X, l1 * l2);
    give(call, "B", p.B, p.at.B, m1 * l2);
    call.input("mu", p.mu, l2).input("P", p.P, l2 * l2);
    give(call, "alpha", p.alpha, p.at.alpha, l1);
    give(call, "wt", p.wt, p.at.wt, l1);
    call.input("records", records);
    call.output("qf", p.qf, m1).output("grad", grad, m1 * l2);
    call.value("l1", p.l1).value("l2", p.l2).value("m1", p.m1).value("constants", constants);
    call.value("start", static_cast<int>(begin));
    call.nd_range({(end - begin + kLanes - 1) / kLanes}, {1}).compile_ahead().run();
    if (hooks.finished) hooks.finished(begin, end);
  };
  // Without shared memory the whole grid is one launch: its results travel once.
  openclPort::Pace pace = grid_pace(p, device->info().host_memory ? kFirstTerms : 1e300, kLanes, p.m1, tuning);
  openclPort::for_chunks(device->info(), m1, block_of(p, kLanes), pace, kLanes, chunk, hooks.interrupted, report);
  for (std::size_t k = 0; k < l2 && m1 != rows; ++k) std::copy_n(grad + k * m1, m1, p.grad + k * rows);
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

static bool takes_groups(const GlmPlan& plan) {
  return plan.method == GlmMethod::tile || plan.method == GlmMethod::matrix;
}

void build_glm_grid(const openclPort::SharedDevice& device, const GlmKernelSpec& spec, const GlmProblem& problem,
                    RunReport& report, const GlmTuning& tuning) {
  const GlmPlan plan = plan_glm_grid(device->info(), problem.l1, problem.l2, problem.m1, tuning);
  if (plan.method == GlmMethod::lanes)
    lanes_program(device, spec, report);
  else if (!takes_groups(plan) || !build_glm_groups(device, spec, problem, tuning, report))
    plain_program(device, spec, report);
}

void run_glm_grid(const openclPort::SharedDevice& device, const GlmKernelSpec& spec, const GlmProblem& problem,
                  RunReport& report, const CallHooks& hooks, const GlmTuning& tuning) {
  openclPort::Stopwatch watch;
  const DeviceInfo& info = device->info();
  report.device = info.name;
  report.device_type = info.type;
  report.arithmetic = info.arithmetic();
  const GlmPlan plan = plan_glm_grid(info, problem.l1, problem.l2, problem.m1, tuning);
  if (plan.method == GlmMethod::lanes)
    run_lanes(device, spec, problem, report, hooks, tuning);
  else if (!takes_groups(plan) || !run_glm_groups(device, spec, problem, tuning, report, hooks))
    run_plain(device, spec, problem, report, hooks, tuning);
  if (!info.immediate) return;
  report.chunks = 1;
  report.compute = watch.lap();
}

void run_glm_grid(const DeviceInfo& device, const GlmKernelSpec& spec, const GlmProblem& problem, RunReport& report,
                  const CallHooks& hooks, const GlmTuning& tuning) {
  run_glm_grid(openclPort::open_device(device), spec, problem, report, hooks, tuning);
}

}  // namespace ex_glmbayes::opencl
