// levels -- see levels.h
#include "expression/levels.h"

#include <algorithm>
#include <numeric>

namespace openclPort::expression {

namespace {

// The vectors that may be diagonal, the longest first: the others fit among the rest.
std::vector<std::size_t> longest_first(const Graph& graph, const std::vector<Slope>& slopes) {
  std::vector<std::size_t> order(slopes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return graph.input(slopes[a].input).length > graph.input(slopes[b].input).length;
  });
  return order;
}

bool has(const std::vector<int>& numbers, int number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

}  // namespace

Levels::Levels(const Graph& graph, const std::vector<int>& wrt, int input) : graph_(graph), wrt_(wrt), input_(input) {
  for (int id = 1; id <= graph.size(); ++id) {
    const Node& node = graph.at(id);
    made_of_.push_back(of_node(node));
    if (node.op == Op::gather && at(node.args[0]) == kOwn) gathered_ = true;
  }
}

int Levels::of_input(int number) const {
  if (number == input_) return kOwn;
  const int definition = has(wrt_, number) ? 0 : graph_.input(number).definition;
  return definition == 0 ? kNone : at(definition);
}

bool Levels::any(const Node& node) const {
  return std::any_of(node.args.begin(), node.args.end(), [this](int arg) { return !none(arg); });
}

// What is computed element by element: of vectors that are recycled, elements meet others.
int Levels::of_each_element(const Node& node) const {
  int found = kNone;
  for (const int arg : node.args) {
    if (none(arg)) continue;
    if (graph_.length(arg) != node.length || (found != kNone && at(arg) != found)) return kMixed;
    found = at(arg);
  }
  return found;
}

int Levels::of_node(const Node& node) const {
  if (has_no_slope(node)) return kNone;
  switch (node.op) {
    case Op::input:
      return of_input(node.first);
    case Op::product:
      return of_input(node.first) == kNone && of_input(node.second) == kNone ? kNone : kMixed;
    case Op::column:
      return of_input(node.first) == kNone ? kNone : kMixed;
    case Op::constant:
    case Op::draw:
    case Op::count:
    case Op::position:
      return kNone;
    case Op::gather:
      if (!none(node.args[1])) return kMixed;
      return at(node.args[0]) == kOwn ? node.args[1] : none(node.args[0]) ? kNone : kMixed;
    case Op::segments:
      if (!none(node.args[1])) return kMixed;
      return none(node.args[0]) ? kNone : at(node.args[0]) == node.args[1] ? kOwn : kMixed;
    case Op::reduce:
      if (node.name == "any" || node.name == "all") return kNone;
      return any(node) ? kMixed : kNone;
    default:
      break;
  }
  if (is_one_of(node.op, Op::slice, Op::concat, Op::cumsum, Op::spread, Op::crossprod, Op::fill, Op::patch, Op::each,
                Op::part_sums, Op::row_reduce, Op::recursion, Op::recursion_part))
    return any(node) ? kMixed : kNone;
  return of_each_element(node);
}

Diagonals diagonal_parts(const Graph& graph, const std::vector<Slope>& slopes, const std::vector<int>& wanted,
                         double most) {
  Diagonals found;
  found.is.assign(slopes.size(), 0);
  std::vector<int> wrt;
  double all = 0;
  for (const Slope& slope : slopes) {
    wrt.push_back(slope.input);
    all += graph.input(slope.input).length;
  }
  for (const std::size_t k : longest_first(graph, slopes)) {
    const Input& input = graph.input(slopes[k].input);
    if (input.matrix) continue;
    const Levels levels(graph, wrt, slopes[k].input);
    const bool asked = has(wanted, slopes[k].input);
    if (!levels.gathered() && !asked && (all <= most || input.length == 1)) continue;
    std::string why;
    if (input.length != 1 && !levels.own(slopes[k].node)) why = "the elements of `" + input.name + "` meet each other";
    for (std::size_t j = 0; j < slopes.size() && why.empty(); ++j)
      if (found.is[j] != 0 && !levels.none(slopes[j].node))
        why = "the elements of `" + graph.input(slopes[j].input).name + "` and `" + input.name + "` meet each other";
    if (why.empty()) {
      found.is[k] = 1;
    } else if (found.refused.empty() && (levels.gathered() || asked)) {
      found.refused = why;
    }
  }
  return found;
}

}  // namespace openclPort::expression
