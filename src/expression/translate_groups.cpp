// translate_groups -- sums and means of groups: ave(), and what without_taken() (R/expression_taken.R) writes for
// tapply() and rowsum().
#include <algorithm>
#include <string>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

[[noreturn]] void refuse_groups(const Syntax& call, const std::string& why) {
  throw NmathError(quoted_text(call) + ": " + why);
}

// A number that R finds in a vector of data, known when the call is.
double found_in(Translator& t, const char* reduction, int x, const Syntax& expr) {
  const Decided found = decided_value(t, reduce_node(t.graph, reduction, false, x), expr);
  return found.value.size() == 1 ? as_real(found.value[0]) : na_real();
}

const char* const kBeyondIntegers = "a group's sum of integers is beyond the integers: take sums of as.numeric(x)";

// Numbers of no group take memory as those of groups do: no more of them than these, or than these for each value.
constexpr double kMostEmptyGroups = 1 << 20, kMostGroupsOfOne = 64;

}  // namespace

// ave(x, g, FUN = sum), whose groups are codes from 1.
int group_values(Translator& t, const Syntax& call, Scope& scope) {
  if (call.args.size() < 2 || call.args.size() > 3)
    refuse_groups(call, "it takes values, codes of groups, and FUN = sum or FUN = mean");
  const bool has_function = call.args.size() == 3;
  const bool sums = has_function && call.args[2]->kind == Syntax::Kind::symbol && call.args[2]->name == "sum";
  const bool means = !has_function || (call.args[2]->kind == Syntax::Kind::symbol && call.args[2]->name == "mean");
  if ((!sums && !means) || (has_function && (call.names.size() != 3 || call.names[2] != "FUN")))
    throw LimitError(quoted_text(call) +
                     ": of functions of a group, FUN = sum and FUN = mean are part of the language");
  const int x = as_double(t.graph, translate_value(t, *call.args[0], scope));
  const int codes = bare_vector(t, translate_value(t, *call.args[1], scope), call);
  if (t.graph.length(x) != t.graph.length(codes)) refuse_groups(call, "there have to be as many codes as values");
  if (t.graph.length(codes) == 0) return x;
  if (t.graph.type(codes) == Type::real) {
    const int whole = elementary_node(t.graph, "floor", codes);
    if (found_in(t, "all", t.graph.add({Op::equal, Type::logical, t.graph.length(codes), {codes, whole}}), call) != 1)
      refuse_groups(call, "codes of groups have to be whole numbers");
  }
  const double groups = found_in(t, "max", codes, call), least = found_in(t, "min", codes, call);
  if (!(least >= 1)) refuse_groups(call, "codes of groups have to be whole numbers from 1 on, without missing values");
  if (groups > std::max(kMostEmptyGroups, kMostGroupsOfOne * t.graph.length(codes)))
    refuse_groups(call, "codes of groups go up to " + std::to_string(static_cast<long long>(groups)) +
                            ", and each number up to there takes memory: number the groups there are, g <- match(g, "
                            "sort(unique(g))), before the call");
  Node node{Op::segments, Type::real, groups, {x, codes}};
  t.graph.exact = true;
  const int sum = t.graph.defined(t.graph.add(node));
  const int total = gathered_node(t.graph, sum, codes, call);
  const Sides sides = sides_of(t.graph, x);  // R's value has all that x has besides its numbers
  const auto shown = [&](int value) {
    if (!sides.matrix) return with_names(t.graph, value, names_word("names", x, 0));
    return with_named_sides(t.graph, value, sides.rows, sides.columns,
                            names_word("rows", x, 1) + names_word("columns", x, 2));
  };
  if (sums) return shown(total);
  const int ones = plain_node(t.graph, Op::is_na, Type::logical, {codes});
  node.args = {as_double(t.graph, plain_node(t.graph, Op::negation, Type::logical, {ones})), codes};
  const int count = t.graph.defined(t.graph.add(node));
  return shown(arithmetic_node(t.graph, Op::divide, total, gathered_node(t.graph, count, codes, call)));
}

// x[[k]] of a vector that a call makes, as x[k], x and k: beyond the end R stops.
int translate_element(Translator& t, const Syntax& call, Scope& scope) {
  check_operands(call, 3, 3);
  const int value = translate_value(t, *call.args[0], scope), k = translate_value(t, *call.args[2], scope);
  const double length = t.graph.length(translate_value(t, *call.args[1], scope));
  const Node& place = t.graph.at(k);
  const bool known = place.op == Op::constant && !is_missing(place.constant);
  if (t.graph.length(value) != 1 || (known && !(as_real(place.constant) < length + 1)))
    throw NmathError("subscript out of bounds");
  return value;
}

// Sums or means of groups: values, codes, a vector as long as there are groups, whether they are means, a matrix, and
// an array of one dimension.
int translate_sums_by(Translator& t, const Syntax& call, Scope& scope) {
  Graph& graph = t.graph;
  check_operands(call, 5, 6);
  const int given = translate_value(t, *call.args[0], scope);
  const int x = as_double(graph, given);
  const int codes = bare_vector(t, translate_value(t, *call.args[1], scope), call);
  const double groups = graph.length(translate_value(t, *call.args[2], scope));
  const bool means = call.args[3]->constant.whole != 0, as_matrix = call.args[4]->constant.whole != 0;
  const bool as_array = call.args.size() > 5 && call.args[5]->constant.whole != 0;
  const Sides sides = sides_of(graph, x);
  if (sides.matrix && sides.columns > 1) throw LimitError("rowsum() takes a vector: write it for each column, X[, 1]");
  if (graph.length(x) != graph.length(codes)) throw NmathError("there have to be as many codes of groups as values");
  graph.exact = true;
  const auto summed = [&](int values) {
    Node node{Op::segments, Type::real, groups, {values, codes}};
    node.flag = as_array;
    return graph.defined(graph.add(std::move(node)));
  };
  int value = summed(bare_node(graph, x));
  if (means) {
    const int missing = plain_node(graph, Op::is_na, Type::logical, {codes});
    const int there = as_double(graph, plain_node(graph, Op::negation, Type::logical, {missing}));
    value = arithmetic_node(graph, Op::divide, value, summed(there));
  }
  if (!as_matrix && (means || graph.type(given) == Type::real)) return value;
  if (!as_matrix) {  // beyond the integers R's sums are doubles
    const int missing = plain_node(graph, Op::is_na, Type::logical, {value});
    const int size = plain_node(graph, Op::absolute, Type::real, {value});
    const int whole = plain_node(graph, Op::less, Type::logical, {size, constant_node(graph, 2147483648.0)});
    const int fits = plain_node(graph, Op::either, Type::logical, {missing, whole});
    graph.assertions.push_back({fits, scope.call, kBeyondIntegers, true, false, graph.guards, true});
    return as_whole(graph, value);
  }
  if (graph.type(given) == Type::integer) value = as_whole(graph, value);  // NA beyond them, as rowsum()
  return with_sides(graph, value, groups, 1);
}

}  // namespace openclPort::expression
