// adjoint_recursion -- the adjoint of a loop over data: a loop that goes backwards.
//
// The first loop gets vectors of what each of its rounds has begun with. The second one computes a round again from
// these, and hands what its results have part in the value on: to what was carried, which is carried backwards, and to
// elements of vectors, where it is added in the order of the rounds.
#include "expression/adjoint_backward.h"

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/recursion.h"
#include "expression/rules.h"
#include "expression/series.h"

namespace openclPort::expression {

namespace {

using Local = Recursion::Local;

class BackwardLoop {
 public:
  // `depends`: by argument of the loop, whether it has an adjoint. `given`: by result of the loop, the node of its
  // adjoint; 0: it has none.
  BackwardLoop(Graph& graph, int id, const std::vector<bool>& depends, const std::map<int, int>& given)
      : graph_(graph),
        loop_(*graph.recursions[static_cast<std::size_t>(graph.at(id).first) - 1]),
        id_(id),
        depends_(depends),
        given_(given),
        args_(graph.at(id).args),
        made_(std::make_shared<Recursion>()) {
    made_->body = loop_.body;
    made_->body.twice = graph.twice;
    made_->body.sites.clear();
    made_->locals = loop_.locals;
    for (std::size_t k = 0; k < made_->locals.size(); ++k) {
      Local& local = made_->locals[k];
      local.guards.clear();
      if (local.kind != Local::Kind::carried && local.kind != Local::Kind::own) continue;
      local = Local();  // keep_rounds() says what it is
      local.number = -static_cast<int>(k) - 1;
    }
    made_->from = loop_.from;
    made_->step = loop_.step;
    made_->rounds = loop_.rounds;
    made_->backwards = !loop_.backwards;
    made_->of_series = loop_.of_series;
    made_->kinds = loop_.kinds;
    inputs_ = made_->locals.size();
  }

  // By argument, the nodes of what is to be handed to it.
  std::vector<std::vector<int>> run() {
    Graph& body = made_->body;
    int root = 0;
    for (std::size_t k = 0; k < loop_.carried.size(); ++k) {
      const Recursion::Carried& carried = loop_.carried[k];
      if (carried.type != Type::real) continue;
      Local local;
      local.kind = Local::Kind::carried;
      local.number = new_carried(result_adjoint(static_cast<int>(k) + 1));
      by_carried_.push_back({k, local.number});
      root = sum_node(body, root, multiple_node(body, body_input(*made_, Type::real, local), carried.next));
    }
    for (std::size_t k = 0; k < loop_.vectors.size(); ++k) {
      Recursion::Vector vector;
      vector.length = loop_.vectors[k].length;
      const int given = result_adjoint(loop_.result_of_vector(k));
      vector.start = given == 0 ? -1 : start_of(given, Recursion::Taken::rows);
      made_->vectors.push_back(vector);
    }
    for (const Recursion::Write& write : loop_.writes) {
      Local local;
      local.kind = Local::Kind::own;
      local.number = write.vector;
      local.place = write.place;
      local.length = made_->vectors[static_cast<std::size_t>(write.vector) - 1].length;
      root = sum_node(body, root, multiple_node(body, body_input(*made_, Type::real, local), write.value));
      made_->writes.push_back({write.vector, write.place, constant_node(body, 0.0), false});
    }
    if (root == 0) return std::vector<std::vector<int>>(args_.size());
    std::vector<int> wrt;
    for (std::size_t k = 0; k < inputs_; ++k)
      if (is_wanted(k)) wrt.push_back(static_cast<int>(k) + 1);
    const Adjoints found = adjoints(body, root, wrt);
    for (std::size_t k = 0; k < wrt.size(); ++k)
      if (found.nodes[k] != 0) take(static_cast<std::size_t>(wrt[k]) - 1, as_double(body, found.nodes[k]));
    for (Recursion::Carried& carried : made_->carried)
      if (carried.next == 0) carried.next = constant_node(body, 0.0);
    keep_rounds();
    return handed();
  }

 private:
  bool is_wanted(std::size_t k) const {
    const Local& local = loop_.locals[k];
    if (loop_.body.inputs[k].type != Type::real && local.kind != Local::Kind::scalar) return false;
    switch (local.kind) {
      case Local::Kind::carried:
      case Local::Kind::own:
        return true;
      case Local::Kind::scalar:
      case Local::Kind::element:
        return depends_[static_cast<std::size_t>(local.number) - 1];
      default:
        return false;
    }
  }

  int result_adjoint(int number) const {
    const auto found = given_.find(number);
    return found == given_.end() ? 0 : found->second;
  }

  int start_of(int node, Recursion::Taken kind) {
    args_.push_back(recursion_argument(graph_, as_double(graph_, node)));
    const bool one = graph_.length(node) == 1 && graph_.at(args_.back()).op == Op::constant;
    if (loop_.of_series) made_->kinds.push_back(one ? Recursion::Taken::common : kind);
    return static_cast<int>(args_.size());
  }

  int new_carried(int node) {
    Recursion::Carried carried;
    carried.start = node == 0 ? 0 : start_of(node, Recursion::Taken::number);
    made_->carried.push_back(carried);
    return static_cast<int>(made_->carried.size());
  }

  // What input k of the body has part in the value of a round.
  void take(std::size_t k, int adjoint) {
    Graph& body = made_->body;
    const Local local = loop_.locals[k];
    switch (local.kind) {
      case Local::Kind::carried:
        for (const auto& pair : by_carried_)
          if (static_cast<int>(pair.first) + 1 == local.number) {
            int& next = made_->carried[static_cast<std::size_t>(pair.second) - 1].next;
            next = sum_node(body, next, adjoint);
          }
        return;
      case Local::Kind::scalar: {
        Local sum;
        sum.kind = Local::Kind::carried;
        sum.number = new_carried(0);
        const int before = body_input(*made_, Type::real, sum);
        made_->carried.back().next = sum_node(body, before, adjoint);
        by_scalar_.push_back({local.number, sum.number});
        return;
      }
      case Local::Kind::own:
        made_->writes.push_back({local.number, local.place, adjoint, true});
        return;
      default:
        break;
    }
    int& number = by_element_[local.number];
    if (number == 0) {
      Recursion::Vector vector;
      if (loop_.of_series && !loop_.is_taken(local.number, Recursion::Taken::rows))
        throw LimitError("`by`: the gradient in a vector whose elements all series read, each at its own places");
      vector.length =
          loop_.of_series ? graph_.series.fake : graph_.length(args_[static_cast<std::size_t>(local.number) - 1]);
      vector.start = -1;
      made_->vectors.push_back(vector);
      number = static_cast<int>(made_->vectors.size());
    }
    int place = local.place;
    if (local.skip > 0) place = arithmetic_node(body, Op::add, as_double(body, place), constant_node(body, local.skip));
    made_->writes.push_back({number, place, adjoint, true});
  }

  // What the rounds of the first loop have begun with, as far as the second one reads it.
  void keep_rounds() {
    std::vector<int> used;
    for (const Recursion::Carried& carried : made_->carried) used.push_back(carried.next);
    for (const Recursion::Write& write : made_->writes) {
      used.push_back(write.place);
      used.push_back(write.value);
    }
    std::vector<bool> read(made_->locals.size(), false);
    for (const int under : nodes_under(made_->body, used)) {
      const Node& node = made_->body.at(under);
      if (node.op == Op::input) read[static_cast<std::size_t>(node.first) - 1] = true;
    }
    made_->holds.clear();
    made_->codes.clear();
    for (std::size_t k = 0; k < inputs_; ++k) {
      const Local::Kind kind = loop_.locals[k].kind;
      if (kind != Local::Kind::carried && kind != Local::Kind::own) continue;
      if (!read[k]) continue;
      Local round, kept;
      round.kind = Local::Kind::round;
      kept.place = body_input(*made_, Type::integer, round);
      kept.kind = Local::Kind::element;
      kept.number = history(k);
      kept.length = loop_.rounds;
      made_->locals[k] = kept;
    }
  }

  // The number of the argument that has them.
  int history(std::size_t k) {
    const int value = as_double(loop_.body, input_as_node(loop_.body, static_cast<int>(k) + 1));
    Local round;
    round.kind = Local::Kind::round;
    const int place = body_input(loop_, Type::integer, round);
    Recursion::Vector vector;
    vector.length = loop_.rounds;
    loop_.vectors.push_back(vector);
    loop_.writes.push_back({static_cast<int>(loop_.vectors.size()), place, value, false});
    const int result = loop_.result_of_vector(loop_.vectors.size() - 1);
    args_.push_back(recursion_result(graph_, id_, result, Type::real, rows_of(loop_.rounds)));
    if (loop_.of_series) made_->kinds.push_back(Recursion::Taken::rows);
    return static_cast<int>(args_.size());
  }

  // How long a vector of the loop is for all series together.
  double rows_of(double length) const { return loop_.of_series ? graph_.series.rows : length; }

  int result(int recursion, int number, double length) {
    return recursion_result(graph_, recursion, number, Type::real, length);
  }

  int number_result(int recursion, int number) {
    return result(recursion, number, loop_.of_series ? graph_.series.count : 1);
  }

  int element(int vector, double place) {
    if (loop_.of_series) return element_of_series(graph_, vector, place);
    return element_node(graph_, vector, static_cast<int>(place));
  }

  std::vector<std::vector<int>> handed() {
    const int recursion = recursion_node(graph_, made_, args_);
    std::vector<std::vector<int>> found(depends_.size());
    const auto hand = [&](int argument, int value) {
      if (argument > 0) found[static_cast<std::size_t>(argument) - 1].push_back(value);
    };
    for (const auto& pair : by_carried_) hand(loop_.carried[pair.first].start, number_result(recursion, pair.second));
    for (const auto& pair : by_scalar_) hand(pair.first, number_result(recursion, pair.second));
    for (const auto& pair : by_element_) {
      const std::size_t k = static_cast<std::size_t>(pair.second) - 1;
      hand(pair.first, result(recursion, made_->result_of_vector(k), rows_of(made_->vectors[k].length)));
    }
    for (std::size_t k = 0; k < vectors_; ++k) {
      const Recursion::Vector& vector = loop_.vectors[k];
      const int whole = result(recursion, made_->result_of_vector(k), rows_of(vector.length));
      for (const auto& patch : vector.patches) hand(patch.second, element(whole, patch.first));
      if (vector.start > 0 && graph_.length(args_[static_cast<std::size_t>(vector.start) - 1]) > 1 &&
          !loop_.is_taken(vector.start, Recursion::Taken::number))
        hand(vector.start, whole);
    }
    return found;
  }

  Graph& graph_;
  Recursion& loop_;
  const int id_;
  const std::vector<bool>& depends_;
  const std::map<int, int>& given_;
  std::vector<int> args_;
  std::shared_ptr<Recursion> made_;
  std::size_t inputs_ = 0;
  const std::size_t vectors_ = loop_.vectors.size();
  std::vector<std::pair<std::size_t, int>> by_carried_;  // of the loop, and of its adjoint
  std::vector<std::pair<int, int>> by_scalar_;           // argument, and what is carried
  std::map<int, int> by_element_;                        // by argument, the vector
};

}  // namespace

void Backward::recursion_part(const Node& node, const Adjoint& adjoint) {
  int& sum = results_[node.args[0]][node.first];
  sum = sum_node(graph_, sum, as_double(graph_, whole_value(adjoint)));
}

void Backward::recursion(int id) {
  const auto given = results_.find(id);
  if (given == results_.end()) return;
  const std::vector<int> args = graph_.at(id).args;
  std::vector<bool> depends;
  for (const int arg : args) depends.push_back(depends_[at(arg)] != 0);
  const std::vector<std::vector<int>> found = BackwardLoop(graph_, id, depends, given->second).run();
  for (std::size_t k = 0; k < args.size(); ++k)
    for (const int value : found[k]) {
      Adjoint one;
      one.value = value;
      if (depends[k]) handed_[at(args[k])].push_back(one);
    }
}

void Backward::patched(const Node& node, const Adjoint& adjoint) {
  const int given = in_memory(graph_, spread_over(node.args[0], adjoint));
  Node rest{Op::patch, Type::real, node.length, {given, constant_node(graph_, 0.0)}};
  rest.first = node.first;
  if (depends_[at(node.args[0])] != 0) {
    Adjoint one;
    one.value = graph_.defined(graph_.add(std::move(rest)));
    handed_[at(node.args[0])].push_back(one);
  }
  if (depends_[at(node.args[1])] == 0) return;
  Adjoint one;
  one.value = element_node(graph_, given, node.first);
  handed_[at(node.args[1])].push_back(one);
}

}  // namespace openclPort::expression
