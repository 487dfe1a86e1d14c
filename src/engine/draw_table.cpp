// draw_table -- which laws have tables, and the launches of their kernels.
#include "engine/draw_table.h"

#include <utility>

#include "engine/alias_table.h"
#include "engine/elementwise.h"
#include "engine/quantile_table.h"

namespace openclPort {

std::vector<double> law_on_host(char letter, const std::string& name, const std::vector<double>& x,
                                const std::vector<double>& p, const std::vector<int>& flags) {
  const KernelSpec& spec = find_kernel_spec(letter + name.substr(1));
  std::vector<Column> columns{{x.data(), x.size(), Column::Type::f64}};
  for (const double& one : p) columns.push_back({&one, 1, Column::Type::f64});
  for (const int& flag : flags) columns.push_back({&flag, 1, Column::Type::i32});
  std::vector<double> out(x.size());
  RunReport report;
  run_elementwise("host", spec, columns, x.size(), out.data(), report);
  return out;
}

std::shared_ptr<const DrawTable> draw_table(const KernelSpec& spec, const std::vector<Column>& columns) {
  if (!spec.draws()) return nullptr;
  std::vector<double> parameters;
  for (const Column& column : columns) {
    if (column.length != 1 || column.data == nullptr) return nullptr;
    parameters.emplace_back();
    widen_chunk(column, 0, 1, &parameters.back());
  }
  if (std::shared_ptr<const DrawTable> table = alias_table_of(spec.name, parameters)) return table;
  return quantile_table_of(spec.name, parameters);
}

std::size_t items_of_draws(std::uint64_t first, std::size_t count) {
  constexpr std::size_t together = 32, pairs_of_item = 4;  // SUNIF_PAIRS
  const std::size_t pairs = (count + 1 + first % 2) / 2, in_step = together * pairs_of_item;
  return (pairs + in_step - 1) / in_step * together;
}

TableDrawsKernel::TableDrawsKernel(Device& device, std::shared_ptr<const DrawTable> table, DrawStream stream)
    : table_(std::move(table)), stream_(stream), memory_(table_->on(device)) {}

void TableDrawsKernel::prepare(Launch& launch, const Chunk& chunk, const ChunkMemory& memory, std::size_t) const {
  launch.set_buffer(0, memory_);
  launch.set_buffer(1, memory.outputs.front());
  launch.set(2, table_->whole_argument());
  launch.set(3, table_->real_argument());
  launch.set(4, static_cast<std::int32_t>(chunk.count));
  launch.set(5, stream_.seed);
  const std::uint64_t first = first_draw(stream_, chunk);
  launch.set(6, first);
  launch.items(items_of_draws(first, chunk.count), Cost::cheap);
}

}  // namespace openclPort
