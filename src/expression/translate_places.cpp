// translate_places -- elements of small matrices by places that are known when the call is: lower.tri() and
// upper.tri(), M[1:2, 3] <- v, M[lower.tri(M)] <- v, diag(M) <- v; and M[i, j] <- value where data say i and j.
#include <algorithm>
#include <cmath>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

constexpr double kMostAssignedSo = 64;

bool is_language(const Syntax& expr, const char* name) {
  return expr.kind == Syntax::Kind::call && expr.called.kind == Called::Kind::language && expr.called.name == name;
}

// Rows or columns, from 0; false where they are not known.
bool known_side(Translator& t, const Syntax& index, double size, std::vector<double>& found, const Syntax& call,
                Scope& scope) {
  if (index.kind == Syntax::Kind::empty) {
    for (double k = 0; k < size; ++k) found.push_back(k);
    return true;
  }
  double count = 0;
  const Numbers known = known_numbers(t, index, scope, static_cast<int>(kMostAssignedSo), count);
  if (!known.known || known.numbers.empty()) return false;
  const bool leaves_out = known.numbers[0] <= -1;
  std::vector<char> chosen(static_cast<std::size_t>(size), leaves_out ? 1 : 0);
  for (const double number : known.numbers) {
    const double place = std::trunc(std::fabs(number));
    if (!(place >= 1) || (number < 0) != leaves_out) return false;
    if (place > size && !leaves_out) throw NmathError(quoted_text(call) + ": subscript out of bounds");
    if (!leaves_out)
      found.push_back(place - 1);
    else if (place <= size)
      chosen[static_cast<std::size_t>(place) - 1] = 0;
  }
  for (double k = 0; leaves_out && k < size; ++k)
    if (chosen[static_cast<std::size_t>(k)] != 0) found.push_back(k);
  return true;
}

// The matrix with other elements at `places`, from 0, and its names.
void assign_places(Translator& t, const std::string& name, int matrix, const std::vector<double>& places, int value,
                   const Syntax& call, Scope& scope) {
  Graph& graph = t.graph;
  const Sides sides = sides_of(graph, matrix);
  const double count = graph.length(value);
  if (count < 1 || std::fmod(static_cast<double>(places.size()), count) != 0)
    throw NmathError(quoted_text(call) + ": " + length_text(graph, value) + " numbers are assigned to " +
                     std::to_string(places.size()) + " elements");
  const Type type = wider(graph.type(matrix), graph.type(value));
  std::vector<int> parts = elements_of(graph, bare_node(graph, matrix));
  const std::vector<int> values = elements_of(graph, value);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const int one = values[k % values.size()];
    parts[static_cast<std::size_t>(places[k])] = graph.at(one).op == Op::constant ? one : bare_node(graph, one);
  }
  for (int& part : parts) part = widened(graph, part, type);
  graph.exact = true;
  const int all = parts.size() == 1 ? parts[0] : concat_node(graph, parts);
  const std::string names = names_word("rows", matrix, 1) + names_word("columns", matrix, 2);
  assign(t, name, with_named_sides(graph, all, sides.rows, sides.columns, names), scope);
}

// The number of a row or column that data say, from 1; R's error where there is none.
int code_of_side(Translator& t, const Syntax& index, double size, Scope& scope) {
  Graph& graph = t.graph;
  const int code = translate_value(t, index, scope);
  if (graph.length(code) != 1 || graph.type(code) == Type::logical) return 0;
  const int whole = as_type(graph, bare_node(graph, code), Type::integer);
  const auto compared = [&](Op op, double with) {
    return plain_node(graph, op, Type::logical,
                      {whole, constant_node(graph, whole_constant(Type::integer, static_cast<int>(with)))});
  };
  const int there =
      plain_node(graph, Op::both, Type::logical, {compared(Op::greater_equal, 1), compared(Op::less_equal, size)});
  if (t.rounds != nullptr)
    t.rounds->codes.push_back(hold_in_round(t, there));
  else
    graph.assertions.push_back({there, scope.call, "subscript out of bounds", true, false, graph.guards});
  return whole;
}

}  // namespace

bool assign_known_places(Translator& t, const Syntax& call, int matrix, int value, Scope& scope) {
  const Syntax& part = *call.args[0];
  const Sides sides = sides_of(t.graph, matrix);
  if (sides.rows * sides.columns > kMostAssignedSo) return false;
  std::vector<double> rows, columns;
  if (!known_side(t, *part.args[1], sides.rows, rows, call, scope) ||
      !known_side(t, *part.args[2], sides.columns, columns, call, scope))
    return false;
  std::vector<double> places;
  for (const double j : columns)
    for (const double i : rows) places.push_back(j * sides.rows + i);
  assign_places(t, part.args[0]->name, matrix, places, value, call, scope);
  return true;
}

bool assign_coded_place(Translator& t, const Syntax& call, int matrix, int value, Scope& scope) {
  const Syntax& part = *call.args[0];
  Graph& graph = t.graph;
  const Sides sides = sides_of(graph, matrix);
  if (sides.rows * sides.columns > kMostAssignedSo || graph.length(value) != 1 ||
      part.args[1]->kind == Syntax::Kind::empty || part.args[2]->kind == Syntax::Kind::empty ||
      (t.rounds != nullptr && t.rounds->as_columns))
    return false;
  const int i = code_of_side(t, *part.args[1], sides.rows, scope);
  const int j = i == 0 ? 0 : code_of_side(t, *part.args[2], sides.columns, scope);
  if (j == 0) return false;
  const Type type = wider(graph.type(matrix), graph.type(value));
  const int given = widened(graph, graph.at(value).op == Op::constant ? value : bare_node(graph, value), type);
  std::vector<int> parts = elements_of(graph, bare_node(graph, matrix));
  const auto is = [&graph](int code, double k) {
    const int number = constant_node(graph, whole_constant(Type::integer, static_cast<int>(k) + 1));
    return plain_node(graph, Op::equal, Type::logical, {code, number});
  };
  for (double column = 0; column < sides.columns; ++column)
    for (double row = 0; row < sides.rows; ++row) {
      int& one = parts[static_cast<std::size_t>(column * sides.rows + row)];
      one = select_node(graph, plain_node(graph, Op::both, Type::logical, {is(i, row), is(j, column)}), given,
                        widened(graph, one, type));
    }
  graph.exact = true;
  const std::string names = names_word("rows", matrix, 1) + names_word("columns", matrix, 2);
  const int all = parts.size() == 1 ? parts[0] : concat_node(graph, parts);
  assign(t, part.args[0]->name, with_named_sides(graph, all, sides.rows, sides.columns, names), scope);
  return true;
}

// M[lower.tri(M)] <- v, and diag(M) <- v, which R's door writes as M[.diag(M)] <- v; 0: it is neither.
int assign_triangle(Translator& t, const Syntax& call, Scope& scope) {
  const Syntax& part = *call.args[0];
  std::vector<double> places;
  const bool of_triangle = is_language(part, "[") && part.args.size() == 2 &&
                           part.args[0]->kind == Syntax::Kind::symbol &&
                           triangle_places(t, *part.args[1], places, scope) != 0;
  if (!of_triangle) return 0;
  const bool diagonal = is_language(*part.args[1], ".diag");
  const std::string& name = part.args[0]->name;
  const int value = translate_value(t, *call.args[1], scope), matrix = translate_name(t, name, scope);
  const Sides sides = matrix > 0 ? sides_of(t.graph, matrix) : Sides();
  if (!sides.matrix)
    throw NmathError(quoted_text(call) + ": `" + name + "` is not a matrix: make it before, " + name +
                     " <- matrix(0, 2, 2)");
  if (sides.rows * sides.columns > kMostAssignedSo)
    refuse_limit(call, "matrices whose elements are assigned so have up to 64 elements");
  std::vector<double> unused;
  if (triangle_places(t, *part.args[1], unused, scope) != sides.rows * sides.columns)
    throw NmathError(quoted_text(call) + ": the matrix in the index has another number of elements");
  if (diagonal) {
    const double size = std::min(sides.rows, sides.columns);
    if (t.graph.length(value) != 1 && t.graph.length(value) != size)
      throw NmathError("`diag(" + name + ") <- value`: replacement diagonal has wrong length");
  }
  assign_places(t, name, matrix, places, value, call, scope);
  return value;
}

bool is_triangle(const Syntax& index) {
  if (is_language(index, "!") && index.args.size() == 1) return is_triangle(*index.args[0]);
  return is_language(index, "lower.tri") || is_language(index, "upper.tri") || is_language(index, ".diag");
}

// Places in lower.tri(M) and upper.tri(M) that are TRUE, from 0, or FALSE behind `!`. Gives how many elements the
// matrix has; 0: the call is another.
double triangle_places(Translator& t, const Syntax& index, std::vector<double>& places, Scope& scope) {
  if (is_language(index, "!") && index.args.size() == 1) {
    std::vector<double> others;
    const double size = triangle_places(t, *index.args[0], others, scope);
    for (double k = 0; k < size; ++k)
      if (std::find(others.begin(), others.end(), k) == others.end()) places.push_back(k);
    return size;
  }
  const bool lower = is_language(index, "lower.tri"), diagonal = is_language(index, ".diag");
  if (!lower && !diagonal && !is_language(index, "upper.tri")) return 0;
  const Matched given = match_named_call({"x", "diag"}, index);
  const int x = translate_given(t, given.find("x"), scope);
  const Sides known = sides_of(t.graph, x);
  const Sides sides = known.matrix ? known : Sides{t.graph.length(x), 1, true};
  if (sides.rows * sides.columns > kMostAssignedSo)
    refuse_limit(index, "of a matrix of more than 64 elements it is to be computed before the call");
  bool with_diagonal = diagonal;
  if (given.find("diag") != nullptr) {
    const Decided flag = decide(t, *given.find("diag"), scope);
    with_diagonal = flag.length == 1 && !is_missing(flag.value[0]) && as_real(flag.value[0]) != 0;
  }
  t.graph.exact = true;
  for (double j = 0; j < sides.columns; ++j)
    for (double i = 0; i < sides.rows; ++i)
      if ((i == j && with_diagonal) || (!diagonal && (lower ? i > j : i < j))) places.push_back(j * sides.rows + i);
  return sides.rows * sides.columns;
}

int translate_triangle_value(Translator& t, const Syntax& call, Scope& scope) {
  Graph& graph = t.graph;
  std::vector<double> places;
  const double size = triangle_places(t, call, places, scope);
  std::vector<int> all(static_cast<std::size_t>(size), constant_node(graph, whole_constant(Type::logical, 0)));
  for (const double place : places)
    all[static_cast<std::size_t>(place)] = constant_node(graph, whole_constant(Type::logical, 1));
  const Matched given = match_named_call({"x", "diag"}, call);
  const int x = translate_given(t, given.find("x"), scope);
  const double rows = sides_of(graph, x).matrix ? sides_of(graph, x).rows : graph.length(x);
  return with_named_sides(graph, all.size() == 1 ? all[0] : concat_node(graph, all), rows, size / rows, "");
}

}  // namespace openclPort::expression
