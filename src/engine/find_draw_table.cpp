// find_draw_table -- see find_draw_table.h
#include "engine/find_draw_table.h"

#include "engine/alias_table.h"
#include "engine/quantile_table.h"

namespace openclPort {

std::shared_ptr<const DrawTable> find_draw_table(const KernelSpec& spec, const std::vector<Column>& columns) {
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

}  // namespace openclPort
