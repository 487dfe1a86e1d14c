// ex_glmbayes_gpu -- a grid of coefficients by tiles or on matrix units, on a device with memory of its own.
#include <algorithm>
#include <memory>
#include <vector>

#include "engine/ex_glmbayes_pieces.h"
#include "opencl/launch.h"

namespace ex_glmbayes {
namespace opencl {

using namespace openclPort;  // OpenCL's own names

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
    openclPort::Pace pace = grid_pace(p_, kFirstGpuTerms, 64, block_, tuning_);
    for (int first = 0, points = 0; first < p_.m1; first += points) {
      if (first > 0) openclPort::stop_if(interrupted);
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

bool run_glm_groups(const DeviceInfo& device, const GlmKernelSpec& spec, const nmath_host_glm_launch& problem,
                    const GlmTuning& tuning, RunReport& report, const InterruptCheck& interrupted) {
  GlmGridRun grid(device, spec, problem, tuning, report);
  if (!grid.fits()) return false;
  grid.run(interrupted);
  return true;
}

}  // namespace opencl
}  // namespace ex_glmbayes
