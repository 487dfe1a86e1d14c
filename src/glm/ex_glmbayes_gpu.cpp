// ex_glmbayes_gpu -- runs a grid of coefficients by tiles or on matrix units.
#include <algorithm>
#include <memory>
#include <vector>

#include "base/stopwatch.h"
#include "engine/transfer.h"
#include "glm/ex_glmbayes_chunks.h"
#include "glm/ex_glmbayes_grid.h"

namespace ex_glmbayes::opencl {

using openclPort::CallHooks;
using openclPort::DeviceInfo;
using openclPort::RunReport;

namespace {

using openclPort::Buffer;
using openclPort::ElementType;
using openclPort::SharedProgram;

// One call. Members are destroyed in reverse order: the queue is finished first.
class GlmGridRun {
 public:
  GlmGridRun(const openclPort::SharedDevice& device, const GlmKernelSpec& spec, const GlmProblem& problem,
             const GlmTuning& tuning, RunReport& report)
      : device_(device),
        spec_(spec),
        p_(problem),
        tuning_(tuning),
        report_(report),
        info_(device->info()),
        block_(grid_block()),
        timed_(tuning.timed || terms_of_point(problem) * problem.m1 > kTimedTerms),
        transfers_(device, device->queue(timed_)) {}

  // Whether the device runs groups as large as the method's. A driver tells only once a kernel is built.
  bool fits() {
    const GlmPlan plan = plan_glm_grid(info_, p_.l1, p_.l2, std::min(block_, p_.m1), tuning_);
    const SharedProgram program = program_of(plan);
    const auto holds = [&](const char* kernel, std::size_t group) {
      return program->kernel_info(kernel).work_group_size >= group;
    };
    return holds("f2_f3_prepare", kPrepareGroup) && holds("f2_f3_finish", kFinishGroup) &&
           holds(file_of(plan.method), static_cast<std::size_t>(plan.group));
  }

  void run(const CallHooks& hooks) {
    openclPort::Stopwatch watch;
    const double build = report_.build;
    send_problem();
    openclPort::Pace pace = grid_pace(p_, kFirstGpuTerms, 64, block_, tuning_);
    for (int first = 0, points = 0; first < p_.m1; first += points) {
      if (first > 0) openclPort::stop_if(hooks.interrupted);
      openclPort::Stopwatch chunk;
      const int left = p_.m1 - first;
      points = std::min(round_up(static_cast<int>(std::min<std::size_t>(pace.chunk(), left)), 64), left);
      run_block(first, points);
      pace.took(static_cast<std::size_t>(points), chunk.lap());
      if (hooks.finished) hooks.finished(static_cast<std::size_t>(first), static_cast<std::size_t>(first + points));
      ++report_.chunks;
    }
    report_.transfer += std::max(0.0, watch.lap() - (report_.build - build) - report_.compute);
  }

 private:
  // Grid points of one round: what fits in the device's buffers, and no more than a fraction of a second's work of a
  // large GPU. Splits are those of such a round, whatever its chunks: no result depends on the time that they took.
  int grid_block() const {
    const double memory = static_cast<double>(std::min<std::uint64_t>(info_.max_alloc, std::uint64_t{1} << 30)) / 8;
    const double points = std::min(memory / p_.l2, 1e12 / terms_of_point(p_));
    return static_cast<int>(std::min<double>(p_.m1, std::max(64.0, points - static_cast<int>(points) % 64)));
  }

  Buffer numbers(std::size_t n) { return device_->allocate(ElementType::f64, n); }
  void send(const Buffer& buffer, std::size_t offset, const double* data, std::size_t n) {
    transfers_.send(buffer, offset * sizeof(double), data, n * sizeof(double));
  }
  void fetch(const Buffer& buffer, std::size_t offset, double* data, std::size_t n) {
    transfers_.fetch(buffer, offset * sizeof(double), data, n * sizeof(double));
  }

  // An input of f2_f3_prepare: where it lies, and where it begins there.
  struct Part {
    const Buffer* buffer = nullptr;
    std::int64_t begins = 0;
  };

  // X, then everything else but the grid in one transfer, with X where that is short: what is not resident on the
  // device already.
  void send_problem() {
    const std::size_t l1 = p_.l1, l2 = p_.l2, x = p_.at.X == nullptr && l1 * l2 > kShort ? l1 * l2 : 0;
    X_ = {p_.at.X == nullptr ? &problem_ : p_.at.X, 0};
    const auto part = [&](const double* here, const Buffer* there) -> Part {
      if (there != nullptr) return {there, 0};
      rest_.insert(rest_.end(), here, here + l1);
      return {&problem_, static_cast<std::int64_t>(x + rest_.size() - l1)};
    };
    rest_.reserve(std::min(l1 * l2, kShort) + 3 * l1 + l2 + l2 * l2);
    if (p_.at.X == nullptr && x == 0) rest_.insert(rest_.end(), p_.X, p_.X + l1 * l2);
    alpha_ = part(p_.alpha, p_.at.alpha);
    y_ = part(p_.y, p_.at.y);
    wt_ = part(p_.wt, p_.at.wt);
    prior_ = {&problem_, static_cast<std::int64_t>(x + rest_.size())};
    rest_.insert(rest_.end(), p_.mu, p_.mu + l2);
    rest_.insert(rest_.end(), p_.P, p_.P + l2 * l2);
    problem_ = numbers(x + rest_.size());
    if (x > 0) send(problem_, 0, p_.X, x);
    send(problem_, x, rest_.data(), rest_.size());
  }

  // Grid points of a round on the device: the caller's own there, if that is all of them.
  const Buffer& send_grid(const openclPort::Program& program, int first, int points) {
    const std::size_t l2 = p_.l2, begin = static_cast<std::size_t>(first) * l2,
                      n = static_cast<std::size_t>(points) * l2;
    if (p_.at.B != nullptr && points == p_.m1) return *p_.at.B;
    if (!grid_) grid_ = numbers(static_cast<std::size_t>(block_) * l2);
    if (p_.at.B != nullptr)
      launch(program, "f2_f3_take", {round_up_to(n, 256)}, {}, nullptr, *p_.at.B, static_cast<std::int64_t>(begin),
             grid_, static_cast<int>(n));
    else
      send(grid_, 0, p_.B + begin, n);
    return grid_;
  }
  static std::size_t round_up_to(std::size_t n, std::size_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
  }

  SharedProgram program_of(const GlmPlan& plan) {
    return device_->program({std::string(spec_.kernel_file) + "|" + file_of(plan.method),
                             [&] { return build_glm_grid_program(spec_, plan.method); }, plan.options},
                            &report_);
  }

  // Whole tiles may be read from any multiple of 8 observations on.
  int prepare_groups() const { return divide_up(p_.l1, kPrepareGroup) + 1; }

  void run_block(int first, int points) {
    const GlmPlan plan = plan_glm_grid(info_, p_.l1, p_.l2, block_, tuning_);
    const SharedProgram program = program_of(plan);
    const std::size_t m1 = points, l2 = p_.l2, splits = plan.splits, most = block_;
    const std::size_t groups = prepare_groups(), columns = divide_up(plan.row, kPrepareColumns) + 1;
    if (!rows_) {
      rows_ = numbers(groups * kPrepareGroup * plan.row);
      constants_ = numbers(groups);
      grad_ = numbers(most * l2);
      qf_ = numbers(most);
    }
    const Buffer values = numbers(splits * m1);
    const Buffer split_slopes = splits > 1 ? numbers(splits * m1 * l2) : Buffer();
    const Buffer& slopes = splits > 1 ? split_slopes : grad_;
    const Buffer& grid = send_grid(*program, first, points);

    openclPort::Stopwatch watch;
    std::unique_ptr<openclPort::Event> begin, end;
    launch(*program, "f2_f3_prepare", {groups * kPrepareGroup, columns}, {kPrepareGroup, 1}, timed(begin), X_, alpha_,
           y_, wt_, rows_, constants_, p_.l1, p_.l2, plan.row);
    launch(*program, file_of(plan.method),
           {static_cast<std::size_t>(divide_up(points, plan.group_points)) * plan.group, splits,
            static_cast<std::size_t>(plan.passes)},
           {static_cast<std::size_t>(plan.group), 1, 1}, nullptr, rows_, grid, values, slopes, p_.l1, p_.l2, points,
           plan.split, plan.row);
    launch(*program, "f2_f3_finish", {static_cast<std::size_t>(divide_up(points, kFinishPoints)) * kFinishGroup},
           {kFinishGroup}, timed(end), prior_, grid, constants_, values, slopes, qf_, grad_, p_.l2, points,
           prepare_groups(), plan.splits);
    fetch(qf_, 0, p_.qf + first, m1);
    const std::size_t rows = p_.grad_rows();
    if (m1 == rows)
      fetch(grad_, 0, p_.grad, m1 * l2);
    else
      for (std::size_t k = 0; k < l2; ++k) fetch(grad_, k * m1, p_.grad + k * rows + first, m1);
    transfers_.finish();
    report_.compute += timed_ ? openclPort::seconds_between(*begin, *end) : watch.lap();
  }

  openclPort::Queue::EventSlot timed(std::unique_ptr<openclPort::Event>& event) const {
    return timed_ ? &event : nullptr;
  }

  static void set(openclPort::Launch& launch, unsigned& index, const Buffer& buffer) {
    launch.set_buffer(index++, buffer);
  }
  static void set(openclPort::Launch& launch, unsigned& index, const Part& part) {
    launch.set_buffer(index++, *part.buffer);
    launch.set(index++, part.begins);
  }
  static void set(openclPort::Launch& launch, unsigned& index, int value) { launch.set(index++, value); }
  static void set(openclPort::Launch& launch, unsigned& index, std::int64_t value) { launch.set(index++, value); }

  template <typename... Arguments>
  void launch(const openclPort::Program& program, const char* name, const std::vector<std::size_t>& global,
              const std::vector<std::size_t>& group, openclPort::Queue::EventSlot event,
              const Arguments&... arguments) {
    const std::unique_ptr<openclPort::Launch> launch = program.launch(name);
    unsigned index = 0;
    (set(*launch, index, arguments), ...);
    launch->range(openclPort::range_of(global, group));
    transfers_.queue().run(*launch, event);
  }

  static constexpr std::size_t kShort = std::size_t{1}
                                        << 14;  // numbers that are copied once more rather than sent apart
  static constexpr double kTimedTerms = 2e9;    // a millisecond of a large GPU
  // As f2_f3_steps.cl has them.
  static constexpr std::size_t kPrepareGroup = 64, kPrepareColumns = 8, kFinishPoints = 32, kFinishGroup = 256;

  const openclPort::SharedDevice device_;
  const GlmKernelSpec& spec_;
  const GlmProblem& p_;
  const GlmTuning tuning_;
  RunReport& report_;
  const DeviceInfo& info_;
  std::vector<double> rest_;
  Part X_, alpha_, y_, wt_, prior_;
  Buffer problem_, rows_, constants_, grid_, grad_, qf_;
  int block_;
  const bool timed_;
  openclPort::CallTransfers transfers_;
};

}  // namespace

bool build_glm_groups(const openclPort::SharedDevice& device, const GlmKernelSpec& spec, const GlmProblem& problem,
                      const GlmTuning& tuning, RunReport& report) {
  return GlmGridRun(device, spec, problem, tuning, report).fits();
}

bool run_glm_groups(const openclPort::SharedDevice& device, const GlmKernelSpec& spec, const GlmProblem& problem,
                    const GlmTuning& tuning, RunReport& report, const CallHooks& hooks) {
  GlmGridRun grid(device, spec, problem, tuning, report);
  if (!grid.fits()) return false;
  grid.run(hooks);
  return true;
}

}  // namespace ex_glmbayes::opencl
