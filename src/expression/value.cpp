// value -- nodes as C: each is declared once for every index that it is read at.
//
// Parts of length one stand before the loop over the elements, so that each is computed once per work-item; the others
// stand in it. A part that is shorter than the one it belongs to is computed at index e % length of its own.
#include "base/nmath_error.h"
#include "expression/branches.h"
#include "expression/counts.h"
#include "expression/lines.h"
#include "expression/literals.h"
#include "expression/node_text.h"
#include "expression/point_levels.h"
#include "expression/writer.h"

namespace openclPort::expression {

namespace {

std::string call_text(const NodeUse& use, const char* function) {
  std::string text = std::string(function) + '(' + use.arg(1);
  if (use.node.args.size() > 1) text += ", " + use.arg(2);
  return text + ')';
}

// A question by the argument's type; %1 stands for the argument.
std::string missing_test(const NodeUse& use, const char* whole, const char* real) {
  const bool double_arg = use.w.graph.type(use.arg_id(1)) == Type::real;
  return filled(double_arg ? real : whole, {use.arg(1)});
}

std::string nan_test(const NodeUse& use) {
  const bool double_arg = use.w.graph.type(use.arg_id(1)) == Type::real;
  const std::string na = double_arg ? na_text(use.w, use.arg_id(1), use.at) : "";
  const std::string x = use.arg(1);
  return double_arg ? "isnan(" + x + ") && !(" + na + ')' : "0";
}

std::optional<std::string> select_text(const NodeUse& use) {
  if (asks_for_reported(use)) return use.arg(3);
  if (chooses_none(use.w, use.id)) {
    emit(use.w, use.at, "needs_general |= " + use.arg(1) + " != 0;");
    return use.arg(3);
  }
  if (use.w.assume_no_nan && write_branches(use)) return std::nullopt;
  const std::string test = use.arg(1), yes = use.arg(2), no = use.arg(3);
  const char* const missing = use.node.type == Type::real ? "NMATH_NA_REAL" : "NMATH_NA_INT";
  return test + " == NMATH_NA_INT ? " + missing + " : " + test + " ? " + yes + " : " + no;
}

// Nothing where the node has declared itself.
std::optional<std::string> node_text(const NodeUse& use) {
  const bool real = use.node.type == Type::real;
  switch (use.node.op) {
    case Op::input:
      return input_text(use);
    case Op::column:
      return column_text(use);
    case Op::product:
      write_product(use.w, use.id, use.node, use.at, use.name);
      return std::nullopt;
    case Op::cut:
    case Op::plus:
    case Op::bare:
      return use.arg(1);
    case Op::as_double:
      return call_text(use, "expr_as_double");
    case Op::as_logical:
      return call_text(use, use.w.graph.type(use.arg_id(1)) == Type::real ? "expr_lgl_of_double" : "expr_lgl_of_int");
    case Op::as_integer:
      return call_text(use, "expr_int_of_double");
    case Op::negative:
      return call_text(use, real ? "-" : "expr_neg");
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::power:
    case Op::modulo:
    case Op::quotient:
      return arithmetic_text(use);
    case Op::equal:
    case Op::unequal:
    case Op::less:
    case Op::greater:
    case Op::less_equal:
    case Op::greater_equal:
      return comparison_text(use);
    case Op::both:
      return call_text(use, "expr_and");
    case Op::either:
      return call_text(use, "expr_or");
    case Op::exclusive:
      return call_text(use, "expr_xor");
    case Op::negation:
      return call_text(use, "expr_not");
    case Op::select:
      return select_text(use);
    case Op::elementary:
      return elementary_text(use);
    case Op::log:
      return call_text(use, "log");
    case Op::log_base:
      return log_base_text(use);
    case Op::atan2:
      return call_text(use, "atan2");
    case Op::absolute:
      return call_text(use, real ? "fabs" : "expr_abs");
    case Op::pmin:
    case Op::pmax:
      return extreme_text(use);
    case Op::is_na:
      return missing_test(use, "%1 == NMATH_NA_INT", is_reported(use.w, use.arg_id(1)) ? "0" : "isnan(%1) != 0");
    case Op::is_nan:
      return nan_test(use);
    case Op::is_finite:
      return missing_test(use, "%1 != NMATH_NA_INT", "isfinite(%1) != 0");
    case Op::is_infinite:
      return missing_test(use, "0", "isinf(%1) != 0");
    case Op::library:
      return library_text(use);
    case Op::c_text:
      return c_text_call(use);
    case Op::draw:
      return draw_text(use);
    case Op::slice:
      return slice_text(use);
    case Op::gather:
      return gather_text(use);
    case Op::each:
      return each_text(use);
    case Op::position:
      return (real ? "(double)" : "(int)") + use.at.name;
    case Op::part_sums:
      write_part_sums(use);
      return std::nullopt;
    case Op::row_reduce:
      write_row_reduction(use);
      return std::nullopt;
    case Op::constant:
    case Op::reduce:
    case Op::concat:
    case Op::cumsum:
    case Op::count:
    case Op::spread:
    case Op::segments:
    case Op::crossprod:
    case Op::materialize:
    case Op::fill:
    case Op::patch:
    case Op::recursion:
    case Op::recursion_part:
      break;
  }
  throw NmathError(std::string("no text for ") + op_name(use.node.op));
}

std::string write_node(Writer& w, int id, const Node& node, const Index& at) {
  const AtLevel level(w, varies(w, id));
  const std::string name = 'v' + std::to_string(id) + index_suffix(at, node.length);
  const NodeUse use{w, id, node, at, name};
  if (const std::optional<std::string> counted = counted_text(use)) return *counted;
  const std::optional<std::string> text = node_text(use);
  if (!text) return name;
  const std::string shown = w.request.as_gpu ? canonical_text(node, *text) : *text;
  emit(w, at, std::string("const ") + c_value_type(node.type) + ' ' + name + " = " + shown + ';');
  if (holds(w.graph.tests, id)) write_test(use);
  write_sites(use);
  return name;
}

}  // namespace

Writer::Writer(const Graph& graph_, const TextRequest& request_)
    : graph(graph_),
      request(request_),
      reduces(request_.reduce != Reduction::none),
      assume_no_nan(!request_.general && tells_missing(request_)),
      n(0) {
  for (const int id : request.outputs) {
    n = std::max(n, graph.length(id));
    types.push_back(graph.type(id));
  }
  root = {"e", n};
  scalar = {"0", 1};
}

const char* c_type(Type type) { return type == Type::real ? "double" : "int"; }
const char* c_value_type(Type type) { return type == Type::real ? "nmath_value" : "int"; }

void emit(Writer& w, const Index& at, const std::string& line) {
  const bool shared = w.tiling && !w.varying;
  Lines& in_loop = shared ? w.row_lines : w.loop_lines;
  Lines& before = w.tiling && !shared ? w.point_lines : w.scalar_lines;
  (at.scalar() ? before : in_loop).push_back(line);
}

void note_function(Writer& w, const std::string& name, const Index& at) {
  add_once(w.functions, name);
  w.called = w.called || !at.scalar();
}

int length_number(Writer& w, double length) { return number_in(w.lengths, length); }

Index index_for(Writer& w, const Index& at, double length) {
  if (length == 1 && !at.scalar()) return w.scalar;
  if (length >= at.length || at.scalar()) return {at.name, length};
  const std::string number = std::to_string(length_number(w, length)), name = at.name + '_' + number;
  const AtLevel level(w, false);
  if (w.known.emplace("index " + name, "").second)
    emit(w, at, "const expr_index " + name + " = " + at.name + " % (expr_index)len_" + number + ';');
  return {name, length};
}

// A vector's first element is "_0", for it is known in the loop, too.
std::string index_suffix(const Index& at, double length) {
  if (at.scalar()) return length != 1 ? "_0" : "";
  return at.name.substr(at.name[0] == 'e' ? 1 : 0);
}

int use_column(Writer& w, int input, Role role) {
  for (std::size_t k = 0; k < w.columns.size(); ++k) {
    if (w.columns[k].input != input) continue;
    if (w.columns[k].role != role) w.columns[k].role = Role::whole;
    return static_cast<int>(k) + 1;
  }
  w.columns.push_back({input, role});
  return static_cast<int>(w.columns.size());
}

std::vector<int> nodes_below(const Writer& w, const std::vector<int>& ids) {
  return nodes_under(w.graph, ids, [&](int id) {
    if (w.counted.count(id) > 0) return std::vector<int>();
    const Node& node = w.graph.at(id);
    return node.length == 1 || node.length == w.n ? element_args(node) : std::vector<int>();
  });
}

std::vector<int> element_args(const Node& node) {
  if (node.op == Op::slice || node.op == Op::each || node.op == Op::part_sums || node.op == Op::row_reduce) return {};
  if (node.op == Op::bare) return {node.args[0]};  // others tell of attributes
  if (node.op == Op::gather) return {node.args[1]};
  return node.args;
}

// One program serves every length.
static std::string length_text(Writer& w, const Node& node) {
  const std::string number = std::to_string(length_number(w, as_real(node.constant)));
  return (node.type == Type::real ? "((double)len_" : "((int)len_") + number + ')';
}

std::string value_at(Writer& w, int id, const Index& at) {
  const Node& node = w.graph.at(id);
  if (node.op == Op::constant && node.flag) return length_text(w, node);
  if (node.op == Op::constant) return constant_text(w, id, node.constant);
  const auto folded = w.folded.find(id);
  if (folded != w.folded.end()) return constant_text(w, id, folded->second);
  const Index own = index_for(w, at, node.length);
  const std::string key = std::to_string(id) + ' ' + own.name;
  const auto known = w.known.find(key);
  if (known != w.known.end()) return known->second;
  const std::string text = write_node(w, id, node, own);
  w.known[key] = text;
  return text;
}

// Where columns are read: @k@ in a line is the place in column k, @rowsk@ the length of its rows. A later use may have
// needed all of a column, which then is read as it lies.
static std::string column_text(Writer& w, bool is_stride, std::size_t k) {
  const bool whole = w.columns[k - 1].role == Role::whole;
  if (!is_stride) return whole ? "e" : filled("AT(%1)", {k});
  return whole ? filled("(expr_index)len_%1", {length_number(w, w.n)}) : filled("stride_%1", {k});
}

void place_columns(Writer& w, Lines& lines) {
  for (const auto& column : w.columns)
    if (column.role == Role::whole) length_number(w, w.n);
  for (std::string& line : lines) {
    std::string made;
    std::size_t from = 0;
    for (std::size_t at = line.find('@'); at != std::string::npos; at = line.find('@', at + 1)) {
      const bool is_stride = line.compare(at + 1, 4, "rows") == 0;
      const std::size_t number = at + (is_stride ? 5 : 1), end = line.find_first_not_of("0123456789", number);
      if (end == number || end == std::string::npos || line[end] != '@') continue;
      made.append(line, from, at - from);
      made += column_text(w, is_stride, std::stoul(line.substr(number, end - number)));
      from = end + 1;
      at = end;
    }
    if (from > 0) line = made.append(line, from, std::string::npos);
  }
}

}  // namespace openclPort::expression
