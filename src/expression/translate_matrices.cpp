// translate_matrices -- matrices that a body computes: sums of rows and columns, parts.
#include <algorithm>
#include <cmath>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

constexpr double kColumnsTaken = 64;
constexpr double kOwnColumns = 16;  // whose sums are written out

[[noreturn]] void refuse(const Syntax& call, const std::string& why) {
  throw NmathError(quoted_text(call) + ": " + why);
}

Sides sides_needed(Translator& t, int id, const Syntax& call) {
  const Sides sides = sides_of(t.graph, id);
  if (!sides.matrix) refuse(call, "it takes a matrix: an argument, or one computed from arguments");
  t.graph.exact = true;
  return sides;
}

bool na_rm_of(Translator& t, const Matched& given, const Syntax& call, Scope& scope) {
  const Syntax* const flag = given.find("na.rm");
  if (flag == nullptr) return false;
  const Decided known = decide(t, *flag, scope);
  if (known.length != 1 || is_missing(known.value[0])) refuse(call, "invalid na.rm");
  return as_real(known.value[0]) != 0;
}

int without_missing(Graph& graph, int id, double instead) {
  return select_node(graph, plain_node(graph, Op::is_na, Type::logical, {id}), constant_node(graph, instead), id);
}

int there_node(Graph& graph, int id) {
  return as_double(graph,
                   plain_node(graph, Op::negation, Type::logical, {plain_node(graph, Op::is_na, Type::logical, {id})}));
}

// The sum of each row of a matrix: of few columns they are added, of others a kernel goes through the rows.
int summed_rows(Graph& graph, int id, const Sides& sides) {
  if (sides.columns > kOwnColumns) return row_reduction(graph, "sum", id, sides.rows);
  int sum = 0;
  for (double j = 0; j < sides.columns; ++j) {
    const int column = as_double(graph, column_of(graph, id, j));
    sum = sum == 0 ? column : arithmetic_node(graph, Op::add, sum, column);
  }
  if (graph.length(sum) == sides.rows) return sum;
  return arithmetic_node(graph, Op::add, matrix_of_columns(graph, {sum}, sides.rows), constant_node(graph, 0.0));
}

int summed_columns(Graph& graph, int id, const Sides& sides, const Syntax& call) {
  if (sides.columns > kMostWrittenOut && graph.length(id) == sides.rows * sides.columns)
    return column_sums(graph, id, sides.columns);
  if (sides.columns > kColumnsTaken) refuse_limit(call, "of more than 64 columns it is to be computed before the call");
  std::vector<int> sums;
  for (double j = 0; j < sides.columns; ++j) {
    const int column = as_double(graph, column_of(graph, id, j));
    sums.push_back(graph.length(column) == sides.rows
                       ? reduce_node(graph, "sum", false, column)
                       : arithmetic_node(graph, Op::multiply, column, constant_node(graph, sides.rows)));
  }
  return sums.size() == 1 ? sums[0] : concat_node(graph, sums);
}

// rowSums(), rowMeans(), colSums(), colMeans().
int translate_sums(Translator& t, const Syntax& call, Scope& scope) {
  Graph& graph = t.graph;
  const Matched given = match_named_call({"x", "na.rm", "dims"}, call);
  if (given.find("dims") != nullptr) refuse_limit(call, "dims = is not part of the language");
  const int x = as_double(graph, translate_given(t, given.find("x"), scope));
  const Sides sides = sides_needed(t, x, call);
  const std::string& name = call.called.name;
  const bool of_rows = name == "rowSums" || name == "rowMeans", means = name == "rowMeans" || name == "colMeans";
  const bool na_rm = na_rm_of(t, given, call, scope);
  const auto summed = [&](int id) {
    return of_rows ? summed_rows(graph, id, sides) : summed_columns(graph, id, sides, call);
  };
  int value = summed(na_rm ? without_missing(graph, x, 0.0) : x);
  if (means) {
    const double count = of_rows ? sides.columns : sides.rows;
    const bool whole = graph.length(value) * count == graph.length(x);
    const int each = na_rm   ? summed(there_node(graph, x))
                     : whole ? arithmetic_node(graph, Op::divide, count_node(graph, x), count_node(graph, value))
                             : constant_node(graph, count);
    value = arithmetic_node(graph, Op::divide, value, each);
  }
  return with_names(graph, value, names_word("names", x, of_rows ? 1 : 2));
}

// An error of the call where not all elements are TRUE or NA.
void require(Translator& t, int condition, const std::string& text, const Scope& scope,
             const std::vector<int>& told = {}, bool limit = false) {
  const int missing = plain_node(t.graph, Op::is_na, Type::logical, {condition});
  const int fits = plain_node(t.graph, Op::either, Type::logical, {missing, condition});
  t.graph.assertions.push_back({fits, scope.call, text, true, false, t.graph.guards, limit, told});
}

// `told`: as Assertion has it.
void require_places(Translator& t, int codes, double most, const Scope& scope, const std::vector<int>& told = {}) {
  Graph& graph = t.graph;
  const int places = as_double(graph, codes);
  const auto compared = [&](Op op, double with) {
    return plain_node(graph, op, Type::logical, {places, constant_node(graph, with)});
  };
  require(t, compared(Op::greater_equal, 1), "the number of a row or column is below 1, and has to be from 1 on", scope,
          told, true);
  require(t, compared(Op::less, most + 1), "subscript out of bounds", scope, told);
}

// The same of codes that a launch sees: those that it gives are missing where they do not fit, of which a site tells.
int told_places(Translator& t, int codes, double most, const Syntax& call, const Scope& scope) {
  Graph& graph = t.graph;
  const int places = as_double(graph, codes);
  const auto compared = [&](Op op, double with) {
    return plain_node(graph, op, Type::logical, {places, constant_node(graph, with)});
  };
  const int fits =
      plain_node(graph, Op::both, Type::logical, {compared(Op::greater_equal, 1), compared(Op::less, most + 1)});
  const int told = select_node(graph, fits, places, constant_node(graph, na_real()));
  const bool is_asked = graph.at(told).op == Op::select;
  if (is_asked) add_stop(graph, told, call.number, "subscript out of bounds");
  require_places(t, codes, most, scope, is_asked ? std::vector<int>{told} : std::vector<int>());
  return told;
}

// The element of the column that each row's code says.
int chosen_column(Graph& graph, int id, int codes, const Sides& sides) {
  const int whole = as_type(graph, codes, Type::integer);
  int value = 0;
  for (double j = sides.columns - 1; j >= 0; --j) {
    const int column = column_of(graph, id, j);
    const int here = constant_node(graph, whole_constant(Type::integer, static_cast<int>(j) + 1));
    const int is_it = plain_node(graph, Op::equal, Type::logical, {whole, here});
    const bool last = value == 0;  // codes are in the matrix, or missing
    const int other = last ? constant_node(graph, na_real()) : value;
    value = select_node(graph, is_it, column, other);
  }
  return value;
}

}  // namespace

namespace {

// X[i, NA], of a number that is missing.
int missing_node(Graph& graph, Type type) { return as_type(graph, constant_node(graph, na_real()), type); }

}  // namespace

// X[, j] and X[i, j].
int matrix_part(Translator& t, int x, const Syntax& call, Scope& scope) {
  const Node given = t.graph.at(x);
  const bool is_given = given.op == Op::input && t.graph.input(given.first).matrix;
  if (!is_given && !sides_of(t.graph, x).matrix) refuse(call, "incorrect number of dimensions: it is not a matrix");
  if (const int row = row_of_round(t, x, call, scope)) return row;
  if (const int column = column_of_round(t, x, call, scope)) return column;
  if (!is_given) return part_of_matrix(t, x, call, scope);
  const bool every_row = call.args[1]->kind == Syntax::Kind::empty,
             every_column = call.args[2]->kind == Syntax::Kind::empty;
  if (every_column || (!every_row && t.graph.length(translate_value(t, *call.args[1], scope)) != 1))
    return part_of_matrix(t, x, call, scope);
  const Input matrix = t.graph.input(given.first);
  const double rows = matrix.rows;
  const std::vector<double> chosen = columns_chosen(t, x, *call.args[2], matrix.columns, call, scope);
  if (chosen.size() > 1) return part_of_matrix(t, x, call, scope);
  const double column = chosen[0];
  t.graph.exact = true;
  Node node{Op::column, matrix.type, rows};
  node.first = t.graph.at(x).first;
  node.second = static_cast<int>(column);
  node.flag = true;
  const bool whole = call.args[1]->kind == Syntax::Kind::empty;
  if (whole && std::isnan(column)) refuse(call, "subscript out of bounds");
  if (whole) return t.graph.add(std::move(node));
  refuse_logical_index(t, *call.args[1], call, scope);
  const double row = decided_number(t, *call.args[1], scope);
  const bool of_missing = std::isnan(row);
  if (!(row >= 1) && !of_missing) refuse(call, "the row has to be one number from 1 on");
  if (row >= rows + 1) refuse(call, "subscript out of bounds");
  if (of_missing || std::isnan(column)) return missing_node(t.graph, matrix.type);
  return slice_of(t.graph, x, std::trunc(row) + (std::trunc(column) - 1) * rows, 1);
}

int translate_matrix_call(Translator& t, const Syntax& call, Scope& scope) {
  const bool binds = call.called.name == "cbind" || call.called.name == "rbind";
  return binds ? translate_bind(t, call, scope) : translate_sums(t, call, scope);
}

// M[cbind(i, j)]; 0: the index is no matrix of two columns of numbers. (M[M > 0] takes what is TRUE.)
int matrix_elements(Translator& t, int x, int index, const Syntax& call, Scope& scope) {
  Graph& graph = t.graph;
  const Sides of = sides_of(graph, index), sides = sides_of(graph, x);
  if (!of.matrix || of.columns != 2 || graph.type(index) == Type::logical) return 0;
  if (!sides.matrix) refuse(call, "incorrect number of dimensions: an index of two columns is one of a matrix");
  const auto whole_column = [&](double j) {
    const int column = column_of(graph, index, j);
    if (graph.length(column) == of.rows) return column;
    return as_type(graph, matrix_of_columns(graph, {column}, of.rows), graph.type(column));
  };
  const int i = whole_column(0), j = whole_column(1);
  graph.exact = true;
  if (counts_up(graph, i) && of.rows == sides.rows && sides.columns <= kColumnsTaken)
    return bare_node(graph, chosen_column(graph, x, told_places(t, j, sides.columns, call, scope), sides));
  const int column = told_places(t, j, sides.columns, call, scope), row = told_places(t, i, sides.rows, call, scope);
  const int before =
      elementary_node(graph, "floor", arithmetic_node(graph, Op::subtract, column, constant_node(graph, 1.0)));
  const int place = arithmetic_node(graph, Op::add, elementary_node(graph, "floor", row),
                                    arithmetic_node(graph, Op::multiply, before, constant_node(graph, sides.rows)));
  return gathered_node(graph, in_memory(graph, bare_node(graph, x)), place, call);
}

int whole_column(Graph& graph, int id, double j, double rows) {
  const int column = column_of(graph, id, j);
  return graph.length(column) == rows ? column : filled_node(graph, column, rows);
}

// M[, j], M[g, ] and M[g, j] of matrices, and rows of given ones by codes.
int part_of_matrix(Translator& t, int x, const Syntax& call, Scope& scope) {
  Graph& graph = t.graph;
  const Sides sides = sides_needed(t, x, call);
  const bool all_rows = call.args[1]->kind == Syntax::Kind::empty,
             all_columns = call.args[2]->kind == Syntax::Kind::empty;
  if (all_rows && all_columns && sides.rows != 1 && sides.columns != 1) return x;  // else it is a vector then
  std::vector<double> chosen;
  if (all_columns)
    for (double j = 1; j <= sides.columns && j <= kColumnsTaken + 1; ++j) chosen.push_back(j);
  else
    chosen = columns_chosen(t, x, *call.args[2], sides.columns, call, scope);
  const bool no_column = chosen.size() == 1 && std::isnan(chosen[0]);
  if (all_rows && no_column) refuse(call, "subscript out of bounds");
  if (all_rows && chosen.size() == 1)
    return with_names(graph, whole_column(graph, x, chosen[0] - 1, sides.rows),
                      names_word("names", x, 1) + (sides.rows == 1 ? names_word("names", x, 2, chosen) : ""));
  if (static_cast<double>(chosen.size()) > kColumnsTaken)
    refuse_limit(call, "up to 64 columns are taken. Take them before the call");
  std::vector<int> columns;
  if (all_rows) {
    for (const double j : chosen) columns.push_back(column_of(graph, x, j - 1));
    if (sides.rows == 1) return with_names(graph, concat_node(graph, columns), names_word("names", x, 2, chosen));
    return matrix_of_columns(graph, columns, sides.rows, 0, 0,
                             names_word("rows", x, 1) + names_word("columns", x, 2, chosen));
  }
  int rows = rows_left(t, *call.args[1], sides.rows, call, scope);
  const bool by_codes = rows == 0;
  if (by_codes) rows = translate_value(t, *call.args[1], scope);
  if (by_codes && no_column) require_places(t, rows, sides.rows, scope);
  if (no_column) {
    const int missing = missing_node(graph, graph.type(x));
    return graph.length(rows) == 1 ? missing : filled_node(graph, missing, graph.length(rows));
  }
  for (const double j : chosen) {
    const int column = slice_of(graph, x, (j - 1) * sides.rows + 1, sides.rows);
    columns.push_back(gathered_node(graph, in_memory(graph, column), rows, call, by_codes ? "bounds" : "index"));
  }
  if (by_codes) {
    std::vector<int> told;
    for (const int id : columns)
      if (graph.at(id).op == Op::gather && !graph.in_round(id)) told.push_back(id);
    require_places(t, rows, sides.rows, scope, told);
  }
  if (graph.length(rows) == 1)
    return columns.size() == 1 ? columns[0]
                               : with_names(graph, concat_node(graph, columns), names_word("names", x, 2, chosen));
  if (columns.size() == 1) return with_names(graph, columns[0], places_word("names", x, 1, rows));
  return matrix_of_columns(graph, columns, graph.length(rows), 0, 0,
                           places_word("rows", x, 1, rows) + names_word("columns", x, 2, chosen));
}

}  // namespace openclPort::expression
