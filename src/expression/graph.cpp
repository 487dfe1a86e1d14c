// graph -- nodes, of which equal ones are one.
#include "expression/graph.h"

#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/nmath_error.h"

namespace openclPort::expression {

namespace {

struct OpName {
  Op op;
  const char* name;
};
constexpr OpName kOpNames[] = {{Op::constant, "const"},
                               {Op::input, "input"},
                               {Op::draw, "draw"},
                               {Op::as_double, "as_double"},
                               {Op::as_logical, "as_logical"},
                               {Op::as_integer, "as_integer"},
                               {Op::bare, "bare"},
                               {Op::add, "+"},
                               {Op::subtract, "-"},
                               {Op::multiply, "*"},
                               {Op::divide, "/"},
                               {Op::power, "^"},
                               {Op::modulo, "%%"},
                               {Op::quotient, "%/%"},
                               {Op::negative, "neg"},
                               {Op::plus, "plus"},
                               {Op::equal, "=="},
                               {Op::unequal, "!="},
                               {Op::less, "<"},
                               {Op::greater, ">"},
                               {Op::less_equal, "<="},
                               {Op::greater_equal, ">="},
                               {Op::both, "&"},
                               {Op::either, "|"},
                               {Op::negation, "!"},
                               {Op::exclusive, "^^"},
                               {Op::select, "select"},
                               {Op::elementary, "elementary"},
                               {Op::library, "library"},
                               {Op::c_text, "c_text"},
                               {Op::absolute, "abs"},
                               {Op::log, "log"},
                               {Op::log_base, "log_base"},
                               {Op::atan2, "atan2"},
                               {Op::pmin, "pmin"},
                               {Op::pmax, "pmax"},
                               {Op::is_na, "is.na"},
                               {Op::is_nan, "is.nan"},
                               {Op::is_finite, "is.finite"},
                               {Op::is_infinite, "is.infinite"},
                               {Op::column, "column"},
                               {Op::product, "product"},
                               {Op::cut, "cut"},
                               {Op::slice, "slice"},
                               {Op::gather, "gather"},
                               {Op::reduce, "reduce"},
                               {Op::concat, "concat"},
                               {Op::cumsum, "cumsum"},
                               {Op::count, "count"},
                               {Op::spread, "spread"},
                               {Op::segments, "segments"},
                               {Op::crossprod, "crossprod"},
                               {Op::materialize, "materialize"},
                               {Op::fill, "fill"},
                               {Op::patch, "patch"},
                               {Op::each, "each"},
                               {Op::position, "position"},
                               {Op::part_sums, "part_sums"},
                               {Op::row_reduce, "row_reduce"},
                               {Op::recursion, "recursion"},
                               {Op::recursion_part, "recursion_part"}};

constexpr std::uint64_t kNaBits = 0x7FF00000000007A2u;  // what R has as NA_real_, a NaN that carries 1954
constexpr std::uint32_t kNaLow = 1954;

std::uint64_t bits_of(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

template <class T>
void append_bytes(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string key_of(const Node& node) {
  std::string key;
  append_bytes(key, node.op);
  append_bytes(key, node.type);
  append_bytes(key, node.length);
  append_bytes(key, node.first);
  append_bytes(key, node.second);
  append_bytes(key, node.flag);
  if (node.op == Op::constant) {
    append_bytes(key, node.constant.whole);
    // All NaNs that are not NA are one.
    const double real = node.constant.real;
    append_bytes(key, std::isnan(real) && !is_na_real(real) ? std::uint64_t{1} : bits_of(real));
  }
  for (const int arg : node.args) append_bytes(key, arg);
  return key + '|' + node.name + '|' + node.names;
}

}  // namespace

const char* op_name(Op op) {
  for (const OpName& one : kOpNames)
    if (one.op == op) return one.name;
  return "";
}

Op op_named(const std::string& name) {
  for (const OpName& one : kOpNames)
    if (name == one.name) return one.op;
  throw NmathError("an expression has no operation '" + name + "'", "expression");
}

Constant real_constant(double value) {
  Constant constant;
  constant.real = value;
  return constant;
}

Constant whole_constant(Type type, int value) {
  Constant constant;
  constant.type = type;
  constant.whole = value;
  return constant;
}

double na_real() {
  double value;
  std::memcpy(&value, &kNaBits, sizeof value);
  return value;
}

bool is_na_real(double value) { return std::isnan(value) && static_cast<std::uint32_t>(bits_of(value)) == kNaLow; }

bool is_missing(const Constant& value) {
  return value.type == Type::real ? std::isnan(value.real) : value.whole == INT_MIN;
}

double as_real(const Constant& value) {
  if (value.type == Type::real) return value.real;
  return value.whole == INT_MIN ? na_real() : value.whole;
}

bool has_no_slope(Op op) {
  return is_comparison(op) || is_one_of(op, Op::both, Op::either, Op::negation, Op::exclusive, Op::as_logical,
                                        Op::as_integer, Op::is_na, Op::is_nan, Op::is_finite, Op::is_infinite);
}

bool has_no_slope(const Node& node) { return has_no_slope(node.op) && !(node.op == Op::as_integer && node.flag); }

bool is_elementwise(Op op) {
  return has_no_slope(op) ||
         is_one_of(op, Op::as_double, Op::bare, Op::add, Op::subtract, Op::multiply, Op::divide, Op::power, Op::modulo,
                   Op::quotient, Op::negative, Op::plus, Op::select, Op::elementary, Op::library, Op::c_text,
                   Op::absolute, Op::log, Op::log_base, Op::atan2, Op::pmin, Op::pmax);
}

bool Graph::is_costly(int id) {
  for (int next = static_cast<int>(costly_.size()) + 1; next <= id; ++next) {
    const Node& node = at(next);
    bool costs = node.op == Op::row_reduce || node.op == Op::part_sums;
    if (node.op != Op::materialize)
      for (const int arg : node.args) costs = costs || costly_[static_cast<std::size_t>(arg) - 1] != 0;
    costly_.push_back(costs ? 1 : 0);
  }
  return costly_[static_cast<std::size_t>(id) - 1] != 0;
}

bool Graph::may_be_infinite(int id) {
  for (int next = static_cast<int>(infinite_.size()) + 1; next <= id; ++next) {
    const Node& node = at(next);
    bool found = node.op == Op::constant && std::isinf(as_real(node.constant));
    if (node.op == Op::input || node.op == Op::column) {
      const int definition = input(node.first).definition;
      found = input(node.first).infinite;
      found =
          found || (definition != 0 && definition < next && infinite_[static_cast<std::size_t>(definition) - 1] != 0);
    }
    const bool ends = ((node.op == Op::elementary || node.op == Op::library) && !infinite) || node.op == Op::reduce ||
                      node.type != Type::real || node.op == Op::recursion || node.op == Op::segments;
    for (const int arg : node.args) found = found || (!ends && infinite_[static_cast<std::size_t>(arg) - 1] != 0);
    infinite_.push_back(found ? 1 : 0);
  }
  return infinite_[static_cast<std::size_t>(id) - 1] != 0;
}

int Graph::add(Node node) {
  if (node.length > 1 && is_elementwise(node.op)) {
    for (int& arg : node.args) {
      const double size = length(arg);
      if (!(size > 1 && size < node.length) || at(arg).op == Op::input || !is_costly(arg) || in_round(arg)) continue;
      arg = defined(add({Op::materialize, type(arg), size, {arg}}));
    }
  }
  std::string key = key_of(node);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  nodes_.push_back(std::move(node));
  known_.emplace(std::move(key), size());
  return size();
}

bool Graph::in_round(int id) {
  for (int next = static_cast<int>(rounds_.size()) + 1; next <= id; ++next) {
    const Node& node = at(next);
    bool differs = false;
    if (node.op == Op::input || node.op == Op::product) {  // a product has its coefficients as an input, by number
      const Input& of = input(node.op == Op::input ? node.first : node.second);
      differs = of.round != 0 || (of.definition != 0 && rounds_[static_cast<std::size_t>(of.definition) - 1] != 0);
    }
    for (const int arg : node.args) differs = differs || rounds_[static_cast<std::size_t>(arg) - 1] != 0;
    rounds_.push_back(differs ? 1 : 0);
  }
  return rounds_[static_cast<std::size_t>(id) - 1] != 0;
}

int Graph::defined(int id) {
  const Node definition = at(id);
  const auto known = defined_.find(id);
  Node node{Op::input, definition.type, definition.length};
  if (known != defined_.end()) {
    node.first = known->second;
  } else {
    Input input;
    input.type = definition.type;
    input.length = definition.length;
    input.definition = id;
    inputs.push_back(input);
    node.first = static_cast<int>(inputs.size());
    defined_[id] = node.first;
  }
  return add(std::move(node));
}

bool has_long_vectors(const Graph& graph) {
  bool found = false;
  for (int id = 1; id <= graph.size(); ++id) found = found || graph.length(id) >= 2147483648;
  return found;
}

std::vector<int> nodes_under(const Graph& graph, const std::vector<int>& ids) {
  return nodes_under(graph, ids, [&graph](int id) -> const std::vector<int>& { return graph.at(id).args; });
}

}  // namespace openclPort::expression
