// conformable -- R's error where arrays do not fit each other, see matrices.h.
#include <algorithm>

#include "base/nmath_error.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

constexpr char kMayBeMatrix = 1, kIsArray = 2;

// Whether R's value of a node is an array of one dimension, as tapply() and table() give it: `of` says it of the nodes
// that it is made of.
template <typename Of>
bool is_array(const Graph& graph, const Node& node, const Of& of) {
  if (node.length <= 1) return false;
  switch (node.op) {
    case Op::segments:
      return node.flag;
    case Op::input: {
      const Input& input = graph.input(node.first);
      return input.definition != 0 ? of(input.definition) : input.array;
    }
    case Op::materialize:
    case Op::slice:
    case Op::gather:
    case Op::patch:
    case Op::select:
      return of(node.args[0]);
    case Op::bare:
      return false;
    default:
      break;
  }
  return is_elementwise(node.op) && std::any_of(node.args.begin(), node.args.end(),
                                                [&](int arg) { return graph.length(arg) == node.length && of(arg); });
}

// What is known of the shapes of nodes; arguments come before what is made of them.
char shape_of(Graph& graph, int id) {
  for (int next = static_cast<int>(graph.matrices.size()) + 1; next <= id; ++next) {
    const Node& node = graph.at(next);
    const auto has = [&graph](int of, char shape) {
      return (graph.matrices[static_cast<std::size_t>(of) - 1] & shape) != 0;
    };
    bool may = node.op == Op::product || node.op == Op::column;
    if (node.op == Op::input) {
      const Input& input = graph.input(node.first);
      may = input.matrix || (input.definition != 0 && has(input.definition, kMayBeMatrix));
    }
    may = may || (node.op == Op::bare && node.name.compare(0, 7, "matrix ") == 0);
    if (is_elementwise(node.op) || node.op == Op::materialize)
      for (const int arg : node.args) may = may || has(arg, kMayBeMatrix);
    const bool array = is_array(graph, node, [&](int of) { return has(of, kIsArray); });
    graph.matrices.push_back(static_cast<char>((may ? kMayBeMatrix : 0) | (array ? kIsArray : 0)));
  }
  return graph.matrices[static_cast<std::size_t>(id) - 1];
}

[[noreturn]] void refuse_arrays(const Graph& graph, const Syntax& call, const std::string& why) {
  if (graph.guards.empty()) throw NmathError(why);
  throw LimitError(quoted_text(call) + ": " + why +
                   ". It stands where a condition decides, as in a branch of ifelse(): R may not come there, "
                   "but an expression computes every branch");
}

}  // namespace

// Where rounds of a loop are columns, matrices are none of R's.
void check_arrays(Translator& t, const Syntax& call, int a, int b, double least) {
  Graph& graph = t.graph;
  if (graph.in_rule || (t.rounds != nullptr && t.rounds->as_columns)) return;
  const char shapes[] = {shape_of(graph, a), shape_of(graph, b)};
  if (shapes[0] == 0 && shapes[1] == 0) return;
  const double first = graph.length(a), second = graph.length(b);
  if (first == 0 || second == 0) return;
  const Sides left = sides_of(graph, a), right = sides_of(graph, b);
  const bool is_left = (shapes[0] & kIsArray) != 0 && !left.matrix,
             is_right = (shapes[1] & kIsArray) != 0 && !right.matrix;
  const bool differ = left.matrix && right.matrix ? !same_sides(left, right)
                      : is_left && is_right       ? first != second
                                                  : (is_left && right.matrix) || (left.matrix && is_right);
  if (differ) refuse_arrays(graph, call, "non-conformable arrays");
  const auto longer = [&](bool array, double length, double other) {
    if (!array || length <= least || length >= other) return;
    refuse_arrays(
        graph, call,
        "dims [product " + whole_text(length) + "] do not match the length of object [" + whole_text(other) + "]");
  };
  longer(left.matrix || is_left, first, second);
  longer(right.matrix || is_right, second, first);
}

}  // namespace openclPort::expression
