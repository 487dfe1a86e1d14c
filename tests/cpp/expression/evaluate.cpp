// evaluate -- see the header.
#include "evaluate.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace expression_test {

using namespace openclPort::expression;

namespace {

double truth(bool holds) { return holds ? 1 : 0; }

double compared(Op op, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return na_real();
  switch (op) {
    case Op::equal:
      return truth(a == b);
    case Op::less:
      return truth(a < b);
    case Op::greater:
      return truth(a > b);
    case Op::less_equal:
      return truth(a <= b);
    default:
      return truth(a >= b);
  }
}

double product(const Graph& graph, const Node& node, std::size_t at, const Values& values) {
  const std::vector<double>&matrix = values[static_cast<std::size_t>(node.first) - 1],
        &coefficients = values[static_cast<std::size_t>(node.second) - 1];
  const auto rows = static_cast<std::size_t>(graph.input(node.first).rows);
  double sum = 0;
  for (std::size_t j = 0; j < coefficients.size(); ++j) sum += matrix[at % rows + j * rows] * coefficients[j];
  return sum;
}

double elementary(const std::string& name, double x) {
  if (name == "exp") return std::exp(x);
  if (name == "sqrt") return std::sqrt(x);
  if (name == "sin") return std::sin(x);
  if (name == "cos") return std::cos(x);
  throw std::logic_error(name);
}

}  // namespace

double element(const Graph& graph, int id, std::size_t at, const Values& values) {
  const Node& node = graph.at(id);
  at %= static_cast<std::size_t>(node.length);
  const auto arg = [&](std::size_t k) { return element(graph, node.args[k], at, values); };
  switch (node.op) {
    case Op::constant:
      return as_real(node.constant);
    case Op::input:
      return values[static_cast<std::size_t>(node.first) - 1][at];
    case Op::product:
      return product(graph, node, at, values);
    case Op::column:
      return values[static_cast<std::size_t>(node.first) - 1][at];
    case Op::as_double:
    case Op::bare:
    case Op::plus:
    case Op::cut:
      return arg(0);
    case Op::negative:
      return -arg(0);
    case Op::add:
      return arg(0) + arg(1);
    case Op::subtract:
      return arg(0) - arg(1);
    case Op::multiply:
      return arg(0) * arg(1);
    case Op::divide:
      return arg(0) / arg(1);
    case Op::power:
      return std::pow(arg(0), arg(1));
    case Op::log:
      return std::log(arg(0));
    case Op::log_base:
      return std::log(arg(0)) / std::log(arg(1));
    case Op::elementary:
      return elementary(node.name, arg(0));
    case Op::equal:
    case Op::less:
    case Op::greater:
    case Op::less_equal:
    case Op::greater_equal:
      return compared(node.op, arg(0), arg(1));
    case Op::is_na:
      return truth(std::isnan(arg(0)));
    case Op::negation: {
      const double x = arg(0);
      return std::isnan(x) ? x : truth(x == 0);
    }
    case Op::both: {
      const double a = arg(0), b = arg(1);
      if (a == 0 || b == 0) return 0;
      return std::isnan(a) || std::isnan(b) ? na_real() : 1;
    }
    case Op::either: {
      const double a = arg(0), b = arg(1);
      if ((!std::isnan(a) && a != 0) || (!std::isnan(b) && b != 0)) return 1;
      return std::isnan(a) || std::isnan(b) ? na_real() : 0;
    }
    case Op::select: {
      const double test = arg(0);
      return std::isnan(test) ? na_real() : test != 0 ? arg(1) : arg(2);
    }
    case Op::pmin:
    case Op::pmax: {
      const double a = arg(0), b = arg(1);
      if (std::isnan(a)) return node.flag ? b : a;
      if (std::isnan(b)) return node.flag ? a : b;
      return node.op == Op::pmin ? std::min(a, b) : std::max(a, b);
    }
    default:
      throw std::logic_error(op_name(node.op));
  }
}

}  // namespace expression_test
