// row_weights -- see row_weights.h
#include "expression/row_weights.h"

#include <algorithm>
#include <utility>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/slopes.h"
#include "expression/tangents.h"

namespace openclPort::expression {

namespace {

constexpr std::size_t kMostWeights = 40;  // that a kernel computes

[[noreturn]] void refuse_weights(const char* why) { throw LimitError(std::string("no weights of rows: ") + why); }

// Whether a node is a number that is known, `value`.
bool is_known(const Graph& graph, int id, double& value) {
  const Node& node = graph.at(id);
  if (node.op == Op::constant && !is_missing(node.constant)) {
    value = as_real(node.constant);
    return true;
  }
  if (node.op != Op::negative && node.op != Op::as_double) return false;
  if (!is_known(graph, node.args[0], value)) return false;
  if (node.op == Op::negative) value = -value;
  return true;
}

// What is left of a product with a known number, which `scale` takes; 0: it is none.
int without_factor(const Graph& graph, const Node& node, double& scale) {
  if (node.op == Op::negative) {
    scale = -scale;
    return node.args[0];
  }
  if (node.op != Op::multiply && node.op != Op::divide) return 0;
  double value = 0;
  if (is_known(graph, node.args[1], value) && value != 0) {
    scale = node.op == Op::divide ? scale / value : scale * value;
    return node.args[0];
  }
  if (node.op == Op::divide || !is_known(graph, node.args[0], value) || value == 0) return 0;
  scale *= value;
  return node.args[1];
}

struct Summand {
  int node = 0;
  double scale = 1.0;
};

// What a number is the sum of.
void add_summands(const Graph& graph, int id, double scale, std::vector<Summand>& found) {
  const Node& node = graph.at(id);
  if (graph.length(id) == 1 && (node.op == Op::add || node.op == Op::subtract)) {
    add_summands(graph, node.args[0], scale, found);
    return add_summands(graph, node.args[1], node.op == Op::add ? scale : -scale, found);
  }
  int next = without_factor(graph, node, scale);
  if (node.op == Op::as_double || node.op == Op::plus || node.op == Op::bare) next = node.args[0];
  if (node.op == Op::input) next = graph.input(node.first).definition;
  if (next != 0) return add_summands(graph, next, scale, found);
  found.push_back({id, scale});
}

// Whether a node has a product with coefficients of the gradient, or, with `numbers`, anything else of it.
bool moves(const Graph& graph, int id, const std::vector<int>& gradient, bool numbers) {
  const std::vector<int> nodes = nodes_under(graph, {id}, [&](int under) {
    const Node& node = graph.at(under);
    const int definition = node.op == Op::input ? graph.input(node.first).definition : 0;
    return definition != 0 ? std::vector<int>{definition} : node.args;
  });
  return std::any_of(nodes.begin(), nodes.end(), [&](int under) {
    const Node& node = graph.at(under);
    const int input = node.op == Op::product ? node.second : numbers && node.op == Op::input ? node.first : 0;
    return std::find(gradient.begin(), gradient.end(), input) != gradient.end();
  });
}

// The rows that a sum or mean adds up, and what is beside it.
void find_summed_rows(Graph& graph, const std::vector<int>& gradient, RowWeights& found) {
  if (graph.length(found.root) != 1) refuse_weights("it is no number");
  std::vector<Summand> summands;
  add_summands(graph, found.root, 1.0, summands);
  int rows = 0;
  for (const Summand& one : summands) {
    const Node node = graph.at(one.node);  // a copy: the graph grows
    const bool sums = node.op == Op::reduce && !node.flag && (node.name == "sum" || node.name == "mean") &&
                      graph.length(node.args[0]) > 1 && moves(graph, node.args[0], gradient, false);
    if (sums && rows == 0) {
      rows = one.node;
      found.scale = one.scale;
    } else if (moves(graph, one.node, gradient, true)) {
      const bool computed = !is_elementwise(node.op) && node.op != Op::input && node.op != Op::constant;
      const int part = as_double(graph, computed ? graph.defined(one.node) : one.node);
      found.rest = sum_node(graph, found.rest, multiple_node(graph, part, constant_node(graph, one.scale)));
    }
  }
  if (rows == 0) refuse_weights("it has no sum");
  found.mean = graph.at(rows).name == "mean";
  found.root = graph.at(rows).args[0];
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
  if (reduce.empty()) find_summed_rows(graph, gradient, found);
  if (graph.type(found.root) != Type::real || graph.draws > 0) refuse_weights("it is no sum of doubles");
  check_summed_rows(graph, found.root);
  // That of the sum, and others, rows do not need.
  std::vector<int> definitions;
  for (Input& input : graph.inputs) definitions.push_back(std::exchange(input.definition, 0));
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
  for (std::size_t k = 0; k < definitions.size(); ++k) graph.inputs[k].definition = definitions[k];
  return found;
}

int rest_of_rows(Graph& graph, int root, const std::vector<int>& gradient) {
  RowWeights found;
  found.root = root;
  find_summed_rows(graph, gradient, found);
  if (found.rest == 0) refuse_weights("there is no rest");
  return found.rest;
}

}  // namespace openclPort::expression
