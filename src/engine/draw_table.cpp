// draw_table -- values of laws, and the launches of the kernels that draw from tables.
#include "engine/draw_table.h"

#include <utility>

#include "device/device_selection.h"
#include "engine/elementwise_kernel.h"

namespace openclPort {

std::vector<double> law_on_host(char letter, const std::string& name, const std::vector<double>& x,
                                const std::vector<double>& p, const std::vector<int>& flags) {
  const KernelSpec& spec = find_kernel_spec(letter + name.substr(1));
  std::vector<Column> columns{{x.data(), x.size(), Column::Type::f64}};
  for (const double& one : p) columns.push_back({&one, 1, Column::Type::f64});
  for (const int& flag : flags) columns.push_back({&flag, 1, Column::Type::i32});
  std::vector<double> out(x.size());
  RunReport report;
  const ElementwiseCall call = {spec, columns, {}, {0, x.size(), x.size()}, out.data()};
  const auto text = [&spec] { return kernel_program_text(spec); };
  ElementwiseRange(open_device(select_device("host")), call, text, report).run(report, {});
  return out;
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
