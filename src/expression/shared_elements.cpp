// shared_elements -- see shared_elements.h
#include "expression/shared_elements.h"

#include <algorithm>

namespace openclPort {
namespace expression {

namespace {

constexpr std::size_t kMostTogether = 8;  // vectors of a launch

// The functions that an element is made of and that are computed for each: calls of the library and others that take
// long. In ascending order.
std::vector<int> long_parts(const Graph& graph, int id) {
  std::vector<int> found;
  for (const int under : nodes_under(graph, {id})) {
    const Node& node = graph.at(under);
    const bool takes_long = node.op == Op::library || node.op == Op::elementary || node.op == Op::c_text;
    if (takes_long && node.name != "floor" && node.length == graph.length(id)) found.push_back(under);
  }
  return found;
}

}  // namespace

Stage* launch_sharing(const Graph& graph, std::vector<Stage>& launches, int id) {
  if (graph.type(id) != Type::real) return nullptr;
  const std::vector<int> own = long_parts(graph, id);
  for (Stage& stage : launches) {
    if (stage.kind != Stage::Kind::elements || stage.outputs.size() >= kMostTogether) continue;
    const int first = stage.outputs[0];
    if (graph.type(first) != Type::real || graph.length(first) != graph.length(id)) continue;
    const std::vector<int> others = long_parts(graph, first);
    if (std::find_first_of(own.begin(), own.end(), others.begin(), others.end()) != own.end()) return &stage;
  }
  return nullptr;
}

}  // namespace expression
}  // namespace openclPort
