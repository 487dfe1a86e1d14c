// fused_chunks -- see fused_chunks.h
#include "engine/fused_chunks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "base/nmath_error.h"
#include "device/pair_device.h"
#include "engine/fused_join.h"
#include "expression/slices.h"

namespace openclPort {

namespace {

using Kind = FusedItem::Kind;

constexpr std::size_t kBudget = std::size_t{128} << 20;  // of device memory for chunks, and as much that is page-locked
constexpr std::size_t kFewResults = 1 << 16;             // that come back through page-locked memory
constexpr std::size_t kSpansOfUnit = 4;

ChunkInput input_of(const FusedSpec& spec, const FusedCall& call, std::size_t k) {
  const FusedColumn& given = call.columns[k];
  ChunkInput input;
  input.column = given.column;
  if (given.resident != nullptr) return input;
  input.transport = ChunkInput::Transport::whole;
  if (spec.roles[k] == FusedRole::whole || spec.takes(Kind::order)) return input;
  input.transport = ChunkInput::Transport::chunks;
  input.planes = given.column.length / call.n;
  if (call.grouping != nullptr) input.fill = ChunkInput::Fill::gathered;
  return input;
}

// Which elements, and which results.
void plan_range(ChunkPlan& plan, const FusedSpec& spec, const FusedCall& call) {
  if (call.grouping != nullptr) {
    const Grouping& grouping = *call.grouping;
    plan.first_result = std::min(call.range.first, grouping.blocks());
    plan.results = std::min(call.range.count, grouping.blocks() - plan.first_result);
    plan.block = grouping.block();
    plan.empty_blocks = grouping.all();
    plan.starts = grouping.starts().data() + plan.first_result;
    plan.order = grouping.order().data();
    plan.n = static_cast<std::size_t>(plan.starts[plan.results] - plan.starts[0]);
    return;
  }
  plan.first = std::min(call.range.first, call.n);
  plan.n = std::min(call.range.count, call.n - plan.first);
  if (!spec.reduces) return;
  plan.block = call.block > 0 ? call.block : reduction_block(call.n, spec.cost);
  plan.first_result = plan.first / plan.block;
  plan.results = ceiling_ratio(plan.n, plan.block);
}

}  // namespace

ChunkPlan plan_fused(const DeviceInfo& device, const FusedSpec& spec, const FusedCall& call,
                     const ChunkOptions& options) {
  ChunkPlan plan;
  plan_range(plan, spec, call);
  for (std::size_t k = 0; k < call.columns.size(); ++k) plan.inputs.push_back(input_of(spec, call, k));
  find_shared_inputs(plan.inputs);
  for (std::size_t j = 0; j < call.values.size(); ++j) {
    ChunkOutput output;
    output.type = spec.outputs[j];
    output.host = call.values[j];
    output.width = fused_width(spec, call, j);
    output.each = spec.reduces && spec.is_each(j);
    plan.outputs.push_back(output);
  }
  const std::size_t budget =
      options.memory_budget > 0 ? options.memory_budget : std::min<std::size_t>(kBudget, device.global_mem / 4);
  const bool zero_copy = uses_zero_copy(device, options);
  plan_chunks(plan, device, spec.cost, zero_copy ? kDefaultChunk : kMaxChunk, budget, options);
  const bool few =
      spec.reduces && spec.each == 0 && plan.results <= kFewResults && plan.workers == 1 && plan.staging == 0;
  if (few && !zero_copy && !device.immediate) {
    plan.staged = true;
    plan.staging = kFewResults * sizeof(double);
  }
  return plan;
}

namespace {

// Work-items that a compute unit of a GPU is given. Where they wait for what is computed first, no more than work at
// once: with much of that, its memory is the limit (measured on an H200 by bench/resident.R).
std::size_t items_of_unit(const FusedSpec& spec) {
  if (spec.least <= 1) return 2048;
  return spec.least < (std::size_t{1} << 18) ? 512 : 256;
}

}  // namespace

namespace {

struct SumsOfCall {
  std::size_t sums = 0, fours = 0, terms = 0, values = 0;  // fours: of columns
};

SumsOfCall sums_of(const FusedSpec& spec, const FusedCall& call) {
  SumsOfCall found;
  for (std::size_t j = 0; j + spec.each < spec.outputs.size(); ++j) {
    const bool term = j < spec.widths.size() && spec.widths[j] >= 0;
    const std::size_t width = term ? fused_width(spec, call, j) / 2 : 1;
    found.sums += width;
    if (term) found.fours += ceiling_ratio(width, 4);
    (term ? found.terms : found.values) += 1;
  }
  return found;
}

// What columns have in local memory where the slices of a group are always the same (expression/term_slices.h): a
// number for each work-item of each output, and two for each slice of each sum, and one slice more.
std::size_t beside_of_slices(const DeviceInfo& device, bool may_be_wide, const SumsOfCall& all, std::size_t group) {
  using namespace expression;
  const std::size_t most_fours =
      static_cast<std::size_t>(device.multiplies_matrices() ? most_matrix_fours(may_be_wide) : kFours);
  if (all.fours > most_fours || all.terms > kMostSlicedTerms || all.values > kMostSlicedValues) return 0;
  return (all.terms + all.values) * group +
         2 * static_cast<std::size_t>(slices_of(static_cast<int>(all.fours)) + 1) * all.sums;
}

}  // namespace

std::size_t rows_of_ranges(const DeviceInfo& device, const FusedSpec& spec, const FusedCall& call) {
  using namespace expression;
  if (!device.multiplies_matrices() || !spec.slices) return 0;
  const SumsOfCall all = sums_of(spec, call);
  if (all.fours > static_cast<std::size_t>(most_matrix_fours(spec.wide)))
    return spec.wide ? static_cast<std::size_t>(tile_of_wide(static_cast<int>(all.fours))) : 0;
  return ranges_of_slices(all.terms, static_cast<int>(all.fours)) > 1 ? kChainedRows : 0;
}

// Local memory of a group, beside what a kernel declares, in doubles: for each wide output a number for each work-item,
// for each bundle of them two for each sum, and as many rows of its matrix, with one number more, as there is room for.
// What nobody needs would keep other groups from the compute unit.
std::size_t local_doubles(const DeviceInfo& device, const FusedSpec& spec, const FusedCall& call) {
  constexpr std::size_t declared = 1024, most = 6000, table = 256 * sizeof(double);
  constexpr std::size_t group_of_many = 64;  // work-items of a group with more than two outputs: the kernel says so
  const std::size_t own = declared + spec.tables * table;
  if (device.immediate || device.wide_cores) return 1;  // a group is a work-item, which has no use for it
  const std::size_t bytes = static_cast<std::size_t>(device.local_mem);
  const std::size_t room = bytes <= own ? 1 : std::min(most, (bytes - own) / sizeof(double));
  std::size_t columns = 0, wide = 0;
  std::map<int, std::size_t> bundles;  // by number, sums; of outputs without one by one that is theirs alone
  for (std::size_t j = 0; j < spec.widths.size(); ++j) {
    if (spec.widths[j] < 0) continue;
    const int known = spec.bundles.empty() ? 0 : spec.bundles[j];
    const int bundle = known > 0 ? known : -static_cast<int>(j) - 1;
    const std::size_t sums = fused_width(spec, call, j) / 2;
    if (bundles.count(bundle) == 0) columns += sums;
    bundles[bundle] += sums;
    ++wide;
  }
  const std::size_t group = wide > 2 ? group_of_many : kMostGroup;
  std::size_t beside = wide * group;
  for (const auto& bundle : bundles) beside += 2 * std::max(bundle.second, group);
  const SumsOfCall all = sums_of(spec, call);
  const std::size_t tallest = rows_of_ranges(device, spec, call);
  if (spec.slices) beside = std::max(beside, beside_of_slices(device, spec.wide, all, group));
  if (spec.wide) beside += all.values * expression::kWideTile;
  for (std::size_t rows = tallest > 0 ? tallest : group; rows >= 8; rows /= 2)
    if (beside + columns * (rows + 1) <= room) return beside + columns * (rows + 1);
  return room;
}

std::size_t local_of_more_points(const DeviceInfo& device, const FusedSpec& spec, const FusedCall& call) {
  if (device.immediate || device.wide_cores || !spec.takes(Kind::local)) return 0;
  std::size_t numbers = 0;
  for (std::size_t j = 0; j < spec.widths.size(); ++j)
    if (spec.widths[j] >= 0) numbers += kMostGroup + 2 * std::max(fused_width(spec, call, j) / 2, kMostGroup);
  return numbers * (spec.points_shared - 1);
}

FusedChunks::FusedChunks(const FusedSpec& spec, const FusedCall& call, const ChunkPlan& plan,
                         const SharedDevice& device, const std::vector<Buffer>& whole)
    : spec_(spec),
      call_(call),
      plan_(plan),
      on_(device),
      device_(device->info()),
      whole_(whole),
      local_(spec.takes(Kind::local) ? local_doubles(device_, spec, call) : 1) {}

void FusedChunks::prepare(Launch& launch, const Chunk& chunk, const ChunkMemory& memory, std::size_t) const {
  for (unsigned i = 0; i < spec_.items.size(); ++i) set(launch, i, spec_.items[i], chunk, memory);
  if (spec_.reduces)
    set_groups(launch, chunk);
  else
    set_items(launch, chunk);
}

// Small reads into page-locked memory are much the faster ones.
void FusedChunks::collect(Queue& queue) const {
  if (!flags) return;
  if (!landing_ && !device_.host_memory) landing_ = on_->stage(flags.bytes(), queue);
  queue.read(flags, 0, landing_ ? landing_.host() : flags_found.data(), flags.bytes());
}

void FusedChunks::land() {
  if (landing_) std::memcpy(flags_found.data(), landing_.host(), flags.bytes());
}

void FusedChunks::set(Launch& launch, unsigned i, const FusedItem& item, const Chunk& chunk,
                      const ChunkMemory& memory) const {
  const unsigned k = item.index;
  switch (item.kind) {
    case Kind::column:
      return launch.set_buffer(i, column(k, memory));
    case Kind::offset:
      return launch.set(i, offset(k, chunk));
    case Kind::stride:
      return launch.set(i, static_cast<std::int64_t>(stride(k, chunk)));
    case Kind::output:
      return launch.set_buffer(i, output(k, memory));
    case Kind::out_offset:
      return launch.set(i, static_cast<std::int64_t>(!call_.resident_out.empty() ? chunk.first - plan_.first : 0));
    case Kind::flags:
      return launch.set_buffer(i, lent_flags != nullptr ? *lent_flags : flags);
    case Kind::first:
      return launch.set(i, static_cast<std::int64_t>(chunk.out_first));
    case Kind::len:
      return launch.set(i, static_cast<std::int32_t>(chunk.count));
    case Kind::f64:
      check_pair_number(device_, call_.scalars[k]);
      return launch.set(i, call_.scalars[k]);
    case Kind::i32:
      return launch.set(i, std::isnan(call_.scalars[k]) ? INT32_MIN : static_cast<std::int32_t>(call_.scalars[k]));
    case Kind::i64:
      return launch.set(i, static_cast<std::int64_t>(call_.scalars[k]));
    case Kind::u64:
      return launch.set(
          i, static_cast<std::uint64_t>(call_.scalars[k]) << 32 | static_cast<std::uint64_t>(call_.scalars[k + 1]));
    case Kind::order:
      return launch.set_buffer(i, groups->order);
    case Kind::starts:
      return launch.set_buffer(i, groups->starts);
    case Kind::blocks:
      return launch.set(i, static_cast<std::int32_t>(chunk.out_count));
    case Kind::block:
      return launch.set(i, static_cast<std::int32_t>(plan_.block));
    case Kind::alone:
      return launch.set(i, static_cast<std::int32_t>(has_short_blocks()));
    case Kind::local:
      return launch.set_local(i, local_ * sizeof(double));
    case Kind::room:
      return launch.set(i, static_cast<std::int32_t>(local_));
    case Kind::points:
    case Kind::numbers:
    case Kind::first_point:
    case Kind::last_point:
    case Kind::all_blocks:
    case Kind::scores:
      throw NmathError("a kernel of many points is run by run_points()", "run_fused");
  }
}

// Where an output of the kernel goes: what stays has memory for all of the call's elements.
const Buffer& FusedChunks::output(unsigned k, const ChunkMemory& memory) const {
  const Buffer* const kept = call_.resident_out_of(k);
  return kept != nullptr ? *kept : memory.outputs[k];
}

const Buffer& FusedChunks::column(unsigned k, const ChunkMemory& memory) const {
  if (call_.columns[k].resident != nullptr) return *call_.columns[k].resident;
  const ChunkInput& input = plan_.inputs[k];
  return input.transport == ChunkInput::Transport::whole ? whole_[input.source] : memory.inputs[input.source];
}

// Columns of chunks begin with the chunk; those by position are counted from the call's first.
std::int64_t FusedChunks::offset(unsigned k, const Chunk& chunk) const {
  const ChunkInput& input = plan_.inputs[k];
  const std::int64_t first = static_cast<std::int64_t>(chunk.first - (call_.columns[k].part ? plan_.first : 0));
  if (spec_.roles[k] == FusedRole::whole || spec_.takes(Kind::order)) return 0;
  if (call_.grouping != nullptr) return -first;
  return input.transport == ChunkInput::Transport::none ? first : 0;
}

std::size_t FusedChunks::stride(unsigned k, const Chunk& chunk) const {
  const ChunkInput& input = plan_.inputs[k];
  if (input.transport != ChunkInput::Transport::chunks) return call_.n;
  if (!plan_.zero_copy) return plan_.chunk_size;
  return input.fill == ChunkInput::Fill::plain ? call_.n : chunk.count;
}

// As many as keep the device busy; each computes once what depends on scalars only. Those of wide cores have spans of
// elements that lie together, each for itself: neighbours on two cores would share lines of the cache.
void FusedChunks::set_items(Launch& launch, const Chunk& chunk) const {
  static constexpr std::size_t least_span[] = {256, 16, 1, 1};  // by cost
  const std::size_t units = std::max(device_.compute_units, 1u);
  if (device_.immediate) return launch.items(1, spec_.cost);
  if (!device_.wide_cores) return launch.items(std::min(chunk.count, units * items_of_unit(spec_)), spec_.cost);
  const std::size_t spans = ceiling_ratio(chunk.count, least_span[static_cast<int>(spec_.cost)]);
  launch.range(groups_of(1, std::min(spans, units * kSpansOfUnit)));
}

bool has_short_blocks(const DeviceInfo& device, const FusedSpec& spec, const Grouping& grouping) {
  constexpr std::size_t few = 24;
  return spec.takes(Kind::alone) && !device.immediate && !device.wide_cores &&
         grouping.positions() <= few * grouping.blocks();
}

Range short_blocks(std::size_t blocks) {
  constexpr std::size_t together = 64;
  return groups_of(together, ceiling_ratio(blocks, together));
}

std::size_t items_of_blocks(const Launch& launch, const DeviceInfo& device, const Grouping& grouping) {
  constexpr std::size_t each = 8, least = 32;
  return items_of_group(launch, device, std::max(least, ceiling_ratio(grouping.positions(), grouping.blocks() * each)));
}

bool FusedChunks::has_short_blocks() const {
  return call_.grouping != nullptr && openclPort::has_short_blocks(device_, spec_, *call_.grouping);
}

// A work-group for each block; of one work-item where that is a core.
void FusedChunks::set_groups(Launch& launch, const Chunk& chunk) const {
  if (has_short_blocks()) return launch.range(short_blocks(chunk.out_count));
  const std::size_t items = rows_of_ranges(device_, spec_, call_) > 0 ? kMostGroup
                            : spec_.group_join.empty()                ? items_of_group(launch, device_, plan_.block)
                                                       : items_of_blocks(launch, device_, *call_.grouping);
  launch.range(groups_of(items, chunk.out_count));
}

}  // namespace openclPort
