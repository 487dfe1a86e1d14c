// adjoint -- derivatives in reverse mode: from the value down to the arguments, each node hands on what a change of it
// does to the value, its adjoint. Products are never formed with elements that are not taken: the derivative of a
// branch that is not, which may be NaN, leaves no trace.
#include "expression/adjoint.h"

#include <algorithm>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/rules.h"

namespace openclPort {
namespace expression {

namespace {

// What is handed to a node: the node of the adjoint, 0 for 1; a logical node, FALSE in elements that the node has no
// part in, 0 where there are none; and the node of the vector that the elements are counted by where a longer one was
// cut to its length, as ifelse() cuts its branches, 0 where none was.
struct Adjoint {
  int value = 0, mask = 0, cut = 0;
};

bool is_known_test(const Node& node) {
  return node.op == Op::is_na || node.op == Op::is_nan || node.op == Op::is_finite || node.op == Op::is_infinite ||
         (node.op == Op::constant && !is_missing(node.constant));
}

class Backward {
 public:
  Backward(Graph& graph, const std::vector<int>& wrt) : graph_(graph), wrt_(wrt) {
    found_.nodes.assign(wrt.size(), 0);
    found_.terms.resize(wrt.size());
    note_depending();
    handed_.resize(depends_.size());
  }

  Adjoints from(int root) {
    const std::vector<int> order = nodes_under(graph_, {root}, [](const Node& node) {
      return node.op == Op::select ? std::vector<int>{node.args[1], node.args[2]} : node.args;
    });
    hand(root, Adjoint{});
    for (auto id = order.rbegin(); id != order.rend(); ++id)
      for (const Adjoint& total : totals(handed_[at(*id)])) pass(*id, total);
    return std::move(found_);
  }

 private:
  static std::size_t at(int id) { return static_cast<std::size_t>(id) - 1; }

  // By node: whether an input of `wrt` has part in it.
  void note_depending() {
    for (int id = 1; id <= graph_.size(); ++id) {
      const Node& node = graph_.at(id);
      if (node.op == Op::product && place(node.first) < wrt_.size())
        throw NmathError("the gradient in `" + graph_.input(node.first).name +
                         "`, the matrix of a product, is not supported: name the coefficients");
      bool depends = false;
      if (node.op == Op::input)
        depends = place(node.first) < wrt_.size();
      else if (node.op == Op::product)
        depends = place(node.second) < wrt_.size();
      else
        depends = std::any_of(node.args.begin(), node.args.end(), [this](int arg) { return depends_[at(arg)] != 0; });
      depends_.push_back(depends ? 1 : 0);
    }
  }

  std::size_t place(int input) const {
    return static_cast<std::size_t>(std::find(wrt_.begin(), wrt_.end(), input) - wrt_.begin());
  }

  void hand(int id, const Adjoint& adjoint) {
    if (depends_[at(id)] != 0) handed_[at(id)].push_back(adjoint);
  }

  // What was handed to a node, as one adjoint for each way that its elements are counted.
  std::vector<Adjoint> totals(const std::vector<Adjoint>& adjoints) {
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

  Adjoint total(const std::vector<Adjoint>& adjoints) {
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

  // 0 where the mask is FALSE.
  int value(const Adjoint& adjoint) {
    const int given = given_or_one(adjoint);
    if (adjoint.mask == 0) return given;
    return choice_node(graph_, adjoint.mask, given, constant_node(graph_, 0.0));
  }

  int given_or_one(const Adjoint& adjoint) { return adjoint.value != 0 ? adjoint.value : constant_node(graph_, 1.0); }

  int logical(Op op, const std::vector<int>& args) { return plain_node(graph_, op, Type::logical, args); }

  // A node's values at the elements that `cut` counts.
  int cut_to(int id, int cut) {
    if (cut == 0 || graph_.length(id) <= graph_.length(cut)) return id;
    Node node;
    node.op = Op::cut;
    node.type = graph_.type(id);
    node.length = graph_.length(cut);
    node.args = {id, cut};
    return graph_.add(std::move(node));
  }

  // The adjoint times a partial derivative.
  Adjoint scaled(Adjoint adjoint, int partial) {
    if (is_constant_one(graph_, partial)) return adjoint;
    partial = cut_to(partial, adjoint.cut);
    adjoint.value = adjoint.value == 0 ? partial : multiple_node(graph_, adjoint.value, partial);
    return adjoint;
  }

  void pass(int id, const Adjoint& adjoint) {
    const Node node = graph_.at(id);  // a copy: the graph grows
    switch (node.op) {
      case Op::input: {
        int& sum = found_.nodes[place(node.first)];
        sum = sum_node(graph_, sum, value(adjoint));
        return;
      }
      case Op::product: {
        Term term;
        term.product = id;
        term.score = as_double(graph_, given_or_one(adjoint));
        term.mask = adjoint.mask;
        term.cut = adjoint.cut;
        found_.terms[place(node.second)].push_back(term);
        return;
      }
      case Op::constant:
      case Op::column:
      // Step functions: 0 where they have a derivative.
      case Op::equal:
      case Op::unequal:
      case Op::less:
      case Op::greater:
      case Op::less_equal:
      case Op::greater_equal:
      case Op::both:
      case Op::either:
      case Op::negation:
      case Op::exclusive:
      case Op::as_logical:
      case Op::as_integer:
      case Op::is_na:
      case Op::is_nan:
      case Op::is_finite:
      case Op::is_infinite:
        return;
      case Op::as_double:
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
          if (depends_[at(arg)] != 0) throw NmathError("random numbers have no derivative");
        return;
      default:
        for (std::size_t k = 0; k < node.args.size(); ++k) {
          if (depends_[at(node.args[k])] == 0) continue;
          const int partial = partial_node(graph_, id, k);
          if (partial != 0) hand(node.args[k], scaled(adjoint, partial));
        }
    }
  }

  Adjoint negative(Adjoint adjoint) {
    adjoint.value = adjoint.value == 0 ? constant_node(graph_, -1.0) : negative_node(graph_, adjoint.value);
    return adjoint;
  }

  // The adjoint of a choice between two nodes: of the one that is taken, and NA for both where the test is missing.
  void choose(int test, const Adjoint& adjoint, int yes, int no) {
    const int asked = cut_to(test, adjoint.cut);
    if (is_known_test(graph_.at(asked)))
      return hand_to_branches(test, adjoint, {yes, no}, {asked, logical(Op::negation, {asked})});
    either_way(test, adjoint, logical(Op::is_na, {asked}), asked, {yes, no});
  }

  // `none`: where NA goes both ways.
  void either_way(int test, Adjoint adjoint, int none, int asked, const std::vector<int>& branches) {
    const int missing = constant_node(graph_, na_real());
    adjoint.value = choice_node(graph_, none, missing, given_or_one(adjoint));
    const int other = logical(Op::negation, {asked});
    const int first = logical(Op::either, {none, asked}), second = logical(Op::either, {none, other});
    hand_to_branches(test, adjoint, branches, {first, second});
  }

  void hand_to_branches(int test, const Adjoint& adjoint, const std::vector<int>& branches,
                        const std::vector<int>& masks) {
    for (std::size_t k = 0; k < branches.size(); ++k) {
      Adjoint given = adjoint;
      given.mask = adjoint.mask == 0 ? masks[k] : logical(Op::both, {adjoint.mask, masks[k]});
      const double counted = graph_.length(test);
      const bool longer = graph_.length(branches[k]) > counted;
      if (longer && (given.cut == 0 || counted < graph_.length(given.cut))) given.cut = test;
      hand(branches[k], given);
    }
  }

  // That of the argument that is taken, the first one at a tie. With `flag`, R's na.rm, the other one is taken where
  // one is missing.
  void extreme(const Node& node, const Adjoint& adjoint) {
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

  Graph& graph_;
  const std::vector<int>& wrt_;
  std::vector<char> depends_;                 // by node of the graph as it was
  std::vector<std::vector<Adjoint>> handed_;  // by node
  Adjoints found_;
};

}  // namespace

Adjoints adjoints(Graph& graph, int root, const std::vector<int>& wrt) {
  const Quietly quietly(graph);
  return Backward(graph, wrt).from(root);
}

}  // namespace expression
}  // namespace openclPort
