// infinite_data -- products of adjoints and slopes where data are infinite, or 0 where their log is taken: what such an
// element is in stays as it is when parameters move, so that 0 times an infinite slope is 0 there.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "expression/build.h"
#include "expression/rules.h"

namespace openclPort::expression {

namespace {

// The largest parts of a node that are made of data alone.
std::vector<int> parts_of_data(const Graph& graph, int id) {
  std::map<int, bool> of_data;
  for (const int part : nodes_under(graph, {id})) {
    const Node& node = graph.at(part);
    const bool given = node.op == Op::input || node.op == Op::column;
    const bool all = std::all_of(node.args.begin(), node.args.end(), [&](int arg) { return of_data[arg]; });
    of_data[part] = given ? graph.input(node.first).infinite : node.op == Op::constant || (all && !node.args.empty());
  }
  std::vector<int> found, left = {id};
  std::set<int> seen;
  while (!left.empty()) {
    const int part = left.back();
    left.pop_back();
    if (graph.at(part).op == Op::constant || !seen.insert(part).second) continue;
    if (of_data[part])
      found.push_back(part);
    else
      left.insert(left.end(), graph.at(part).args.begin(), graph.at(part).args.end());
  }
  return found;
}

// Whether data in a node are infinite, or 0; 0: of which data it is, nobody knows.
int infinite_data(Graph& graph, int id) {
  constexpr std::size_t most = 4;
  const std::vector<int> parts = graph.infinite ? parts_of_data(graph, id) : std::vector<int>();
  if (parts.empty() || parts.size() > most) return 0;
  const auto logical = [&](Op op, const std::vector<int>& args) { return plain_node(graph, op, Type::logical, args); };
  int found = 0;
  for (const int part : parts) {
    if (graph.length(part) != 1 && graph.length(part) != graph.length(id)) return 0;
    const int here = logical(Op::either, {logical(Op::negation, {logical(Op::is_finite, {part})}),
                                          logical(Op::equal, {part, constant_node(graph, 0.0)})});
    found = found == 0 ? here : logical(Op::either, {found, here});
  }
  return found;
}

}  // namespace

// What is 0 stays so where the other may be infinite, for an infinite constant or data.
int multiple_node(Graph& graph, int a, int b) {
  if (is_constant_one(graph, a)) return b;
  if (is_constant_one(graph, b)) return a;
  const int product = arithmetic_node(graph, Op::multiply, a, b);
  const bool first = graph.may_be_infinite(a), second = graph.may_be_infinite(b);
  if (first == second && !(first && graph.infinite)) return product;
  const int zero = constant_node(graph, 0.0);
  const auto logical = [&](Op op, const std::vector<int>& args) { return plain_node(graph, op, Type::logical, args); };
  const auto is_none = [&](int id, int other) {
    const int is_zero = logical(Op::equal, {id, zero}), data = infinite_data(graph, other);
    return data == 0 ? is_zero : logical(Op::both, {is_zero, data});
  };
  const int none = first && second ? logical(Op::either, {is_none(a, b), is_none(b, a)})
                   : first         ? is_none(b, a)
                                   : is_none(a, b);
  return choice_node(graph, none, zero, product);
}

}  // namespace openclPort::expression
