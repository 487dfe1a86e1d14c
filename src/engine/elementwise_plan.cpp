// elementwise_plan -- travel, chunks and lanes of one elementwise call.
#include "engine/elementwise_plan.h"

#include <algorithm>

#include "base/nmath_error.h"
#include "base/work_threads.h"
#include "engine/work_pieces.h"

namespace openclPort {

namespace {

constexpr std::size_t kSharedChunk = std::size_t{1} << 22;
// Chunks that are copied: a few megabytes stay in the processor's cache on their way through page-locked memory.
constexpr std::size_t kCopiedChunk = std::size_t{3} << 17;
constexpr std::size_t kStagingBlock = kCopiedChunk * sizeof(double);
constexpr std::size_t kLeastCopiedChunk = std::size_t{1} << 16;
constexpr std::size_t kMaxChunk = std::size_t{1} << 30;  // `len` is an int, and rounding up must not leave its range
constexpr std::size_t kMinChunk = 64;
constexpr std::size_t kDefaultBudget = std::size_t{128} << 20;  // of device memory, and as much that is page-locked
constexpr int kMaxLanes = 16;

std::size_t ceiling_ratio(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

// Fills in chunk, lanes and slots of a plan that copies, from what one element of a chunk needs on the device and how
// many pieces, results included, it comes in.
void plan_copies(ElementwisePlan& plan, std::size_t bytes_per_element, std::size_t pieces, std::size_t for_chunks,
                 const ElementwiseOptions& options) {
  std::size_t most =
      static_cast<std::size_t>(std::max(1, options.lanes > 0 ? options.lanes : std::min(kMaxLanes, host_threads())));
  if (options.chunk == 0) {
    // All of a call's page-locked memory comes in blocks of one size, which the next call can use, whatever it
    // computes.
    most = std::max<std::size_t>(1, std::min(most, for_chunks / (pieces * kStagingBlock)));
    const std::size_t even = ceiling_ratio(ceiling_ratio(plan.n, 2 * most), 1024) * 1024;
    plan.chunk = std::min(plan.chunk, std::min(std::max(even, kLeastCopiedChunk), kCopiedChunk));
  }
  const bool asked = options.chunk != 0 && options.lanes <= 0;  // a chunk that was asked for is measured, one by one
  plan.lanes = asked ? 1 : std::min(most, std::max<std::size_t>(1, ceiling_ratio(plan.n, plan.chunk) / 2));
  if (plan.lanes == 1 && (plan.chunk < plan.n || for_chunks / bytes_per_element < plan.n)) plan.slots = 2;
  const std::size_t fitting = for_chunks / (plan.lanes * plan.slots) / bytes_per_element;
  plan.chunk = std::min(plan.chunk, std::max(fitting, std::min(plan.n, kMinChunk)));
  plan.staged = plan.lanes > 1;
  plan.staging = options.chunk == 0 ? kStagingBlock : plan.chunk * sizeof(double);
}

}  // namespace

void check_columns(const KernelSpec& spec, const std::vector<Column>& columns, const double* out) {
  const std::size_t real = static_cast<std::size_t>(spec.n_real);
  const std::size_t expected = real + static_cast<std::size_t>(spec.n_flags);
  const std::string function = std::string("function '") + spec.name + "'";
  const auto fail = [](const std::string& message) { throw NmathError(message, "run_elementwise"); };
  if (columns.size() != expected || expected > kMaxColumns)
    fail(function + " takes " + std::to_string(expected) + " columns (at most " + std::to_string(kMaxColumns) +
         " are possible), but " + std::to_string(columns.size()) + " are given");
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::string column = "column " + std::to_string(k + 1) + " of " + function;
    if (columns[k].length == 0 || columns[k].data == nullptr) fail(column + " has no elements");
    if (k >= real && columns[k].type != Column::Type::i32) fail(column + " must hold integers");
  }
  if (out == nullptr) fail("there is no room for the results of " + function);
}

namespace {

// Of a device without memory of its own whose launches are over when they return: blocks for every thread.
void plan_blocks(ElementwisePlan& plan, Cost cost, const ElementwiseOptions& options) {
  const int threads = options.lanes > 0 ? options.lanes : host_threads();
  if (options.chunk == 0) plan.chunk = std::min(plan.chunk, block_grain(cost, plan.n, threads));
  plan.lanes = std::min<std::size_t>(static_cast<std::size_t>(threads), ceiling_ratio(plan.n, plan.chunk));
}

ColumnPlan plan_column(const DeviceInfo& device, Column column, bool flag, std::size_t n, std::size_t largest_whole) {
  column.length = std::min(column.length, n);
  const bool integers = !flag && column.type == Column::Type::i32;
  ColumnPlan entry{column, Travel::whole, integers && device.recycles, integers && !device.recycles, 0, 0};
  const std::size_t bytes = item_bytes(column) + (entry.widen ? sizeof(double) : 0);
  if (column.length == 1) {
    entry.travel = Travel::scalar;
    entry.value = scalar_bits(column, flag);
  } else if (flag && !device.recycles) {
    entry.travel = Travel::runs;
  } else if (column.length == n) {
    entry.travel = Travel::pieces;
  } else if (!device.recycles || column.length > std::min(largest_whole / bytes, kMaxChunk)) {
    entry.travel = Travel::recycled_pieces;
  }
  return entry;
}

}  // namespace

ElementwisePlan plan_elementwise(const DeviceInfo& device, const KernelSpec& spec, const std::vector<Column>& columns,
                                 std::size_t n, const ElementwiseOptions& options) {
  using Transfer = ElementwiseOptions::Transfer;
  ElementwisePlan plan;
  plan.n = n;
  plan.share = options.transfer == Transfer::share || (options.transfer == Transfer::automatic && device.host_memory);
  const std::size_t max_alloc = static_cast<std::size_t>(device.max_alloc);
  const std::size_t budget = plan.share                  ? max_alloc
                             : options.memory_budget > 0 ? options.memory_budget
                                                         : std::min<std::size_t>(kDefaultBudget, device.global_mem / 4);
  const std::size_t largest_whole = std::min(max_alloc, plan.share ? max_alloc : budget / 2 / kMaxColumns);

  std::size_t whole_bytes = 0, bytes_per_element = sizeof(double), pieces = 1;
  plan.columns.reserve(columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const bool flag = k >= static_cast<std::size_t>(spec.n_real);
    ColumnPlan entry = plan_column(device, columns[k], flag, n, largest_whole);
    entry.source = k;
    for (std::size_t j = 0; j < k && entry.source == k && (entry.in_pieces() || entry.travel == Travel::whole); ++j)
      if (columns[j].data == entry.column.data && plan.columns[j].column.length == entry.column.length &&
          columns[j].type == entry.column.type && plan.columns[j].widen == entry.widen &&
          plan.columns[j].widen_here == entry.widen_here)
        entry.source = j;
    plan.runs = plan.runs || entry.travel == Travel::runs;
    plan.recycles = plan.recycles || entry.travel == Travel::whole || (flag && entry.in_pieces());
    const std::size_t bytes = item_bytes(entry.column) + (entry.widen ? sizeof(double) : 0);
    if (entry.source == k && entry.travel == Travel::whole) whole_bytes += entry.column.length * bytes;
    if (entry.source == k && entry.in_pieces()) bytes_per_element += bytes, ++pieces;
    plan.columns.push_back(entry);
  }

  plan.chunk = std::min({options.chunk == 0 ? kSharedChunk : options.chunk, kMaxChunk, max_alloc / sizeof(double), n});
  if (device.immediate)
    plan_blocks(plan, spec.cost, options);
  else if (!plan.share)
    plan_copies(plan, bytes_per_element, pieces, budget > whole_bytes ? budget - whole_bytes : 0, options);
  return plan;
}

}  // namespace openclPort
