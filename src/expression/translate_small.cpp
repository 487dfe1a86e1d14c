// translate_small -- matrices and products of a few numbers, element by element; var() and sd().
#include <algorithm>
#include <cmath>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/series.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

constexpr double kMostSmall = 64;

double side(Translator& t, const Syntax* expr, const Syntax& call, Scope& scope) {
  if (expr == nullptr) return 0;
  const Decided found = decide(t, *expr, scope);
  if (found.length != 1 || is_missing(found.value[0]) || !(as_real(found.value[0]) >= 1))
    throw NmathError(quoted_text(call) + ": rows and columns have to be numbers from 1 on");
  return std::trunc(as_real(found.value[0]));
}

// Of as many numbers as elements: each column takes every so many of them.
int matrix_by_rows(Graph& graph, int numbers, double rows, double columns, const Syntax& call) {
  const int whole = in_memory(graph, numbers);
  const int before =
      arithmetic_node(graph, Op::multiply, counted_from_zero(graph, rows), constant_node(graph, columns));
  std::vector<int> parts;
  for (double j = 1; j <= columns; ++j) {
    const int places = arithmetic_node(graph, Op::add, before, constant_node(graph, j));
    parts.push_back(gathered_node(graph, whole, places, call));
  }
  return matrix_of_columns(graph, parts, rows);
}

}  // namespace

// matrix(c(...), 2), by columns or by rows.
int translate_matrix(Translator& t, const Syntax& call, Scope& scope) {
  const Matched given = match_named_call({"data", "nrow", "ncol", "byrow", "dimnames"}, call);
  if (given.find("data") == nullptr || given.find("dimnames") != nullptr)
    throw NmathError(quoted_text(call) + ": matrix() takes numbers, nrow, ncol and byrow");
  const int data = translate_value(t, *given.find("data"), scope);
  const double length = t.graph.length(data);
  double rows = side(t, given.find("nrow"), call, scope), columns = side(t, given.find("ncol"), call, scope);
  if (rows == 0 && columns == 0) rows = length, columns = 1;
  if (rows == 0) rows = std::ceil(length / columns);
  if (columns == 0) columns = std::ceil(length / rows);
  if (rows * columns > kMostSmall && length == 1 && columns <= kMostSmall) {
    t.graph.exact = true;
    return with_sides(t.graph, filled_node(t.graph, data, rows * columns), rows, columns);
  }
  bool by_row = false;
  if (given.find("byrow") != nullptr) {
    const Decided flag = decide(t, *given.find("byrow"), scope);
    by_row = flag.length == 1 && !is_missing(flag.value[0]) && as_real(flag.value[0]) != 0;
  }
  if (rows * columns > kMostSmall && length == rows * columns && columns <= kMostSmall) {
    t.graph.exact = true;
    const int numbers = bare_node(t.graph, data);
    return by_row ? matrix_by_rows(t.graph, numbers, rows, columns, call) : with_sides(t.graph, numbers, rows, columns);
  }
  if (rows * columns > kMostSmall)
    throw LimitError(
        quoted_text(call) +
        ": matrices that the function makes of what it computes have up to 64 elements, or as many as there are "
        "numbers and up to 64 columns. Larger ones R makes of `data` and of variables alone, else give them as "
        "arguments");
  if (length < 1 || std::fmod(rows * columns, length) != 0)
    throw NmathError(quoted_text(call) + ": " + length_text(t.graph, data) + " numbers do not fill " +
                     whole_text(rows) + " rows and " + whole_text(columns) + " columns");
  const std::vector<int> parts = elements_of(t.graph, data);
  std::vector<int> all;
  for (double j = 0; j < columns; ++j)
    for (double i = 0; i < rows; ++i) {
      const double at = by_row ? i * columns + j : j * rows + i;
      all.push_back(parts[static_cast<std::size_t>(std::fmod(at, length))]);
    }
  t.graph.exact = true;
  return with_sides(t.graph, all.empty() ? slice_of(t.graph, data, 1, 0) : concat_node(t.graph, all), rows, columns);
}

// diag(v), diag(M) and diag(K).
int translate_diagonal(Translator& t, const Syntax& call, Scope& scope) {
  Graph& graph = t.graph;
  const Matched matched = match_named_call({"x", "nrow", "ncol"}, call);
  if (matched.find("ncol") != nullptr) refuse_limit(call, "ncol = is not part of the language");
  if (matched.find("x") == nullptr) throw NmathError(quoted_text(call) + ": diag() takes numbers or a matrix");
  const int x = translate_value(t, *matched.find("x"), scope);
  const Sides sides = sides_of(graph, x);
  const double asked = side(t, matched.find("nrow"), call, scope);
  graph.exact = true;
  std::vector<int> all;
  if (sides.matrix && asked != 0)
    throw NmathError(quoted_text(call) + ": 'nrow' or 'ncol' cannot be specified when 'x' is a matrix");
  if (sides.matrix) {
    const double count = std::min(sides.rows, sides.columns);
    if (count > kMostSmall)
      throw LimitError(quoted_text(call) + ": of more than 64 elements. Take them before the call");
    const bool small = graph.length(x) <= kMostSmall;
    const std::vector<int> known = small ? elements_of(graph, bare_node(graph, x)) : std::vector<int>();
    for (double k = 0; k < count; ++k) {
      const double place = k * sides.rows + k;
      all.push_back(small ? known[static_cast<std::size_t>(place)] : slice_of(graph, x, place + 1, 1));
    }
    return all.size() == 1 ? all[0] : concat_node(graph, all);
  }
  double count = graph.length(x);
  std::vector<int> given;
  if (count == 1 && asked == 0)
    count = side(t, matched.find("x"), call, scope);  // R's unit matrix
  else
    given = elements_of(graph, as_double(graph, bare_node(graph, x)));
  if (asked != 0) count = asked;
  if (count * count > kMostSmall)
    throw LimitError(quoted_text(call) +
                     ": matrices that are made in the function have up to 64 elements. Of a vector w, "
                     "diag(w) %*% X is w * X, and t(X) %*% diag(w) %*% y is crossprod(X, w * y)");
  for (double j = 0; j < count; ++j)
    for (double i = 0; i < count; ++i) {
      const int own = given.empty() ? constant_node(graph, 1.0) : given[static_cast<std::size_t>(j) % given.size()];
      all.push_back(i == j ? own : constant_node(graph, 0.0));
    }
  return with_sides(graph, all.size() == 1 ? all[0] : concat_node(graph, all), count, count);
}

// a %*% b of small ones; 0 where the left side is a matrix that is an argument.
int translate_small_product(Translator& t, int left, int right, const Syntax& call) {
  Graph& graph = t.graph;
  const auto is_given = [&graph](int id) {
    const Node& node = graph.at(id);
    return node.op == Op::input && graph.input(node.first).matrix;
  };
  Sides a = sides_of(graph, left), b = sides_of(graph, right);
  const auto is_long = [&graph](int id) { return graph.length(id) > kMostSmall; };
  if (is_given(left) || is_given(right) || is_long(left) || is_long(right)) return 0;
  if (!a.matrix && !b.matrix) {
    if (graph.length(left) != graph.length(right)) return 0;
    a = {1, graph.length(left), true};
  }
  if (!a.matrix) {
    const double length = graph.length(left);
    a = length == b.rows ? Sides{1, length, true} : Sides{length, 1, true};
  }
  if (!b.matrix) {
    const double length = graph.length(right);
    b = length == a.columns ? Sides{length, 1, true} : Sides{1, length, true};
  }
  if (a.columns != b.rows) throw NmathError(quoted_text(call) + ": non-conformable arguments");
  if (a.rows * b.columns > kMostSmall)
    throw LimitError(
        quoted_text(call) +
        ": products of matrices that are made in the function have up to 64 elements, but for a matrix that is "
        "an argument, and two vectors, outer(a, b)");
  const std::vector<int> x = elements_of(graph, as_double(graph, left)),
                         y = elements_of(graph, as_double(graph, right));
  std::vector<int> all;
  for (double j = 0; j < b.columns; ++j)
    for (double i = 0; i < a.rows; ++i) {
      int sum = a.columns == 0 ? constant_node(graph, 0.0) : 0;
      for (double k = 0; k < a.columns; ++k) {
        const int part = arithmetic_node(graph, Op::multiply, x[static_cast<std::size_t>(k * a.rows + i)],
                                         y[static_cast<std::size_t>(j * b.rows + k)]);
        sum = sum == 0 ? part : arithmetic_node(graph, Op::add, sum, part);
      }
      all.push_back(sum);
    }
  const int none = all.empty() ? slice_of(graph, constant_node(graph, 0.0), 1, 0) : 0;  // doubles, too
  const int product = none != 0 ? none : all.size() == 1 ? all[0] : concat_node(graph, all);
  return with_named_sides(graph, product, a.rows, b.columns, names_of_product(graph, left, right));
}

// var(x) and sd(x) of a vector.
int translate_spread(Translator& t, const Syntax& call, Scope& scope) {
  Graph& graph = t.graph;
  if (call.args.size() != 1) throw NmathError(quoted_text(call) + ": " + call.called.name + "() takes one vector");
  const int x = as_double(graph, translate_value(t, *call.args[0], scope));
  const double n = graph.length(x);
  graph.exact = true;
  if (n < 2) return constant_node(graph, na_real());
  if (sides_of(graph, x).matrix && call.called.name == "var")
    throw LimitError(quoted_text(call) + ": of a matrix R gives covariances: take them before the call");
  const int apart = arithmetic_node(graph, Op::subtract, x, reduce_node(graph, "mean", false, x));
  const int sum = reduce_node(graph, "sum", false, arithmetic_node(graph, Op::multiply, apart, apart));
  const int quotient = arithmetic_node(
      graph, Op::divide, sum, arithmetic_node(graph, Op::subtract, length_node(graph, x), constant_node(graph, 1.0)));
  const int missing =
      reduce_node(graph, "mean", false, as_double(graph, plain_node(graph, Op::is_na, Type::logical, {x})));
  const int none = plain_node(graph, Op::equal, Type::logical, {missing, constant_node(graph, 0.0)});
  const int variance = select_node(graph, none, quotient, constant_node(graph, na_real()));  // NA of NaN, too
  return call.called.name == "sd" ? elementary_node(graph, "sqrt", variance) : variance;
}

}  // namespace openclPort::expression
