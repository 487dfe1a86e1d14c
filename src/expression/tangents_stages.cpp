// tangents_stages -- tangents of values that are computed in stages: sums, parts of vectors, products. Nearly all of
// them are linear, and are the same of tangents.
#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/matrices.h"
#include "expression/rules.h"
#include "expression/series.h"
#include "expression/tangents.h"
#include "expression/translator.h"

namespace openclPort::expression {

// X %*% b: of one coefficient the column of X, else the product with the tangents.
Tangent Tangents::product(const Node& node) {
  if (is_wrt(node.first)) throw LimitError("second derivatives in a matrix are not supported");
  const Tangent tangent = of_input(node.second);
  if (tangent.zero()) return {};
  Node made = node;
  if (tangent.place != 0) {
    made.op = Op::column;
    made.type = graph_.input(node.first).type;
    made.second = tangent.place;
    made.flag = true;
    graph_.exact = true;
    return {as_double(graph_, graph_.add(std::move(made))), 0};
  }
  const int coefficients = full(input_as_node(graph_, node.second), tangent);
  made.second = graph_.at(in_memory(graph_, as_double(graph_, coefficients))).first;
  return {graph_.add(std::move(made)), 0};
}

Tangent Tangents::slice(const Node& node) {
  const int x = node.args[0];
  const Tangent& tangent = known(x);
  if (tangent.place != 0) {
    const double first = node.first + (node.flag ? graph_.length(x) : 0);
    const double away = tangent.place - first;
    const double k = node.second == 0 ? (away == 0 ? 0 : -1) : away / node.second;
    if (k < 0 || k >= node.length || k != static_cast<double>(static_cast<long long>(k))) return {};
    if (node.length == 1) return {constant_node(graph_, 1.0), 0};
    return {0, static_cast<int>(k) + 1};
  }
  if (graph_.length(tangent.node) == 1 && graph_.length(x) != 1) return tangent;
  Node made = node;
  made.type = Type::real;
  made.args = {in_memory(graph_, as_double(graph_, tangent.node))};
  const int part = graph_.add(std::move(made));
  return {node.length == 1 ? graph_.defined(part) : part, 0};
}

Tangent Tangents::gathered(const Node& node) {
  const int x = node.args[0], tangent = node_of(x, known(x));
  if (graph_.length(tangent) == 1 && graph_.length(x) != 1) return {tangent, 0};
  Node made = node;
  made.type = Type::real;
  made.args[0] = in_memory(graph_, as_double(graph_, tangent));
  return {graph_.add(std::move(made)), 0};
}

Tangent Tangents::concatenated(const Node& node) {
  double before = 0;
  int moving = 0, place = 0;
  for (const int arg : node.args) {
    const Tangent& tangent = known(arg);
    if (!tangent.zero()) {
      ++moving;
      const bool one = graph_.length(arg) == 1 && tangent.node != 0 && is_constant_one(graph_, tangent.node);
      if (tangent.place != 0 || one) place = static_cast<int>(before) + (one ? 1 : tangent.place);
    }
    before += graph_.length(arg);
  }
  if (moving == 1 && place != 0) return {0, place};
  std::vector<int> parts;
  for (const int arg : node.args) {
    const int part = as_double(graph_, node_of(arg, known(arg)));
    const double length = graph_.length(arg);
    parts.push_back(graph_.length(part) == length ? part : filled_node(graph_, part, length));
  }
  return {concat_node(graph_, parts), 0};
}

Tangent Tangents::linear(const Node& node, bool memory, std::size_t arguments) {
  Node made = node;
  made.type = Type::real;
  for (std::size_t k = 0; k < arguments; ++k) {
    const int arg = node.args[k];
    const int tangent = node_of(arg, known(arg));
    if (node.op == Op::cut && graph_.length(tangent) == 1) return {tangent, 0};
    made.args[k] = as_double(graph_, full(arg, known(arg)));
    if (memory) made.args[k] = in_memory(graph_, made.args[k]);
  }
  const int id = graph_.add(std::move(made));
  return {node.op == Op::cut || node.op == Op::each ? id : graph_.defined(id), 0};
}

Tangent Tangents::reduced(int id, const Node& node) {
  const int x = node.args[0];
  if (node.name == "any" || node.name == "all") return {};
  const int same_of_all = as_double(graph_, node_of(x, known(x)));
  if ((node.name == "sum" || node.name == "mean") && !node.flag && graph_.length(same_of_all) == 1) {
    if (node.name == "mean" || graph_.length(x) == 1) return {same_of_all, 0};
    Node count;
    count.op = Op::count;
    count.args = {x};
    return {multiple_node(graph_, same_of_all, graph_.defined(graph_.add(std::move(count)))), 0};
  }
  int tangent = as_double(graph_, full(x, known(x)));
  const int there = logical(Op::negation, {logical(Op::is_na, {x})}), zero = constant_node(graph_, 0.0);
  if (node.name == "sum" && !node.flag) return {reduce_node(graph_, "sum", false, tangent), 0};
  if (node.name == "mean" && !node.flag) return {reduce_node(graph_, "mean", false, tangent), 0};
  if (node.flag) tangent = choice_node(graph_, there, tangent, zero);
  if (node.name == "sum") return {reduce_node(graph_, "sum", false, tangent), 0};
  if (node.name == "mean") {
    const int count = reduce_node(graph_, "sum", false, as_double(graph_, there));
    return {arithmetic_node(graph_, Op::divide, reduce_node(graph_, "sum", false, tangent), count), 0};
  }
  if (node.name != "min" && node.name != "max")
    throw LimitError("the second derivative of " + node.name + "() is not supported" +
                     (node.name == "prod" ? ": write exp(sum(log(x)))" : ""));
  // The elements that are extreme share it. They are found among values in memory: see Backward::reduced().
  const int kept = in_memory(graph_, as_double(graph_, x)), extreme = reduce_node(graph_, node.name, node.flag, kept);
  const int same = logical(Op::both, {there, logical(Op::equal, {kept, extreme})});
  const int ties = reduce_node(graph_, "sum", false, as_double(graph_, same));
  const int sum = reduce_node(graph_, "sum", false, choice_node(graph_, same, tangent, zero));
  const int value = graph_.defined(id);
  return {choice_node(graph_, logical(Op::is_na, {value}), as_double(graph_, value),
                      arithmetic_node(graph_, Op::divide, sum, ties)),
          0};
}

Tangent Tangents::row_reduced(int id, const Node& node) {
  const int x = node.args[0];
  const int tangent = as_double(graph_, full(x, known(x)));
  if (node.name == "prod") {
    const int part = multiple_node(graph_, tangent, other_factors(graph_, x, id));
    return {row_reduction(graph_, "sum", part, node.length), 0};
  }
  if (node.name == "sum") return {row_reduction(graph_, "sum", tangent, node.length), 0};
  const int same = logical(Op::equal, {x, id});
  const int ties = row_reduction(graph_, "sum", as_double(graph_, same), node.length);
  const int sum =
      row_reduction(graph_, "sum", choice_node(graph_, same, tangent, constant_node(graph_, 0.0)), node.length);
  return {arithmetic_node(graph_, Op::divide, sum, ties), 0};
}

}  // namespace openclPort::expression
