// translate_rounds_parts -- what a round of a loop over data reads and writes, and chooses by if ().
#include <algorithm>
#include <climits>
#include <cmath>
#include <optional>
#include <set>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

bool is_assignment(const Syntax& call) {
  return call.called.kind == Called::Kind::language && (call.called.name == "<-" || call.called.name == "=");
}

// Whether the variable itself says a place, as in v[t - 1], and not by elements that have its number, as in v[code[t]].
bool says_place(const Syntax& expr, const std::string& name) {
  if (expr.kind == Syntax::Kind::symbol) return expr.name == name;
  const bool of_elements = expr.called.kind == Called::Kind::language && expr.called.name == "[";
  return !of_elements && std::any_of(expr.args.begin(), expr.args.end(), [&name](const SyntaxPtr& arg) {
    return arg != nullptr && says_place(*arg, name);
  });
}

// How far a number of an element is from the loop's variable.
std::optional<double> distance(const Graph& graph, int counter, int place) {
  if (place == counter) return 0.0;
  const Node& node = graph.at(place);
  if (node.op == Op::as_double || node.op == Op::bare || node.op == Op::plus)
    return distance(graph, counter, node.args[0]);
  if (node.op != Op::add && node.op != Op::subtract) return std::nullopt;
  const bool second = graph.at(node.args[1]).op == Op::constant;
  if (!second && (node.op == Op::subtract || graph.at(node.args[0]).op != Op::constant)) return std::nullopt;
  const double by = as_real(graph.at(node.args[second ? 1 : 0]).constant);
  if (std::isnan(by) || by != std::trunc(by)) return std::nullopt;
  const std::optional<double> rest = distance(graph, counter, node.args[second ? 0 : 1]);
  if (!rest) return rest;
  return node.op == Op::subtract ? *rest - by : *rest + by;
}

double distance_of(Translator& t, int place, const Syntax& call) {
  const std::optional<double> found = distance(t.graph, t.rounds->counter, place);
  if (!found)
    throw LimitError(quoted_text(call) +
                     ": of a vector that a loop over data writes to, elements are read and written at the loop's "
                     "variable and at a fixed distance from it, as h[t] and h[t - 1]" +
                     t.rounds->over_vector);
  return *found;
}

// X[t, j] in a loop over data: an element of the matrix as a vector.
int element_of_row(Translator& t, int input, int row, double column, const Syntax& call) {
  if (t.graph.length(row) != 1) throw NmathError(quoted_text(call) + ": the row has to be one number");
  const Input matrix = t.graph.input(input);
  if (matrix.rows * (column - 1) > INT_MAX || matrix.rows > INT_MAX)
    throw LimitError(quoted_text(call) + ": a matrix of more than 2^31 elements in a loop over data");
  Node node{Op::gather, matrix.type, 1, {input_as_node(t.graph, input), row}};
  node.first = static_cast<int>(matrix.rows);
  node.second = static_cast<int>(matrix.rows * (column - 1));
  t.graph.exact = true;
  return add_site(t.graph, t.graph.add(std::move(node)), call.number, "index", "");
}

}  // namespace

// Names that a body assigns to, in order, and those of which it assigns elements whose place the loop's variable says.
void find_assigned(const Syntax& body, const std::string& variable, std::vector<std::string>& names,
                   std::set<std::string>& in_parts) {
  if (body.kind != Syntax::Kind::call) return;
  const auto note = [&names](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  if (is_assignment(body) && body.args.size() == 2) {
    const Syntax* target = body.args[0].get();
    const bool part = target->kind == Syntax::Kind::call && !target->args.empty();
    if (part) target = target->args[0].get();
    if (target->kind == Syntax::Kind::symbol) {
      note(target->name);
      const std::vector<SyntaxPtr>& parts = body.args[0]->args;
      const bool by_place = part && std::any_of(parts.begin() + 1, parts.end(), [&variable](const SyntaxPtr& index) {
                              return index != nullptr && says_place(*index, variable);
                            });
      if (by_place) in_parts.insert(target->name);
    }
  }
  if (body.called.kind == Called::Kind::language && body.called.name == "for" && body.args.size() == 3)
    note(body.args[0]->name);
  for (const SyntaxPtr& arg : body.args)
    if (arg != nullptr) find_assigned(*arg, variable, names, in_parts);
}

namespace {

// M[t, j] and M[t, ] of a matrix that is computed, or that the loop writes to.
int row_of_matrix(Translator& t, int x, int row, const Syntax& call, Scope& scope) {
  const Sides sides = sides_of(t.graph, x);
  if (t.graph.length(row) != 1) throw NmathError(quoted_text(call) + ": the row has to be one number");
  if (sides.columns > 64) throw LimitError(quoted_text(call) + ": a row of more than 64 elements in a loop over data");
  double from = 0, until = sides.columns;
  if (call.args[2]->kind != Syntax::Kind::empty) {
    const double j = std::trunc(column_number(t, x, *call.args[2], call, scope));
    if (!(j >= 1)) throw NmathError(quoted_text(call) + ": the column has to be one number from 1 on");
    if (j > sides.columns) throw NmathError(quoted_text(call) + ": subscript out of bounds");
    from = j - 1, until = j;
  }
  std::vector<int> parts;
  for (double j = from; j < until; ++j) {
    const int column = whole_column(t.graph, x, j, sides.rows);
    int part = read_written(t, column, call, scope);
    if (part == 0) {
      part = add_site(t.graph, t.graph.add({Op::gather, t.graph.type(column), 1, {in_memory(t.graph, column), row}}),
                      call.number, "index", "");
    }
    parts.push_back(part);
  }
  return parts.size() == 1 ? parts[0] : concat_node(t.graph, parts);
}

}  // namespace

const char* const kStopped = ".stopped";

namespace {

const char* const kLeft = ".left";  // TRUE: the round was left

SyntaxPtr symbol_named(Translator& t, const std::string& name) {
  const auto made = std::make_shared<Syntax>();
  made->kind = Syntax::Kind::symbol;
  made->name = name;
  t.made.push_back(made);
  return made;
}

SyntaxPtr call_of(Translator& t, const std::string& name, std::vector<SyntaxPtr> args) {
  const auto made = std::make_shared<Syntax>();
  made->kind = Syntax::Kind::call;
  made->name = name;
  made->called.kind = Called::Kind::language;
  made->called.name = name;
  made->args = std::move(args);
  t.made.push_back(made);
  return made;
}

}  // namespace

bool leaves_round(const Syntax& part, bool by_break) {
  if (part.kind != Syntax::Kind::call) return false;
  const std::string& name = part.called.name;
  if (part.called.kind == Called::Kind::language) {
    if (name == "break" || name == "next") return name == "break" || !by_break;
    if (name == "for" || name == "while" || name == "repeat") return false;
  }
  return std::any_of(part.args.begin(), part.args.end(),
                     [by_break](const SyntaxPtr& arg) { return arg != nullptr && leaves_round(*arg, by_break); });
}

void leave_round(Translator& t, bool by_break, Scope& scope) {
  const int left = constant_node(t.graph, whole_constant(Type::logical, 1));
  assign(t, kLeft, left, scope);
  if (by_break) assign(t, kStopped, left, scope);
}

int translate_rest(Translator& t, const Syntax& block, std::size_t from, Scope& scope) {
  std::vector<SyntaxPtr> rest(block.args.begin() + static_cast<std::ptrdiff_t>(from), block.args.end());
  const SyntaxPtr goes_on = call_of(t, "!", {symbol_named(t, kLeft)});
  translate_statement(t, *call_of(t, "if", {goes_on, call_of(t, "{", std::move(rest))}), scope);
  return 0;
}

int translate_unless_stopped(Translator& t, const SyntaxPtr& body, Scope& scope) {
  assign(t, kLeft, constant_node(t.graph, whole_constant(Type::logical, 0)), scope);
  if (!leaves_round(*body, true)) return translate_statement(t, *body, scope);
  return translate_statement(t, *call_of(t, "if", {call_of(t, "!", {symbol_named(t, kStopped)}), body}), scope);
}

// X[t, j] and X[t, ].
int row_of_round(Translator& t, int x, const Syntax& call, Scope& scope) {
  if (t.rounds == nullptr || call.args[1]->kind == Syntax::Kind::empty) return 0;
  const int row = translate_value(t, *call.args[1], scope);
  if (!t.graph.in_round(row)) return 0;
  if (t.graph.in_round(x) || t.graph.at(x).op != Op::input || !t.graph.input(t.graph.at(x).first).matrix)
    return row_of_matrix(t, x, row, call, scope);
  const int input = t.graph.at(x).first;
  const double columns = t.graph.input(input).columns;
  if (call.args[2]->kind != Syntax::Kind::empty) {
    const double j = std::trunc(column_number(t, x, *call.args[2], call, scope));
    if (!(j >= 1)) throw NmathError(quoted_text(call) + ": the column has to be one number from 1 on");
    if (j > columns) throw NmathError(quoted_text(call) + ": subscript out of bounds");
    return element_of_row(t, input, row, j, call);
  }
  if (columns > 64) throw LimitError(quoted_text(call) + ": a row of more than 64 elements in a loop over data");
  std::vector<int> parts;
  for (double j = 1; j <= columns; ++j) parts.push_back(element_of_row(t, input, row, j, call));
  return parts.size() == 1 ? parts[0] : concat_node(t.graph, parts);
}

namespace {

// An element of a vector that the loop writes to, which is kept in doubles.
int element_before(Translator& t, int vector, int place) {
  return t.graph.add({Op::gather, Type::real, 1, {t.rounds->vectors[static_cast<std::size_t>(vector) - 1], place}});
}

}  // namespace

// The element of a vector that the loop writes to.
int read_written(Translator& t, int vector, const Syntax& call, Scope& scope) {
  if (t.rounds == nullptr) return 0;
  const std::vector<int>& known = t.rounds->vectors;
  const auto at = std::find(known.begin(), known.end(), vector);
  if (at == known.end()) return 0;
  const int place = translate_value(t, *call.args[1], scope);
  const double from = distance_of(t, place, call);
  const int number = static_cast<int>(at - known.begin()) + 1;
  const auto written = t.rounds->written.find({number, from});
  if (written != t.rounds->written.end()) return written->second;
  return as_type(t.graph, add_site(t.graph, element_before(t, number, place), call.number, "index", ""),
                 t.rounds->types[static_cast<std::size_t>(number) - 1]);
}

bool assign_written(Translator& t, const Syntax& call, int vector, const Syntax& index, int value, Scope& scope) {
  if (t.rounds == nullptr) return false;
  const std::vector<int>& known = t.rounds->vectors;
  const auto at = std::find(known.begin(), known.end(), vector);
  if (at == known.end()) return false;
  if (t.graph.length(value) != 1)
    throw NmathError(quoted_text(call) + ": the assigned value has length " + length_text(t.graph, value) + ", not 1");
  const double from = distance_of(t, translate_value(t, index, scope), call);
  const auto number = static_cast<std::size_t>(at - known.begin());
  const Type type = wider(t.rounds->types[number], t.graph.type(value));
  Type& after = t.rounds->types_after[number];
  after = wider(after, type);
  t.rounds->written[{static_cast<int>(number) + 1, from}] = as_type(t.graph, value, type);
  return true;
}

namespace {

int chosen(Translator& t, int test, int yes, int no, const std::string& what) {
  if (yes == no) return yes;
  if (yes < 0 || no < 0) throw LimitError(what + " is a number in one branch only");
  if (t.graph.length(yes) != t.graph.length(no))
    throw LimitError(what + " has length " + length_text(t.graph, yes) + " where the condition is TRUE, and " +
                     length_text(t.graph, no) + " where it is FALSE: make it as long before, s <- rep(0, length(y))");
  const Sides first = sides_of(t.graph, yes), second = sides_of(t.graph, no);
  const Sides sides = first.matrix ? first : second;
  if (first.matrix && second.matrix && !same_sides(first, second))
    throw LimitError(what + " is another matrix in each branch");
  const bool mixed = first.matrix != second.matrix;
  if (mixed && sides.rows > 1 && sides.columns > 1) throw LimitError(what + " is a matrix in one branch only");
  if (mixed) t.rounds->mixes = true;
  if (first.matrix) yes = bare_node(t.graph, yes);
  if (second.matrix) no = bare_node(t.graph, no);
  const Type type = wider(t.graph.type(yes), t.graph.type(no));
  int made = yes;
  if (yes != no) {
    const std::vector<int> args = {test, as_type(t.graph, yes, type), as_type(t.graph, no, type)};
    made = t.graph.add({Op::select, type, t.graph.length(yes), args});
  }
  const bool as_matrix = sides.matrix && (!mixed || t.rounds->mixed_as_matrix);
  return as_matrix ? with_sides(t.graph, made, sides.rows, sides.columns) : made;
}

int logical_node(Graph& graph, Op op, const std::vector<int>& args) {
  return plain_node(graph, op, Type::logical, args);
}

struct Branched {
  std::map<std::string, int> vars;
  std::map<std::pair<int, double>, int> written;
  int value = 0;
};

Branched branch_of(Translator& t, const Syntax* part, int test, bool way, Scope& scope, const std::string& what) {
  Rounds& rounds = *t.rounds;
  const int outer = rounds.path;
  const int here = way ? test : logical_node(t.graph, Op::negation, {test});
  rounds.path = outer == 0 ? here : logical_node(t.graph, Op::both, {outer, here});
  t.graph.guards.push_back({test, way});
  Branched made;
  try {
    if (part != nullptr) made.value = translate_statement(t, *part, scope);
  } catch (const Left&) {
    t.graph.guards.pop_back();
    throw LimitError(what + ": `break` and `next` there would differ from round to round of " + rounds.what +
                     ": write if and else");
  } catch (...) {
    t.graph.guards.pop_back();
    throw;
  }
  t.graph.guards.pop_back();
  rounds.path = outer;
  made.vars = scope.vars;
  made.written = rounds.written;
  return made;
}

// Both branches are computed, and their values chosen from.
}  // namespace

int hold_in_round(Translator& t, int condition) {
  const int path = t.rounds->path;
  if (path != 0)
    condition = logical_node(t.graph, Op::either, {condition, logical_node(t.graph, Op::negation, {path})});
  t.rounds->holds.push_back(condition);
  return condition;
}

int translate_choice(Translator& t, const Syntax& call, int test, Scope& scope) {
  Rounds& rounds = *t.rounds;
  const std::string what = "`if (" + shown_text(*call.args[0]) + ")`";
  test = as_type(t.graph, test, Type::logical);
  hold_in_round(t, logical_node(t.graph, Op::negation, {logical_node(t.graph, Op::is_na, {test})}));
  const auto vars = scope.vars;
  const auto promises = scope.promises;
  const auto written = rounds.written;
  const Branched yes = branch_of(t, call.args[1].get(), test, true, scope, what);
  scope.vars = vars;
  for (const auto& one : promises) scope.promises.insert(one);  // those that were assigned
  rounds.written = written;
  const Branched no = branch_of(t, call.args.size() > 2 ? call.args[2].get() : nullptr, test, false, scope, what);
  // A name that one branch assigns is in the other one what it was.
  std::set<std::string> names;
  for (const auto& one : yes.vars) names.insert(one.first);
  for (const auto& one : no.vars) names.insert(one.first);
  for (const std::string& name : names) {
    const auto first = yes.vars.find(name), second = no.vars.find(name);
    if (first != yes.vars.end() && second != no.vars.end()) {
      const int value = chosen(t, test, first->second, second->second, what + ": `" + name + "`");
      assign(t, name, value, scope);
      continue;
    }
    scope.vars.erase(name);
    if (promises.count(name) != 0) scope.promises[name] = promises.at(name);
    const int assigned = first != yes.vars.end() ? first->second : second->second,
              before = value_before(t, name, scope);
    if (assigned == 0 || before == 0 || (assigned != before && (assigned < 0 || before < 0)))
      assign_nowhere(t, name, "has a value in one branch of " + what + " only", scope);
    else
      assign(t, name,
             chosen(t, test, first != yes.vars.end() ? assigned : before, first != yes.vars.end() ? before : assigned,
                    what + ": `" + name + "`"),
             scope);
  }
  // An element that one branch writes keeps in the other one what it was.
  std::set<std::pair<int, double>> places;
  for (const auto& one : yes.written) places.insert(one.first);
  for (const auto& one : no.written) places.insert(one.first);
  for (const auto& place : places) {
    const auto value_in = [&](const Branched& branch) {
      const auto found = branch.written.find(place);
      if (found != branch.written.end()) return found->second;
      const int counter = as_double(t.graph, rounds.counter);
      const int at = plain_node(t.graph, Op::add, Type::real, {counter, constant_node(t.graph, place.second)});
      return as_type(t.graph, element_before(t, place.first, at),
                     rounds.types[static_cast<std::size_t>(place.first) - 1]);
    };
    const int first = value_in(yes), second = value_in(no);
    rounds.written[place] = chosen(t, test, first, second, what);
  }
  if (yes.value > 0 && no.value > 0 && t.graph.length(yes.value) == t.graph.length(no.value))
    return chosen(t, test, yes.value, no.value, what);
  return 0;
}

}  // namespace openclPort::expression
