// tangents_recursion -- the tangent of a loop over data: the same loop, that carries the tangents of what it carries
// along, and writes those of what it writes.
#include <memory>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/recursion.h"
#include "expression/rules.h"
#include "expression/tangents.h"

namespace openclPort::expression {

namespace {

using Local = Recursion::Local;

class ForwardLoop {
 public:
  // `tangents`: by argument of the loop, the number of the argument that is its tangent; 0: it has none.
  ForwardLoop(const Recursion& loop, const std::vector<int>& tangents)
      : made_(std::make_shared<Recursion>(loop)),
        tangents_(tangents),
        carried_(loop.carried.size()),
        vectors_(loop.vectors.size()) {
    made_->body.sites.clear();  // the loop itself has told of them
    made_->holds.clear();
    made_->codes.clear();
    for (Local& local : made_->locals) local.guards.clear();
  }

  std::shared_ptr<Recursion> run() {
    const Quietly quietly(made_->body);
    made_->body.twice = true;
    for (std::size_t k = 0; k < carried_; ++k) {
      Recursion::Carried carried;
      carried.start = tangent_of(made_->carried[k].start);
      made_->carried.push_back(carried);
    }
    for (std::size_t k = 0; k < vectors_; ++k) {
      const Recursion::Vector& own = made_->vectors[k];
      Recursion::Vector vector;
      vector.length = own.length;
      vector.start = own.start == 0 && own.patches.empty() ? 0 : tangent_of(own.start);
      if (vector.start == 0 && (own.start != 0 || !own.patches.empty())) vector.start = -1;
      for (const auto& patch : own.patches)
        if (tangent_of(patch.second) != 0) vector.patches.push_back({patch.first, tangent_of(patch.second)});
      const bool patched_zero = own.start > 0 && vector.start > 0 && vector.patches.size() != own.patches.size();
      if (patched_zero)
        throw LimitError("the second derivative of a loop over data that writes to such a vector is not supported");
      made_->vectors.push_back(vector);
    }
    std::vector<int> wanted;
    for (std::size_t k = 0; k < carried_; ++k) wanted.push_back(made_->carried[k].next);
    const std::size_t writes = made_->writes.size();
    for (std::size_t k = 0; k < writes; ++k) wanted.push_back(made_->writes[k].value);
    const std::vector<int> given = input_tangents();
    std::vector<int> found = Tangents(made_->body, given).of(wanted);
    for (int& node : found) node = as_double(made_->body, node == 0 ? constant_node(made_->body, 0.0) : node);
    for (std::size_t k = 0; k < carried_; ++k) made_->carried[carried_ + k].next = found[k];
    for (std::size_t k = 0; k < writes; ++k) {
      const Recursion::Write write = made_->writes[k];
      made_->writes.push_back(
          {write.vector + static_cast<int>(vectors_), write.place, found[carried_ + k], write.adds});
    }
    return made_;
  }

 private:
  int tangent_of(int argument) const { return argument > 0 ? tangents_[static_cast<std::size_t>(argument) - 1] : 0; }

  // By input of the body, the node of its tangent; 0: it has none.
  std::vector<int> input_tangents() {
    const std::size_t inputs = made_->locals.size();
    std::vector<int> given(inputs, 0);
    for (std::size_t k = 0; k < inputs; ++k) {
      if (made_->body.inputs[k].type != Type::real) continue;
      Local local = made_->locals[k];
      if (local.kind == Local::Kind::carried)
        local.number += static_cast<int>(carried_);
      else if (local.kind == Local::Kind::own)
        local.number += static_cast<int>(vectors_);
      else if (local.kind == Local::Kind::scalar || local.kind == Local::Kind::element)
        local.number = tangent_of(local.number);
      else
        continue;
      if (local.number != 0) given[k] = body_input(*made_, Type::real, local);
    }
    return given;
  }

  std::shared_ptr<Recursion> made_;
  const std::vector<int>& tangents_;
  const std::size_t carried_, vectors_;
};

}  // namespace

Tangent Tangents::recursion(const Node& node) {
  const Recursion& loop = *graph_.recursions[static_cast<std::size_t>(node.first) - 1];
  if (loop.of_series) throw LimitError("second derivatives of loops over the data of several series are not supported");
  std::vector<int> args = node.args, tangents;
  for (const int arg : node.args) {
    const bool moves = !known(arg).zero() && graph_.type(arg) == Type::real;
    tangents.push_back(0);
    if (!moves) continue;
    args.push_back(recursion_argument(graph_, as_double(graph_, full(arg, known(arg)))));
    tangents.back() = static_cast<int>(args.size());
  }
  return {recursion_node(graph_, ForwardLoop(loop, tangents).run(), args), 0};
}

Tangent Tangents::recursion_part(const Node& node) {
  if (node.type != Type::real) return {};
  const Recursion& loop = *graph_.recursions[static_cast<std::size_t>(graph_.at(node.args[0]).first) - 1];
  const int carried = static_cast<int>(loop.carried.size()), vectors = static_cast<int>(loop.vectors.size());
  const int number = node.first <= carried ? node.first + carried : node.first + carried + vectors;
  return {recursion_result(graph_, known(node.args[0]).node, number, Type::real, node.length), 0};
}

}  // namespace openclPort::expression
