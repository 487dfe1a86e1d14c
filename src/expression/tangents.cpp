// tangents -- derivatives forwards, by the same table as those backwards (rules.h). Where a branch is chosen its
// tangent is: what is not taken, which may be NaN, leaves no trace.
#include "expression/tangents.h"

#include <algorithm>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/rules.h"

namespace openclPort::expression {

Tangents::Tangents(Graph& graph, const std::vector<int>& wrt, int input, int element)
    : graph_(graph), wrt_(wrt), input_(input), element_(element) {}

Tangents::Tangents(Graph& graph, const std::vector<int>& wrt, const std::vector<int>& moves)
    : graph_(graph), wrt_(wrt), moves_(moves), input_(0), element_(0) {}

Tangents::Tangents(Graph& graph, int product) : graph_(graph), input_(0), element_(0), product_(product) {}

Tangents::Tangents(Graph& graph, const std::vector<int>& given)
    : graph_(graph), given_(given), input_(0), element_(0) {}

std::vector<int> Tangents::of(const std::vector<int>& ids) {
  const std::vector<int> order = nodes_under(graph_, ids, [this](int id) { return followed(id); });
  known_.assign(static_cast<std::size_t>(graph_.size()), Tangent());
  for (const int id : order) {
    Tangent tangent = made(id);
    // Of a part that is recycled, as a node of its length.
    const double length = tangent.node == 0 ? 1 : graph_.length(tangent.node);
    if (length != 1 && length != graph_.length(id) && graph_.at(id).op != Op::recursion)
      tangent.node = full(id, tangent);
    known_[at(id)] = tangent;
  }
  std::vector<int> found;
  for (const int id : ids) found.push_back(known(id).zero() ? 0 : node_of(id, known(id)));
  return found;
}

bool Tangents::is_wrt(int input) const { return std::find(wrt_.begin(), wrt_.end(), input) != wrt_.end(); }

std::vector<int> Tangents::followed(int id) const {
  const Node& node = graph_.at(id);
  if (node.op != Op::input && node.op != Op::product) return node.args;
  const int number = node.op == Op::input ? node.first : node.second;
  const int definition = is_wrt(number) ? 0 : graph_.input(number).definition;
  return definition == 0 ? std::vector<int>() : std::vector<int>{definition};
}

int Tangents::logical(Op op, const std::vector<int>& args) { return plain_node(graph_, op, Type::logical, args); }

int Tangents::node_of(int id, const Tangent& tangent) {
  if (tangent.zero()) return constant_node(graph_, 0.0);
  if (tangent.node != 0) return tangent.node;
  Node made{Op::spread, Type::real, graph_.length(id), {constant_node(graph_, 1.0)}};
  made.first = tangent.place;
  made.second = 1;
  made.name = "1";
  return graph_.defined(graph_.add(std::move(made)));
}

int Tangents::full(int id, const Tangent& tangent) {
  const int node = node_of(id, tangent);
  if (graph_.length(node) == graph_.length(id)) return node;
  return choice_node(graph_, logical(Op::is_na, {id}), node, node);
}

Tangent Tangents::of_input(int number) {
  Tangent tangent;
  if (static_cast<std::size_t>(number) <= given_.size()) {
    tangent.node = given_[at(number)];
    return tangent;
  }
  if (!moves_.empty() && is_wrt(number)) {
    tangent.node = moves_[static_cast<std::size_t>(std::find(wrt_.begin(), wrt_.end(), number) - wrt_.begin())];
    return tangent;
  }
  if (number == input_) {
    if (graph_.input(number).length == 1 || element_ == 0)
      tangent.node = constant_node(graph_, 1.0);
    else
      tangent.place = element_;
    return tangent;
  }
  const int definition = is_wrt(number) ? 0 : graph_.input(number).definition;
  return definition == 0 ? tangent : known(definition);
}

Tangent Tangents::made(int id) {
  const Node node = graph_.at(id);  // a copy: the graph grows
  if (has_no_slope(node)) return {};
  switch (node.op) {
    case Op::input:
      return of_input(node.first);
    case Op::product:
      if (product_ == 0) return product(node);
      return {id == product_ ? constant_node(graph_, 1.0) : 0, 0};
    case Op::constant:
    case Op::draw:
    case Op::column:
    case Op::count:
    case Op::position:
      return {};
    default:
      break;
  }
  const bool moves = std::any_of(node.args.begin(), node.args.end(), [this](int arg) { return !known(arg).zero(); });
  if (!moves) return {};
  switch (node.op) {
    case Op::as_double:
    case Op::as_integer:
    case Op::plus:
    case Op::materialize:
      return known(node.args[0]);
    case Op::bare:
      return known(node.args[0]);
    case Op::select:
      return chosen(node);
    case Op::pmin:
    case Op::pmax:
      return extreme(node);
    case Op::slice:
      return slice(node);
    case Op::gather:
      return gathered(node);
    case Op::concat:
      return concatenated(node);
    case Op::reduce:
      return reduced(id, node);
    case Op::row_reduce:
      return row_reduced(id, node);
    case Op::cut:
    case Op::each:
    case Op::spread:
    case Op::segments:
    case Op::part_sums:
    case Op::crossprod:
      return linear(node, node.op != Op::crossprod);
    case Op::cumsum:
      return linear(node, true);
    case Op::fill: {
      Tangent tangent;
      tangent.node = node_of(node.args[0], known(node.args[0]));
      return tangent;
    }
    case Op::patch:
      return linear(node, false, 2);
    case Op::recursion:
      return recursion(node);
    case Op::recursion_part:
      return recursion_part(node);
    default:
      return by_partials(id, node);
  }
}

bool Tangents::is_constant_zero(int id) const {
  const Node& node = graph_.at(id);
  return node.op == Op::constant && node.type == Type::real && node.constant.real == 0;
}

Tangent Tangents::by_partials(int id, const Node& node) {
  Tangent sum;
  for (std::size_t k = 0; k < node.args.size(); ++k) {
    if (known(node.args[k]).zero()) continue;
    const int tangent = node_of(node.args[k], known(node.args[k]));
    if (node.op == Op::negative) return {negative_node(graph_, tangent), 0};
    if (is_step(graph_, id, k)) {
      const int zero = constant_node(graph_, 0.0);
      sum.node = sum_node(graph_, sum.node, choice_node(graph_, logical(Op::is_na, {id}), id, zero));
      continue;
    }
    Partial partial;
    try {
      partial = partial_of(graph_, id, k, true);
    } catch (const NmathError& error) {
      const std::string reported = error.what();
      throw NmathError(reported.find("second derivative") == std::string::npos ? "second derivatives: " + reported
                                                                               : reported);
    }
    if (partial.node == 0 || is_constant_zero(partial.node)) continue;
    const int moved = partial.in == node.args[k] ? tangent : node_of(partial.in, known(partial.in));
    sum.node = sum_node(graph_, sum.node, multiple_node(graph_, moved, partial.node));
  }
  return sum;
}

// As the node itself, of tangents: cut to the test where it is.
Tangent Tangents::chosen(const Node& node) {
  const int test = node.args[0];
  const int yes = node_of(node.args[1], known(node.args[1])), no = node_of(node.args[2], known(node.args[2]));
  const bool as_test = node.length == graph_.length(test);
  const int longest = as_test ? test : 0;
  Node made = node;
  made.type = Type::real;
  made.args = {test, as_double(graph_, yes), as_double(graph_, no)};
  if (longest == 0) return {choice_node(graph_, test, made.args[1], made.args[2]), 0};
  return {graph_.add(std::move(made)), 0};
}

// That of the argument that is taken, the first one at a tie; NA where the comparison is missing.
Tangent Tangents::extreme(const Node& node) {
  const int first = node.args[0], second = node.args[1];
  const int one = node_of(first, known(first)), other = node_of(second, known(second));
  const int better = logical(node.op == Op::pmin ? Op::less : Op::greater, {second, first});
  if (!node.flag) return {choice_node(graph_, better, other, one), 0};
  const int no_first = logical(Op::is_na, {first}), no_second = logical(Op::is_na, {second});
  const int rest = choice_node(graph_, better, other, one);
  return {choice_node(graph_, no_first, other, choice_node(graph_, no_second, one, rest)), 0};
}

}  // namespace openclPort::expression
