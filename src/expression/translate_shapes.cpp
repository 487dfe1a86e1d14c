// translate_shapes -- crossprod(), t(), outer(), sweep(), diff(), and what without_taken() (R/expression_taken.R)
// writes for x[d == 1].
#include <cmath>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

constexpr double kMostWritten = 64;  // of what is written out

[[noreturn]] void refuse_shape(const Syntax& call, const std::string& why) {
  throw NmathError(quoted_text(call) + ": " + why);
}

// A vector is a matrix of one column.
Sides sides_or_column(const Graph& graph, int id) {
  const Sides sides = sides_of(graph, id);
  return sides.matrix ? sides : Sides{graph.length(id), 1, true};
}

int column_or_vector(Graph& graph, int id, double j, double rows) {
  return as_double(graph, sides_of(graph, id).matrix ? whole_column(graph, id, j, rows) : bare_node(graph, id));
}

}  // namespace

// t().
int transposed(Graph& graph, int id, const Syntax& call) {
  const Sides sides = sides_of(graph, id);
  graph.exact = true;
  if (!sides.matrix) return with_named_sides(graph, id, 1, graph.length(id), names_word("columns", id, 1));
  const double rows = sides.rows, columns = sides.columns, count = rows * columns;
  const std::string names = names_word("rows", id, 2) + names_word("columns", id, 1);
  if (rows == 1 || columns == 1) return with_named_sides(graph, bare_node(graph, id), columns, rows, names);
  if (count <= kMostWritten) {
    const std::vector<int> given = elements_of(graph, bare_node(graph, id));
    std::vector<int> all;
    for (double i = 0; i < rows; ++i)
      for (double j = 0; j < columns; ++j) all.push_back(given[static_cast<std::size_t>(j * rows + i)]);
    return with_named_sides(graph, concat_node(graph, all), columns, rows, names);
  }
  const int place = counted_from_zero(graph, count), width = constant_node(graph, columns);
  const int row = elementary_node(graph, "floor", arithmetic_node(graph, Op::divide, place, width));
  const int column = arithmetic_node(graph, Op::subtract, place, arithmetic_node(graph, Op::multiply, row, width));
  const int before = arithmetic_node(graph, Op::multiply, column, constant_node(graph, rows));
  const int code =
      arithmetic_node(graph, Op::add, arithmetic_node(graph, Op::add, row, before), constant_node(graph, 1.0));
  const int made = gathered_node(graph, in_memory(graph, bare_node(graph, id)), code, call);
  return with_named_sides(graph, made, columns, rows, names);
}

namespace {

// outer() of matrices has more than two sides.
void refuse_sides_of_outer(const Graph& graph, int x, int y, const Syntax& call) {
  if (sides_of(graph, x).matrix || sides_of(graph, y).matrix)
    refuse_limit(call,
                 "of a matrix R makes an array of more than two dimensions, which the language does not have: "
                 "give as.vector() of it");
}

std::string names_of_outer(int x, int y) { return names_word("rows", x, 0) + names_word("columns", y, 0); }

Op operator_of(const Matched& given, const char* standard, const Syntax& call) {
  const Syntax* const function = given.find("FUN");
  const std::string name = function == nullptr ? standard : function->name;
  if (name == "+" || name == "-" || name == "*" || name == "/" || name == "^") return op_named(name);
  refuse_limit(
      call,
      "of functions, FUN = \"+\", \"-\", \"*\", \"/\" and \"^\" are part of the language, and function(a, b) of "
      "what is computed element by element. Compute before what is the same for all elements, s <- sum(par), or "
      "write a loop over the columns");
}

// x op y of each two elements: a row for each of x, a column for each of y.
int outer_of(Graph& graph, Op op, int x, int y, const std::string& names, const Syntax& call) {
  graph.exact = true;
  const double rows = graph.length(x);
  if (graph.length(y) > kMostWrittenOut)
    return with_named_sides(graph, arithmetic_node(graph, op, x, each_of(graph, y, rows), call.number), rows,
                            graph.length(y), names);
  std::vector<int> columns;
  for (const int one : elements_of(graph, y)) columns.push_back(arithmetic_node(graph, op, x, one, call.number));
  return matrix_of_columns(graph, columns, rows, 0, 0, names);
}

int translate_outer(Translator& t, const Syntax& call, Scope& scope) {
  Graph& graph = t.graph;
  const Matched given = match_named_call({"X", "Y", "FUN"}, call);
  const int first = translate_given(t, given.find("X"), scope), second = translate_given(t, given.find("Y"), scope);
  const Op op = operator_of(given, "*", call);  // what is wrong with its arguments is told first
  refuse_sides_of_outer(graph, first, second, call);
  const std::string names = names_of_outer(first, second);
  int x = bare_node(graph, first), y = bare_node(graph, second);
  const Syntax* const function = given.find("FUN");
  if (function == nullptr ||
      (op == Op::multiply && function->kind == Syntax::Kind::text)) {  // R's way is a product of matrices
    x = as_double(graph, x);
    y = as_double(graph, y);
  }
  return outer_of(graph, op, x, y, names, call);
}

int translate_sweep(Translator& t, const Syntax& call, Scope& scope) {
  Graph& graph = t.graph;
  const Matched given = match_named_call({"x", "MARGIN", "STATS", "FUN", "check.margin"}, call);
  const Op op = operator_of(given, "-", call);
  const int x = translate_given(t, given.find("x"), scope);
  const int with = bare_node(graph, translate_given(t, given.find("STATS"), scope));
  const Sides sides = sides_of(graph, x);
  if (!sides.matrix) refuse_shape(call, "it takes a matrix: an argument, or one computed from arguments");
  const Syntax* const margin = given.find("MARGIN");
  const Decided side = margin == nullptr ? Decided() : decide(t, *margin, scope);
  const double number = side.value.size() == 1 ? as_real(side.value[0]) : 0;
  if (number != 1 && number != 2) refuse_shape(call, "MARGIN has to be 1 or 2");
  const double needed = number == 1 ? sides.rows : sides.columns, length = graph.length(with);
  if (length != needed && length != 1)
    refuse_shape(call, "STATS has length " + length_text(graph, with) + ", and has to have " + whole_text(needed));
  graph.exact = true;
  const std::string names = names_word("rows", x, 1) + names_word("columns", x, 2);
  if (sides.columns > kMostWrittenOut && graph.length(x) == sides.rows * sides.columns) {
    const int other = number == 2 ? each_of(graph, with, sides.rows) : with;
    return with_named_sides(graph, arithmetic_node(graph, op, bare_node(graph, x), other, call.number), sides.rows,
                            sides.columns, names);
  }
  check_columns(sides.columns);
  std::vector<int> columns;
  const std::vector<int> numbers = number == 2 ? elements_of(graph, with) : std::vector<int>{with};
  for (double j = 0; j < sides.columns; ++j) {
    const int other = numbers[numbers.size() == 1 ? 0 : static_cast<std::size_t>(j)];
    columns.push_back(arithmetic_node(graph, op, column_of(graph, x, j), other, call.number));
  }
  return matrix_of_columns(graph, columns, sides.rows, 0, 0, names);
}

// What outer() of a function has made of x and y, by columns.
int translate_as_outer(Translator& t, const Syntax& call, Scope& scope) {
  const std::vector<int> given = translate_operands(t, call, scope, 3, 3);
  refuse_sides_of_outer(t.graph, given[1], given[2], *call.args[0]);
  const double rows = t.graph.length(given[1]), columns = t.graph.length(given[2]);
  t.graph.exact = true;
  return with_named_sides(t.graph, given[0], rows, columns, names_of_outer(given[1], given[2]));
}

// What apply() and mapply() have computed of each row (1) or column (2) of a matrix, or of each element of a vector
// (0), with the names of these; a fourth argument has the name of each of these numbers.
int translate_as_apply(Translator& t, const Syntax& call, Scope& scope) {
  check_operands(call, 3, 4);
  Graph& graph = t.graph;
  const int value = translate_value(t, *call.args[0], scope), of = translate_value(t, *call.args[1], scope);
  const int side = static_cast<int>(as_real(call.args[2]->constant));
  const Sides sides = sides_of(graph, value);
  graph.exact = true;
  const int own = call.args.size() == 4 ? translate_value(t, *call.args[3], scope) : 0;
  const std::string each = own != 0 ? "each " + std::to_string(own) : "each";
  if (!sides.matrix)
    return side == 0 ? named_by(graph, value, of, each) : with_names(graph, value, names_word("names", of, side));
  const std::string names = names_word("rows", value, 1) + names_word("columns", of, side);
  return with_named_sides(graph, value, sides.rows, sides.columns, names);
}

// unlist() of what sapply() makes: a vector with names of columns and rows, or without any.
int translate_unlisted(Translator& t, const Syntax& call, Scope& scope) {
  check_operands(call, 2, 2);
  const int value = translate_value(t, *call.args[0], scope);
  const bool with_names = call.args[1]->constant.whole != 0;
  return bare_node(t.graph, value, with_names ? "unlisted" : "");
}

// The same of a function that has to give one number for each group.
int translate_single(Translator& t, const Syntax& call, Scope& scope) {
  check_operands(call, 1, 1);
  const int value = translate_value(t, *call.args[0], scope);
  if (sides_of(t.graph, value).matrix)
    throw LimitError(quoted_text(call) + ": the function gives several numbers for a group, of which R makes a list");
  return value;
}

// A matrix whose rows are 0 where a test, of as many elements, does not choose them.
int translate_rows_chosen(Translator& t, const Syntax& call, Scope& scope) {
  Graph& graph = t.graph;
  const std::vector<int> given = translate_operands(t, call, scope, 2, 2);
  const int test = as_type(graph, bare_node(graph, given[0]), Type::logical), zero = constant_node(graph, 0.0);
  const Sides sides = sides_of(graph, given[1]);
  if (!sides.matrix) refuse_shape(call, "it takes a matrix");
  check_columns(sides.columns);
  std::vector<int> columns;
  for (double j = 0; j < sides.columns; ++j) {
    const int column = bare_node(graph, column_of(graph, given[1], j));
    columns.push_back(select_node(graph, test, as_double(graph, column), zero));
  }
  return matrix_of_columns(graph, columns, sides.rows, 0, 0, names_word("columns", given[1], 2));
}

int translate_diff(Translator& t, const Syntax& call, Scope& scope) {
  Graph& graph = t.graph;
  const Matched given = match_named_call({"x", "lag", "differences"}, call);
  const int all = translate_given(t, given.find("x"), scope);
  int x = bare_vector(t, all, call);
  refuse_parts_of_rows(graph, all, call);
  const auto number = [&](const char* name) {
    const Syntax* const asked = given.find(name);
    if (asked == nullptr) return 1.0;
    const Decided found = decide(t, *asked, scope);
    const double value = found.value.size() == 1 ? std::trunc(as_real(found.value[0])) : 0;
    if (!(value >= 1)) refuse_shape(call, "'lag' and 'differences' must be integers >= 1");
    return value;
  };
  const double lag = number("lag"), times = number("differences");
  graph.exact = true;
  for (double k = 0; k < times; ++k) {
    const double length = graph.length(x), left = length - lag;
    if (left < 1) return slice_of(graph, x, 1, 0);
    x = arithmetic_node(graph, Op::subtract, slice_of(graph, x, 1 + lag, left), slice_of(graph, x, 1, left),
                        call.number);
    if (k + 1 < times) x = in_memory(graph, x);
  }
  return x;
}

// x[d == 1]: values, places, a vector as long as the test, and one that is longer by one than places are chosen.
int translate_where(Translator& t, const Syntax& call, Scope& scope) {
  Graph& graph = t.graph;
  const std::vector<int> given = translate_operands(t, call, scope, 4, 4);
  const bool is_matrix = sides_of(graph, given[0]).matrix;  // without names
  const int x = bare_vector(t, is_matrix ? bare_node(graph, given[0]) : given[0], call);
  graph.exact = true;
  if (graph.length(x) > graph.length(given[2]))
    throw NmathError("an index that is a comparison has " + length_text(graph, given[2]) +
                     " elements, and the vector " + length_text(graph, x));
  if (graph.length(given[3]) == 1) return slice_of(graph, x, 1, 0);
  return gathered_node(graph, x, given[1], call);
}

// rep(x, times = counts): the call itself, x, counts, and codes that R has made of them where they are several.
int translate_rep_by(Translator& t, const Syntax& call, Scope& scope) {
  check_operands(call, 4, 4);
  Graph& graph = t.graph;
  const double counts = graph.length(translate_value(t, *call.args[2], scope));
  if (counts == 1) return translate_value(t, *call.args[0], scope);
  const int x = translate_value(t, *call.args[1], scope), codes = translate_value(t, *call.args[3], scope);
  if (graph.length(x) != counts) throw NmathError(quoted_text(*call.args[0]) + ": invalid 'times' argument");
  const bool is_matrix = sides_of(graph, x).matrix;
  return gathered_node(graph, in_memory(graph, is_matrix ? bare_node(graph, x) : x), bare_vector(t, codes, call), call);
}

// What the program made of x element by element, with the names of x.
int translate_named_as(Translator& t, const Syntax& call, Scope& scope) {
  const std::vector<int> given = translate_operands(t, call, scope, 2, 2);
  return with_names(t.graph, given[0], names_word("names", given[1], 0));
}

}  // namespace

// 0, 1, 2, ... so many numbers.
int counted_from_zero(Graph& graph, double count) {
  if (count == 1) return constant_node(graph, 0.0);
  Node node{Op::position, Type::real, count};
  graph.exact = true;
  return graph.add(std::move(node));
}

// crossprod(a, b): the sum of the products of each two columns.
int crossprod_node(Graph& graph, int left, int right, const Syntax& call) {
  const Sides a = sides_or_column(graph, left), b = sides_or_column(graph, right);
  if (a.rows != b.rows) refuse_shape(call, "non-conformable arguments");
  graph.exact = true;
  const std::string names = names_word("rows", left, 2) + names_word("columns", right, 2);
  std::vector<int> all;
  const int matrix = as_double(graph, bare_node(graph, left));
  if (a.columns > kMostWrittenOut && graph.length(matrix) == a.rows * a.columns && b.columns <= kMostWritten) {
    for (double j = 0; j < b.columns; ++j) {
      const int y = column_or_vector(graph, right, j, b.rows);
      all.push_back(column_sums(graph, arithmetic_node(graph, Op::multiply, matrix, y), a.columns));
    }
    return with_named_sides(graph, all.size() == 1 ? all[0] : concat_node(graph, all), a.columns, b.columns, names);
  }
  if (a.columns * b.columns > kMostWritten)
    refuse_limit(call,
                 "products that are made in the function have up to 64 elements, or up to 64 columns on the right");
  for (double j = 0; j < b.columns; ++j)
    for (double i = 0; i < a.columns; ++i) {
      const int x = column_or_vector(graph, left, i, a.rows), y = column_or_vector(graph, right, j, b.rows);
      all.push_back(reduce_node(graph, "sum", false, arithmetic_node(graph, Op::multiply, x, y)));
    }
  return with_named_sides(graph, all.size() == 1 ? all[0] : concat_node(graph, all), a.columns, b.columns, names);
}

// A vector, or one column, times a row, as tcrossprod(a, b) has it: of more elements than are written out. 0: it is
// not.
int translate_column_by_row(Graph& graph, int left, int right, const Syntax& call) {
  const Sides a = sides_of(graph, left), b = sides_of(graph, right);
  if (!b.matrix || b.rows != 1 || (a.matrix && a.columns != 1)) return 0;
  if (graph.length(left) * b.columns <= kMostWritten) return 0;
  const std::string names = (a.matrix ? names_word("rows", left, 1) : "") + names_word("columns", right, 2);
  return outer_of(graph, Op::multiply, as_double(graph, bare_node(graph, left)),
                  as_double(graph, bare_node(graph, right)), names, call);
}

// t(a) %*% b and t(a) %*% B %*% c: sums of products, without a matrix of as many columns as there are rows. 0: it is
// neither.
int translate_of_transposed(Translator& t, const Syntax& call, Scope& scope) {
  const auto is_call = [&](const Syntax& expr, const char* name, std::size_t count) {
    return expr.kind == Syntax::Kind::call && expr.called.kind == Called::Kind::language && expr.called.name == name &&
           expr.args.size() == count && !is_hidden(t, expr, scope);
  };
  const Syntax& left = *call.args[0];
  if (is_call(left, "t", 1))
    return crossprod_node(t.graph, translate_value(t, *left.args[0], scope), translate_value(t, *call.args[1], scope),
                          call);
  if (!is_call(left, "%*%", 2) || !is_call(*left.args[0], "t", 1)) return 0;
  const auto inner = std::make_shared<Syntax>(call);
  inner->args[0] = left.args[1];
  t.made.push_back(inner);
  return crossprod_node(t.graph, translate_value(t, *left.args[0]->args[0], scope), translate_value(t, *inner, scope),
                        call);
}

// X[i, j, drop = FALSE]: the same without the flag, which stays a matrix.
int undropped(Translator& t, const Syntax& call, Scope& scope) {
  const auto inner = std::make_shared<Syntax>(call);
  const Decided flag = decide(t, *call.args.back(), scope);
  inner->args.pop_back();
  inner->names.clear();
  t.made.push_back(inner);
  const int value = translate_index(t, *inner, scope);
  const bool drops = flag.length != 1 || is_missing(flag.value[0]) || as_real(flag.value[0]) != 0;
  if (drops || inner->args.size() != 3 || sides_of(t.graph, value).matrix) return value;
  const auto is_whole = [&inner](std::size_t k) { return inner->args[k]->kind == Syntax::Kind::empty; };
  const int x = translate_value(t, *inner->args[0], scope);
  Sides sides = sides_of(t.graph, x);
  std::string rows = names_word("rows", x, 1);
  if (!is_whole(1)) {
    const int left = rows_left(t, *inner->args[1], sides.rows, *inner, scope);
    const int places = left != 0 ? left : translate_value(t, *inner->args[1], scope);
    rows = places_word("rows", x, 1, places);
    sides.rows = t.graph.length(places);
  }
  std::vector<double> chosen;
  if (!is_whole(2)) {
    chosen = columns_chosen(t, x, *inner->args[2], sides.columns, *inner, scope);
    sides.columns = static_cast<double>(chosen.size());
  }
  return with_named_sides(t.graph, value, sides.rows, sides.columns, rows + names_word("columns", x, 2, chosen));
}

int translate_shape(Translator& t, const Syntax& call, Scope& scope) {
  const std::string& name = call.called.name;
  if (name == "t") return transposed(t.graph, translate_operand(t, call, scope), call);
  if (name == ".turned") {  // of tcrossprod(), which takes no names of a vector
    const int x = translate_operand(t, call, scope);
    return transposed(t.graph, sides_of(t.graph, x).matrix ? x : bare_node(t.graph, x), call);
  }
  if (name == "outer") return translate_outer(t, call, scope);
  if (name == ".as_apply") return translate_as_apply(t, call, scope);
  if (name == ".unlisted") return translate_unlisted(t, call, scope);
  if (name == ".rows_chosen") return translate_rows_chosen(t, call, scope);
  if (name == ".single") return translate_single(t, call, scope);
  if (name == ".as_outer") return translate_as_outer(t, call, scope);
  if (name == "sweep") return translate_sweep(t, call, scope);
  if (name == "diff") return translate_diff(t, call, scope);
  if (name == "diag") return translate_diagonal(t, call, scope);
  if (name == ".rep_by") return translate_rep_by(t, call, scope);
  if (name == ".named_as") return translate_named_as(t, call, scope);
  if (name == ".chosen") return check_operands(call, 2, 2), translate_value(t, *call.args[1], scope);
  if (name == ".where") return translate_where(t, call, scope);
  if (name == ".refused") throw LimitError(thing_of(t, translate_statement(t, *call.args[0], scope)).texts[0]);
  if (name == ".sums_by") return translate_sums_by(t, call, scope);
  if (name == ".element") return translate_element(t, call, scope);
  if (name != "crossprod") return 0;
  const std::vector<int> ids = translate_operands(t, call, scope, 1, 2);
  return crossprod_node(t.graph, ids[0], ids.back(), call);
}

}  // namespace openclPort::expression
