// grouped_columns -- see grouped_columns.h
#include "engine/grouped_columns.h"

namespace openclPort {

namespace {

// The rows of some columns that lie one after the other.
template <class T>
std::unique_ptr<unsigned char[]> in_group_order(const Column& column, const Grouping& grouping) {
  const std::vector<int>& order = grouping.order();
  std::unique_ptr<unsigned char[]> made(new unsigned char[column.length * sizeof(T)]);
  T* to = reinterpret_cast<T*>(made.get());
  const T* from = static_cast<const T*>(column.data);
  for (std::size_t first = 0; first < column.length; first += grouping.elements())
    for (const int i : order) *to++ = from[first + static_cast<std::size_t>(i)];
  return made;
}

}  // namespace

GroupedColumns::GroupedColumns(const FusedSpec& spec, const FusedCall& given) : call_(given) {
  if (given.grouping == nullptr || spec.takes(FusedItem::Kind::order)) return;
  const Grouping& grouping = *given.grouping;
  for (std::size_t k = 0; k < given.columns.size(); ++k) {
    Column& column = call_.columns[k].column;
    if (spec.roles[k] == FusedRole::whole) continue;
    made_.push_back(column.type == Column::Type::f64 ? in_group_order<double>(column, grouping)
                                                     : in_group_order<int>(column, grouping));
    column.data = made_.back().get();
    column.length = column.length / grouping.elements() * grouping.positions();
  }
}

}  // namespace openclPort
