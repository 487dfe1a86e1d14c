// sign -- asks the operations of an expression, a few levels deep.
#include "expression/sign.h"

#include <cmath>

namespace openclPort::expression {

namespace {

bool is_even(const Graph& graph, int id) {
  const Node& node = graph.at(id);
  return node.op == Op::constant && !is_missing(node.constant) && std::fmod(as_real(node.constant), 2.0) == 0.0;
}

// Whether what is divided by a node keeps its sign: never negative, nor the zero below zero.
bool divides_by_sign(const Graph& graph, int id, int depth) {
  const Node& node = graph.at(id);
  if (depth == 0 || node.type != Type::real) return false;
  const auto both = [&] {
    return divides_by_sign(graph, node.args[0], depth - 1) && divides_by_sign(graph, node.args[1], depth - 1);
  };
  switch (node.op) {
    case Op::constant:
      return node.constant.real > 0;
    case Op::absolute:
      return true;
    case Op::elementary:
      return node.name == "exp" || node.name == "cosh";
    case Op::multiply:
      return node.args[0] == node.args[1] || both();
    case Op::add:
      return both();
    case Op::power:
      return is_even(graph, node.args[1]);
    default:
      return false;
  }
}

}  // namespace

bool keeps_sign(const Graph& graph, int id, int sign, int depth) {
  const Node& node = graph.at(id);
  if (depth == 0 || node.type != Type::real) return false;
  const auto same = [&](std::size_t k) { return keeps_sign(graph, node.args[k], sign, depth - 1); };
  const auto other = [&](std::size_t k) { return keeps_sign(graph, node.args[k], -sign, depth - 1); };
  const auto either = [&](bool one) { return one ? same(0) || same(1) : same(0) && same(1); };
  const bool positive = sign > 0;
  switch (node.op) {
    case Op::constant:
      return !is_na_real(node.constant.real) && !(sign * node.constant.real < 0);
    case Op::absolute:
      return positive;
    case Op::elementary:
      return positive && (node.name == "exp" || node.name == "sqrt" || node.name == "cosh");
    case Op::negative:
      return other(0);
    case Op::plus:
    case Op::bare:
      return same(0);
    case Op::add:
      return same(0) && same(1);
    case Op::subtract:
      return same(0) && other(1);
    case Op::multiply:
      if (positive) return node.args[0] == node.args[1] || (same(0) && same(1)) || (other(0) && other(1));
      return (same(0) && other(1)) || (other(0) && same(1));
    case Op::divide:
      return same(0) && divides_by_sign(graph, node.args[1], depth - 1);
    case Op::power:
      return positive && (is_even(graph, node.args[1]) || same(0));
    case Op::pmin:  // the flag: whether missing ones are left out
      return either(!positive && !node.flag);
    case Op::pmax:
      return either(positive && !node.flag);
    default:
      return false;
  }
}

bool is_exp_to_unit(const Graph& graph, const Node& node) {
  return node.op == Op::elementary && node.name == "exp" && keeps_sign(graph, node.args[0], -1);
}

bool is_log1p_of_unit(const Graph& graph, const Node& node) {
  return node.op == Op::library && node.name == "log1p" && is_exp_to_unit(graph, graph.at(node.args[0]));
}

bool is_log1p_of_exp(const Graph& graph, int id) {
  const Node& node = graph.at(id);
  return node.op == Op::elementary && node.name == "exp" && !is_exp_to_unit(graph, node);
}

}  // namespace openclPort::expression
