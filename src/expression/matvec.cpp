// matvec -- X %*% b in a graph.
#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/translator.h"

namespace openclPort {
namespace expression {

namespace {

// What the coefficients have to be, for a matrix of so many columns.
void check_coefficients(const Graph& graph, int vector, double columns, const Syntax& call) {
  const Node& right = graph.at(vector);
  const Input* const sides =
      right.op == Op::input && graph.input(right.first).matrix ? &graph.input(right.first) : nullptr;
  if (sides != nullptr && sides->columns != 1)
    throw NmathError(
        quoted_text(call) + ": the right side of %*% has " + whole_text(sides->columns) +
        " columns, and has to be a vector of coefficients. Give each column as an argument of its own, and "
        "write a product for each");
  if (sides != nullptr && sides->rows != columns)
    throw NmathError(quoted_text(call) + ": the right side of %*% has to be a vector, or a matrix of one column and " +
                     whole_text(columns) + " rows");
  if (columns != right.length)
    throw NmathError(quoted_text(call) + ": non-conformable arguments, " + whole_text(columns) + " columns and " +
                     length_text(graph, vector) + " coefficients: give one for each column");
}

}  // namespace

int matvec_node(Graph& graph, int matrix, int vector, const Syntax& call) {
  const Node left = graph.at(matrix);
  if (left.op != Op::input || !graph.input(left.first).matrix)
    throw NmathError(
        quoted_text(call) +
        ": the left side of %*% has to be an argument, a matrix as it is given. Compute it before the call");
  const double rows = graph.input(left.first).rows, columns = graph.input(left.first).columns;
  check_coefficients(graph, vector, columns, call);
  Node node;
  node.length = rows;
  node.first = left.first;
  if (columns > 1) {
    node.op = Op::product;
    node.second = graph.at(in_memory(graph, vector)).first;
    return graph.add(std::move(node));
  }
  // With one column it is arithmetic; the coefficient may be a matrix of one element, too.
  node.op = Op::column;
  node.type = left.type;
  node.second = 1;
  const int column = graph.add(std::move(node));
  const int one = as_double(graph, bare_node(graph, vector));
  Node times;
  times.op = Op::multiply;
  times.length = rows;
  times.args = {as_double(graph, column), one};
  return graph.add(std::move(times));
}

}  // namespace expression
}  // namespace openclPort
