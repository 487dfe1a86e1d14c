// staged_numbers -- R's arithmetic of numbers that are doubles, for values between launches.
#pragma once

#include <Rmath.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "expression/graph.h"

namespace staged {

using openclPort::expression::Op;
using Numbers = std::vector<double>;

constexpr double kMostCode = 2147483647.0;

inline bool is_missing(double x) { return std::isnan(x); }

inline double compared(Op op, double a, double b) {
  if (is_missing(a) || is_missing(b)) return NA_REAL;
  switch (op) {
    case Op::equal:
      return a == b;
    case Op::unequal:
      return a != b;
    case Op::less:
      return a < b;
    case Op::greater:
      return a > b;
    case Op::less_equal:
      return a <= b;
    default:
      return a >= b;
  }
}

inline double logical(Op op, double a, double b) {
  const bool decides = op == Op::either;
  for (const double x : {a, b})
    if (!is_missing(x) && (x != 0) == decides) return decides;
  return is_missing(a) || is_missing(b) ? NA_REAL : !decides;
}

inline double natural_log(double x) { return x > 0 ? std::log(x) : x == 0 ? R_NegInf : is_missing(x) ? x : R_NaN; }

// Operations whose result is missing where a number of theirs is, and that warn of nothing there: those that move
// numbers, and those of each number.
inline bool moves_numbers(Op op) {
  return openclPort::expression::is_one_of(op, Op::as_double, Op::bare, Op::materialize, Op::plus, Op::negative,
                                           Op::slice, Op::concat, Op::fill, Op::each, Op::spread, Op::cut);
}
inline bool computes_each(Op op) {
  return openclPort::expression::is_one_of(op, Op::add, Op::subtract, Op::multiply, Op::divide, Op::absolute);
}

// The operations of of_two().
inline bool is_of_two(Op op) {
  using openclPort::expression::is_comparison, openclPort::expression::is_one_of;
  return is_comparison(op) || is_one_of(op, Op::add, Op::subtract, Op::multiply, Op::divide, Op::power, Op::both,
                                        Op::either, Op::exclusive, Op::atan2, Op::log_base, Op::pmin, Op::pmax);
}

inline double of_two(Op op, double a, double b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::power:
      return b == 2.0 ? a * a : R_pow(a, b);
    case Op::both:
    case Op::either:
      return logical(op, a, b);
    case Op::exclusive:
      return is_missing(a) || is_missing(b) ? NA_REAL : (a != 0) != (b != 0);
    case Op::atan2:
      return std::atan2(a, b);
    case Op::log_base:
      return b == 10.0 ? std::log10(a) : b == 2.0 ? std::log2(a) : natural_log(a) / natural_log(b);
    case Op::pmin:
      return std::min(a, b);
    case Op::pmax:
      return std::max(a, b);
    default:
      return compared(op, a, b);
  }
}

using Elementary = double (*)(double);

inline Elementary elementary_named(const std::string& name) {
  static const std::map<std::string, Elementary> known = {
      {"exp", [](double x) { return std::exp(x); }},     {"sqrt", [](double x) { return std::sqrt(x); }},
      {"log1p", [](double x) { return std::log1p(x); }}, {"expm1", [](double x) { return std::expm1(x); }},
      {"tanh", [](double x) { return std::tanh(x); }},   {"floor", [](double x) { return std::floor(x); }},
      {"sinh", [](double x) { return std::sinh(x); }},   {"cosh", [](double x) { return std::cosh(x); }},
      {"sin", [](double x) { return std::sin(x); }},     {"cos", [](double x) { return std::cos(x); }},
      {"tan", [](double x) { return std::tan(x); }},     {"ceiling", [](double x) { return std::ceil(x); }},
      {"asin", [](double x) { return std::asin(x); }},   {"acos", [](double x) { return std::acos(x); }},
      {"atan", [](double x) { return std::atan(x); }},   {"asinh", [](double x) { return std::asinh(x); }},
      {"acosh", [](double x) { return std::acosh(x); }}, {"atanh", [](double x) { return std::atanh(x); }},
      {"log2", [](double x) { return std::log2(x); }},   {"log10", [](double x) { return std::log10(x); }}};
  const auto found = known.find(name);
  return found == known.end() ? nullptr : found->second;
}

// A vector's elements, over and over. Divisions are slow, and few vectors need them.
class Recycled {
 public:
  explicit Recycled(const Numbers& x) : x_(x.data()), size_(x.size()) {}
  double at(std::size_t i) const { return x_[i < size_ ? i : size_ == 1 ? 0 : i % size_]; }

 private:
  const double* x_;
  std::size_t size_;
};

inline bool has_reduced(const std::string& op) {
  for (const char* const one : {"sum", "prod", "mean", "min", "max", "any", "all"})
    if (op == one) return true;
  return false;
}

// any() and all().
inline double found_among(bool what, const Numbers& x) {
  double value = !what;
  for (const double one : x) {
    if (is_missing(one))
      value = NA_REAL;
    else if ((one != 0) == what)
      return what;
  }
  return value;
}

// As R's sum(), prod() and mean() have it, in its long doubles.
inline double reduced(const std::string& op, const Numbers& x) {
  long double value = op == "prod" ? 1.0L : 0.0L;
  if (op == "any" || op == "all") return found_among(op == "any", x);
  if (op == "min") return *std::min_element(x.begin(), x.end());
  if (op == "max") return *std::max_element(x.begin(), x.end());
  for (const double one : x) {
    if (op == "prod")
      value *= static_cast<long double>(one);
    else
      value += static_cast<long double>(one);
  }
  if (op != "mean") return static_cast<double>(value);
  const long double n = static_cast<long double>(x.size());
  value /= n;
  if (!std::isfinite(static_cast<double>(value))) return static_cast<double>(value);
  long double rest = 0.0L;
  for (const double one : x) rest += static_cast<long double>(one) - value;
  return static_cast<double>(value + rest / n);
}

inline bool any_missing(const Numbers& x) { return std::any_of(x.begin(), x.end(), is_missing); }

template <typename F>
void map_to(Numbers& made, const Numbers& x, const F& f) {
  made.resize(x.size());
  std::transform(x.begin(), x.end(), made.begin(), f);
}

}  // namespace staged
