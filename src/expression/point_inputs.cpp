// point_inputs -- see point_inputs.h
#include "expression/point_inputs.h"

#include <algorithm>

namespace openclPort::expression {

bool PointInputs::differ(int input) {
  const auto known = known_.find(input);
  if (known != known_.end()) return known->second;
  const int definition = graph_.input(input).definition;
  bool found = definition == 0 && std::find(over_.begin(), over_.end(), input) != over_.end();
  if (definition != 0)
    for (const int under : nodes_under(graph_, {definition})) found = found || differ_in(graph_.at(under));
  known_[input] = found;
  return found;
}

bool PointInputs::differ_in(const Node& node) {
  switch (node.op) {
    case Op::product:
    case Op::crossprod:
    case Op::recursion:
    case Op::recursion_part:
    case Op::segments:
      return true;
    case Op::reduce:
      return graph_.length(node.args[0]) > 1;
    case Op::input:
    case Op::column:
      return differ(node.first);
    default:
      return false;
  }
}

std::vector<int> PointInputs::all() {
  std::vector<int> found = over_;
  for (std::size_t k = 0; k < graph_.inputs.size(); ++k) {
    const int input = static_cast<int>(k) + 1;
    if (graph_.inputs[k].definition != 0 && differ(input)) found.push_back(input);
  }
  return found;
}

bool PointInputs::has_elements(int id) {
  if (graph_.type(id) != Type::real) return false;
  for (const int under : nodes_under(graph_, {id})) {
    const Node& node = graph_.at(under);
    if (node.op == Op::product) return false;
    if (node.op != Op::input && node.op != Op::column) continue;
    const Input& input = graph_.input(node.first);
    if (differ(node.first) && (input.matrix || (node.length > 1 && input.type != Type::real))) return false;
  }
  return true;
}

}  // namespace openclPort::expression
