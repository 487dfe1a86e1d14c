// slopes -- a gradient as nodes and as terms of products.
#include "expression/slopes.h"

#include <set>

#include "base/nmath_error.h"
#include "expression/build.h"

namespace openclPort::expression {

namespace {

constexpr std::size_t kMostTerms = 20;  // what local memory of 32 KiB has room for

// Whether `name` is the right side of a %*%, or of solve(V, r).
bool is_coefficient(const Syntax& body, const std::string& name) {
  std::vector<const Syntax*> left = {&body};
  while (!left.empty()) {
    const Syntax& part = *left.back();
    left.pop_back();
    if (part.kind != Syntax::Kind::call) continue;
    if ((part.name == "%*%" || part.name == ".solved") && part.args.size() == 2 && part.args[1] != nullptr &&
        part.args[1]->kind == Syntax::Kind::symbol && part.args[1]->name == name)
      return true;
    for (const SyntaxPtr& arg : part.args)
      if (arg != nullptr) left.push_back(arg.get());
  }
  return false;
}

}  // namespace

std::vector<Slope> gradient_slopes(Graph& graph, int root, const std::vector<int>& gradient, bool reduced,
                                   const Syntax& body) {
  const Adjoints found = adjoints(graph, root, gradient);
  std::set<int> multiplied;
  for (int id = 1; id <= graph.size(); ++id)
    if (graph.at(id).op == Op::product) multiplied.insert(graph.at(id).second);
  std::vector<Slope> slopes;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    Slope slope;
    slope.input = gradient[i];
    const Input& input = graph.input(slope.input);
    const int node = found.nodes[i];
    // Conditions may have left the product out.
    const bool left_out = node == 0 && input.length != 1 && (reduced || is_coefficient(body, input.name));
    if (multiplied.count(slope.input) != 0 || left_out) {
      if (node != 0)
        throw LimitError(
            "the gradient in `" + input.name +
            "`, which is not only a vector of coefficients, is not supported: give what is used beside the "
            "product as an argument of its own, f(X, b, c) with X %*% b + c, and add the gradients");
      slope.terms = found.terms[i];
    } else {
      if (reduced && input.length != 1)
        throw LimitError(
            "the gradient in `" + input.name +
            "`: it has to be of length one, or coefficients. A vector of coefficients is written as X %*% " +
            input.name + "; numbers of their own, " + input.name + "1 and " + input.name +
            "2, are arguments of length one; for one slope per element leave out `reduce`");
      slope.node = as_double(graph, node != 0 ? node : constant_node(graph, 0.0));
    }
    slopes.push_back(std::move(slope));
  }
  return slopes;
}

GradientOutputs gradient_outputs(const std::vector<Slope>& slopes, bool reduced) {
  GradientOutputs made;
  for (const Slope& slope : slopes) {
    if (slope.node != 0) made.outputs.push_back(slope.node);
    made.terms.insert(made.terms.end(), slope.terms.begin(), slope.terms.end());
  }
  made.slopes = static_cast<int>(made.outputs.size());
  if (reduced) {
    if (made.terms.size() > kMostTerms)
      throw LimitError("gradients of " + std::to_string(made.terms.size()) + " products with matrices are more than " +
                       std::to_string(kMostTerms) + " in one expression: join matrices by cbind()");
    return made;
  }
  for (const Term& term : made.terms) {
    made.outputs.push_back(term.score);
    if (term.mask != 0) made.outputs.push_back(term.mask);
  }
  made.terms.clear();
  return made;
}

}  // namespace openclPort::expression
