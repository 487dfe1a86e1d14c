// row_weights -- see row_weights.h
#include "expression/row_weights.h"

#include <algorithm>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/slopes.h"
#include "expression/tangents.h"

namespace openclPort {
namespace expression {

namespace {

constexpr std::size_t kMostWeights = 40;  // that a kernel computes

[[noreturn]] void refuse_weights(const char* why) { throw LimitError(std::string("no weights of rows: ") + why); }

// What is left of a product with a constant, which `scale` takes; 0: it is none.
int without_factor(const Graph& graph, const Node& node, double& scale) {
  if (node.op == Op::negative) {
    scale = -scale;
    return node.args[0];
  }
  if (node.op != Op::multiply && node.op != Op::divide) return 0;
  for (const std::size_t k : {std::size_t{1}, std::size_t{0}}) {
    const Node& factor = graph.at(node.args[k]);
    if (factor.op != Op::constant || (k == 0 && node.op == Op::divide)) continue;
    const double value = factor.type == Type::real ? factor.constant.real : factor.constant.whole;
    if (is_missing(factor.constant) || value == 0) continue;
    scale = node.op == Op::divide ? scale / value : scale * value;
    return node.args[1 - k];
  }
  return 0;
}

// The rows that a sum or mean adds up.
void find_summed_rows(const Graph& graph, RowWeights& found) {
  for (;;) {
    const Node& node = graph.at(found.root);
    int next = without_factor(graph, node, found.scale);
    if (node.op == Op::as_double || node.op == Op::plus || node.op == Op::bare) next = node.args[0];
    if (node.op == Op::input) next = graph.input(node.first).definition;
    if (next == 0) break;
    found.root = next;
  }
  const Node& node = graph.at(found.root);
  if (node.op != Op::reduce || node.flag || (node.name != "sum" && node.name != "mean")) refuse_weights("it is no sum");
  found.mean = node.name == "mean";
  found.root = node.args[0];
}

void check_summed_rows(const Graph& graph, int root) {
  const double rows = graph.length(root);
  for (const int id : nodes_under(graph, {root})) {
    const Node& node = graph.at(id);
    const bool alone = node.op == Op::input || node.op == Op::constant || node.op == Op::product;
    if (!alone && !is_elementwise(node.op)) refuse_weights("rows meet each other");
    if (node.op == Op::input && graph.input(node.first).definition != 0) refuse_weights("values are computed before");
    if (graph.length(id) != rows && graph.length(id) != 1) refuse_weights("vectors are recycled");
    if (node.op == Op::product && graph.length(id) != rows) refuse_weights("a product is recycled");
  }
}

struct Side {
  int argument = 0, product = 0;  // node
};

}  // namespace

RowWeights row_weights(Graph& graph, int root, const std::string& reduce, const std::vector<int>& gradient,
                       const Syntax& body) {
  RowWeights found;
  found.root = root;
  found.mean = reduce == "mean";
  if (reduce.empty()) find_summed_rows(graph, found);
  if (graph.type(found.root) != Type::real || graph.draws > 0) refuse_weights("it is no sum of doubles");
  check_summed_rows(graph, found.root);
  for (Input& input : graph.inputs) input.definition = 0;  // that of the sum, which rows do not need
  graph.twice = true;
  const Quietly quietly(graph);
  const std::vector<Slope> slopes = gradient_slopes(graph, found.root, gradient, true, body);
  std::vector<Side> sides;
  std::vector<int> scores;
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    const int argument = static_cast<int>(k) + 1;
    if (slopes[k].node != 0) {
      sides.push_back({argument, 0});
      scores.push_back(slopes[k].node);
    }
    for (const Term& term : slopes[k].terms) {
      if (term.mask != 0 || term.cut != 0) refuse_weights("rows without a part");
      sides.push_back({argument, term.product});
      scores.push_back(term.score);
    }
  }
  const auto matrix_of = [&](const Side& side) { return side.product == 0 ? 0 : graph.at(side.product).first; };
  for (std::size_t right = 0; right < sides.size(); ++right) {
    const int argument = sides[right].argument, input = gradient[static_cast<std::size_t>(argument) - 1];
    std::vector<std::size_t> left;
    std::vector<int> nodes;
    for (std::size_t k = 0; k < sides.size(); ++k)
      if (sides[k].argument <= argument) {
        left.push_back(k);
        nodes.push_back(scores[k]);
      }
    const std::vector<int> moved = sides[right].product != 0 ? Tangents(graph, sides[right].product).of(nodes)
                                                             : Tangents(graph, gradient, input, 1).of(nodes);
    for (std::size_t k = 0; k < left.size(); ++k) {
      if (moved[k] == 0) continue;
      RowWeight weight;
      weight.left = sides[left[k]].argument;
      weight.left_matrix = matrix_of(sides[left[k]]);
      weight.right = argument;
      weight.right_matrix = matrix_of(sides[right]);
      if ((weight.left_matrix == 0) != (weight.right_matrix == 0))
        weight.product = weight.left_matrix != 0 ? sides[left[k]].product : sides[right].product;
      weight.node = as_double(graph, moved[k]);
      found.weights.push_back(weight);
    }
  }
  if (found.weights.empty() || found.weights.size() > kMostWeights) refuse_weights("there are none, or too many");
  return found;
}

}  // namespace expression
}  // namespace openclPort
