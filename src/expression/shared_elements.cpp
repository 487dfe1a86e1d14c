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

bool share_long_parts(const Graph& graph, const std::vector<int>& nodes, int id) {
  const int first = nodes[0];
  if (nodes.size() >= kMostTogether || graph.length(first) != graph.length(id)) return false;
  if (graph.type(id) != Type::real || graph.type(first) != Type::real) return false;
  const std::vector<int> own = long_parts(graph, id), others = long_parts(graph, first);
  return std::find_first_of(own.begin(), own.end(), others.begin(), others.end()) != own.end();
}

}  // namespace expression
}  // namespace openclPort
