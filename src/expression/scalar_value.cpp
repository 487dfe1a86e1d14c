// scalar_value -- see scalar_value.h
#include "expression/scalar_value.h"

#include <climits>
#include <cmath>
#include <map>

#include "base/nmath_error.h"

namespace openclPort::expression {

namespace {

constexpr int kNaWhole = INT_MIN;

Constant logical_constant(bool value) { return whole_constant(Type::logical, value ? 1 : 0); }

Constant real_as_type(double x, Type type) {
  if (type == Type::real) return real_constant(x);
  if (std::isnan(x)) return whole_constant(type, kNaWhole);
  if (type == Type::logical) return logical_constant(x != 0);
  return whole_constant(type, x > INT_MIN && x < 2147483648.0 ? static_cast<int>(x) : kNaWhole);
}

Constant constant_as_type(const Constant& x, Type type) { return x.type == type ? x : real_as_type(as_real(x), type); }

// NA where one is: which NaN a sum of two is differs between machines.
Constant real_arithmetic(Op op, double a, double b) {
  const bool power = op == Op::power && (a == 1 || b == 0);
  if (!power && (is_na_real(a) || is_na_real(b))) return real_constant(na_real());
  switch (op) {
    case Op::add:
      return real_constant(a + b);
    case Op::subtract:
      return real_constant(a - b);
    case Op::multiply:
      return real_constant(a * b);
    case Op::divide:
      return real_constant(a / b);
    default:
      return real_constant(std::pow(a, b));
  }
}

Constant scalar_arithmetic(const Node& node, const Constant& a, const Constant& b) {
  if (node.type == Type::real) return real_arithmetic(node.op, as_real(a), as_real(b));
  if (is_missing(a) || is_missing(b)) return whole_constant(Type::integer, kNaWhole);
  const long long x = a.whole, y = b.whole;
  const long long value = node.op == Op::add ? x + y : node.op == Op::subtract ? x - y : x * y;
  return whole_constant(Type::integer, value > INT_MAX || value <= INT_MIN ? kNaWhole : static_cast<int>(value));
}

Constant scalar_comparison(Op op, const Constant& left, const Constant& right) {
  if (is_missing(left) || is_missing(right)) return whole_constant(Type::logical, kNaWhole);
  const double a = as_real(left), b = as_real(right);
  switch (op) {
    case Op::equal:
      return logical_constant(a == b);
    case Op::unequal:
      return logical_constant(a != b);
    case Op::less:
      return logical_constant(a < b);
    case Op::greater:
      return logical_constant(a > b);
    case Op::less_equal:
      return logical_constant(a <= b);
    default:
      return logical_constant(a >= b);
  }
}

// What decides alone goes before NA.
Constant scalar_logic(Op op, const Constant& a, const Constant& b) {
  const bool missing = is_missing(a) || is_missing(b);
  const bool decides = op == Op::either;
  if (op != Op::exclusive)
    for (const Constant& x : {a, b})
      if (!is_missing(x) && (x.whole != 0) == decides) return logical_constant(decides);
  if (missing) return whole_constant(Type::logical, kNaWhole);
  return logical_constant(op == Op::exclusive ? (a.whole != 0) != (b.whole != 0) : !decides);
}

Constant scalar_sign(const Node& node, const Constant& x) {
  if (node.type == Type::real) {
    const double value = as_real(x);
    return real_constant(is_na_real(value) || node.op == Op::plus ? value
                         : node.op == Op::absolute                ? std::fabs(value)
                                                                  : -value);
  }
  if (is_missing(x) || node.op == Op::plus || (node.op == Op::absolute && x.whole >= 0))
    return whole_constant(node.type, x.whole);
  return whole_constant(node.type, -x.whole);
}

class ScalarValues {
 public:
  ScalarValues(const Graph& graph, const std::function<Constant(int)>& input) : graph_(graph), input_(input) {}

  // Arguments have smaller numbers, so that no part is computed within another.
  Constant value(int root) {
    for (const int id : nodes_under(graph_, {root})) {
      const Node& node = graph_.at(id);
      if (node.length != 1) refuse(node);
      known_[id] = of_node(node);
    }
    return known_.at(root);
  }

 private:
  const Constant& arg(const Node& node, std::size_t k) const { return known_.at(node.args[k]); }

  Constant of_node(const Node& node) const {
    switch (node.op) {
      case Op::constant:
        return node.constant;
      case Op::input:
        return input_(node.first);
      case Op::as_double:
      case Op::as_logical:
      case Op::as_integer:
      case Op::bare:
        return constant_as_type(arg(node, 0), node.type);
      case Op::add:
      case Op::subtract:
      case Op::multiply:
      case Op::divide:
      case Op::power:
        return scalar_arithmetic(node, arg(node, 0), arg(node, 1));
      case Op::negative:
      case Op::plus:
      case Op::absolute:
        return scalar_sign(node, arg(node, 0));
      case Op::equal:
      case Op::unequal:
      case Op::less:
      case Op::greater:
      case Op::less_equal:
      case Op::greater_equal:
        return scalar_comparison(node.op, arg(node, 0), arg(node, 1));
      case Op::both:
      case Op::either:
      case Op::exclusive:
        return scalar_logic(node.op, arg(node, 0), arg(node, 1));
      case Op::negation:
        return is_missing(arg(node, 0)) ? arg(node, 0) : logical_constant(arg(node, 0).whole == 0);
      case Op::select: {
        const Constant& test = arg(node, 0);
        if (is_missing(test)) return constant_as_type(whole_constant(Type::logical, kNaWhole), node.type);
        return constant_as_type(arg(node, test.whole != 0 ? 1 : 2), node.type);
      }
      default:
        return of_question(node);
    }
  }

  Constant of_question(const Node& node) const {
    if (node.args.size() == 1) {
      const Constant& x = arg(node, 0);
      const double value = as_real(x);
      const bool real = x.type == Type::real;
      if (node.op == Op::is_na) return logical_constant(is_missing(x));
      if (node.op == Op::is_nan) return logical_constant(real && std::isnan(value) && !is_na_real(value));
      if (node.op == Op::is_finite) return logical_constant(std::isfinite(value));
      if (node.op == Op::is_infinite) return logical_constant(real && std::isinf(value));
    }
    refuse(node);
  }

  [[noreturn]] static void refuse(const Node& node) {
    if (node.length != 1)
      throw LimitError(
          "what decides how an expression is computed, as the condition of `if`, has to be made of numbers "
          "of length one here");
    const std::string name = node.name.empty() ? op_name(node.op) : node.name;
    throw LimitError("`" + name +
                     "` decides how an expression is computed, as in the condition of `if`: here only arithmetic, "
                     "comparisons and logic of numbers of length one can. Compute it before the call, and give it as "
                     "an argument");
  }

  const Graph& graph_;
  const std::function<Constant(int)>& input_;
  std::map<int, Constant> known_;
};

}  // namespace

Constant scalar_value(const Graph& graph, int id, const std::function<Constant(int)>& input) {
  return ScalarValues(graph, input).value(id);
}

}  // namespace openclPort::expression
