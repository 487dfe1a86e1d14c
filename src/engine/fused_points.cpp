// fused_points -- see fused_points.h
#include "engine/fused_points.h"

#include <algorithm>
#include <cmath>

#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "device/first_run.h"
#include "device/pair_device.h"
#include "engine/fused_chunks.h"
#include "engine/fused_join.h"
#include "engine/grouped_columns.h"
#include "engine/point_travel.h"
#include "expression/slices.h"

namespace openclPort {

namespace {

using Kind = FusedItem::Kind;

constexpr std::size_t kPointBytes = std::size_t{128} << 20;  // of points and of results of blocks, at a time
constexpr std::size_t kWideBytes = std::size_t{512} << 20;   // the same of many columns
constexpr std::size_t kScoreBytes = std::size_t{2} << 30;    // of scores of rows, at a time
constexpr std::size_t kKeptBytes = std::size_t{64} << 20;    // that wait for the next call
constexpr std::size_t kMostGroups = std::size_t{1} << 30;    // of a launch
constexpr std::size_t kManyRows = std::size_t{1} << 16;  // times points, of which the time says how fast a kernel is
constexpr std::size_t kPointsTogether = 8;               // where rows are cut
constexpr std::size_t kGroupsOfUnit = 32, kFewGroupsOfUnit = 8;  // that keep a compute unit busy, and nearly so
constexpr std::size_t kBlocksOfGroup = 4;  // for which it is worth while to compute what its points alone say
constexpr std::size_t kSlicedItems = 256;  // of a group with slices, at most

// Some points at some blocks of rows.
struct PointsChunk {
  std::size_t first_point, last_point, first_block, last_block;
};

class PointsRun {
 public:
  PointsRun(const SharedDevice& device, FusedKernel& kernel, const PointsCall& call, RunReport& report)
      : device_(device),
        info_(device->info()),
        spec_(kernel.spec()),
        call_(call),
        report_(report),
        there_(kernel.on_device(device, report)),
        grouping_(call.call.grouping),
        rows_(grouping_ != nullptr ? grouping_->positions() : call.call.n),
        block_(grouping_ != nullptr ? grouping_->block() : reduction_block(call.call.n, spec_.cost)),
        blocks_(grouping_ != nullptr ? grouping_->blocks() : ceiling_ratio(call.call.n, block_)),
        even_block_(grouping_ != nullptr ? ceiling_ratio(rows_, blocks_) : block_),
        travel_(device, queue_),
        queue_(device->queue(false)) {
    for (std::size_t j = 0; j < spec_.outputs.size(); ++j) {
      widths_.push_back(points_width(spec_, call.call, j));
      sums_ += !spec_.is_each(j);
      terms_ += j < spec_.widths.size() && spec_.widths[j] >= 0;
    }
    {
      const std::lock_guard<ProcessMutex> lock(there_->mutex);
      room_.swap(there_->idle_points);
      std::swap(zeros_, there_->zero_flags);
    }
    room_.resize(3 + 2 * widths_.size());
    launch_ = there_->program->launch(spec_.kernel);
    launch_->check_arguments(spec_.items.size(), info_.name);
    local_ = spec_.takes(Kind::local) ? local_doubles(info_, spec_, call.call) : 1;
    beside_ = local_of_more_points(info_, spec_, call.call);
    if (has_slices()) find_slices();
    if (has_matrix()) check_fours(spec_.matrix_fours);
    if (has_wide()) score_ = there_->program->launch(spec_.score);
    if (!has_matrix() && !has_wide()) return;
    local_ = has_wide() ? spec_.wide_numbers : spec_.matrix_numbers;
    beside_ = 0;
  }

  void run(const CallHooks& hooks) {
    const GroupedColumns ordered(spec_, call_.call);
    if (grouping_ != nullptr) groups_ = grouping_->on_device(device_, spec_.takes(Kind::order));
    columns_ = travel_.columns(ordered.call());
    for (std::size_t first = 0; first < call_.count;) {
      const std::size_t last = std::min(call_.count, first + points_at_once());
      run_points_of(first, last, hooks);
      if (call_.take) call_.take(first, last);
      if (hooks.finished) hooks.finished(first, last);
      first = last;
    }
    keep_room();
  }

 private:
  bool alone() const { return info_.immediate || info_.wide_cores; }
  // Results that a point has of a sum, and those of them that come back.
  std::size_t results_of(std::size_t output) const { return output < sums_ && grouping_ != nullptr ? blocks_ : 1; }
  bool is_resident_out(std::size_t output) const { return output >= sums_ && !call_.resident_out.empty(); }
  bool has_matrix() const { return !spec_.matrix_fours.empty() && !alone() && info_.multiplies_matrices(); }
  bool has_wide() const { return spec_.wide_numbers > 0 && !alone() && info_.multiplies_matrices(); }
  bool has_slices() const { return !spec_.point_fours.empty() && !alone() && !info_.pairs && !has_matrix(); }

  // How many points a group has, each with a work-item for each slice, and its local memory: as high a tile of rows as
  // there is room for, and room for six sums of each work-item.
  void find_slices() {
    constexpr std::size_t most = 6000, declared = 1024, joined = 12, heights[] = {256, 128, 64};
    check_fours(spec_.point_fours);
    const std::size_t room = std::min(most, static_cast<std::size_t>(info_.local_mem - declared) / sizeof(double));
    std::size_t points = 4;
    while (spec_.point_slices() * points < kSlicedItems && points < call_.count) points *= 2;
    while (points > 1 && spec_.point_slices() * points > launch_->info().work_group_size) points /= 2;
    for (;; points /= 2) {
      const std::size_t items = spec_.point_slices() * points;
      for (const std::size_t height : heights) {
        local_ = std::max(1 + height * spec_.point_row_numbers, joined * items);
        sliced_points_ = points;
        if (local_ <= room || points == 1) return;
      }
    }
  }

  // A text for so many columns is for no others.
  void check_fours(const std::vector<int>& fours) const {
    std::size_t wide = 0;
    for (std::size_t j = 0; j < spec_.widths.size(); ++j) {
      if (spec_.widths[j] < 0) continue;
      const std::size_t sums = fused_width(spec_, call_.call, j) / 2;
      if (wide >= fours.size() || ceiling_ratio(sums, 4) != static_cast<std::size_t>(fours[wide]))
        throw NmathError("the kernel is for matrices of another number of columns", "run_points");
      ++wide;
    }
  }

  std::size_t points_at_once() const {
    std::size_t bytes = call_.numbers * sizeof(double) + spec_.flags * sizeof(int);
    for (std::size_t j = 0; j < widths_.size(); ++j)
      if (!is_resident_out(j)) bytes += (j < sums_ ? blocks_ + 1 : 1) * widths_[j] * sizeof(double);
    const std::size_t budget =
        std::min(has_wide() ? kWideBytes : kPointBytes, static_cast<std::size_t>(info_.global_mem / 8));
    const std::size_t most =
        call_.together > 0 ? std::min(call_.together, kMostGroups / blocks_) : kMostGroups / blocks_;
    const std::size_t points = std::max<std::size_t>(1, std::min(budget / std::max<std::size_t>(bytes, 1), most));
    return has_wide() ? whole_tiles(points) : points;
  }

  static std::size_t whole_tiles(std::size_t points) {
    return points > expression::kWidePoints ? points - points % expression::kWidePoints : points;
  }

  // Rows times points of which scores are in memory at a time.
  std::size_t scored_at_once() const {
    return std::max<std::size_t>(
        1, std::min(kScoreBytes, static_cast<std::size_t>(info_.global_mem / 16)) / sizeof(double) / terms_);
  }

  // Memory of an earlier call or part, if it is large enough.
  Buffer& room(std::size_t k, ElementType type, std::size_t elements) {
    Buffer& buffer = room_[k];
    if (buffer && buffer.elements() >= elements) return buffer;
    if (k == 1) zeros_ = 0;
    buffer = device_->allocate(type, elements);
    return buffer;
  }

  void run_points_of(std::size_t first, std::size_t last, const CallHooks& hooks) {
    Stopwatch watch;
    const std::size_t count = last - first;
    first_ = first;
    begin_travel(count);
    points_ = &room(0, ElementType::f64, std::max<std::size_t>(count * call_.numbers, 1));
    travel_.send(*points_, call_.points + first * call_.numbers, count * call_.numbers * sizeof(double));
    if (spec_.flags > 0) clear_flags(count * spec_.flags);
    results_.clear();
    for (std::size_t j = 0; j < widths_.size(); ++j)
      results_.push_back(is_resident_out(j)
                             ? call_.resident_out[j - sums_]
                             : &room(2 + j, ElementType::f64, count * (j < sums_ ? blocks_ : 1) * widths_[j]));
    launch_chunks(count, hooks);
    const bool joins = blocks_ > 1 && sums_ > 0 && grouping_ == nullptr;
    const std::vector<const Buffer*> joined = joins ? join(count, hooks.interrupted) : results_;
    const std::size_t place = call_.take ? 0 : first;
    for (std::size_t j = 0; j < widths_.size(); ++j) {
      const std::size_t numbers = results_of(j) * widths_[j];
      if (call_.values[j] != nullptr)
        travel_.fetch(*joined[j], is_resident_out(j) ? first * widths_[j] : 0, call_.values[j] + place * numbers,
                      count * numbers * sizeof(double));
    }
    int* const flags = call_.flags + first * spec_.flags;
    if (spec_.flags > 0) travel_.fetch(*flags_, 0, flags, count * spec_.flags * sizeof(int));
    queue_->finish();
    travel_.land();
    if (std::any_of(flags, flags + count * spec_.flags, [](int word) { return word != 0; })) zeros_ = 0;
    report_.compute += watch.lap();
  }

  void begin_travel(std::size_t count) {
    std::size_t numbers = call_.numbers + spec_.flags;
    for (std::size_t j = 0; j < widths_.size(); ++j)
      numbers += call_.values[j] != nullptr ? results_of(j) * widths_[j] : 0;
    travel_.begin(count * numbers * sizeof(double), widths_.size() + 2);
  }

  // Flags that nobody has raised are 0 still.
  void clear_flags(std::size_t words) {
    flags_ = &room(1, ElementType::i32, words);
    if (words <= zeros_) return;
    no_flags_.assign(words, 0);
    queue_->write(*flags_, 0, no_flags_.data(), words * sizeof(int));
    zeros_ = words;
  }

  // All blocks of rows at all points of a part: one launch where that is over soon.
  void launch_chunks(std::size_t count, const CallHooks& hooks) {
    for (std::size_t point = 0; point < count;) {
      std::size_t work = rows_and_points_of_launch(info_, spec_.cost, there_->rate);
      if (has_wide()) work = std::min(work, scored_at_once());
      std::size_t points = std::min(count - point, std::max<std::size_t>(1, work / rows_));
      if (has_wide()) points = whole_tiles(points);
      std::size_t blocks = blocks_;
      if (work < rows_) {
        points = std::min(count - point, kPointsTogether);
        blocks = std::min(blocks_, std::max<std::size_t>(1, work / (points * even_block_)));
      }
      const bool whole = points == count && blocks == blocks_;
      for (std::size_t block = 0; block < blocks_; block += blocks) {
        if (!whole) stop_if(hooks.interrupted);
        Stopwatch watch;
        const PointsChunk chunk = {point, point + points, block, std::min(blocks_, block + blocks)};
        run_chunk(chunk, hooks.interrupted);
        if (whole && !info_.immediate) continue;
        queue_->finish();
        const double done = static_cast<double>(rows_of(chunk)) * static_cast<double>(points);
        if (done >= kManyRows) there_->rate = done / std::max(watch.lap(), 1e-7);
      }
      point += points;
    }
  }

  std::size_t rows_of(const PointsChunk& chunk) const {
    if (grouping_ == nullptr) return std::min(rows_, chunk.last_block * block_) - chunk.first_block * block_;
    const std::vector<std::int64_t>& starts = grouping_->starts();
    return static_cast<std::size_t>(starts[chunk.last_block] - starts[chunk.first_block]);
  }

  void prepare(Launch& launch, const PointsChunk& chunk) const {
    for (unsigned i = 0; i < spec_.items.size(); ++i) set(launch, i, spec_.items[i], chunk);
  }

  void run_chunk(const PointsChunk& chunk, const InterruptCheck& interrupted) {
    if (has_wide()) scores_ = &room(2 + 2 * widths_.size(), ElementType::f64, score_numbers(chunk));
    prepare(*launch_, chunk);
    const std::size_t items = has_matrix()                                   ? expression::kMatrixItems
                              : has_wide()                                   ? expression::kScoringItems
                              : has_slices()                                 ? spec_.point_slices() * sliced_points_
                              : rows_of_ranges(info_, spec_, call_.call) > 0 ? kMostGroup
                                                                             : items_of_group(*launch_, info_, block_);
    launch_->range(groups_of(items, groups_of_chunk(chunk)));
    const PointsChunk least = {chunk.first_point, chunk.first_point + 1, chunk.first_block, chunk.first_block + 1};
    compile_ahead(device_, *there_->program, *launch_, interrupted, [&](Launch& first) { prepare(first, least); });
    queue_->run(*launch_, nullptr);
    if (has_wide()) add_scores(chunk, interrupted, least);
    ++report_.chunks;
  }

  std::size_t score_numbers(const PointsChunk& chunk) const {
    const std::size_t rows = ceiling_ratio(rows_of(chunk), expression::kScoreRows) * expression::kScoreRows;
    return rows * (chunk.last_point - chunk.first_point) * terms_;
  }

  // The kernel takes what the first one takes. A group has a block, some columns of one sum, and some points.
  void add_scores(const PointsChunk& chunk, const InterruptCheck& interrupted, const PointsChunk& least) {
    std::size_t units = 0;
    for (std::size_t j = 0; j < spec_.widths.size(); ++j)
      if (spec_.widths[j] >= 0) units += ceiling_ratio(fused_width(spec_, call_.call, j) / 2, expression::kWideColumns);
    prepare(*score_, chunk);
    score_->range(groups_of(expression::kWideItems,
                            units * ceiling_ratio(chunk.last_point - chunk.first_point, expression::kWidePoints) *
                                (chunk.last_block - chunk.first_block)));
    compile_ahead(device_, *there_->program, *score_, interrupted, [&](Launch& first) { prepare(first, least); });
    queue_->run(*score_, nullptr);
  }

  // A tile of points and some blocks each: so many that the device is busy, and as few as can be, since a group
  // computes what its points alone say.
  std::size_t groups_of_chunk(const PointsChunk& chunk) const {
    const std::size_t tile = info_.pairs    ? 1  // which have no vectors
                             : alone()      ? spec_.points_alone
                             : has_matrix() ? expression::kMatrixPoints
                             : has_wide()   ? 8 * expression::sides_of_group(chunk.last_point - chunk.first_point)
                             : has_slices() ? sliced_points_
                                            : spec_.points_shared;
    const std::size_t tiles = ceiling_ratio(chunk.last_point - chunk.first_point, tile);
    const std::size_t blocks = chunk.last_block - chunk.first_block;
    if ((alone() && grouping_ == nullptr) || tile == 1 || has_wide()) return tiles * blocks;
    const auto blocks_of_group = [&](std::size_t groups_of_unit) {
      return ceiling_ratio(blocks, std::clamp<std::size_t>(groups_of_unit * info_.compute_units / tiles, 1, blocks));
    };
    return tiles * ceiling_ratio(blocks, std::max(blocks_of_group(kGroupsOfUnit),
                                                  std::min(kBlocksOfGroup, blocks_of_group(kFewGroupsOfUnit))));
  }

  void set(Launch& launch, unsigned i, const FusedItem& item, const PointsChunk& chunk) const {
    const FusedCall& call = call_.call;
    const unsigned k = item.index;
    const bool by_groups = grouping_ != nullptr;
    const std::size_t first = by_groups ? 0 : chunk.first_block * block_;
    switch (item.kind) {
      case Kind::column:
        return launch.set_buffer(i, call.columns[k].resident != nullptr ? *call.columns[k].resident : columns_[k]);
      case Kind::offset:
        return launch.set(i, static_cast<std::int64_t>(spec_.roles[k] == FusedRole::whole ? 0 : first));
      case Kind::stride:
        return launch.set(i, static_cast<std::int64_t>(spec_.takes(Kind::order) ? call.n : rows_));
      case Kind::output:
        return launch.set_buffer(i, *results_[k]);
      case Kind::out_offset:  // elements that stay are those of all points
        return launch.set(i, static_cast<std::int64_t>(call_.resident_out.empty() ? 0 : first_ * call.n));
      case Kind::flags:
        return launch.set_buffer(i, *flags_);
      case Kind::first:
        return launch.set(i, static_cast<std::int64_t>(chunk.first_block));
      case Kind::len:
        return launch.set(i, static_cast<std::int32_t>(rows_of(chunk)));
      case Kind::f64:
        check_pair_number(info_, call.scalars[k]);
        return launch.set(i, call.scalars[k]);
      case Kind::i32:
        return launch.set(i, std::isnan(call.scalars[k]) ? INT32_MIN : static_cast<std::int32_t>(call.scalars[k]));
      case Kind::i64:
        return launch.set(i, static_cast<std::int64_t>(call.scalars[k]));
      case Kind::block:
        return launch.set(i, static_cast<std::int32_t>(block_));
      case Kind::local:
        return launch.set_local(i, (local_ + beside_) * sizeof(double));
      case Kind::room:
        return launch.set(i, static_cast<std::int32_t>(local_));
      case Kind::order:
        return launch.set_buffer(i, groups_->order);
      case Kind::starts:
        return launch.set_buffer(i, groups_->starts);
      case Kind::blocks:
        return launch.set(i, static_cast<std::int32_t>(chunk.last_block - chunk.first_block));
      case Kind::points:
        return launch.set_buffer(i, *points_);
      case Kind::numbers:
        return launch.set(i, static_cast<std::int64_t>(call_.numbers));
      case Kind::first_point:
        return launch.set(i, static_cast<std::int32_t>(chunk.first_point));
      case Kind::last_point:
        return launch.set(i, static_cast<std::int32_t>(chunk.last_point));
      case Kind::all_blocks:
        return launch.set(i, static_cast<std::int64_t>(blocks_));
      case Kind::scores:  // of nothing where no other kernel reads them
        return launch.set_buffer(i, has_wide() ? *scores_ : *points_);
      default:
        throw NmathError("a kernel of many points has no argument of this kind", "run_points");
    }
  }

  // The results of the blocks of each point as one, in the order that a call at one point has.
  std::vector<const Buffer*> join(std::size_t count, const InterruptCheck& interrupted) {
    if (join_ == nullptr) join_ = there_->program->launch(spec_.join);
    const auto elements = results_.begin() + static_cast<std::ptrdiff_t>(sums_);
    std::vector<const Buffer*> buffers(results_.begin(), elements), joined;
    for (std::size_t j = 0; j < sums_; ++j)
      joined.push_back(&room(2 + widths_.size() + j, ElementType::f64, count * widths_[j]));
    buffers.insert(buffers.end(), joined.begin(), joined.end());
    const auto prepare = [&](Launch& one) { set_join(one, spec_, call_.call, info_, blocks_, buffers, nullptr); };
    prepare(*join_);
    const std::size_t items = join_->range().group[0], groups = join_->range().global[0] / items;
    join_->range(groups_of(items, groups * count));
    compile_ahead(device_, *there_->program, *join_, interrupted, prepare);
    queue_->run(*join_, nullptr);
    joined.insert(joined.end(), elements, results_.end());
    return joined;
  }

  void keep_room() {
    std::size_t bytes = 0;
    for (const Buffer& buffer : room_) bytes += buffer.bytes();
    if (bytes > std::max<std::size_t>(kKeptBytes, info_.global_mem / 64)) return;
    const std::lock_guard<ProcessMutex> lock(there_->mutex);
    there_->idle_points.swap(room_);
    there_->zero_flags = zeros_;
  }

  const SharedDevice device_;
  const DeviceInfo& info_;
  const FusedSpec& spec_;
  const PointsCall& call_;
  RunReport& report_;
  const std::shared_ptr<FusedKernel::OnDevice> there_;
  const Grouping* const grouping_;           // of sums by groups, whose blocks come back
  const std::size_t rows_, block_, blocks_;  // rows that are added up, and the longest block
  const std::size_t even_block_;             // rows of a block, as a mean
  std::shared_ptr<const Grouping::OnDevice> groups_;
  std::size_t local_ = 1, beside_ = 0;  // doubles of local memory: of a call at one point, and what more points take
  std::size_t sliced_points_ = 1;       // of a group with slices
  std::vector<std::size_t> widths_;     // by output
  std::size_t terms_ = 0;               // outputs with a matrix
  std::size_t sums_ = 0;                // outputs, the first ones: those behind them have elements
  std::size_t first_ = 0;               // point of the part
  std::vector<Buffer> columns_;         // of R's memory
  std::size_t zeros_ = 0;               // words of flags that are 0 on the device
  std::vector<int> no_flags_;
  std::vector<Buffer> room_;  // points, flags, results of blocks and joint ones
  const Buffer *points_ = nullptr, *flags_ = nullptr, *scores_ = nullptr;
  std::vector<const Buffer*> results_;
  std::unique_ptr<Launch> launch_, score_, join_;
  PointTravel travel_;
  const std::unique_ptr<Queue> queue_;  // is finished before what it reads goes
};

}  // namespace

void run_points(const SharedDevice& device, FusedKernel& kernel, const PointsCall& call, RunReport& report,
                const CallHooks& hooks) {
  Stopwatch watch;
  begin_report(report, kernel.spec().function, device->info(), call.call.n * call.count);
  if (call.call.n == 0 || call.count == 0) return;
  if (call.call.grouping != nullptr && call.call.grouping->positions() == 0) return;
  PointsRun(device, kernel, call, report).run(hooks);
  report.total += watch.lap();
}

}  // namespace openclPort
