// elementwise_plan -- travel, chunks and workers of one elementwise call.
#include "engine/elementwise_plan.h"

#include <algorithm>
#include <climits>

#include "base/nmath_error.h"
#include "device/pair_device.h"

namespace openclPort {

namespace {

constexpr std::size_t kDefaultBudget = std::size_t{128} << 20;  // of device memory, and as much that is page-locked
constexpr std::size_t kResidentChunk = std::size_t{1} << 23;

}  // namespace

void check_columns(const ElementwiseCall& call) {
  const KernelSpec& spec = call.spec;
  const std::vector<Column>& columns = call.columns;
  const std::size_t real = static_cast<std::size_t>(spec.n_real);
  const std::size_t expected = real + static_cast<std::size_t>(spec.n_flags);
  // Texts are made for errors only: they take longer than the checks.
  const auto fail = [](const std::string& message) { throw NmathError(message, "run_elementwise"); };
  const auto function = [&spec] { return std::string("function '") + spec.name + "'"; };
  const auto column = [&function](std::size_t k) { return "column " + std::to_string(k + 1) + " of " + function(); };
  if (columns.size() != expected || expected > kMaxColumns)
    fail(function() + " takes " + std::to_string(expected) + " columns (at most " + std::to_string(kMaxColumns) +
         " are possible), but " + std::to_string(columns.size()) + " are given");
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const bool stays = !call.resident.empty() && call.resident[k] != nullptr;
    if (columns[k].length == 0 || (columns[k].data == nullptr && !stays)) fail(column(k) + " has no elements");
    if (stays && (columns[k].type != Column::Type::f64 || columns[k].length > INT_MAX))
      fail(column(k) + " is resident on the device: it must hold at most 2^31 - 1 doubles");
    if (k >= real && columns[k].type != Column::Type::i32) fail(column(k) + " must hold integers");
  }
}

namespace {

ColumnPlan plan_column(const DeviceInfo& device, Column column, bool flag, std::size_t n, std::size_t largest_whole,
                       ChunkInput& input) {
  column.length = std::min(column.length, n);
  input.column = column;
  const bool integers = !flag && column.type == Column::Type::i32;
  input.widen = integers && device.recycles;
  if (column.length == 1) {
    if (!flag && column.type == Column::Type::f64) check_pair_number(device, *static_cast<const double*>(column.data));
    return {Travel::scalar, scalar_bits(column, flag)};
  }
  if (flag && !device.recycles) return {Travel::runs, 0};
  const bool widened_here = integers && !device.recycles;
  input.transport = ChunkInput::Transport::chunks;
  if (widened_here) input.fill = ChunkInput::Fill::widened;
  if (column.length == n) return {Travel::chunks, 0};
  const std::size_t bytes = item_bytes(column) + (input.widen ? sizeof(double) : 0);
  if (!device.recycles || column.length > std::min(largest_whole / bytes, kMaxChunk)) {
    if (!widened_here) input.fill = ChunkInput::Fill::recycled;
    return {Travel::recycled_chunks, 0};
  }
  input.transport = ChunkInput::Transport::whole;
  return {Travel::whole, 0};
}

}  // namespace

ElementwisePlan plan_elementwise(const DeviceInfo& device, const ElementwiseCall& call) {
  const KernelSpec& spec = call.spec;
  const std::vector<Column>& columns = call.columns;
  const std::vector<const Buffer*>& resident = call.resident;
  const ElementwiseOptions& options = call.options;
  ElementwisePlan plan;
  plan.n = call.range.count;
  plan.first = call.range.first;
  plan.resident = resident;
  const bool passed_on = call.out == nullptr && spec.draws();  // draws are looked through on their way: StoreKernel
  plan.outputs.push_back({ElementType::f64, call.out, passed_on});
  const bool zero_copy = uses_zero_copy(device, options);
  const std::size_t max_alloc = static_cast<std::size_t>(device.max_alloc);
  const std::size_t budget = zero_copy                   ? max_alloc
                             : options.memory_budget > 0 ? options.memory_budget
                                                         : std::min<std::size_t>(kDefaultBudget, device.global_mem / 4);
  const std::size_t largest_whole = std::min(max_alloc, zero_copy ? max_alloc : budget / 2 / kMaxColumns);

  plan.columns.reserve(columns.size());
  plan.inputs.resize(columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const bool flag = k >= static_cast<std::size_t>(spec.n_real);
    if (!resident.empty() && resident[k] != nullptr) {
      if (!device.recycles)
        throw NmathError("columns that are resident on the device are for kernels that recycle them", "run_elementwise",
                         "", "", device.name);
      plan.inputs[k].column = columns[k];
      plan.columns.push_back({Travel::whole, 0});
      plan.recycles = true;
      continue;
    }
    const ColumnPlan entry = plan_column(device, columns[k], flag, call.range.all, largest_whole, plan.inputs[k]);
    const ChunkInput::Transport transport = plan.inputs[k].transport;
    plan.runs = plan.runs || entry.travel == Travel::runs;
    plan.recycles = plan.recycles || transport == ChunkInput::Transport::whole ||
                    (flag && transport == ChunkInput::Transport::chunks);
    plan.columns.push_back(entry);
  }
  plan.scalars = device.recycles && spec.draws() && !columns.empty();
  for (const ColumnPlan& column : plan.columns) plan.scalars = plan.scalars && column.travel == Travel::scalar;
  find_shared_inputs(plan.inputs);
  std::size_t whole_bytes = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const ChunkInput& input = plan.inputs[k];
    if (input.source == k && input.transport == ChunkInput::Transport::whole)
      whole_bytes += input.column.length * input.bytes_per_element();
  }
  const std::size_t most = call.out == nullptr ? kResidentChunk : kDefaultChunk;
  plan_chunks(plan, device, spec.cost, most, budget > whole_bytes ? budget - whole_bytes : 0, options);
  return plan;
}

}  // namespace openclPort
