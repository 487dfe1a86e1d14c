// laplace -- see laplace.h
//
// With f(t, u) the log-likelihood of parameters t and effects u, g its gradient and h its second derivatives in u, the
// approximation is L(t) = f(t, m) - A(t, m), A = sum(log(-h)) / 2, at the mode m(t), where g(t, m) = 0. By the rule of
// the implicit function dm/dt = -(dg/dt) / h, element by element, so that, f having no slope in u at m,
//   dL/dt = df/dt - dA/dt + sum(w * dg/dt),  w = (dA/du) / h:
// the gradient in t of f - A + sum(w * g) with w held. Each h is a second derivative by tangents, and dA one of these
// backwards: the third derivatives are exact.
#include "expression/laplace.h"

#include "base/nmath_error.h"
#include "expression/adjoint.h"
#include "expression/build.h"
#include "expression/levels.h"
#include "expression/matrices.h"
#include "expression/rules.h"
#include "expression/tangents.h"

namespace openclPort::expression {

namespace {

int signed_node(Graph& graph, int id, int sign) { return sign > 0 ? id : negative_node(graph, id); }

// A node that is of length one for all elements of a vector, for each of them.
int for_each(Graph& graph, int id, double length) {
  return graph.length(id) == length ? id : filled_node(graph, id, length);
}

}  // namespace

LaplaceValue laplace_value(Graph& graph, int root, int effects, int sign) {
  const Quietly quietly(graph);
  const std::string name = graph.input(effects).name;
  const double length = graph.input(effects).length;
  const std::vector<int> wrt = {effects};
  root = as_double(graph, root);
  Slope slope;
  slope.input = effects;
  slope.node = adjoints(graph, root, wrt, true).nodes[0];
  if (slope.node == 0) throw NmathError("the value does not depend on `" + name + "`, which is integrated out");
  slope.node = as_double(graph, slope.node);
  const Diagonals parts = diagonal_parts(graph, {slope}, wrt, 0);
  if (parts.is[0] == 0)
    throw LimitError(parts.refused +
                     ": effects that are integrated out enter element by element, or by one vector of codes, `" + name +
                     "[g]`");
  const int moved = Tangents(graph, wrt, effects, 0).of({slope.node})[0];
  if (moved == 0)
    throw NmathError("the value has no curvature in `" + name + "`: has it no log density of these effects?");
  const int curvature = for_each(graph, as_double(graph, moved), length);
  const int logs = plain_node(graph, Op::log, Type::real, {signed_node(graph, curvature, -sign)});
  const int sum = reduce_node(graph, "sum", false, logs);
  const int half = arithmetic_node(graph, Op::multiply, constant_node(graph, 0.5), sum);
  LaplaceValue made;
  made.value = arithmetic_node(graph, Op::subtract, signed_node(graph, root, sign), half);
  made.to_derive = made.value;
  const int third = adjoints(graph, half, wrt, true).nodes[0];
  if (third == 0) return made;  // of normal data
  const int held =
      in_memory(graph, for_each(graph, arithmetic_node(graph, Op::divide, as_double(graph, third), curvature), length));
  made.constant = graph.at(held).first;
  const int part = arithmetic_node(graph, Op::multiply, held, for_each(graph, slope.node, length));
  made.to_derive = arithmetic_node(graph, Op::add, made.value, reduce_node(graph, "sum", false, part));
  return made;
}

}  // namespace openclPort::expression
