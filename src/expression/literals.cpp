// literals -- writes constants as C has them, and finds what is made of constants alone.
#include "expression/literals.h"

#include "expression/point_levels.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace openclPort::expression {

namespace {

bool is_plain_number(const Constant& value) {
  return value.type == Type::real ? std::isfinite(value.real) : !is_missing(value);
}

// 17 digits of a finite positive double.
std::string decimal_text(double value) {
  char digits[64];
  std::snprintf(digits, sizeof digits, "%.17g", value);
  std::string text;
  bool point = false;
  for (const char* c = digits; *c != '\0'; ++c) {
    const bool known = (*c >= '0' && *c <= '9') || *c == 'e' || *c == '+' || *c == '-';
    if (known)
      text += *c;
    else if (!point)  // the locale's point may have more than one byte
      text += '.';
    point = !known;
  }
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

// What is told of a number that comes by its bits.
std::string shown_number(double value) {
  if (is_na_real(value)) return "NA";
  if (std::isnan(value)) return "NaN";
  if (std::isfinite(value)) return c_constant(real_constant(value));
  return value > 0 ? "Inf" : "-Inf";
}

bool comes_from_outside(Op op) {
  return op == Op::input || op == Op::column || op == Op::product || op == Op::draw || op == Op::c_text;
}

}  // namespace

std::string double_bits(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  char text[32];
  std::snprintf(text, sizeof text, "0x%016llxUL", static_cast<unsigned long long>(bits));
  return text;
}

std::string c_constant(const Constant& value) {
  if (value.type != Type::real) return is_missing(value) ? "NMATH_NA_INT" : '(' + std::to_string(value.whole) + ')';
  const double real = value.real;
  if (!std::isfinite(real)) return "nmath_from_bits(" + double_bits(real) + ')';
  const double size = std::fabs(real);
  const bool whole = size == std::floor(size) && size < 1e15;
  const std::string text = whole ? std::to_string(static_cast<long long>(size)) + ".0" : decimal_text(size);
  return std::signbit(real) ? "(-" + text + ')' : text;
}

std::string constant_text(Writer& w, int id, const Constant& value) {
  const bool plain = value.type != Type::real ||
                     (std::isfinite(value.real) && std::fabs(value.real) < 2147483648.0 && w.opaque.count(id) == 0);
  if (plain) return c_constant(value);
  const std::string key = "literal " + std::to_string(id), name = 'k' + std::to_string(id);
  const AtLevel level(w, false);
  if (w.known.emplace(key, name).second)
    emit(w, w.scalar,
         "const nmath_value " + name + " = EXPR_LITERAL(" + double_bits(value.real) + ", first); // " +
             shown_number(value.real));
  return name;
}

void note_constant_nodes(Writer& w, const std::vector<int>& outputs) {
  const Graph& graph = w.graph;
  const std::set<int> tests(graph.tests.begin(), graph.tests.end());
  std::vector<char> constant(static_cast<std::size_t>(graph.size()) + 1, 0);
  for (const int id : nodes_under(graph, outputs)) {
    const Node& node = graph.at(id);
    bool all = !comes_from_outside(node.op) && !(node.op == Op::constant && node.flag);
    for (const int arg : node.args) all = all && constant[static_cast<std::size_t>(arg)];
    if (!all) continue;
    constant[static_cast<std::size_t>(id)] = 1;
    if (node.op == Op::constant) continue;
    const bool asked = node.op != Op::library && node.op != Op::select && node.length == 1 && tests.count(id) == 0;
    Constant value;
    if (asked && w.request.fold && w.request.fold(graph, id, value) && value.type == node.type &&
        is_plain_number(value))
      w.folded[id] = value;
    else
      w.opaque.insert(node.args.begin(), node.args.end());
  }
}

}  // namespace openclPort::expression
