// adjoint_stages -- adjoints of values that are computed in stages: sums, parts of vectors, products with computed
// coefficients. What an element has part in several times is added up where it is handed on.
#include "expression/adjoint_backward.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/matrices.h"
#include "expression/rules.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

// The gradient through what is as long as some arguments, and recycled to a length that is no multiple.
[[noreturn]] void refuse_recycled(const Graph& graph, int id, double length, double from) {
  std::string names;
  bool several = false;
  for (const int k : nodes_under(graph, {id})) {
    const Node& node = graph.at(k);
    const bool given = node.op == Op::input && graph.input(node.first).definition == 0;
    if (node.length != length || !(given || node.op == Op::product)) continue;
    several = !names.empty();
    names += (several ? ", `" : "`") + graph.input(node.first).name;
    names += given ? "`" : " %*% " + graph.input(node.second).name + "`";
  }
  const auto shown = [](double x) { return std::to_string(static_cast<long long>(x)); };
  const std::string what = names.empty() ? "a vector that is computed has" : names + (several ? " have" : " has");
  if (length > from)
    throw LimitError(
        what + " length " + shown(length) + ", and ifelse() gives as many values as its test has, " + shown(from) +
        ", the first ones of each branch: the gradient through it is not supported. Where all of a branch is "
        "meant, write if (test) a else b");
  throw LimitError(what + " length " + shown(length) + " and " + (several ? "are" : "is") + " recycled to length " +
                   shown(from) +
                   ", which is not a multiple of it: the gradient through it is not supported. Are the lengths as they "
                   "should be? An element for each row is taken by codes, u[g]");
}

}  // namespace

Adjoint Backward::fitted(int id, const Adjoint& adjoint) {
  const double length = graph_.length(id), from = adjoint.cut != 0 ? graph_.length(adjoint.cut) : graph_.length(from_);
  if (graph_.at(from_).op == Op::reduce || length == from) return adjoint;
  const int given = value(adjoint);
  Adjoint sum;
  if (length != 1 && length > 0 && std::fmod(from, length) == 0) {  // again and again: the rows of a matrix
    if (graph_.length(given) == 1)
      sum.value = multiple_node(graph_, given, constant_node(graph_, from / length));
    else
      sum.value = row_reduction(graph_, "sum", given, length);
    graph_.exact = true;
    return sum;
  }
  if (length != 1) refuse_recycled(graph_, id, length, from);
  if (graph_.length(given) != 1)
    sum.value = reduce_node(graph_, "sum", false, given);
  else
    sum.value = multiple_node(graph_, given, count_node(graph_, adjoint.cut != 0 ? adjoint.cut : from_));
  return sum;
}

bool Backward::has_gaps(int id) {
  if (id == 0 || graph_.length(id) <= 1) return false;
  const auto known = gaps_.find(id);
  if (known != gaps_.end()) return known->second;
  const Node& node = graph_.at(id);
  const auto any = [this](const std::vector<int>& args) {
    return std::any_of(args.begin(), args.end(), [this](int arg) { return has_gaps(arg); });
  };
  const auto is_zero = [this](int arg) {
    return graph_.at(arg).op == Op::constant && as_real(graph_.at(arg).constant) == 0;
  };
  bool gaps = false;
  switch (node.op) {
    case Op::spread:
    case Op::segments:
      gaps = true;
      break;
    case Op::input:
      gaps = has_gaps(graph_.input(node.first).definition);
      break;
    case Op::select:
      gaps = any({node.args[1], node.args[2]}) || is_zero(node.args[2]);
      break;
    case Op::gather:
    case Op::slice:
      gaps = any({node.args[0]});
      break;
    case Op::patch:
      gaps = is_zero(node.args[1]) || any(node.args);
      break;
    default:
      gaps = is_one_of(node.op, Op::add, Op::subtract, Op::multiply, Op::divide, Op::negative, Op::materialize,
                       Op::bare, Op::as_double, Op::concat, Op::cumsum, Op::each, Op::cut) &&
             any(node.args);
  }
  gaps_[id] = gaps;
  return gaps;
}

// Not where second derivatives follow: there an adjoint may be 0 by chance, and its own derivative another number.
Adjoint Backward::without_gaps(Adjoint adjoint) {
  if (graph_.twice || !has_gaps(adjoint.value)) return adjoint;
  const int none = logical(Op::equal, {adjoint.value, constant_node(graph_, 0.0)});
  const int part = logical(Op::either, {logical(Op::is_na, {adjoint.value}), logical(Op::negation, {none})});
  adjoint.mask = adjoint.mask == 0 ? part : logical(Op::both, {adjoint.mask, part});
  return adjoint;
}

// What a shorter vector meets again and again: an element for each.
Adjoint Backward::lengthened(int id, Adjoint adjoint) {
  const int whole = adjoint.cut != 0 ? adjoint.cut : id;
  if (!staged_ || adjoint.value == 0) return adjoint;
  const double length = graph_.length(adjoint.value);
  if (length != 1 && length < graph_.length(whole))
    adjoint.value = choice_node(graph_, logical(Op::is_na, {whole}), adjoint.value, adjoint.value);
  return adjoint;
}

int Backward::spread_over(int id, const Adjoint& adjoint) {
  const int given = value(adjoint);
  if (graph_.length(given) == graph_.length(id)) return given;
  if (graph_.length(given) != 1 || adjoint.cut != 0)
    throw LimitError("the gradient of a vector that ifelse() cuts to its test's length is not supported");
  return choice_node(graph_, logical(Op::is_na, {id}), given, given);
}

void Backward::product(int id, const Node& node, const Adjoint& adjoint) {
  Node made{Op::crossprod, Type::real, graph_.input(node.first).columns};
  made.first = id;
  made.second = adjoint.cut;
  int score = as_double(graph_, given_or_one(adjoint));
  if (graph_.length(score) == 1) score = choice_node(graph_, logical(Op::is_na, {id}), score, score);
  made.args = {score};
  if (adjoint.mask != 0) made.args.push_back(adjoint.mask);
  Adjoint given;
  given.value = graph_.defined(graph_.add(std::move(made)));
  const int coefficients = input_node(node.second);
  if (graph_.input(node.second).definition == 0) {
    int& sum = found_.nodes[place(node.second)];
    sum = sum_node(graph_, sum, given.value);
  } else if (depends_[at(coefficients)] != 0) {
    handed_[at(coefficients)].push_back(given);
  }
}

void Backward::hand_to_part(const Node& node, int value) {
  Adjoint given;
  given.value = value;
  if (depends_[at(node.args[0])] != 0) handed_[at(node.args[0])].push_back(given);
}

int Backward::of_slice(const Node& node, const Adjoint& adjoint) {
  const Node& source = graph_.at(node.args[0]);
  const double length = graph_.length(node.args[0]);
  if (source.op == Op::input && length > 1 && node.length == 1 && !node.flag && node.first > length) {
    const std::string& name = graph_.input(source.first).name;
    if (name.empty()) { // of a vector that the function computes
      throw LimitError("the gradient where element " + std::to_string(node.first) + " of a vector of length " +
                       std::to_string(static_cast<long long>(length)) + " is taken is not supported");
    }
    throw LimitError("the gradient where `" + name + "[" + std::to_string(node.first) + "]` is taken and `" + name +
                     "` has length " + std::to_string(static_cast<long long>(length)) + " is not supported");
  }
  Node made{Op::spread, Type::real, graph_.length(node.args[0]), {as_double(graph_, whole_value(adjoint))}};
  made.first = node.first;
  made.second = node.second;
  made.flag = node.flag;
  made.name = std::to_string(static_cast<long long>(node.length));
  return graph_.defined(graph_.add(std::move(made)));
}

int Backward::of_gather(const Node& node, const Adjoint& adjoint) {
  Node made{Op::segments, Type::real, graph_.length(node.args[0])};
  // In memory: the sums read it in the order of the codes, and it is computed in the order of the data.
  const int each = as_double(graph_, spread_over(node.args[1], adjoint));
  made.args = {graph_.length(each) == 1 ? each : in_memory(graph_, each), node.args[1]};
  return graph_.defined(graph_.add(std::move(made)));
}

// Of a column of a matrix: the other columns have no part.
void Backward::column(int id, const Node& node, const Adjoint& adjoint) {
  Node made{Op::spread, Type::real, graph_.input(node.first).length, {as_double(graph_, spread_over(id, adjoint))}};
  made.first = static_cast<int>((node.second - 1) * node.length + 1);
  made.second = 1;
  made.name = std::to_string(static_cast<long long>(node.length));
  graph_.exact = true;
  int& sum = found_.nodes[place(node.first)];
  sum = sum_node(graph_, sum, graph_.defined(graph_.add(std::move(made))));
}

// Of a vector in each row of a matrix: the sums of its columns.
int Backward::of_each(const Node& node, const Adjoint& adjoint) {
  const int x = node.args[0];
  const double length = graph_.length(x), rows = node.length / length;
  const int given = as_double(graph_, whole_value(adjoint));
  if (graph_.length(given) == 1) return multiple_node(graph_, given, constant_node(graph_, rows));
  if (length > kMostWrittenOut) return column_sums(graph_, given, length);
  std::vector<int> sums;
  for (double j = 0; j < length; ++j)
    sums.push_back(reduce_node(graph_, "sum", false, slice_of(graph_, given, j * rows + 1, rows)));
  return sums.size() == 1 ? sums[0] : concat_node(graph_, sums);
}

int Backward::of_part_sums(const Node& node, const Adjoint& adjoint) {
  const int given = in_memory(graph_, as_double(graph_, whole_value(adjoint)));
  const double all = graph_.length(node.args[0]), parts = node.length / node.first;
  const double rows = all / node.first;
  if (parts == 1) return each_of(graph_, given, rows);
  const double part = std::floor((rows - 1) / parts) + 1;
  const auto number = [this](double value) { return constant_node(graph_, value); };
  const auto whole = [&](int x, double by) {
    return elementary_node(graph_, "floor", arithmetic_node(graph_, Op::divide, x, number(by)));
  };
  const int place = counted_from_zero(graph_, all), column = whole(place, rows);
  const int row =
      arithmetic_node(graph_, Op::subtract, place, arithmetic_node(graph_, Op::multiply, column, number(rows)));
  const int before =
      arithmetic_node(graph_, Op::add, arithmetic_node(graph_, Op::multiply, column, number(parts)), number(1));
  return graph_.add({Op::gather, Type::real, all, {given, arithmetic_node(graph_, Op::add, before, whole(row, part))}});
}

// What is masked is so in all of a row: nothing is multiplied with what is not taken.
void Backward::row_reduced(int id, const Node& node, const Adjoint& adjoint) {
  const int x = node.args[0], missing = logical(Op::is_na, {x});
  int given = given_or_one(adjoint);
  if (graph_.length(given) > 1) given = in_memory(graph_, given);  // once a row, not once an element of it
  if (adjoint.cut != 0) whole_value(adjoint);
  Adjoint made;
  if (adjoint.mask != 0) {
    const int every = logical(Op::either, {missing, logical(Op::negation, {missing})});
    made.mask = logical(Op::both, {adjoint.mask, every});
  }
  if (node.name == "sum") {
    made.value = choice_node(graph_, missing, given, given);
  } else if (node.name == "prod") {
    made.value = multiple_node(graph_, given, other_factors(graph_, x, id));
  } else {
    const int extreme = in_memory(graph_, id), same = logical(Op::equal, {x, extreme});
    const int ties = row_reduction(graph_, "sum", as_double(graph_, same), node.length);
    const int shared = arithmetic_node(graph_, Op::divide, given, ties);
    const int part = choice_node(graph_, same, shared, constant_node(graph_, 0.0));
    made.value = choice_node(graph_, logical(Op::is_na, {extreme}), extreme, part);
  }
  if (depends_[at(x)] != 0) handed_[at(x)].push_back(made);
}

// Of each element of a matrix: the product of the others in its row.
int other_factors(Graph& graph, int x, int product) {
  const double rows = graph.length(product);
  const int zero = constant_node(graph, 0.0), one = constant_node(graph, 1.0);
  const auto is = [&graph](int a, int b) { return plain_node(graph, Op::equal, Type::logical, {a, b}); };
  const int is_zero = is(x, zero);
  // In memory as numbers: what is asked of them is asked of each element.
  const int zeros = in_memory(graph, row_reduction(graph, "sum", as_double(graph, is_zero), rows));
  const int others = in_memory(graph, row_reduction(graph, "prod", choice_node(graph, is_zero, one, x), rows));
  const int alone = choice_node(graph, is(zeros, one), others, zero);
  const int rest = choice_node(graph, is(zeros, zero), arithmetic_node(graph, Op::divide, product, x), zero);
  return choice_node(graph, is_zero, alone, rest);
}

int Backward::whole_value(const Adjoint& adjoint) {
  if (adjoint.cut != 0)
    throw LimitError("the gradient of a vector that ifelse() cuts to its test's length is not supported");
  return value(adjoint);
}

int Backward::reversed(int id) {
  if (graph_.length(id) == 1) return id;
  Node node{Op::slice, Type::real, graph_.length(id), {in_memory(graph_, id)}};
  node.second = -1;
  node.flag = true;
  return graph_.add(std::move(node));
}

void Backward::cumulated(const Node& node, const Adjoint& adjoint) {
  const int given = as_double(graph_, spread_over(node.args[0], adjoint));
  hand_to_part(node, reversed(cumsum_node(graph_, in_memory(graph_, reversed(given)))));
}

void Backward::concatenated(const Node& node, const Adjoint& adjoint) {
  const int all = in_memory(graph_, as_double(graph_, whole_value(adjoint)));
  double from = 1;
  for (const int arg : node.args) {
    const double length = graph_.length(arg);
    Adjoint given;
    given.value = all;
    if (graph_.length(all) != 1) {
      Node part{Op::slice, Type::real, length, {all}};
      part.first = static_cast<int>(from);
      part.second = 1;
      given.value = graph_.add(std::move(part));
      if (length == 1) given.value = graph_.defined(given.value);
    }
    if (depends_[at(arg)] != 0) handed_[at(arg)].push_back(given);
    from += length;
  }
}

void Backward::reduced(int id, const Node& node, Adjoint adjoint) {
  const int x = node.args[0], there = logical(Op::negation, {logical(Op::is_na, {x})});
  if (node.name == "any" || node.name == "all") return;
  // What is not taken has no part, and what is a mask of one number holds for all elements.
  const int taken = adjoint.mask;
  if (node.flag) adjoint.mask = taken == 0 ? there : logical(Op::both, {taken, there});
  if (node.name == "sum") return hand(x, adjoint);
  const int given = given_or_one(adjoint);
  if (node.name == "mean") {
    const int count = node.flag ? reduce_node(graph_, "sum", false, as_double(graph_, there)) : count_node(graph_, x);
    adjoint.value = arithmetic_node(graph_, Op::divide, given, count);
    return hand(x, adjoint);
  }
  const int value = graph_.defined(id);
  if (node.name == "min" || node.name == "max") {
    // Elements that lie in memory, and the extreme of these: what is computed twice, by two kernels, may differ in the
    // last digit, and then no element would be the extreme.
    const int kept = in_memory(graph_, as_double(graph_, x)), extreme = reduce_node(graph_, node.name, node.flag, kept);
    const int same = logical(Op::both, {there, logical(Op::equal, {kept, extreme})});
    const int ties = reduce_node(graph_, "sum", false, as_double(graph_, same));
    const int part =
        choice_node(graph_, same, arithmetic_node(graph_, Op::divide, given, ties), constant_node(graph_, 0.0));
    adjoint.value = choice_node(graph_, logical(Op::is_na, {value}), as_double(graph_, value), part);
    return hand(x, adjoint);
  }
  if (node.name != "prod") throw LimitError("the gradient of " + node.name + "() is not supported");
  const int zero = constant_node(graph_, 0.0), one = constant_node(graph_, 1.0);
  int is_zero = logical(Op::equal, {x, zero});
  if (node.flag) is_zero = logical(Op::both, {there, is_zero});
  const int zeros = reduce_node(graph_, "sum", node.flag, as_double(graph_, is_zero));
  const int others = reduce_node(graph_, "prod", node.flag, choice_node(graph_, is_zero, one, x));
  const int alone = choice_node(graph_, logical(Op::equal, {zeros, one}), others, zero);
  const int rest =
      choice_node(graph_, logical(Op::equal, {zeros, zero}), arithmetic_node(graph_, Op::divide, value, x), zero);
  adjoint.value = multiple_node(graph_, given, choice_node(graph_, is_zero, alone, rest));
  return hand(x, adjoint);
}

}  // namespace openclPort::expression
