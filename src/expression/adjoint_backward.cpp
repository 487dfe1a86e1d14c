// adjoint_backward -- derivatives in reverse mode: from the value down to the arguments, each node hands on what a
// change of it does to the value, its adjoint. Products are never formed with elements that are not taken: the
// derivative of a branch that is not, which may be NaN, leaves no trace.
#include "expression/adjoint_backward.h"

#include <algorithm>
#include <string>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/rules.h"
#include "expression/series.h"

namespace openclPort::expression {

namespace {

bool is_known_test(const Node& node) {
  return is_one_of(node.op, Op::is_na, Op::is_nan, Op::is_finite, Op::is_infinite) ||
         (node.op == Op::constant && !is_missing(node.constant));
}

}  // namespace

Backward::Backward(Graph& graph, const std::vector<int>& wrt, bool staged)
    : graph_(graph), wrt_(wrt), staged_(staged || has_definitions(graph)) {
  found_.nodes.assign(wrt.size(), 0);
  found_.terms.resize(wrt.size());
  note_depending();
  handed_.resize(depends_.size());
}

Adjoints Backward::from(int root) {
  const std::vector<int> order = nodes_under(graph_, {root}, [this](int id) { return followed(graph_.at(id)); });
  hand(root, Adjoint{});
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    from_ = *id;
    for (const Adjoint& total : totals(handed_[at(*id)])) pass(*id, total);
    if (graph_.at(*id).op == Op::recursion) recursion(*id);
  }
  return std::move(found_);
}

bool Backward::has_definitions(const Graph& graph) {
  return std::any_of(graph.inputs.begin(), graph.inputs.end(),
                     [](const Input& input) { return input.definition != 0; });
}

std::vector<int> Backward::followed(const Node& node) {
  switch (node.op) {
    case Op::select:
      return {node.args[1], node.args[2]};
    case Op::slice:
    case Op::gather:
      return {node.args[0]};
    case Op::input: {
      const int definition = place(node.first) < wrt_.size() ? 0 : graph_.input(node.first).definition;
      return definition == 0 ? std::vector<int>() : std::vector<int>{definition};
    }
    case Op::product:
      return staged_ && graph_.input(node.second).definition != 0 ? std::vector<int>{input_node(node.second)}
                                                                  : std::vector<int>();
    default:
      return node.args;
  }
}

int Backward::input_node(int number) { return input_as_node(graph_, number); }

bool Backward::input_depends(int number) {
  const int definition = graph_.input(number).definition;
  return place(number) < wrt_.size() || (definition != 0 && depends_[at(definition)] != 0);
}

void Backward::note_depending() {
  for (int id = 1; id <= graph_.size(); ++id) {
    const Node& node = graph_.at(id);
    const bool of_matrix = (node.op == Op::product || node.op == Op::column) && place(node.first) < wrt_.size();
    if (of_matrix && (node.op == Op::product || !staged_))
      throw LimitError("the gradient in `" + graph_.input(node.first).name +
                       "`, a matrix of which products or columns are taken, is not supported: name the coefficients");
    bool depends = of_matrix;
    if (node.op == Op::input)
      depends = input_depends(node.first);
    else if (node.op == Op::product)
      depends = input_depends(node.second);
    else if (node.op == Op::slice || node.op == Op::gather)
      depends = depends_[at(node.args[0])] != 0;
    else if (!of_matrix)
      depends = std::any_of(node.args.begin(), node.args.end(), [this](int arg) { return depends_[at(arg)] != 0; });
    depends_.push_back(depends ? 1 : 0);
  }
}

std::size_t Backward::place(int input) const {
  return static_cast<std::size_t>(std::find(wrt_.begin(), wrt_.end(), input) - wrt_.begin());
}

void Backward::hand(int id, const Adjoint& adjoint) {
  if (depends_[at(id)] == 0) return;
  if (staged_ && from_ != 0 && graph_.length(from_) == 0) {  // of no element, whatever the lengths of its parts are
    graph_.exact = true;
    return;
  }
  handed_[at(id)].push_back(staged_ && from_ != 0 ? fitted(id, adjoint) : adjoint);
}

std::vector<Adjoint> Backward::totals(const std::vector<Adjoint>& adjoints) {
  std::vector<Adjoint> made;
  std::vector<int> ways;
  for (const Adjoint& adjoint : adjoints)
    if (std::find(ways.begin(), ways.end(), adjoint.cut) == ways.end()) ways.push_back(adjoint.cut);
  for (const int way : ways) {
    std::vector<Adjoint> same;
    for (const Adjoint& adjoint : adjoints)
      if (adjoint.cut == way) same.push_back(adjoint);
    made.push_back(total(same));
  }
  return made;
}

Adjoint Backward::total(const std::vector<Adjoint>& adjoints) {
  if (adjoints.size() == 1) return adjoints[0];
  Adjoint sum;
  sum.cut = adjoints[0].cut;
  bool masked = true;
  std::vector<int> masks;
  for (const Adjoint& adjoint : adjoints) {
    sum.value = sum_node(graph_, sum.value, value(adjoint));
    masked = masked && adjoint.mask != 0;
    if (std::find(masks.begin(), masks.end(), adjoint.mask) == masks.end()) masks.push_back(adjoint.mask);
  }
  if (!masked) return sum;
  sum.mask = masks[0];
  for (std::size_t k = 1; k < masks.size(); ++k) sum.mask = logical(Op::either, {sum.mask, masks[k]});
  return sum;
}

int Backward::value(const Adjoint& adjoint) {
  const int given = given_or_one(adjoint);
  if (adjoint.mask == 0) return given;
  return choice_node(graph_, adjoint.mask, given, constant_node(graph_, 0.0));
}

int Backward::cut_to(int id, int cut) {
  if (cut == 0 || graph_.length(id) <= graph_.length(cut)) return id;
  return graph_.add({Op::cut, graph_.type(id), graph_.length(cut), {id, cut}});
}

Adjoint Backward::scaled(Adjoint adjoint, int partial) {
  if (is_constant_one(graph_, partial)) return adjoint;
  partial = cut_to(partial, adjoint.cut);
  adjoint.value = adjoint.value == 0 ? partial : multiple_node(graph_, adjoint.value, partial);
  return adjoint;
}

// The log of a density that is 0 has no part in a sum of densities: its adjoint there is 0, whatever its derivative is.
Adjoint Backward::spared(int id, const Adjoint& adjoint, Adjoint product) {
  if (adjoint.value == 0) return product;
  const Node& given = graph_.at(adjoint.value);
  if (given.op == Op::constant && as_real(given.constant) != 0) return product;
  const int of_zero = log_of_zero(graph_, id);
  if (of_zero == 0) return product;
  const int zero = constant_node(graph_, 0.0);
  const int no_part = logical(Op::both, {cut_to(of_zero, adjoint.cut), logical(Op::equal, {adjoint.value, zero})});
  product.value = choice_node(graph_, no_part, zero, product.value);
  return product;
}

void Backward::pass(int id, const Adjoint& given) {
  const Adjoint adjoint = lengthened(id, given);
  const Node node = graph_.at(id);  // a copy: the graph grows
  if (has_no_slope(node)) return;
  switch (node.op) {
    case Op::slice:
      return hand_to_part(node, of_slice(node, adjoint));
    case Op::gather:
      return hand_to_part(node, of_gather(node, adjoint));
    case Op::materialize:
    case Op::fill:
      return hand(node.args[0], adjoint);
    case Op::patch:
      return patched(node, adjoint);
    case Op::recursion_part:
      return recursion_part(node, adjoint);
    case Op::recursion:
      return;
    case Op::reduce:
      return reduced(id, node, adjoint);
    case Op::concat:
      return concatenated(node, adjoint);
    case Op::cumsum:
      return cumulated(node, adjoint);
    case Op::segments: {
      const int sums = in_memory(graph_, spread_over(graph_.defined(id), adjoint));
      Adjoint each;  // what has no group has no part
      each.value = graph_.add({Op::gather, Type::real, graph_.length(node.args[1]), {sums, node.args[1]}});
      const int missing = logical(Op::is_na, {node.args[1]});
      const int grouped = logical(Op::greater_equal, {as_double(graph_, node.args[1]), constant_node(graph_, 1.0)});
      each.mask = logical(Op::both, {logical(Op::negation, {missing}), grouped});
      if (depends_[at(node.args[0])] != 0) handed_[at(node.args[0])].push_back(each);
      return;
    }
    case Op::count:
    case Op::position:
      return;
    case Op::input: {
      const int definition = graph_.input(node.first).definition;
      if (definition != 0 && place(node.first) >= wrt_.size()) return hand(definition, adjoint);
      int& sum = found_.nodes[place(node.first)];
      sum = sum_node(graph_, sum, value(adjoint));
      return;
    }
    case Op::product: {
      if (staged_) return product(id, node, without_gaps(adjoint));
      Term term;
      term.product = id;
      term.score = as_double(graph_, given_or_one(adjoint));
      term.mask = adjoint.mask;
      term.cut = adjoint.cut;
      found_.terms[place(node.second)].push_back(term);
      return;
    }
    case Op::column:
      return column(id, node, adjoint);
    case Op::each:
      return hand_to_part(node, of_each(node, adjoint));
    case Op::part_sums:
      return hand_to_part(node, of_part_sums(node, adjoint));
    case Op::row_reduce:
      return row_reduced(id, node, adjoint);
    case Op::constant:
      return;
    case Op::as_double:
    case Op::as_integer:
    case Op::bare:
    case Op::plus:
      return hand(node.args[0], adjoint);
    case Op::negative:
      return hand(node.args[0], negative(adjoint));
    case Op::select:
      return choose(node.args[0], adjoint, node.args[1], node.args[2]);
    case Op::pmin:
    case Op::pmax:
      return extreme(node, adjoint);
    case Op::draw:
      for (const int arg : node.args)
        if (depends_[at(arg)] != 0) throw LimitError("random numbers have no derivative");
      return;
    default:
      for (std::size_t k = 0; k < node.args.size(); ++k) {
        if (depends_[at(node.args[k])] == 0) continue;
        if (is_step(graph_, id, k)) {
          hand(node.args[k], of_step(id, adjoint));
          continue;
        }
        const Partial partial = partial_of(graph_, id, k);
        const bool constant = partial.node != 0 && graph_.at(partial.node).op == Op::constant;
        const Adjoint taken = constant ? adjoint : without_gaps(adjoint);
        if (partial.in == node.args[k] && adjoint.value != 0 && is_reciprocal(node, k)) {
          hand(partial.in, by_value(id, node, taken));
          continue;
        }
        if (partial.node != 0) hand(partial.in, spared(id, taken, scaled(taken, partial.node)));
      }
  }
}

// Whether a node is c/y, k = 1, or x^c, c < 0 and k = 0: its square may be out of range where what it is multiplied by
// brings the product back.
bool Backward::is_reciprocal(const Node& node, std::size_t k) {
  if (node.op != Op::divide && node.op != Op::power) return false;
  const Node* other = &graph_.at(node.args[1 - k]);
  const bool minus = other->op == Op::negative;
  if (minus) other = &graph_.at(other->args[0]);
  if (other->op != Op::constant) return false;
  return node.op == Op::divide ? k == 1 : k == 0 && (as_real(other->constant) < 0) != minus;
}

// Its derivative by its value, which the adjoint is multiplied by first.
Adjoint Backward::by_value(int id, const Node& node, Adjoint adjoint) {
  const bool quotient = node.op == Op::divide;
  const int product = multiple_node(graph_, adjoint.value, cut_to(id, adjoint.cut));
  const int x = cut_to(as_double(graph_, node.args[quotient ? 1 : 0]), adjoint.cut);
  const int slope = arithmetic_node(graph_, Op::divide, product, x);
  adjoint.value =
      quotient ? negative_node(graph_, slope) : multiple_node(graph_, as_double(graph_, node.args[1]), slope);
  return adjoint;
}

// What is missing stays so, and all else is a branch that is not taken.
Adjoint Backward::of_step(int id, Adjoint adjoint) {
  const int missing = cut_to(logical(Op::is_na, {id}), adjoint.cut);
  adjoint.mask = adjoint.mask == 0 ? missing : logical(Op::both, {adjoint.mask, missing});
  adjoint.value = cut_to(id, adjoint.cut);
  return adjoint;
}

Adjoint Backward::negative(Adjoint adjoint) {
  adjoint.value = adjoint.value == 0 ? constant_node(graph_, -1.0) : negative_node(graph_, adjoint.value);
  return adjoint;
}

void Backward::choose(int test, const Adjoint& adjoint, int yes, int no) {
  const int asked = cut_to(test, adjoint.cut);
  if (is_known_test(graph_.at(asked)))
    return hand_to_branches(test, adjoint, {yes, no}, {asked, logical(Op::negation, {asked})});
  either_way(test, adjoint, logical(Op::is_na, {asked}), asked, {yes, no});
}

void Backward::either_way(int test, Adjoint adjoint, int none, int asked, const std::vector<int>& branches) {
  const int missing = constant_node(graph_, na_real());
  adjoint.value = choice_node(graph_, none, missing, given_or_one(adjoint));
  const int other = logical(Op::negation, {asked});
  const int first = logical(Op::either, {none, asked}), second = logical(Op::either, {none, other});
  hand_to_branches(test, adjoint, branches, {first, second});
}

void Backward::hand_to_branches(int test, const Adjoint& adjoint, const std::vector<int>& branches,
                                const std::vector<int>& masks) {
  for (std::size_t k = 0; k < branches.size(); ++k) {
    Adjoint given = adjoint;
    given.mask = adjoint.mask == 0 ? masks[k] : logical(Op::both, {adjoint.mask, masks[k]});
    // Rules choose element by element, whatever the length of the test.
    const double counted = graph_.at(from_).op == Op::select ? graph_.length(from_) : graph_.length(test);
    const bool longer = graph_.length(branches[k]) > counted;
    if (longer && (given.cut == 0 || counted < graph_.length(given.cut))) given.cut = test;
    hand(branches[k], given);
  }
}

void Backward::extreme(const Node& node, const Adjoint& adjoint) {
  const int first = node.args[0], second = node.args[1];
  const int longest = graph_.length(first) >= graph_.length(second) ? first : second;  // nothing is cut
  int better = logical(node.op == Op::pmin ? Op::less : Op::greater, {second, first});
  if (!node.flag) return choose(better, adjoint, second, first);
  const int no_first = logical(Op::is_na, {first}), no_second = logical(Op::is_na, {second});
  const int taken = logical(Op::either, {no_first, better});
  const int there = logical(Op::negation, {no_second});
  better = cut_to(logical(Op::both, {taken, there}), adjoint.cut);
  const int none = cut_to(logical(Op::both, {no_first, no_second}), adjoint.cut);
  either_way(longest, adjoint, none, better, {second, first});
}

Adjoints adjoints(Graph& graph, int root, const std::vector<int>& wrt, bool staged) {
  const Quietly quietly(graph);
  return Backward(graph, wrt, staged).from(root);
}

}  // namespace openclPort::expression
