// conformable -- R's error where arrays do not fit each other, see matrices.h.
#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/translator.h"

namespace openclPort {
namespace expression {

namespace {

// Whether nodes may be matrices; arguments come before what is made of them.
bool may_be_matrix(Graph& graph, int id) {
  for (int next = static_cast<int>(graph.matrices.size()) + 1; next <= id; ++next) {
    const Node& node = graph.at(next);
    bool may = node.op == Op::product || node.op == Op::column;
    if (node.op == Op::input) {
      const Input& input = graph.input(node.first);
      may = input.matrix || (input.definition != 0 && graph.matrices[static_cast<std::size_t>(input.definition) - 1]);
    }
    may = may || (node.op == Op::bare && node.name.compare(0, 7, "matrix ") == 0);
    if (is_elementwise(node.op) || node.op == Op::materialize)
      for (const int arg : node.args) may = may || graph.matrices[static_cast<std::size_t>(arg) - 1];
    graph.matrices.push_back(may);
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
  if (!may_be_matrix(graph, a) && !may_be_matrix(graph, b)) return;
  const double first = graph.length(a), second = graph.length(b);
  if (first == 0 || second == 0) return;
  const Sides left = sides_of(graph, a), right = sides_of(graph, b);
  if (left.matrix && right.matrix && !same_sides(left, right)) refuse_arrays(graph, call, "non-conformable arrays");
  const auto longer = [&](const Sides& sides, double length, double other) {
    if (!sides.matrix || length <= least || length >= other) return;
    refuse_arrays(
        graph, call,
        "dims [product " + whole_text(length) + "] do not match the length of object [" + whole_text(other) + "]");
  };
  longer(left, first, second);
  longer(right, second, first);
}

}  // namespace expression
}  // namespace openclPort
