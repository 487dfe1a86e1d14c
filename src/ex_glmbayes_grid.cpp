// ex_glmbayes_grid -- how a grid of coefficients is computed on an OpenCL device: which kernels, cut into what.
#include "ex_glmbayes_grid.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "host_glm.h"
#include "kernel_loader.h"
#include "nmath_error.h"
#include "opencl_kernel_runners.h"
#include "opencl_launch.h"
#include "work_pieces.h"

namespace ex_glmbayes {
namespace opencl {

using openclPort::DeviceInfo;
using openclPort::InterruptCheck;
using openclPort::NmathError;
using openclPort::RunReport;
using openclPort::stop_if;

namespace {

int divide_up(int n, int by) { return static_cast<int>((static_cast<std::int64_t>(n) + by - 1) / by); }
int round_up(int n, int multiple) { return divide_up(n, multiple) * multiple; }

std::string define(const char* name, int value) { return std::string(" -D") + name + "=" + std::to_string(value); }

// Compute capability of a device of NVIDIA's own driver (cl_nv_device_attribute_query), 0 of others: the kernel for
// matrix units is written in the assembly language of that driver's compiler.
int nvidia_capability(const DeviceInfo& device) {
#ifdef USE_OPENCL
  if (device.platform_name.find("NVIDIA CUDA") == std::string::npos) return 0;
  constexpr cl_device_info kMajor = 0x4000;
  cl_uint major = 0;
  if (clGetDeviceInfo(static_cast<cl_device_id>(device.device), kMajor, sizeof major, &major, nullptr) == CL_SUCCESS)
    return static_cast<int>(major);
#else
  (void)device;
#endif
  return 0;
}

// Terms of the first launch: some hundredths of a second, of a CPU and of a small GPU.
constexpr double kFirstTerms = 1e8, kFirstGpuTerms = 2e10;
constexpr int kMatrixColumns = 64;  // more do not fit in registers
constexpr int kTileHead = 6, kMatrixHead = 12;
constexpr int kGranule = 8;  // observations of a split: a multiple of all steps

GlmMethod choose_method(const DeviceInfo& device, int l2) {
  if (device.type == "cpu") return GlmMethod::lanes;
  return nvidia_capability(device) >= 8 && l2 <= kMatrixColumns ? GlmMethod::matrix : GlmMethod::tile;
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
  const int depth = tuning.depth > 0 ? tuning.depth : nvidia_capability(device) >= 9 ? 8 : 4;
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

const char* file_of(GlmMethod method) {
  switch (method) {
    case GlmMethod::lanes:
      return "f2_f3_lanes";
    case GlmMethod::tile:
      return "f2_f3_tile";
    case GlmMethod::matrix:
      return "f2_f3_matrix";
    default:
      return "";
  }
}

// Observations times coefficients of one grid point, with what an observation costs besides.
double terms_of_point(const nmath_host_glm_launch& p) { return static_cast<double>(p.l1) * (p.l2 + 16.0); }

// Grid points of a launch: `terms` at first, whole multiples of `multiple`, at most `most`.
openclPort::Pace grid_pace(const nmath_host_glm_launch& p, double terms, int multiple, int most) {
  const double first = std::min(terms / terms_of_point(p), 1e9);
  const std::size_t least = static_cast<std::size_t>(multiple);
  return openclPort::Pace(std::max(least, static_cast<std::size_t>(first)), std::max<std::size_t>(least, most), 4.0);
}

int next_points(const openclPort::Pace& pace, int multiple, int left) {
  const std::size_t pieces = (std::min<std::size_t>(pace.piece(), left) + multiple - 1) / multiple;
  return static_cast<int>(std::min<std::size_t>(left, pieces * multiple));
}

// One work-item per grid point, in pieces, each with a gradient of its own.
void run_plain(const DeviceInfo& device, const GlmKernelSpec& spec, const nmath_host_glm_launch& p, RunReport& report,
               const InterruptCheck& interrupted) {
  const std::size_t l1 = p.l1, l2 = p.l2;
  openclPort::Pace pace = grid_pace(p, kFirstTerms, 64, p.m1);
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
    for (std::size_t k = 0; k < l2 && !whole; ++k)
      std::copy_n(grad + k * m1, m1, p.grad + k * p.m1 + first);
    pace.took(m1, watch.lap());
  }
}

// The host's processor prepares for itself. Where it shares memory with the device, the grid is done in rounds, between
// which `interrupted` is polled.
void run_lanes(const DeviceInfo& device, const GlmKernelSpec& spec, const nmath_host_glm_launch& p, RunReport& report,
               const InterruptCheck& interrupted) {
  const std::size_t l1 = p.l1, l2 = p.l2, m1 = p.m1;
  const nmath_host_glm_kernels* host = nmath_host_glm_find(spec.kernel_name);
  if (host == nullptr) throw NmathError(std::string("the host device lacks the kernel ") + spec.kernel_name);
  std::vector<double> records(4 * l1);
  const double constants = host->prepare(&p, records.data());
  const int lanes = nmath_host_glm_lanes;
  openclPort::Pace pace = grid_pace(p, device.host_memory ? kFirstTerms : 1e300, lanes, p.m1);
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

#ifdef USE_OPENCL

namespace {

using openclPort::check_cl;
using openclPort::DeviceBuffer;

// One call on a device with memory of its own. Members are destroyed in reverse order: the queue is finished first.
class GlmGridRun {
 public:
  GlmGridRun(const DeviceInfo& device, const GlmKernelSpec& spec, const nmath_host_glm_launch& problem,
             const GlmTuning& tuning, RunReport& report)
      : device_(device),
        spec_(spec),
        p_(problem),
        tuning_(tuning),
        report_(report),
        session_(openclPort::session_for(device)),
        block_(grid_block()),
        queue_(session_->queue()) {}

  // Whether the device runs groups as large as the method's. A driver tells only once a kernel is built.
  bool fits() {
    const GlmPlan plan = plan_glm_grid(device_, p_.l1, p_.l2, std::min(block_, p_.m1), tuning_);
    const openclPort::KernelBundle program = program_of(plan);
    const auto holds = [&](const char* kernel, std::size_t group) {
      return program.kernel_info(kernel).work_group_size >= group;
    };
    return holds("f2_f3_prepare", kPrepareGroup) && holds("f2_f3_finish", kFinishGroup) &&
           holds(file_of(plan.method), static_cast<std::size_t>(plan.group));
  }

  void run(const InterruptCheck& interrupted) {
    openclPort::Stopwatch watch;
    const double build = report_.build;
    send_problem();
    openclPort::Pace pace = grid_pace(p_, kFirstGpuTerms, 64, block_);
    for (int first = 0, points = 0; first < p_.m1; first += points) {
      if (first > 0) stop_if(interrupted);
      openclPort::Stopwatch piece;
      points = next_points(pace, 64, p_.m1 - first);
      run_block(first, points);
      pace.took(static_cast<std::size_t>(points), piece.lap());
      ++report_.chunks;
    }
    report_.transfer += std::max(0.0, watch.lap() - (report_.build - build) - report_.compute);
  }

 private:
  // Grid points of one round: what fits in the device's buffers, and no more than a fraction of a second's work of a
  // large GPU. Splits are those of such a round, whatever its pieces: no result depends on the time that they took.
  int grid_block() const {
    const double memory = static_cast<double>(std::min<std::uint64_t>(device_.max_alloc, std::uint64_t{1} << 30)) / 8;
    const double points = std::min(memory / p_.l2, 1e12 / terms_of_point(p_));
    return static_cast<int>(std::min<double>(p_.m1, std::max(64.0, points - static_cast<int>(points) % 64)));
  }

  void write(const DeviceBuffer& buffer, std::size_t offset, const double* data, std::size_t n) {
    check_cl(clEnqueueWriteBuffer(queue_.get(), buffer.get(), CL_FALSE, offset * sizeof(double), n * sizeof(double),
                                  data, 0, nullptr, nullptr),
             "clEnqueueWriteBuffer", device_.name, "copying the problem to the device");
  }

  void read(const DeviceBuffer& buffer, std::size_t offset, double* data, std::size_t n) {
    check_cl(clEnqueueReadBuffer(queue_.get(), buffer.get(), CL_FALSE, offset * sizeof(double), n * sizeof(double),
                                 data, 0, nullptr, nullptr),
             "clEnqueueReadBuffer", device_.name, "reading results");
  }

  // X, then everything else but the grid in one piece; see f2_f3_steps.cl for the layout.
  void send_problem() {
    const std::size_t l1 = p_.l1, l2 = p_.l2;
    rest_.reserve(3 * l1 + l2 + l2 * l2);
    for (const double* column : {p_.alpha, p_.y, p_.wt}) rest_.insert(rest_.end(), column, column + l1);
    rest_.insert(rest_.end(), p_.mu, p_.mu + l2);
    rest_.insert(rest_.end(), p_.P, p_.P + l2 * l2);
    problem_ = session_->buffer((l1 * l2 + rest_.size()) * sizeof(double));
    write(problem_, 0, p_.X, l1 * l2);
    write(problem_, l1 * l2, rest_.data(), rest_.size());
  }

  openclPort::KernelBundle program_of(const GlmPlan& plan) {
    return session_->program(
        std::string(spec_.kernel_file) + "|" + file_of(plan.method),
        [&] { return build_glm_grid_program(spec_, plan.method); }, plan.options, &report_);
  }

  // Whole tiles may be read from any multiple of 8 observations on.
  int prepare_groups() const { return divide_up(p_.l1, kPrepareGroup) + 1; }

  void run_block(int first, int points) {
    const GlmPlan plan = plan_glm_grid(device_, p_.l1, p_.l2, block_, tuning_);
    const openclPort::KernelBundle program = program_of(plan);
    const std::size_t m1 = points, l2 = p_.l2, splits = plan.splits, most = block_;
    if (!grid_) {
      rows_ = session_->buffer(static_cast<std::size_t>(prepare_groups()) * kPrepareGroup * plan.row * sizeof(double));
      constants_ = session_->buffer(static_cast<std::size_t>(prepare_groups()) * sizeof(double));
      grid_ = session_->buffer(most * l2 * sizeof(double));
      grad_ = session_->buffer(most * l2 * sizeof(double));
      qf_ = session_->buffer(most * sizeof(double));
    }
    const DeviceBuffer value = session_->buffer(splits * m1 * sizeof(double));
    const DeviceBuffer slope = splits > 1 ? session_->buffer(splits * m1 * l2 * sizeof(double)) : DeviceBuffer();
    const cl_mem slopes = splits > 1 ? slope.get() : grad_.get();
    write(grid_, 0, p_.B + static_cast<std::size_t>(first) * l2, m1 * l2);

    const cl_mem problem = problem_.get(), rows = rows_.get(), constants = constants_.get();
    const cl_mem grid = grid_.get(), values = value.get(), qf = qf_.get(), grad = grad_.get();
    const std::size_t groups = prepare_groups(), columns = divide_up(plan.row, kPrepareColumns) + 1;
    openclPort::EventHandle begin, end;
    launch(program, "f2_f3_prepare", {groups * kPrepareGroup, columns}, {kPrepareGroup, 1}, &begin, problem, rows,
           constants, p_.l1, p_.l2, plan.row);
    launch(program, file_of(plan.method),
           {static_cast<std::size_t>(divide_up(points, plan.group_points)) * plan.group, splits,
            static_cast<std::size_t>(plan.passes)},
           {static_cast<std::size_t>(plan.group), 1, 1}, nullptr, rows, grid, values, slopes, p_.l1, p_.l2, points,
           plan.split, plan.row);
    launch(program, "f2_f3_finish", {static_cast<std::size_t>(divide_up(points, kFinishPoints)) * kFinishGroup},
           {kFinishGroup}, &end, problem, grid, constants, values, slopes, qf, grad, p_.l1, p_.l2, points,
           prepare_groups(), plan.splits);
    read(qf_, 0, p_.qf + first, m1);
    if (points == p_.m1)
      read(grad_, 0, p_.grad, m1 * l2);
    else
      for (std::size_t k = 0; k < l2; ++k) read(grad_, k * m1, p_.grad + k * p_.m1 + first, m1);
    queue_.finish();
    report_.compute += span(begin, end);
    report_.device = device_.name;
    report_.device_type = device_.type;
  }

  template <typename... Arguments>
  void launch(const openclPort::KernelBundle& program, const char* name, const std::vector<std::size_t>& global,
              const std::vector<std::size_t>& group, openclPort::EventHandle* event, const Arguments&... arguments) {
    const openclPort::KernelHandle kernel = program.create_kernel(name);
    unsigned index = 0;
    (openclPort::set_kernel_argument(kernel.get(), index++, &arguments, sizeof arguments, name, device_), ...);
    check_cl(
        clEnqueueNDRangeKernel(queue_.get(), kernel.get(), static_cast<cl_uint>(global.size()), nullptr, global.data(),
                               group.data(), 0, nullptr, event != nullptr ? event->receive() : nullptr),
        "clEnqueueNDRangeKernel", device_.name, (std::string("starting kernel '") + name + "'").c_str());
  }

  // Seconds from the start of one command to the end of another; times only inform.
  static double span(const openclPort::EventHandle& from, const openclPort::EventHandle& to) {
    cl_ulong start = 0, end = 0;
    if (clGetEventProfilingInfo(from.get(), CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr) != CL_SUCCESS ||
        clGetEventProfilingInfo(to.get(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr) != CL_SUCCESS)
      return 0.0;
    return end > start ? static_cast<double>(end - start) * 1e-9 : 0.0;
  }

  // As f2_f3_steps.cl has them.
  static constexpr std::size_t kPrepareGroup = 64, kPrepareColumns = 8, kFinishPoints = 32, kFinishGroup = 256;

  const DeviceInfo& device_;
  const GlmKernelSpec& spec_;
  const nmath_host_glm_launch& p_;
  const GlmTuning tuning_;
  RunReport& report_;
  std::shared_ptr<openclPort::Session> session_;
  std::vector<double> rest_;
  DeviceBuffer problem_, rows_, constants_, grid_, grad_, qf_;
  int block_;
  openclPort::QueueLease queue_;
};

}  // namespace

#endif  // USE_OPENCL

void run_glm_grid(const DeviceInfo& device, const GlmKernelSpec& spec, const nmath_host_glm_launch& problem,
                  RunReport& report, const InterruptCheck& interrupted, const GlmTuning& tuning) {
  const GlmPlan plan = plan_glm_grid(device, problem.l1, problem.l2, problem.m1, tuning);
  if (plan.method == GlmMethod::plain) return run_plain(device, spec, problem, report, interrupted);
  if (plan.method == GlmMethod::lanes) return run_lanes(device, spec, problem, report, interrupted);
#ifdef USE_OPENCL
  GlmGridRun grid(device, spec, problem, tuning, report);
  if (grid.fits()) return grid.run(interrupted);
  run_plain(device, spec, problem, report, interrupted);
#else
  openclPort::enter_opencl("run_glm_grid");
#endif
}

}  // namespace opencl
}  // namespace ex_glmbayes
