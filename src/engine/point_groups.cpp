// point_groups -- see point_groups.h
#include "engine/point_groups.h"

#include <algorithm>
#include <cmath>

#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "device/first_run.h"
#include "engine/fused_chunks.h"
#include "engine/fused_join.h"
#include "engine/point_travel.h"

namespace openclPort {

namespace {

using Kind = FusedItem::Kind;

class PointGroups {
 public:
  PointGroups(const SharedDevice& device, FusedKernel& kernel, const PointsCall& call, const Buffer* numbers,
              RunReport& report)
      : device_(device),
        info_(device->info()),
        spec_(kernel.spec()),
        call_(call),
        grouping_(*call.call.grouping),
        report_(report),
        there_(kernel.on_device(device, report)),
        groups_(grouping_.on_device(device, true)),
        short_(has_short_blocks(info_, spec_, grouping_)),
        numbers_(numbers),
        travel_(device, queue_),
        queue_(device->queue(false)) {
    {
      const std::lock_guard<ProcessMutex> lock(there_->mutex);
      room_.swap(there_->idle_points);
    }
    room_.resize(4);
    launch_ = there_->program->launch(spec_.kernel);
    launch_->check_arguments(spec_.items.size(), info_.name);
  }

  void run(const CallHooks& hooks) {
    Stopwatch watch;
    const std::size_t sums = call_.count * grouping_.groups(), words = call_.count * spec_.flags;
    columns_ = travel_.columns(call_.call);
    const std::size_t given = numbers_ != nullptr ? 0 : call_.count * call_.numbers;
    travel_.begin((given + sums) * sizeof(double) + 2 * words * sizeof(int), 4);
    if (numbers_ == nullptr) {
      numbers_ = &room(0, ElementType::f64, std::max<std::size_t>(given, 1));
      travel_.send(*numbers_, call_.points, given * sizeof(double));
    }
    flags_ = &room(1, ElementType::i32, std::max<std::size_t>(words, 1));
    travel_.send(*flags_, call_.flags, words * sizeof(int));
    results_ = &room(2, ElementType::f64, call_.count * grouping_.blocks());
    launch_chunks(hooks);
    travel_.fetch(grouping_.blocks() > grouping_.groups() ? join(hooks.interrupted) : *results_, 0, call_.values[0],
                  sums * sizeof(double));
    if (words > 0) travel_.fetch(*flags_, 0, call_.flags, words * sizeof(int));
    queue_->finish();
    travel_.land();
    report_.compute += watch.lap();
    const std::lock_guard<ProcessMutex> lock(there_->mutex);
    there_->idle_points.swap(room_);
  }

 private:
  // Memory of an earlier call, if it is large enough.
  Buffer& room(std::size_t k, ElementType type, std::size_t elements) {
    Buffer& buffer = room_[k];
    if (!buffer || buffer.elements() < elements) buffer = device_->allocate(type, elements);
    return buffer;
  }

  void launch_chunks(const CallHooks& hooks) {
    constexpr std::size_t most = std::size_t{1} << 30, many = std::size_t{1} << 16;
    const std::size_t elements = std::max<std::size_t>(grouping_.positions(), 1);
    for (std::size_t first = 0; first < call_.count;) {
      const std::size_t work = rows_and_points_of_launch(info_, spec_.cost, there_->rate);
      const std::size_t points = std::max<std::size_t>(1, std::min(work / elements, most / grouping_.blocks()));
      const std::size_t last = std::min(call_.count, first + points);
      const bool whole = last - first == call_.count;
      if (!whole) stop_if(hooks.interrupted);
      Stopwatch watch;
      run_points_of(first, last, hooks.interrupted);
      first = last;
      if (whole && !info_.immediate) continue;
      queue_->finish();
      const double done = static_cast<double>(elements) * static_cast<double>(points);
      if (done >= static_cast<double>(many)) there_->rate = done / std::max(watch.lap(), 1e-7);
    }
  }

  void run_points_of(std::size_t first, std::size_t last, const InterruptCheck& interrupted) {
    const auto prepare = [this, first](Launch& launch, std::size_t end) {
      for (unsigned i = 0; i < spec_.items.size(); ++i) set(launch, i, spec_.items[i], first, end);
    };
    prepare(*launch_, last);
    const std::size_t blocks = (last - first) * grouping_.blocks();
    launch_->range(short_ ? short_blocks(blocks) : groups_of(items_of_blocks(*launch_, info_, grouping_), blocks));
    compile_ahead(device_, *there_->program, *launch_, interrupted, [&](Launch& one) { prepare(one, first + 1); });
    queue_->run(*launch_, nullptr);
    ++report_.chunks;
  }

  void set(Launch& launch, unsigned i, const FusedItem& item, std::size_t first, std::size_t last) const {
    const FusedCall& call = call_.call;
    const unsigned k = item.index;
    switch (item.kind) {
      case Kind::column:
        return launch.set_buffer(i, call.columns[k].resident != nullptr ? *call.columns[k].resident : columns_[k]);
      case Kind::output:
        return launch.set_buffer(i, *results_);
      case Kind::flags:
        return launch.set_buffer(i, *flags_);
      case Kind::order:
        return launch.set_buffer(i, groups_->order);
      case Kind::starts:
        return launch.set_buffer(i, groups_->starts);
      case Kind::points:
        return launch.set_buffer(i, *numbers_);
      case Kind::offset:
      case Kind::first:
        return launch.set(i, std::int64_t{0});
      case Kind::stride:
        return launch.set(i, static_cast<std::int64_t>(call.n));
      case Kind::numbers:
        return launch.set(i, static_cast<std::int64_t>(call_.numbers));
      case Kind::all_blocks:
        return launch.set(i, static_cast<std::int64_t>(grouping_.blocks()));
      case Kind::blocks:
        return launch.set(i, static_cast<std::int32_t>(grouping_.blocks()));
      case Kind::len:
        return launch.set(i, static_cast<std::int32_t>(call.n));
      case Kind::alone:
        return launch.set(i, static_cast<std::int32_t>(short_));
      case Kind::first_point:
        return launch.set(i, static_cast<std::int32_t>(first));
      case Kind::last_point:
        return launch.set(i, static_cast<std::int32_t>(last));
      case Kind::f64:
        return launch.set(i, call.scalars[k]);
      case Kind::i32:
        return launch.set(i, std::isnan(call.scalars[k]) ? INT32_MIN : static_cast<std::int32_t>(call.scalars[k]));
      case Kind::i64:
        return launch.set(i, static_cast<std::int64_t>(call.scalars[k]));
      default:
        throw NmathError("sums by codes at many points have no argument of this kind", "run_points");
    }
  }

  // The sums of the blocks of each group as one, of each point.
  const Buffer& join(const InterruptCheck& interrupted) {
    Buffer& joined = room(3, ElementType::f64, call_.count * grouping_.groups());
    const std::unique_ptr<Launch> launch = there_->program->launch(spec_.group_join);
    const auto prepare = [&](Launch& one) {
      set_join(one, spec_, call_.call, info_, grouping_.blocks(), {results_, &joined}, groups_.get());
    };
    prepare(*launch);
    const std::size_t items = launch->range().group[0], groups = launch->range().global[0] / items;
    launch->range(groups_of(items, groups * call_.count));
    compile_ahead(device_, *there_->program, *launch, interrupted, prepare);
    queue_->run(*launch, nullptr);
    return joined;
  }

  const SharedDevice device_;
  const DeviceInfo& info_;
  const FusedSpec& spec_;
  const PointsCall& call_;
  const Grouping& grouping_;
  RunReport& report_;
  const std::shared_ptr<FusedKernel::OnDevice> there_;
  const std::shared_ptr<const Grouping::OnDevice> groups_;
  const bool short_;
  const Buffer* numbers_;
  std::vector<Buffer> columns_, room_;  // room_: numbers, flags, results of blocks, sums
  const Buffer *flags_ = nullptr, *results_ = nullptr;
  std::unique_ptr<Launch> launch_;
  PointTravel travel_;
  const std::unique_ptr<Queue> queue_;  // is finished before what it reads goes
};

}  // namespace

void run_point_groups(const SharedDevice& device, FusedKernel& kernel, const PointsCall& call, const Buffer* there,
                      RunReport& report, const CallHooks& hooks) {
  Stopwatch watch;
  const std::size_t positions = call.call.grouping->positions(), groups = call.call.grouping->groups();
  begin_report(report, kernel.spec().function, device->info(), positions * call.count);
  if (call.count == 0) return;
  if (positions == 0) {
    std::fill_n(call.values[0], groups * call.count, 0.0);
    return;
  }
  PointGroups(device, kernel, call, there, report).run(hooks);
  report.total += watch.lap();
}

}  // namespace openclPort
