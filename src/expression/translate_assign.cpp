// translate_assign -- vectors and matrices of which parts are assigned.
#include <algorithm>
#include <cmath>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

constexpr int kMostAssigned = 64;  // elements that are nodes of their own
constexpr const char* kNoPlace =
    ": the number of an element that is assigned is none of the vector's, from 1 to its length";

[[noreturn]] void refuse_place(const Syntax& call, const std::string& name) {
  throw LimitError(quoted_text(call) + ": a loop over data writes `" + name +
                   "` at its variable, or at a fixed distance from it, as " + name + "[t] and " + name + "[t + 1]");
}

// What is assigned to an element leaves its names behind.
int bare_value(Graph& graph, int value) { return graph.at(value).op == Op::constant ? value : bare_node(graph, value); }

// A long vector with another element.
int patched_node(Translator& t, int vector, double place, int value, const Syntax& call) {
  const double length = t.graph.length(vector);
  if (std::trunc(place) > length) throw NmathError(quoted_text(call) + ": the element is beyond the end of the vector");
  const Type type = wider(t.graph.type(vector), t.graph.type(value));
  const int whole = in_memory(t.graph, as_type(t.graph, vector, type));
  Node node{Op::patch, type, length, {whole, as_type(t.graph, value, type)}};
  node.first = static_cast<int>(place);
  t.graph.exact = true;
  return t.graph.defined(t.graph.add(std::move(node)));
}

// v[test] <- value: of a number, and of as many values as the test chooses elements.
int masked_node(Translator& t, int vector, int test, int value, const Scope& scope) {
  Graph& graph = t.graph;
  const double length = graph.length(vector), count = graph.length(value);
  const Type type = wider(graph.type(vector), graph.type(value));
  const auto logical = [&graph](Op op, const std::vector<int>& args) {
    return plain_node(graph, op, Type::logical, args);
  };
  const int missing = logical(Op::is_na, {test}), here = logical(Op::both, {logical(Op::negation, {missing}), test});
  int given = as_type(graph, bare_value(graph, value), type);
  const auto require = [&](int condition, const char* text) {
    graph.assertions.push_back({condition, scope.call, text, true, false, graph.guards});
  };
  if (count == 0) {
    const int chosen = reduce_node(graph, "sum", false, as_double(graph, here));
    require(logical(Op::equal, {chosen, constant_node(graph, 0.0)}), "replacement has length zero");
    graph.exact = true;
    return vector;
  }
  if (count != 1) {
    const int chosen = as_double(graph, here), one = constant_node(graph, 1.0);
    require(
        logical(Op::equal, {reduce_node(graph, "sum", false, as_double(graph, missing)), constant_node(graph, 0.0)}),
        "NAs are not allowed in subscripted assignments");
    require(logical(Op::equal, {reduce_node(graph, "sum", false, chosen), constant_node(graph, count)}),
            "what is assigned to the elements that a test chooses has to have one element for each of them");
    const int place = plain_node(graph, Op::pmax, Type::real, {cumsum_node(graph, in_memory(graph, chosen)), one});
    given = graph.add({Op::gather, type, length, {in_memory(graph, given), place}});
  }
  graph.exact = true;
  return named_by(graph,
                  graph.add({Op::select, type, length, {here, given, as_type(graph, bare_value(graph, vector), type)}}),
                  vector, "names");
}

// M[, j] <- values.
int assign_column(Translator& t, const Syntax& call, int matrix, int value, Scope& scope) {
  Graph& graph = t.graph;
  const Syntax& part = *call.args[0];
  const std::string& name = part.args[0]->name;
  const Sides sides = sides_of(graph, matrix);
  if (part.args[2]->kind == Syntax::Kind::empty)
    throw NmathError(quoted_text(call) + ": the whole matrix is assigned by " + name + " <- value");
  if (assign_in_added(t, call, matrix, *part.args[2], value)) return value;
  const double j = std::trunc(column_number(t, matrix, *part.args[2], call, scope));
  if (!(j >= 1 && j <= sides.columns)) throw NmathError(quoted_text(call) + ": subscript out of bounds");
  if (graph.length(value) != 1 && graph.length(value) != sides.rows)
    throw NmathError(quoted_text(call) + ": the assigned value has length " + length_text(graph, value) + ", not " +
                     whole_text(sides.rows));
  const Type type = wider(graph.type(matrix), graph.type(value));
  check_columns(sides.columns);
  std::vector<int> columns;
  for (double k = 0; k < sides.columns; ++k) {
    const int column = k + 1 == j ? bare_node(graph, value) : column_of(graph, matrix, k);
    columns.push_back(widened(graph, column, type));
  }
  const std::string names = names_word("rows", matrix, 1) + names_word("columns", matrix, 2);
  assign(t, name, matrix_of_columns(graph, columns, sides.rows, 0, 0, names), scope);
  return value;
}

// Whether an index may be more than one number, as its text says.
bool is_several(const Syntax& index) {
  if (index.kind != Syntax::Kind::call || index.called.kind != Called::Kind::language) return false;
  const std::string& name = index.called.name;
  return name == ":" || name == "c" || name == "-" || name == "seq_len" || name == "seq_along";
}

// Whether an index is i[t], what the data say of a round.
bool is_code_of_data(Translator& t, const Syntax& index, Scope& scope) {
  if (index.kind != Syntax::Kind::call && index.kind != Syntax::Kind::symbol) return false;
  double count = 0;
  if (is_several(index) || known_numbers(t, index, scope, 1, count).known) return false;
  const int id = translate_value(t, index, scope);
  if (t.rounds == nullptr) return true;
  if (!t.graph.in_round(id)) return true;
  const int counter = t.rounds->counter;
  const std::vector<int> under = nodes_under(t.graph, {id});
  return std::none_of(under.begin(), under.end(), [counter](int one) { return one == counter; }) ||
         t.graph.at(id).op == Op::gather || t.graph.at(id).op == Op::input;
}

// M[t, j] <- value and M[t, ] <- values.
int assign_in_matrix(Translator& t, const Syntax& call, Scope& scope) {
  const Syntax& part = *call.args[0];
  const std::string& name = part.args[0]->name;
  const int value = translate_value(t, *call.args[1], scope), matrix = translate_name(t, name, scope);
  const Sides sides = matrix > 0 ? sides_of(t.graph, matrix) : Sides();
  const auto refuse = [&call](const std::string& why) { throw NmathError(quoted_text(call) + ": " + why); };
  if (!sides.matrix) refuse("`" + name + "` is not a matrix: make it before, " + name + " <- matrix(0, n, 2)");
  const bool several = is_several(*part.args[1]) || is_several(*part.args[2]);
  if (several && assign_known_places(t, call, matrix, value, scope)) return value;
  if (part.args[1]->kind == Syntax::Kind::empty) return assign_column(t, call, matrix, value, scope);
  if (is_code_of_data(t, *part.args[1], scope) || is_code_of_data(t, *part.args[2], scope))
    if (assign_coded_place(t, call, matrix, value, scope)) return value;
  double from = 0, until = sides.columns;
  if (part.args[2]->kind != Syntax::Kind::empty) {
    const double j = std::trunc(column_number(t, matrix, *part.args[2], call, scope));
    if (!(j >= 1 && j <= sides.columns)) refuse("subscript out of bounds");
    from = j - 1, until = j;
  }
  const double count = until - from;
  if (t.graph.length(value) != 1 && t.graph.length(value) != count)
    refuse("the assigned value has length " + length_text(t.graph, value) + ", not " + whole_text(count));
  const std::vector<int> values = elements_of(t.graph, value);
  const auto value_of = [&](double j) { return values[values.size() == 1 ? 0 : static_cast<std::size_t>(j - from)]; };
  bool written = t.rounds != nullptr && count > 0;
  for (double j = from; j < until && written; ++j)
    written = assign_written(t, call, column_of(t.graph, matrix, j), *part.args[1], value_of(j), scope);
  if (written) return value;
  double many = 0;
  const Numbers known = known_numbers(t, *part.args[1], scope, kMostAssigned, many);
  if (!known.known || known.numbers.size() != 1 || !(known.numbers[0] >= 1) || known.numbers[0] > sides.rows)
    refuse("which row is assigned has to be known when the call is, or be that of the round of a loop over data");
  const Type type = wider(t.graph.type(matrix), t.graph.type(value));
  const std::string names = names_word("rows", matrix, 1) + names_word("columns", matrix, 2);
  check_columns(sides.columns);
  std::vector<int> columns;
  for (double j = 0; j < sides.columns; ++j) {
    int column = column_of(t.graph, matrix, j);
    if (t.graph.length(column) != sides.rows) column = filled_node(t.graph, column, sides.rows);
    if (j >= from && j < until && sides.rows > kMostAssigned) {
      column = patched_node(t, column, std::trunc(known.numbers[0]), value_of(j), call);
    } else if (j >= from && j < until) {
      std::vector<int> parts = elements_of(t.graph, column);
      parts[static_cast<std::size_t>(known.numbers[0]) - 1] = widened(t.graph, value_of(j), type);
      column = parts.size() == 1 ? parts[0] : concat_node(t.graph, parts);
    }
    columns.push_back(widened(t.graph, column, type));
  }
  assign(t, name, matrix_of_columns(t.graph, columns, sides.rows, 0, 0, names), scope);
  return value;
}

// A vector with another element, or with one more at its end.
int with_element(Translator& t, int vector, double number, int value, const Syntax& call) {
  const std::string& name = call.args[0]->args[0]->name;
  if (t.graph.length(vector) > kMostAssigned) {
    if (t.rounds != nullptr) refuse_place(call, name);
    return patched_node(t, vector, number, value, call);
  }
  std::vector<int> parts = elements_of(t.graph, vector);
  const std::size_t place = static_cast<std::size_t>(number);
  if (place > parts.size() + 1)
    throw NmathError(quoted_text(call) + ": the element is beyond the end of `" + name + "`");
  const Type type = wider(t.graph.type(vector), t.graph.type(value));
  const int element = widened(t.graph, bare_value(t.graph, value), type);
  if (place > parts.size()) {
    parts.push_back(element);
    return concat_node(t.graph, parts);
  }
  parts[place - 1] = element;
  int joined = parts.size() == 1 ? element : concat_node(t.graph, parts);
  joined = widened(t.graph, joined, type);
  return named_by(t.graph, joined, vector, "names");  // as before
}

// v[code] <- value, where data say the code: each element is chosen. A code that is no place is R's matter.
int coded_node(Translator& t, int vector, int code, int value, const Syntax& call, const Scope& scope) {
  Graph& graph = t.graph;
  code = as_type(graph, bare_node(graph, code), Type::integer);
  const auto compared = [&graph, code](Op op, double k) {
    const int number = constant_node(graph, whole_constant(Type::integer, static_cast<int>(k)));
    return plain_node(graph, op, Type::logical, {code, number});
  };
  const auto logical = [&graph](Op op, const std::vector<int>& args) {
    return plain_node(graph, op, Type::logical, args);
  };
  std::vector<int> parts = elements_of(graph, vector);
  const double count = static_cast<double>(parts.size());
  const int missing = logical(Op::is_na, {code}), known = logical(Op::negation, {missing});  // NA changes nothing
  const int place = logical(Op::both, {compared(Op::greater_equal, 1), compared(Op::less_equal, count)});
  const int there = logical(Op::either, {missing, place});
  if (t.rounds != nullptr)
    t.rounds->codes.push_back(hold_in_round(t, there));
  else
    graph.assertions.push_back({there, scope.call, quoted_text(call) + kNoPlace, true, false, graph.guards, true});
  const Type type = wider(graph.type(vector), graph.type(value));
  const int given = widened(graph, bare_value(graph, value), type);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    Node node{Op::select, type};
    const int here = logical(Op::both, {known, compared(Op::equal, static_cast<double>(k) + 1)});
    node.args = {here, given, widened(graph, parts[k], type)};
    parts[k] = graph.add(std::move(node));
  }
  return parts.size() == 1 ? parts[0] : concat_node(graph, parts);
}

// Whether an index is a number that data say, and what is assigned one number of few.
bool is_code(const Translator& t, int index, int value, double length) {
  return index > 0 && t.graph.length(index) == 1 && t.graph.type(index) != Type::logical && value > 0 &&
         t.graph.length(value) == 1 && length <= kMostAssigned && (t.rounds == nullptr || !t.rounds->as_columns);
}

// What a vector has become by elements that were assigned: a matrix stays one.
int shaped_as(Graph& graph, int made, int before) {
  const Sides sides = sides_of(graph, before);
  if (!sides.matrix || graph.length(made) != graph.length(before)) return made;
  return with_named_sides(graph, bare_node(graph, made), sides.rows, sides.columns,
                          names_word("rows", before, 1) + names_word("columns", before, 2));
}

}  // namespace

// v[k] <- value, k known.
int assign_part(Translator& t, const Syntax& call, Scope& scope) {
  if (const int assigned = assign_triangle(t, call, scope)) return assigned;
  const Syntax& part = *call.args[0];
  const bool of_name = part.called.kind == Called::Kind::language && part.called.name == "[" && part.args.size() > 1 &&
                       part.args[0]->kind == Syntax::Kind::symbol;
  if (of_name && part.args.size() == 3) return assign_in_matrix(t, call, scope);
  const bool plain = of_name && part.args.size() == 2;
  if (!plain)
    throw NmathError(
        quoted_text(call) +
        ": variables and their elements, v[k], can be assigned. Write x <- ifelse(test, value, x) to change "
        "some elements");
  const std::string& name = part.args[0]->name;
  const int value = translate_value(t, *call.args[1], scope);
  int vector = translate_name(t, name, scope);
  if (is_null_value(t, vector)) {  // R makes a vector of it
    Constant none;
    none.type = Type::logical;
    vector = slice_from(t.graph, constant_node(t.graph, none), 1, 1, 0);
  }
  if (vector <= 0)
    throw NmathError(quoted_text(call) + ": `" + name + "` is not a vector of numbers: make it before, " + name +
                     " <- numeric(n)");
  if (assign_written(t, call, vector, *part.args[1], value, scope)) return value;
  if (assign_in_added(t, call, vector, *part.args[1], value)) return value;
  double count = 0;
  Numbers known;
  for (const std::string& text : texts_in(t, *part.args[1], scope)) {
    known.known = true;
    known.numbers.push_back(named_element(t, vector, text, *call.args[0]));
  }
  if (!known.known) known = known_numbers(t, *part.args[1], scope, kMostAssigned, count);
  if (!known.known) {
    const int test = translate_value(t, *part.args[1], scope);
    const double length = t.graph.length(vector);
    if (is_code(t, test, value, length)) {
      const int made = coded_node(t, vector, test, value, call, scope);
      assign(t, name, shaped_as(t.graph, named_by(t.graph, made, vector, "names"), vector), scope);
      return value;
    }
    if (t.rounds == nullptr && t.graph.type(test) == Type::logical && t.graph.length(test) == length) {
      const int made = masked_node(t, vector, bare_node(t.graph, test), value, scope);
      assign(t, name, shaped_as(t.graph, made, vector), scope);
      return value;
    }
  }
  const bool places = known.known && !known.numbers.empty() &&
                      std::all_of(known.numbers.begin(), known.numbers.end(), [](double k) { return k >= 1; });
  if (!places && t.rounds != nullptr)
    throw LimitError(quoted_text(call) +
                     ": a loop over data writes vectors that are made before it, as long as they get: " + name +
                     " <- numeric(n)");
  if (!places)
    throw LimitError(quoted_text(call) +
                     ": which elements are assigned has to be known when the call is, up to 64 numbers from 1 on. "
                     "Write x <- ifelse(test, value, x) to change some elements of a long vector");
  const double many = static_cast<double>(known.numbers.size());
  if (t.graph.length(value) != 1 && t.graph.length(value) != many)
    throw NmathError(quoted_text(call) + ": the assigned value has length " + length_text(t.graph, value) + ", not " +
                     (many == 1 ? "1" : "1 or " + whole_text(many)));
  const std::vector<int> values = elements_of(t.graph, value);
  int changed = vector;
  for (std::size_t k = 0; k < known.numbers.size(); ++k)
    changed = with_element(t, changed, known.numbers[k], values[values.size() == 1 ? 0 : k], call);
  assign(t, name, shaped_as(t.graph, changed, vector), scope);
  return value;
}

}  // namespace openclPort::expression
