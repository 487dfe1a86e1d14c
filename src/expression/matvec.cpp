// matvec -- X %*% b in a graph.
#include <cmath>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

// What the coefficients have to be, for a matrix of so many columns.
void check_coefficients(const Graph& graph, int vector, double columns, const Syntax& call) {
  const Node& right = graph.at(vector);
  const Input* const sides =
      right.op == Op::input && graph.input(right.first).matrix ? &graph.input(right.first) : nullptr;
  if (sides != nullptr && sides->rows != columns)
    throw NmathError(quoted_text(call) + ": the right side of %*% has to be a vector, or a matrix of one column and " +
                     whole_text(columns) + " rows");
  if (columns != right.length)
    throw NmathError(quoted_text(call) + ": non-conformable arguments, " + whole_text(columns) + " columns and " +
                     length_text(graph, vector) + " coefficients: give one for each column");
}

[[noreturn]] void refuse_sides(const Syntax& call, double columns, double rows) {
  throw NmathError(quoted_text(call) + ": non-conformable arguments, " + whole_text(columns) + " columns and " +
                   whole_text(rows) + " rows");
}

// M %*% w of a matrix that is computed.
int product_of_values(Graph& graph, int matrix, int vector, const Sides& sides, const Syntax& call) {
  if (graph.length(vector) != sides.columns) refuse_sides(call, sides.columns, graph.length(vector));
  if (sides.columns > kMostWrittenOut && graph.length(matrix) == sides.rows * sides.columns) {
    const int weights = each_of(graph, as_double(graph, bare_node(graph, vector)), sides.rows);
    const int terms = arithmetic_node(graph, Op::multiply, as_double(graph, bare_node(graph, matrix)), weights);
    return with_named_sides(graph, row_reduction(graph, "sum", terms, sides.rows), sides.rows, 1,
                            names_of_product(graph, matrix, vector));
  }
  if (sides.columns > 64)
    throw LimitError(quoted_text(call) + ": a matrix that is computed has up to 64 columns on the left of %*%");
  const std::vector<int> weights = elements_of(graph, as_double(graph, bare_node(graph, vector)));
  int sum = 0;
  for (double j = 0; j < sides.columns; ++j) {
    const int column = as_double(graph, column_of(graph, matrix, j));
    const int part = arithmetic_node(graph, Op::multiply, column, weights[static_cast<std::size_t>(j)]);
    sum = sum == 0 ? part : arithmetic_node(graph, Op::add, sum, part);
  }
  if (graph.length(sum) != sides.rows) sum = filled_node(graph, sum, sides.rows);
  return with_named_sides(graph, sum, sides.rows, 1, names_of_product(graph, matrix, vector));
}

// X %*% B of a matrix with several columns: a product for each.
int product_of_columns(Graph& graph, int matrix, int coefficients, const Sides& a, const Sides& b, const Syntax& call) {
  if (!a.matrix) throw NmathError(quoted_text(call) + ": the left side of %*% has to be a matrix");
  if (a.columns != b.rows) refuse_sides(call, a.columns, b.rows);
  check_columns(b.columns);
  std::vector<int> columns;
  for (double j = 0; j < b.columns; ++j) {
    int column = column_of(graph, coefficients, j);
    if (graph.length(column) != b.rows) column = slice_of(graph, coefficients, j * b.rows + 1, b.rows);
    columns.push_back(matvec_node(graph, matrix, column, call));
  }
  return matrix_of_columns(graph, columns, a.rows, 0, 0, names_of_product(graph, matrix, coefficients));
}

}  // namespace

std::string names_of_product(const Graph& graph, int left, int right) {
  return (sides_of(graph, left).matrix ? names_word("rows", left, 1) : "") +
         (sides_of(graph, right).matrix ? names_word("columns", right, 2) : "");
}

int matvec_node(Graph& graph, int matrix, int vector, const Syntax& call) {
  const Sides a = sides_of(graph, matrix), b = sides_of(graph, vector);
  if (b.matrix && b.columns > 1) return product_of_columns(graph, matrix, vector, a, b, call);
  const bool is_given = graph.at(matrix).op == Op::input && graph.input(graph.at(matrix).first).matrix;
  if (!is_given && a.matrix) return product_of_values(graph, matrix, vector, a, call);
  const Node left = graph.at(matrix);
  if (left.op != Op::input || !graph.input(left.first).matrix)
    throw LimitError(quoted_text(call) +
                     ": the left side of %*% has to be a matrix that is an argument, or one that is computed. "
                     "Compute it before the call");
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
  return graph.add({Op::multiply, Type::real, rows, {as_double(graph, column), one}});
}

int each_of(Graph& graph, int vector, double times) {
  if (times == 1 || graph.length(vector) == 1) return vector;
  Node node{Op::each, graph.type(vector), graph.length(vector) * times, {in_memory(graph, vector)}};
  graph.exact = true;
  return graph.add(std::move(node));
}

int column_sums(Graph& graph, int id, double columns) {
  constexpr double kRows = 4096;  // of a part, for a work-item
  const double rows = graph.length(id) / columns;
  graph.exact = true;
  Node node{Op::part_sums, Type::real, 1, {in_memory(graph, as_double(graph, id))}};
  node.first = static_cast<int>(columns);
  const double parts = std::ceil(rows / kRows);
  if (parts > 1) {
    node.length = columns * parts;
    node.args = {in_memory(graph, graph.add(node))};
  }
  node.length = columns;
  return graph.add(std::move(node));
}

int row_reduction(Graph& graph, const std::string& op, int id, double rows) {
  Node node{Op::row_reduce, Type::real, rows, {in_memory(graph, as_double(graph, id))}};
  node.name = op;
  graph.exact = true;
  return graph.add(std::move(node));
}

}  // namespace openclPort::expression
