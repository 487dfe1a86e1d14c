// shared_elements -- see shared_elements.h
#include "expression/shared_elements.h"

#include <algorithm>

namespace openclPort::expression {

namespace {

constexpr std::size_t kMostTogether = 8;  // vectors of a launch

}  // namespace

// The functions that an element is made of and that are computed for each: calls of the library and others that take
// long. In ascending order.
const std::vector<int>& SharedElements::long_parts(int id) {
  const auto known = long_parts_.find(id);
  if (known != long_parts_.end()) return known->second;
  std::vector<int> found;
  for (const int under : nodes_under(graph_, {id})) {
    const Node& node = graph_.at(under);
    const bool takes_long = node.op == Op::library || node.op == Op::elementary || node.op == Op::c_text;
    if (takes_long && node.name != "floor" && node.length == graph_.length(id)) found.push_back(under);
  }
  return long_parts_.emplace(id, found).first->second;
}

bool SharedElements::share(const std::vector<int>& nodes, int id) {
  const int first = nodes[0];
  if (nodes.size() >= kMostTogether || graph_.length(first) != graph_.length(id)) return false;
  if (graph_.type(id) != Type::real || graph_.type(first) != Type::real) return false;
  const std::vector<int>&own = long_parts(id), &others = long_parts(first);
  return std::find_first_of(own.begin(), own.end(), others.begin(), others.end()) != own.end();
}

}  // namespace openclPort::expression
